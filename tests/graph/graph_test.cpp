// Recipes: nodes of every kind, their order, their owners, their errors.
#include <stdexcept>

#include "tests/support/graph_test.h"

namespace eagle::test {
namespace {

using testing::HasSubstr;

TEST(Graph, NodesFollowEachOtherUnlessToldOtherwise) {
  const Cells cells(100);
  backend::Graph graph;
  const NodeId one = graph.addKernel(perSample(), Append{}, cells.data(), 1);
  const NodeId two = graph.addKernel(perSample(), Append{}, cells.data(), 2);
  graph.addKernel(perSample(), {one, two}, Append{}, cells.data(), 3);
  graph.addEmpty();
  graph.addKernel(perSample(), Append{}, cells.data(), 4);
  Launcher launcher = graph.launcher(100);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(100, 100, 1234));
}

TEST(Graph, MemsetAndMemcpyTakeTheirTurn) {
  const Cells cells(8);
  const Cells copy(8);
  backend::Graph graph;
  graph.addMemset(cells.data(), 1, 4 * sizeof(int));
  graph.addMemcpy(copy.data(), cells.data(), 8 * sizeof(int));
  graph.addMemset(cells.data(), 0, 8 * sizeof(int));
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(copy.values(), firstCells(4, 8, 0x01010101));
  EXPECT_EQ(cells.values(), firstCells(0, 8, 0));
  EXPECT_THROW(graph.addMemset(nullptr, 0, 4), Error);
  EXPECT_THROW(graph.addMemset(cells.data(), 0, 0), Error);
  EXPECT_THROW(graph.addMemcpy(copy.data(), nullptr, 4), Error);
}

struct alignas(16) Wide {
  double a;
  char b;
};
struct Store {
  EAGLE_HD void operator()(Index i, double* out, short s, Wide wide) const { out[i] = s + wide.a + wide.b; }
};

TEST(Graph, ArgumentsAreConvertedAndCopiedWhenAdded) {
  const Buffer<double> out(testDevice(), 3);
  backend::Graph graph;
  {
    int seven = 7;  // converted to the short that the kernel takes
    Wide wide{0.25, 'A'};
    graph.addKernel(fixed(3), Store{}, out.data(), seven, wide);
    seven = -1;
    wide = {-1, 0};
  }
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(out.toHost(), std::vector<double>(3, 7 + 0.25 + 65));
}

TEST(Graph, EveryKindOfNodeRunsOncePerLaunchAndNeverBefore) {
  const Cells cells(1);
  std::atomic<int> calls = 0;
  backend::Graph inner;
  inner.addKernel(fixed(1), Increment{}, cells.data());
  inner.addHostNode([&] { ++calls; });
  backend::Graph graph;
  graph.addKernel(fixed(1), Increment{}, cells.data());
  graph.addHostNode([&] { ++calls; });
  graph.addNode(inner);
  graph.addCapture([&](backend::StreamCapturer& capturer) {
    backend::launch(capturer.stream(), perSample(), 1, Increment{}, cells.data());
  });
  Launcher launcher = graph.launcher();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(cells.values(), std::vector<int>{0});
  for (int k = 1; k <= 3; ++k) {
    runOnce(launcher);
    EXPECT_EQ(calls, 2 * k);
    EXPECT_EQ(cells.values(), std::vector<int>{3 * k});
  }
}

TEST(Graph, ALauncherDoesNotSeeLaterChangesOfTheGraph) {
  const Cells cells(1);
  backend::Graph inner;
  inner.addKernel(fixed(1), Append{}, cells.data(), 1);
  backend::Graph graph;
  graph.addNode(inner);
  inner.addKernel(fixed(1), Append{}, cells.data(), 2);
  Launcher launcher = graph.launcher();
  graph.addKernel(fixed(1), Append{}, cells.data(), 3);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), std::vector<int>{1});
  Launcher later = graph.launcher();
  runOnce(later);
  EXPECT_EQ(cells.values(), std::vector<int>{113});
}

TEST(Graph, OneGraphMayBeAChildTwice) {
  const Cells cells(1);
  backend::Graph inner;
  const NodeId root = inner.addKernel(fixed(1), Append{}, cells.data(), 1);
  inner.addEmpty(root);
  inner.addEmpty(root);  // two ends: what follows waits for both
  backend::Graph graph;
  graph.addNode(inner);
  graph.addNode(inner);
  graph.addKernel(fixed(1), Append{}, cells.data(), 2);
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), std::vector<int>{112});
}

TEST(Graph, RefusesToHoldItself) {
  backend::Graph a;
  backend::Graph b;
  backend::Graph c;
  a.addEmpty();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { a.addNode(a); }), HasSubstr("cannot hold itself"));
  b.addNode(a);
  c.addNode(b);
  EXPECT_THROW(a.addNode(c), Error);
  EXPECT_EQ(a.nodeCount(), 1u);
}

TEST(Graph, RefusesForeignNodes) {
  backend::Graph a;
  backend::Graph b;
  const NodeId foreign = b.addEmpty();
  a.addEmpty();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { a.addEmpty({foreign}); }), HasSubstr("another graph"));
  EXPECT_THROW(a.setLabel(foreign, "x"), Error);
  EXPECT_THROW(a.setFixed(foreign), Error);
  EXPECT_THROW((void)a.launcher().sizes(foreign), Error);
  EXPECT_EQ(a.nodeCount(), 1u);
}

TEST(Graph, RefusesToLaunchNothing) {
  const backend::Graph graph;
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)graph.launcher(); }), HasSubstr("empty graph"));
  backend::Graph other;
  EXPECT_THROW(other.addHostNode(nullptr), Error);
  EXPECT_THROW(other.addCapture(nullptr), Error);
}

TEST(Graph, RecordsEventsAtEachLaunch) {
  const Cells cells(1);
  Gate gate;
  backend::Event start;
  backend::Event stop;
  {
    backend::Graph graph;
    graph.addEventRecord(start);
    graph.addHostNode(gate.node());
    graph.addKernel(fixed(1), Increment{}, cells.data());
    graph.addEventRecord(stop);
    EXPECT_EQ(graph.launcher().nodes().at(3).kind(), NodeKind::eventRecord);
    Launcher launcher = graph.launcher();
    EXPECT_TRUE(stop.query());  // never recorded so far
    launcher.launch();
    EXPECT_FALSE(stop.query());
    backend::Stream other;
    other.waitFor(stop);
    backend::launch(other, perSample(), 1, Append{}, cells.data(), 7);
    gate.open();
    other.synchronize();
    EXPECT_EQ(cells.values().front(), 17);  // behind the graph
    EXPECT_TRUE(stop.query());
    EXPECT_GT(stop.secondsSince(start), 0);
    runOnce(launcher);
    EXPECT_EQ(cells.values().front(), 18);
  }
  EXPECT_GT(stop.secondsSince(start), 0);
}

TEST(Graph, WaitsForEventsAsOfItsLaunch) {
  const Cells cells(1);
  Gate gate;
  auto event = std::make_unique<backend::Event>();
  backend::Graph first;
  first.addHostNode(gate.node());
  first.addKernel(fixed(1), Append{}, cells.data(), 1);
  first.addEventRecord(*event);
  backend::Graph second;
  second.addEventWait(*event);
  second.addKernel(fixed(1), Append{}, cells.data(), 2);
  event.reset();  // the graphs keep it
  Launcher one = first.launcher();
  Launcher two = second.launcher();
  EXPECT_EQ(two.nodes().at(0).kind(), NodeKind::eventWait);
  runOnce(two);  // nothing to wait for yet
  one.launch();
  two.launch();
  gate.open();
  two.synchronize();
  EXPECT_EQ(cells.values().front(), 212);
  one.synchronize();
  backend::Event moved;
  const backend::Event taken = std::move(moved);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { first.addEventWait(moved); }), HasSubstr("moved from"));
}

TEST(Graph, EveryNodeRunsItsOwnData) {
  constexpr int kNodes = 64;
  std::vector<int> seen(kNodes, -1);
  backend::Graph graph;
  for (int k = 0; k < kNodes; ++k) {
    const std::vector<int> large(1000, k);
    graph.addHostNode([large, &seen, k] { seen[static_cast<std::size_t>(k)] = large[static_cast<std::size_t>(k)]; });
  }
  Launcher launcher = graph.launcher();
  graph = backend::Graph();
  runOnce(launcher);
  for (int k = 0; k < kNodes; ++k) {
    EXPECT_EQ(seen[static_cast<std::size_t>(k)], k);
  }
}

TEST(Graph, OwnersGoWithTheLastThatNeedsThem) {
  const auto counted = std::make_shared<std::atomic<int>>(0);  // the launchers run at the same time
  {
    backend::Graph graph;
    graph.addHostNode([counted] { ++*counted; });
    Launcher one = graph.launcher();
    Launcher two = graph.launcher();
    graph = backend::Graph();
    for (int k = 0; k < 1000; ++k) {
      one.launch();
    }
    two.launch();  // destroyed with work under way
  }
  EXPECT_EQ(*counted, 1001);
  EXPECT_EQ(counted.use_count(), 1);
  for (int k = 0; k < 10'000; ++k) {
    backend::Graph graph;
    graph.addHostNode([counted] { ++*counted; });
    Launcher launcher = graph.launcher();
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Graph, TheFirstErrorOfAHostNodeIsRethrown) {
  const Cells cells(1);
  backend::Graph graph;
  bool fail = true;
  graph.addHostNode([&] {
    if (fail) {
      throw std::runtime_error("first");
    }
  });
  graph.addHostNode([&] {
    if (fail) {
      throw std::runtime_error("second");
    }
  });
  graph.addKernel(fixed(1), Increment{}, cells.data());
  Launcher launcher = graph.launcher();
  launcher.launch();
  try {
    launcher.synchronize();
    FAIL() << "the error was lost";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
  EXPECT_NO_THROW(launcher.synchronize());
  EXPECT_EQ(cells.values(), std::vector<int>{1});  // what follows runs all the same
  fail = false;
  EXPECT_NO_THROW(runOnce(launcher));
  EXPECT_EQ(cells.values(), std::vector<int>{2});
}

TEST(Graph, LabelsNameNodesInSizesAndErrors) {
  const Cells cells(1);
  backend::Graph inner;
  inner.setLabel(inner.addKernel(perSample(), Increment{}, cells.data()), "advance");
  backend::Graph graph;
  const NodeId child = graph.addNode(inner);
  EXPECT_EQ(graph.launcher().sizes().front().label, "graph#0/advance");
  graph.setLabel(child, "step");
  Launcher launcher = graph.launcher();
  EXPECT_EQ(launcher.sizes(child).front().label, "step/advance");
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher.launch(); }), HasSubstr("'step/advance'"));
}

}  // namespace
TEST(Graph, AMovedGraphTakesItsNodesAlong) {
  const Cells cells(2);
  backend::Graph graph;
  const NodeId node = graph.addKernel(perSample(), Increment{}, cells.data());
  backend::Graph moved = std::move(graph);
  moved.setLabel(node, "increment");
  const NodeId fresh = graph.addEmpty();  // NOLINT(bugprone-use-after-move): an empty graph by now
  EXPECT_NE(fresh.graph(), node.graph());
  EXPECT_THROW(moved.setLabel(fresh, "foreign"), Error);
  EXPECT_EQ(moved.nodeCount(), 1U);
}

TEST(Graph, NodesThatAreNotThereYetAreNamed) {
  backend::Graph graph;
  graph.addEmpty();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { graph.addEmpty(NodeId(graph.recipe().id(), 7)); }),
              testing::HasSubstr("has no node 7"));
  Launcher launcher = graph.launcher();
  const NodeId late = graph.addEmpty();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)launcher.sizes(late); }),
              testing::HasSubstr("after this launcher was built"));
}

TEST(Graph, ACapturedFunctionMayAddToItsGraphButNotBuildIt) {
  const Cells cells(4);
  backend::Graph graph;
  bool recursive = false;
  graph.addCapture([&](backend::StreamCapturer& capturer) {
    for (int i = 0; i < 100; ++i) {
      graph.addEmpty();
    }
    if (recursive) {
      (void)graph.launcher();
    }
    backend::launch(capturer.stream(), perSample(), 4, Increment{}, cells.data());
  });
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4, 4, 1));
  EXPECT_EQ(graph.nodeCount(), 101U);
  recursive = true;
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)graph.launcher(); }), testing::HasSubstr("is being built"));
  recursive = false;
  Launcher again = graph.launcher();
  runOnce(again);
  EXPECT_EQ(cells.values(), firstCells(4, 4, 2));
}

}  // namespace eagle::test
