// Launchers: logical sizes and what they reach.
#include <stdexcept>

#include "tests/support/graph_test.h"

namespace eagle::test {
namespace {

using testing::HasSubstr;

TEST(Launcher, ExactlyNSamplesAreTouched) {
  constexpr Index kSize = 300;
  const Cells cells(kSize);
  backend::Graph graph;
  graph.addMemset(cells.data(), 0, kSize * sizeof(int));
  graph.addKernel(perSample(128), Increment{}, cells.data());
  Launcher launcher = graph.launcher();
  for (const Index n : {1, 127, 128, 129}) {
    launcher.setLogicalSize(n);
    EXPECT_EQ(launcher.logicalSize(), n);
    runOnce(launcher);
    EXPECT_EQ(cells.values(), firstCells(n, kSize, 1));
  }
}

TEST(Launcher, ShrinksAndGrowsInPlace) {
  const Cells cells(1000);
  backend::Graph graph;
  graph.addKernel(perSample(), Increment{}, cells.data());
  Launcher launcher = graph.launcher();
  std::vector<int> expected(1000, 0);
  for (const Index n : {1000, 10, 600, 0, 1, 1000}) {
    launcher.setLogicalSize(n);
    runOnce(launcher);
    for (Index i = 0; i < n; ++i) {
      ++expected[static_cast<std::size_t>(i)];
    }
    ASSERT_EQ(cells.values(), expected) << "size " << n;
  }
}

TEST(Launcher, QueuedLaunchesKeepTheSizeTheyWereLaunchedWith) {
  const Cells cells(1000);
  backend::Graph graph;
  graph.addKernel(perSample(), Increment{}, cells.data());
  Launcher launcher = graph.launcher(1000);
  for (int k = 0; k < 50; ++k) {
    launcher.setLogicalSize(1000);
    launcher.launch();
    launcher.setLogicalSize(1);
    launcher.launch();
  }
  launcher.synchronize();
  std::vector<int> expected(1000, 50);
  expected[0] = 100;
  EXPECT_EQ(cells.values(), expected);
}

TEST(Launcher, SizeReachesEveryKernelThatFollowsAndNoOther) {
  const Cells a(512);
  const Cells b(512);
  const Cells c(512);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(128), 512, Increment{}, a.data());
  backend::launch(stream, perSample(128), 512, Append{}, b.data(), 1);
  backend::launch(stream, perSample(128), 512, Append{}, b.data(), 2);
  capturer.fixed([&] { backend::launch(stream, perSample(64), 64, Increment{}, c.data()); });
  backend::launch(stream, fixed(), 3, Increment{}, c.data());
  backend::Graph graph;
  const NodeId region = graph.addNode(capturer.end());
  Launcher launcher = graph.launcher();
  runOnce(launcher);  // as captured
  launcher.setLogicalSize(200);
  runOnce(launcher);

  std::vector<int> expected(512, 1);
  std::fill_n(expected.begin(), 200, 2);
  EXPECT_EQ(a.values(), expected);
  expected.assign(512, 12);
  std::fill_n(expected.begin(), 200, 1212);
  EXPECT_EQ(b.values(), expected);
  expected = firstCells(64, 512, 2);
  std::fill_n(expected.begin(), 3, 4);
  EXPECT_EQ(c.values(), expected);

  const auto sizes = launcher.sizes(region);
  ASSERT_EQ(sizes.size(), 5u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(sizes[k].follows);
    EXPECT_EQ(sizes[k].dims, (LaunchDims{{2}, {128}}));
  }
  EXPECT_FALSE(sizes[3].follows);
  EXPECT_EQ(sizes[3].dims, (LaunchDims{{1}, {64}}));
  EXPECT_FALSE(sizes[4].follows);
}

TEST(Launcher, AFixedRegionOrKernelKeepsItsSize) {
  const Cells cells(100);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), 50, Increment{}, cells.data());
  backend::Graph graph;
  graph.setFixed(graph.addNode(capturer.end()));
  graph.addKernel(fixed(20), Increment{}, cells.data());
  Launcher launcher = graph.launcher();
  launcher.setLogicalSize(3);
  runOnce(launcher);
  launcher.setLogicalSize(0);
  runOnce(launcher);
  std::vector<int> expected = firstCells(50, 100, 2);
  std::fill_n(expected.begin(), 20, 4);
  EXPECT_EQ(cells.values(), expected);

  const NodeId sizeless = graph.addKernel(perSample(), Increment{}, cells.data());
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { graph.setFixed(sizeless); }), HasSubstr("fixed(count)"));
  EXPECT_THROW(graph.addKernel(fixed(), Increment{}, cells.data()), Error);
  const NodeId host = graph.addHostNode([] {});
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { graph.setFixed(host); }), HasSubstr("no size"));
  backend::Graph parent;
  parent.setFixed(parent.addNode(graph));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)parent.launcher(); }), HasSubstr("kernel#2"));
}

TEST(Launcher, SizeZeroRunsNothingAndKeepsTheOrder) {
  const Cells cells(4);
  std::vector<int> order;
  backend::Graph graph;
  graph.addHostNode([&] { order.push_back(1); });
  graph.addKernel(perSample(), Append{}, cells.data(), 1);
  graph.addHostNode([&] { order.push_back(2); });
  graph.addKernel(fixed(4), Append{}, cells.data(), 2);
  Launcher launcher = graph.launcher(0);
  EXPECT_FALSE(launcher.sizes()[0].enabled);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4, 4, 2));
  launcher.setLogicalSize(4);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4, 4, 212));
  launcher.setLogicalSize(0);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4, 4, 2122));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 1, 2, 1, 2}));
}

TEST(Launcher, LaunchersOfOneGraphAreIndependent) {
  const Cells cells(10);
  backend::Graph graph;
  const NodeId node = graph.addKernel(perSample(), Increment{}, cells.data());
  Launcher one = graph.launcher(10);
  Launcher two = graph.launcher(10);
  one.setLogicalSize(1);
  Launcher three = graph.launcher(10);
  EXPECT_EQ(one.logicalSize(), 1);
  EXPECT_EQ(two.logicalSize(), 10);
  runOnce(one);
  runOnce(two);
  runOnce(three);
  std::vector<int> expected(10, 2);
  expected[0] = 3;
  EXPECT_EQ(cells.values(), expected);
  EXPECT_EQ(two.sizes(node).size(), 1u);
}

TEST(Launcher, ASizeThatOneNodeCannotTakeChangesNothing) {
  const Cells cells(100);
  backend::Graph graph;
  graph.addKernel(perSample(32), Increment{}, cells.data());
  graph.setLabel(graph.addKernel(computed([](Index n) {
                                   return LaunchDims{{n > 50 ? 0u : 1u}, {32}};
                                 }),
                                 Increment{}, cells.data()),
                 "odd");
  Launcher launcher = graph.launcher(40);
  const auto before = launcher.sizes();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher.setLogicalSize(60); }), HasSubstr("node 'odd'"));
  EXPECT_EQ(launcher.logicalSize(), 40);
  EXPECT_EQ(launcher.sizes()[0].dims, before[0].dims);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(40, 100, 2));
  EXPECT_THROW(launcher.setLogicalSize(-1), Error);
  EXPECT_THROW((void)graph.launcher(-1), Error);
}

// Beyond 2^32 samples of which only a few do something: the last must be reached, and nothing beyond.
constexpr Index kLast = (Index{1} << 32) + 5;
struct MarkEnds {
  EAGLE_HD void operator()(Index i, int* cells) const {
    if (i == 0 || i == kLast) {
      cells[i == 0 ? 0 : 1] += 1;
    } else if (i > kLast) {
      cells[2] += 1;
    }
  }
};

TEST(Launcher, HugeSizesAreCoveredByEveryGrid) {
  const Cells cells(3);
  backend::Graph graph;
  graph.addKernel(perSample(1024), MarkEnds{}, cells.data());
  Launcher launcher = graph.launcher(kLast + 1);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), (std::vector<int>{1, 1, 0}));
}

TEST(Launcher, TunedAndComputedRulesCoverAllSamples) {
  const Cells cells(5000);
  backend::Graph graph;
  graph.addKernel(tuned(), Increment{}, cells.data());
  graph.addKernel(computed([](Index) { return LaunchDims{{2}, {32}}; }), Increment{}, cells.data());
  Launcher launcher = graph.launcher(4999);
  launcher.upload();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4999, 5000, 2));
}

}  // namespace
TEST(Launcher, ARuleThatThrowsChangesNothing) {
  const Cells cells(8);
  backend::Graph graph;
  graph.addKernel(perSample(), Increment{}, cells.data());
  graph.addKernel(computed([](Index n) {
                    if (n == 500) {
                      throw std::runtime_error("not 500");
                    }
                    return LaunchDims{{1}, {8}};
                  }),
                  Increment{}, cells.data());
  Launcher launcher = graph.launcher(8);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher.setLogicalSize(500); }),
              testing::HasSubstr("node 'kernel#1': not 500"));
  EXPECT_EQ(launcher.logicalSize(), 8);
  launcher.setLogicalSize(0);
  launcher.setLogicalSize(8);
  EXPECT_EQ(launcher.sizes()[0].dims, (LaunchDims{{1}, {256}}));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(8, 8, 2));
}

}  // namespace eagle::test
