// Changing a built graph: views of its nodes, edits, and updates of the whole. On both backends.
#include <stdexcept>

#include "tests/support/graph_test.h"

namespace {

using namespace eagle;
using namespace eagle::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Index kCells = 8;

/// cells[i] += step
struct Add {
  EAGLE_HD void operator()(Index i, int* cells, int step) const { cells[i] += step; }
};
/// cells[i] += step, as a float
struct AddScaled {
  EAGLE_HD void operator()(Index i, int* cells, int step, int times) const { cells[i] += step * times; }
};

std::vector<int> all(int value) {
  return firstCells(kCells, kCells, value);
}

TEST(NodeView, UpdatesAKernelWithAllItsParameters) {
  const Cells cells(kCells);
  const Cells others(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  runOnce(launcher);
  launcher[add].update(backend::kernel(perSample(), Add{}, others.data(), 5));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
  EXPECT_EQ(others.values(), all(5));
  EXPECT_EQ(launcher.statistics().updates, 1U);
  EXPECT_GE(launcher.statistics().bytesOwned, sizeof(int*) + sizeof(int));
}

TEST(NodeView, AnUpdateTakesTheSizeThatTheLogicalSizeGivesIt) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(3);
  launcher[add].update(backend::kernel(perSample(), Add{}, cells.data(), 2));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(3, kCells, 2));
  launcher.setLogicalSize(kCells);  // carries the updated arguments
  runOnce(launcher);
  EXPECT_EQ(cells.values(), (std::vector<int>{4, 4, 4, 2, 2, 2, 2, 2}));
  launcher.setLogicalSize(0);
  launcher[add].update(backend::kernel(perSample(), Add{}, cells.data(), 100));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), (std::vector<int>{4, 4, 4, 2, 2, 2, 2, 2}));
  launcher.setLogicalSize(1);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), (std::vector<int>{104, 4, 4, 2, 2, 2, 2, 2}));
}

TEST(NodeView, UpdatesToAKernelOfOtherCodeAndOtherRule) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  launcher[add].update(backend::kernel(fixed(2), AddScaled{}, cells.data(), 3, 4));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(2, kCells, 12));
  launcher.setLogicalSize(5);  // does not follow any more
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(2, kCells, 24));
}

TEST(NodeView, SetsOneArgumentByIndexOrName) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), AddScaled{}, cells.data(), 1, 10);
  graph.setArgumentNames(add, {"cells", "step", "times"});
  Launcher launcher = graph.launcher(kCells);
  launcher[add].setArgument(1, 2);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(20));
  launcher[add].setArgument("times", 100);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(220));
  EXPECT_EQ(launcher[add].argument<int>(1), 2);
  EXPECT_EQ(launcher[add].argument<int*>(0), cells.data());
}

TEST(NodeView, RefusesArgumentsOfAnotherTypeOrNumber) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId empty = graph.addEmpty();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument,
                      [&] {
                        graph.setArgumentNames(add, {"a", "b", "c"});
                      }),
              HasSubstr("3 names for a node of 2 arguments"));
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[add].setArgument(1, 2.0); }),
              HasSubstr("kernel 'kernel#0' takes argument 1 of type 'int', not of type 'double'"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[add].setArgument(2, 2); }),
              HasSubstr("there is no number 2"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[add].setArgument("step", 2); }),
              HasSubstr("no argument named 'step'"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[empty].setArgument(0, 2); }),
              HasSubstr("has no arguments"));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
  EXPECT_EQ(launcher.statistics().driverCalls, launcher.statistics().driverCalls);
}

TEST(NodeView, UpdatesMemsetsCopiesAndHostNodes) {
  const Cells a(kCells);
  const Cells b(kCells);
  int calls = 0;
  backend::Graph graph;
  const NodeId set = graph.addMemset(a.data(), 1, kCells * sizeof(int));
  const NodeId copy = graph.addMemcpy(b.data(), a.data(), kCells * sizeof(int));
  const NodeId host = graph.addHostNode([&] { calls += 1; });
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(b.values(), all(0x01010101));
  launcher[set].update(MemsetParams(a.data(), 2, 2 * sizeof(int)));
  launcher[copy].update(MemcpyParams(b.data(), a.data(), 3 * sizeof(int)));
  launcher[host].update([&] { calls += 100; });
  const std::uint64_t before = launcher.statistics().driverCalls;
  runOnce(launcher);
  EXPECT_EQ(b.values(), (std::vector<int>{0x02020202, 0x02020202, 0x01010101, 0x01010101, 0x01010101, 0x01010101,
                                          0x01010101, 0x01010101}));
  EXPECT_EQ(calls, 101);
  EXPECT_EQ(before, 3U);  // one for each update
  EXPECT_EQ(std::get<graph::MemcpySpec>(launcher[copy].parameters()).bytes, 3 * sizeof(int));
}

TEST(NodeView, UpdatesEventsThatAreRecordedAndWaitedFor) {
  const Cells cells(1);
  Gate gate;
  backend::Event built;
  auto set = std::make_unique<backend::Event>();
  backend::Graph first;
  first.addHostNode(gate.node());
  first.addKernel(fixed(1), Append{}, cells.data(), 1);
  const NodeId record = first.addEventRecord(built);
  backend::Graph second;
  const NodeId wait = second.addEventWait(built);
  second.addKernel(fixed(1), Append{}, cells.data(), 2);
  Launcher one = first.launcher();
  Launcher two = second.launcher();
  one[record].update(*set);
  two[wait].update(*set);
  EXPECT_EQ(two.statistics().driverCalls, 1U);
  EXPECT_THAT(two.diff().at(0).what, "parameters");
  set.reset();  // the launchers keep it
  one.launch();
  EXPECT_TRUE(built.query());
  two.launch();
  gate.open();
  two.synchronize();
  EXPECT_EQ(cells.values().front(), 12);
  one.synchronize();
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { one[record].disable(); }), HasSubstr("cannot be"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { one.nodes().at(0).update(built); }),
              HasSubstr("takes the parameters of a host call only"));
}

TEST(NodeView, RefusesParametersOfAnotherKindAndNodesWithoutAny) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId empty = graph.addEmpty();
  const NodeId host = graph.addHostNode([] {});
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[add].update(MemsetParams(cells.data(), 0, 4)); }),
              HasSubstr("kernel 'kernel#0' takes the parameters of a kernel only"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[empty].update([] {}); }),
              HasSubstr("empty node 'empty#1' has no parameters"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[empty].disable(); }),
              HasSubstr("cannot be enabled or disabled"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[host].disable(); }), HasSubstr("host call 'host#2'"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[host].update(std::function<void()>{}); }),
              HasSubstr("needs a function"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[host].resize(3); }), HasSubstr("has no size"));
  EXPECT_THROW(launcher[host].update(MemcpyParams(nullptr, cells.data(), 4)), Error);
  EXPECT_EQ(launcher.statistics().updates, 0U);
  EXPECT_EQ(launcher.statistics().bytesOwned, 0U);
}

TEST(NodeView, DisablesAndEnablesWithoutRegardToUpdatesAndSizes) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  const NodeView view = launcher[add];
  EXPECT_TRUE(view.isEnabled());
  view.disable();
  view.disable();
  EXPECT_FALSE(view.isEnabled());
  view.update(backend::kernel(perSample(), Add{}, cells.data(), 10));
  launcher.setLogicalSize(0);
  launcher.setLogicalSize(2);
  EXPECT_FALSE(view.isEnabled());
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(0));
  launcher.setLogicalSize(0);
  view.enable();
  EXPECT_FALSE(view.isEnabled());  // of size 0
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(0));
  launcher.setLogicalSize(2);
  EXPECT_TRUE(view.isEnabled());
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(2, kCells, 10));
}

TEST(NodeView, DisablesCopiesAndMemsets) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId set = graph.addMemset(cells.data(), 1, kCells * sizeof(int));
  Launcher launcher = graph.launcher();
  launcher[set].disable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(0));
  launcher[set].enable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(0x01010101));
}

TEST(NodeView, ResizesOneKernelUntilALogicalSizeIsSet) {
  const Cells a(kCells);
  const Cells b(kCells);
  backend::Graph graph;
  const NodeId first = graph.addKernel(perSample(), Add{}, a.data(), 1);
  graph.addKernel(perSample(), Add{}, b.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  launcher[first].resize(2);
  runOnce(launcher);
  EXPECT_EQ(a.values(), firstCells(2, kCells, 1));
  EXPECT_EQ(b.values(), all(1));
  launcher[first].resize(0);
  runOnce(launcher);
  EXPECT_EQ(a.values(), firstCells(2, kCells, 1));
  EXPECT_THROW(launcher[first].resize(-1), Error);
  launcher.setLogicalSize(kCells);
  runOnce(launcher);
  EXPECT_EQ(a.values(), (std::vector<int>{2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST(NodeView, LaunchesInFlightRunAsTheyWere) {
  const Cells cells(kCells);
  Gate gate;
  backend::Graph graph;
  graph.addHostNode(gate.node());
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  int who = 0;
  const NodeId host = graph.addHostNode([&who, owner = std::make_shared<int>(1)] { who = 10 * who + *owner; });
  Launcher launcher = graph.launcher(kCells);
  launcher.launch();
  launcher[add].update(backend::kernel(perSample(), Add{}, cells.data(), 100));
  launcher[host].update([&who, owner = std::make_shared<int>(2)] { who = 10 * who + *owner; });
  launcher[add].disable();
  gate.open();
  launcher.synchronize();
  EXPECT_EQ(cells.values(), all(1));
  EXPECT_EQ(who, 1);
  launcher[add].enable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(101));
  EXPECT_EQ(who, 12);
}

TEST(NodeView, KeepsWhatAnUpdateHandsOverAndNothingElse) {
  const Cells cells(kCells);
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owner;
  backend::Graph graph;
  const NodeId set = graph.addMemset(cells.data(), 1, 4);
  {
    Launcher launcher = graph.launcher();
    launcher[set].update(MemsetParams(cells.data(), 2, 4, std::move(owner)));
    launcher[set].update(MemsetParams(cells.data(), 3, 4));
    EXPECT_FALSE(watched.expired());  // superseded, but kept
    runOnce(launcher);
  }
  EXPECT_TRUE(watched.expired());
  auto refused = std::make_shared<int>(0);
  const std::weak_ptr<int> gone = refused;
  Launcher launcher = graph.launcher();
  EXPECT_THROW(launcher[set].update(MemsetParams(nullptr, 2, 4, std::move(refused))), Error);
  EXPECT_TRUE(gone.expired());
}

TEST(NodeView, IsFoundByLabelInCapturesAndChildGraphs) {
  const Cells cells(kCells);
  backend::Graph child;
  child.setLabel(child.addKernel(perSample(), Add{}, cells.data(), 1), "advance");
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), kCells, Add{}, cells.data(), 10);
  backend::launch(stream, perSample(), kCells, Add{}, cells.data(), 100);
  backend::Graph graph;
  graph.setLabel(graph.addNode(child), "step");
  graph.setLabel(graph.addNode(capturer.end()), "library");
  Launcher launcher = graph.launcher(kCells);
  launcher.find("step/advance").setArgument(1, 2);
  launcher.find("library/kernel#1").disable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(12));
  EXPECT_EQ(launcher.find("library/kernel#0").kind(), NodeKind::kernel);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)launcher.find("advance"); }),
              HasSubstr("no node has the label 'advance'"));
  std::vector<std::string> kernels;
  for (const NodeView& node : launcher.nodes()) {
    if (node.kind() == NodeKind::kernel) {
      kernels.push_back(node.label());
    }
  }
  EXPECT_THAT(kernels, ElementsAre("step/advance", "library/kernel#0", "library/kernel#1"));
}

TEST(NodeView, SeveralOfOneLabelAreFoundByIdOnly) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId a = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId b = graph.addKernel(perSample(), Add{}, cells.data(), 2);
  graph.setLabel(a, "x");
  graph.setLabel(b, "x");
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)launcher.find("x"); }), HasSubstr("several nodes"));
  launcher[b].disable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
}

TEST(NodeView, UpdatesAChildGraphOrCaptureNodeByNode) {
  const Cells cells(kCells);
  const auto makeChild = [&](int a, int b) {
    backend::Graph child;
    child.addKernel(perSample(), Add{}, cells.data(), a);
    child.addKernel(perSample(), Add{}, cells.data(), b);
    return child;
  };
  const auto capture = [&](int step, int launches) {
    backend::Stream stream;
    backend::StreamCapturer capturer(stream);
    capturer.begin();
    for (int i = 0; i < launches; ++i) {
      backend::launch(stream, perSample(), kCells, Add{}, cells.data(), step);
    }
    return capturer.end();
  };
  backend::Graph graph;
  const NodeId child = graph.addNode(makeChild(1, 2));
  const NodeId region = graph.addNode(capture(10, 2));
  Launcher launcher = graph.launcher(4);
  launcher[child].update(makeChild(1, 3));
  EXPECT_EQ(launcher.statistics().updates, 1U);  // the other node is the same
  launcher[region].update(capture(100, 2));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(4, kCells, 204));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[region].update(capture(100, 3)); }),
              HasSubstr("a built graph keeps its"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[child].disable(); }),
              HasSubstr("is a child graph or capture"));
  EXPECT_EQ(launcher.statistics().updates, 3U);
}

TEST(NodeView, OutlivesItsLauncherHarmlessly) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  auto launcher = std::make_unique<Launcher>(graph.launcher(kCells));
  const NodeView view = (*launcher)[add];
  Launcher moved = std::move(*launcher);
  view.setArgument(1, 2);  // follows the launcher
  runOnce(moved);
  EXPECT_EQ(cells.values(), all(2));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher->launch(); }), HasSubstr("moved from"));
  { const Launcher last = std::move(moved); }
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { view.disable(); }), HasSubstr("a launcher that is gone"));
}

TEST(NodeView, LaunchersOfOneGraphAreIndependent) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher one = graph.launcher(kCells);
  Launcher two = graph.launcher(kCells);
  one[add].setArgument(1, 10);
  two[add].disable();
  runOnce(one);
  runOnce(two);
  EXPECT_EQ(cells.values(), all(10));
  EXPECT_EQ(two.statistics().updates, 0U);
  backend::Graph other;
  const NodeId foreign = other.addKernel(perSample(), Add{}, cells.data(), 1);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)one[foreign]; }), HasSubstr("another graph"));
}

// Two launchers of one graph and a third built afterwards: an update of a node of any kind is the first one's alone.
TEST(NodeView, AnUpdateOfAnyKindIsItsOwnLaunchersAlone) {
  const Cells byKernel(kCells);
  const Cells byMemset(kCells);
  const Cells byCopy(kCells);
  const Cells byChild(kCells);
  const Cells byCapture(kCells);
  std::vector<int> calls;
  backend::Graph inner;
  inner.addKernel(fixed(kCells), Add{}, byChild.data(), 1);
  backend::Graph graph;
  const NodeId kernel = graph.addKernel(fixed(kCells), Add{}, byKernel.data(), 1);
  const NodeId set = graph.addMemset(byMemset.data(), 1, kCells * sizeof(int));
  const NodeId copy = graph.addMemcpy(byCopy.data(), byMemset.data(), kCells * sizeof(int));
  const NodeId host = graph.addHostNode([&] { calls.push_back(1); });
  const NodeId child = graph.addNode(inner);
  const NodeId region = graph.addCapture([&](backend::StreamCapturer& capturer) {
    backend::launch(capturer.stream(), fixed(), kCells, Add{}, byCapture.data(), 1);
  });
  graph.setLabel(child, "child");
  graph.setLabel(region, "region");

  Launcher one = graph.launcher();
  Launcher two = graph.launcher();
  one[kernel].setArgument(1, 100);
  one[set].update(MemsetParams(byMemset.data(), 2, kCells * sizeof(int)));
  one[copy].update(MemcpyParams(byCopy.data(), byMemset.data(), sizeof(int)));
  one[host].update([&] { calls.push_back(100); });
  one.find("child/kernel#0").setArgument(1, 100);
  one.find("region/kernel#0").setArgument(1, 100);
  Launcher three = graph.launcher();

  std::vector<int> expected(kCells, 0);
  for (Launcher* other : {&two, &three}) {
    runOnce(*other);
    std::fill(expected.begin(), expected.end(), expected[0] + 1);
    EXPECT_EQ(byKernel.values(), expected);
    EXPECT_EQ(byChild.values(), expected);
    EXPECT_EQ(byCapture.values(), expected);
    EXPECT_EQ(byMemset.values(), all(0x01010101));
    EXPECT_EQ(byCopy.values(), all(0x01010101));
    EXPECT_TRUE(other->diff().empty());
  }
  EXPECT_EQ(calls, (std::vector<int>{1, 1}));
  runOnce(one);
  EXPECT_EQ(byKernel.values(), all(102));
  EXPECT_EQ(byChild.values(), all(102));
  EXPECT_EQ(byCapture.values(), all(102));
  EXPECT_EQ(byMemset.values(), all(0x02020202));
  std::vector<int> copied = all(0x01010101);
  copied[0] = 0x02020202;
  EXPECT_EQ(byCopy.values(), copied);
  EXPECT_EQ(calls, (std::vector<int>{1, 1, 100}));
}

TEST(NodeView, ADisabledNodeKeepsTheOrderOfItsNeighbours) {
  const Cells cells(1);
  backend::Graph graph;
  const NodeId a = graph.addKernel(fixed(1), Append{}, cells.data(), 1);
  const NodeId b = graph.addKernel(fixed(1), Append{}, cells.data(), 2);
  const NodeId c = graph.addKernel(fixed(1), Append{}, cells.data(), 3);
  Launcher launcher = graph.launcher();
  launcher[b].disable();
  for (int k = 0; k < 4; ++k) {
    runOnce(launcher);
  }
  EXPECT_EQ(cells.values().front(), 13131313);
  launcher[a].disable();
  launcher[c].disable();
  runOnce(launcher);  // nothing is left to run, and it ends
  EXPECT_EQ(cells.values().front(), 13131313);
  launcher[b].setArgument(1, 7);
  launcher[b].enable();
  runOnce(launcher);
  EXPECT_EQ(cells.values().front(), 131313137);
}

TEST(Edit, AppliesAllOrNone) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId a = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId b = graph.addKernel(perSample(), Add{}, cells.data(), 10);
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THROW(launcher.edit([&](Launcher& edited) {
    edited[a].setArgument(1, 5);
    edited[b].disable();
    edited.setLogicalSize(2);
    edited[a].resize(1);
    throw std::runtime_error("changed my mind");
  }),
               std::runtime_error);
  EXPECT_EQ(launcher.logicalSize(), kCells);
  EXPECT_EQ(launcher.statistics().updates, 0U);
  EXPECT_EQ(launcher.statistics().bytesOwned, 0U);
  EXPECT_THAT(launcher.diff(), IsEmpty());
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(11));
  launcher.edit([&](Launcher& edited) {
    edited[a].setArgument(1, 5);
    edited[b].disable();
  });
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(16));
}

TEST(Edit, NeitherNestsNorLaunches) {
  const Cells cells(kCells);
  backend::Graph graph;
  graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher.edit([](Launcher& edited) { edited.launch(); }); }),
              HasSubstr("an edit is under way"));
  EXPECT_THAT(
      errorOf(ErrorCode::invalidState, [&] { launcher.edit([](Launcher& edited) { edited.edit([](Launcher&) {}); }); }),
      HasSubstr("an edit is under way"));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
}

TEST(Edit, ASizeThatIsRefusedInsideChangesNothingThere) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  graph.addKernel(computed([](Index n) -> LaunchDims {
                    if (n == 3) {
                      throw std::runtime_error("not three");
                    }
                    return {{1}, {32}};
                  }),
                  Add{}, cells.data(), 10);
  Launcher launcher = graph.launcher(kCells);
  launcher.edit([&](Launcher& edited) {
    edited[add].setArgument(1, 2);
    EXPECT_THROW(edited.setLogicalSize(3), Error);
  });
  EXPECT_EQ(launcher.logicalSize(), kCells);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(12));
}

TEST(Edit, AGroupThatIsRefusedInsideChangesNothingThere) {
  const Cells cells(kCells);
  backend::Graph child;
  child.addKernel(perSample(), Add{}, cells.data(), 1);
  child.addMemset(cells.data(), 0, 4);
  backend::Graph other;
  other.addKernel(perSample(), Add{}, cells.data(), 5);
  other.addHostNode([] {});
  backend::Graph graph;
  const NodeId group = graph.addNode(child);
  Launcher launcher = graph.launcher(kCells);
  launcher.edit([&](Launcher& edited) { EXPECT_THROW(edited[group].update(other), Error); });
  EXPECT_THAT(launcher.diff(), IsEmpty());
}

TEST(Edit, HoldsOffUpdatesOfTheWhole) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  backend::Graph other;
  other.addHostNode([] {});
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THROW(launcher.edit([&](Launcher& edited) {
    edited[add].setArgument(1, 5);
    (void)edited.update(other, UpdatePolicy::patchOrRebuild);
  }),
               Error);
  EXPECT_THAT(launcher.diff(), IsEmpty());
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
}

TEST(Edit, OutlivesTheLauncherItIsOf) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  launcher.edit([&](Launcher& edited) {
    edited[add].setArgument(1, 5);
    edited = graph.launcher(kCells);
  });
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(1));
}

TEST(NodeView, RefusesAKernelThatWasMovedFromAndNamesOfAnotherKernel) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  graph.setArgumentNames(add, {"cells", "step"});
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument,
                      [&] {
                        launcher[add].update({nullptr, perSample(), -1});
                      }),
              HasSubstr("moved from"));
  launcher[add].setArgument("step", 2);
  launcher[add].update(backend::kernel(perSample(), AddScaled{}, cells.data(), 3, 1));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { launcher[add].setArgument("step", 4); }),
              HasSubstr("another kernel"));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(3));
}

// A stack array is the argument; it is overwritten and gone before the launch.
struct Numbers {
  int of[8];
};
struct AddEach {
  EAGLE_HD void operator()(Index i, int* cells, const Numbers& numbers) const { cells[i] += numbers.of[i % 8]; }
};

TEST(NodeView, TakesValuesAsTheyAreWhenUpdated) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), AddEach{}, cells.data(), Numbers{});
  {
    Launcher launcher = graph.launcher(kCells);
    {
      Numbers numbers{{1, 2, 3, 4, 5, 6, 7, 8}};
      launcher[add].update(backend::kernel(perSample(), AddEach{}, cells.data(), numbers));
      numbers = {{9, 9, 9, 9, 9, 9, 9, 9}};
    }
    launcher.launch();
    launcher.launch();
  }
  EXPECT_THAT(cells.values(), ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

TEST(WholeUpdate, KeepsWhatEarlierLaunchesUseThroughUpdatesAndRebuilds) {
  const Cells cells(kCells);
  const auto alive = std::make_shared<int>(0);
  const auto graphOf = [&](bool hasMore) {
    backend::Graph graph;
    graph.addHostNode([kept = alive] { ++*kept; });
    if (hasMore) {
      graph.addKernel(perSample(), Add{}, cells.data(), 1);
    }
    return graph;
  };
  Gate gate;
  {
    backend::Graph first = graphOf(false);
    const NodeId host = first.addHostNode([] {});
    Launcher launcher = first.launcher(kCells);
    launcher[host].update(gate.node());
    launcher.launch();  // in flight from here on
    for (int i = 0; i < 4; ++i) {
      (void)launcher.update(graphOf(i % 2 == 0), UpdatePolicy::patchOrRebuild);
    }
    gate.open();
  }
  EXPECT_EQ(*alive, 1);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(WholeUpdate, KeepsTheOwnersOfNodesThatItLeavesAsTheyAre) {
  const auto memory = std::make_shared<Cells>(kCells);
  const Cells other(kCells);
  backend::Graph graph;
  const NodeId set = graph.addMemset(other.data(), 1, 4);
  graph.addMemset(other.data(), 2, 4);
  backend::Graph same;
  same.addMemset(memory->data(), 3, 4);
  same.addMemset(other.data(), 4, 4);
  Launcher launcher = graph.launcher();
  launcher[set].update(MemsetParams(memory->data(), 3, 4, memory));
  ASSERT_EQ(memory.use_count(), 2);
  ASSERT_TRUE(launcher.update(same));
  EXPECT_EQ(memory.use_count(), 2);  // the launcher still writes there
  same = backend::Graph();
  same.addMemset(other.data(), 3, 4);
  same.addMemset(other.data(), 4, 4);
  ASSERT_TRUE(launcher.update(same));
  EXPECT_EQ(memory.use_count(), 1);
}

TEST(WholeUpdate, DropsWhatIsDoneWithoutBeingWaitedFor) {
  const auto alive = std::make_shared<int>(0);
  backend::Graph plain;
  plain.addHostNode([] {});
  Launcher launcher = plain.launcher();
  for (int i = 0; i < 10; ++i) {
    backend::Graph next;
    next.addHostNode([alive] {});
    ASSERT_TRUE(launcher.update(next, UpdatePolicy::patchOrRebuild));
  }
  EXPECT_LE(alive.use_count(), 4);  // not the ten that were
}

TEST(WholeUpdate, TellsTheErrorOfALaunchBeforeARebuildOnce) {
  backend::Graph graph;
  graph.addHostNode([] { throw std::runtime_error("before"); });
  backend::Graph other;
  other.addHostNode([] { throw std::runtime_error("after"); });
  other.addHostNode([] {});
  Launcher launcher = graph.launcher();
  launcher.launch();
  ASSERT_EQ(launcher.update(other, UpdatePolicy::patchOrRebuild).outcome, UpdateResult::Outcome::rebuilt);
  launcher.launch();
  try {
    launcher.synchronize();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "before");
  }
  EXPECT_NO_THROW(launcher.synchronize());
}

std::vector<std::string> texts(const std::vector<NodeDifference>& differences) {
  std::vector<std::string> texts;
  for (const NodeDifference& difference : differences) {
    texts.push_back(difference.label + ": " + difference.what);
  }
  return texts;
}

TEST(Diff, ListsWhatIsNotAsTheGraphSays) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId a = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId b = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId set = graph.addMemset(cells.data(), 0, 4);
  const NodeId host = graph.addHostNode([] {});
  Launcher launcher = graph.launcher(kCells);
  EXPECT_THAT(launcher.diff(), IsEmpty());
  launcher[a].setArgument(1, 2);
  launcher[a].resize(3);
  launcher[b].update(backend::kernel(perSample(), AddScaled{}, cells.data(), 1, 1));
  launcher[b].disable();
  launcher[set].update(MemsetParams(cells.data(), 1, 4));
  launcher[host].update([] {});
  EXPECT_THAT(texts(launcher.diff()), ElementsAre("kernel#0: argument 1", "kernel#0: size", "kernel#1: kernel",
                                                  "kernel#1: disabled", "memset#2: parameters", "host#3: function"));
  launcher[a].setArgument(1, 1);
  launcher.setLogicalSize(5);
  EXPECT_THAT(texts(launcher.diff()),
              ElementsAre("kernel#1: kernel", "kernel#1: disabled", "memset#2: parameters", "host#3: function"));
}

TEST(WholeUpdate, TakesOverAnotherGraphOfTheSameShape) {
  const Cells cells(kCells);
  const auto make = [&](int step, NodeId* id) {
    backend::Graph graph;
    graph.addMemset(cells.data(), 0, kCells * sizeof(int));
    *id = graph.addKernel(perSample(), Add{}, cells.data(), step);
    return graph;
  };
  NodeId oldNode(0, 0);
  NodeId newNode(0, 0);
  const backend::Graph first = make(1, &oldNode);
  const backend::Graph second = make(7, &newNode);
  Launcher launcher = first.launcher(5);
  const NodeView view = launcher[oldNode];
  runOnce(launcher);
  const UpdateResult result = launcher.update(second);
  EXPECT_EQ(result.outcome, UpdateResult::Outcome::patched);
  EXPECT_EQ(launcher.statistics().updates, 1U);  // the memset is the same
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(5, kCells, 7));
  EXPECT_EQ(launcher.logicalSize(), 5);
  EXPECT_THAT(launcher.diff(), IsEmpty());
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { view.disable(); }), HasSubstr("this view is stale"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)launcher[oldNode]; }), HasSubstr("another graph"));
  launcher[newNode].setArgument(1, 8);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(5, kCells, 8));
  EXPECT_TRUE(launcher.update(second));  // and back to what it says
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(5, kCells, 7));
}

TEST(WholeUpdate, ChangesNothingAndNamesTheNodeWhereShapesDiffer) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId a = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  graph.addKernel(perSample(), Add{}, cells.data(), 10);
  Launcher launcher = graph.launcher(kCells);
  const NodeView view = launcher[a];

  backend::Graph longer;
  longer.addKernel(perSample(), Add{}, cells.data(), 2);
  longer.addKernel(perSample(), Add{}, cells.data(), 2);
  longer.setLabel(longer.addKernel(perSample(), Add{}, cells.data(), 2), "extra");
  UpdateResult result = launcher.update(longer);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.node, "extra");
  EXPECT_EQ(result.kind, "kernel");
  EXPECT_THAT(result.reason, HasSubstr("keeps its 2 nodes"));

  backend::Graph shorter;
  shorter.addKernel(perSample(), Add{}, cells.data(), 2);
  result = launcher.update(shorter);
  EXPECT_EQ(result.node, "kernel#1");
  EXPECT_THAT(result.reason, HasSubstr("would be gone"));

  backend::Graph otherKind;
  otherKind.addKernel(perSample(), Add{}, cells.data(), 2);
  otherKind.setLabel(otherKind.addMemset(cells.data(), 0, 4), "kernel#1");
  result = launcher.update(otherKind);
  EXPECT_EQ(result.node, "kernel#1");
  EXPECT_THAT(result.reason, HasSubstr("would become a memset"));

  backend::Graph otherOrder;
  otherOrder.addKernel(perSample(), Add{}, cells.data(), 2);
  otherOrder.addKernel(perSample(), Dependencies{}, Add{}, cells.data(), 2);
  result = launcher.update(otherOrder);
  EXPECT_EQ(result.node, "kernel#1");
  EXPECT_THAT(result.reason, HasSubstr("would wait for other nodes (none, now 'kernel#0')"));

  view.setArgument(1, 3);  // still good
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(13));
}

TEST(WholeUpdate, RebuildsIfToldTo) {
  const Cells cells(kCells);
  Gate gate;
  backend::Graph graph;
  graph.addHostNode(gate.node());
  graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId set = graph.addMemset(cells.data(), 0, 4);
  Launcher launcher = graph.launcher(kCells);
  launcher[set].disable();
  launcher.launch();
  backend::Graph other;
  other.addKernel(perSample(), Add{}, cells.data(), 10);
  other.setLabel(other.addMemset(cells.data(), 0, 4), "memset#2");
  const UpdateResult result = launcher.update(other, UpdatePolicy::patchOrRebuild);
  EXPECT_EQ(result.outcome, UpdateResult::Outcome::rebuilt);
  EXPECT_EQ(launcher.statistics().rebuilds, 1U);
  launcher.launch();  // behind the one in flight
  gate.open();
  launcher.synchronize();
  EXPECT_EQ(cells.values(), all(11));  // the memset is still disabled
  EXPECT_EQ(launcher.logicalSize(), kCells);
}

TEST(WholeUpdate, ARebuildThatFailsLeavesTheOldOne) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId add = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  Launcher launcher = graph.launcher(kCells);
  const NodeView view = launcher[add];
  backend::Graph broken;
  broken.addEmpty();
  broken.addKernel(computed([](Index) -> LaunchDims { throw std::runtime_error("no such grid"); }), Add{}, cells.data(),
                   1);
  EXPECT_THROW((void)launcher.update(broken, UpdatePolicy::patchOrRebuild), std::runtime_error);
  view.setArgument(1, 2);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(2));
  EXPECT_EQ(launcher.statistics().rebuilds, 0U);
}

TEST(WholeUpdate, TellsSwappedBranchesApartByTheirLabels) {
  const Cells a(kCells);
  const Cells b(kCells);
  const auto make = [&](bool swapped, int step, NodeId* left) {
    backend::Graph graph;
    const auto add = [&](const char* label, const Cells& cells) {
      const NodeId node = graph.addKernel(perSample(), Dependencies{}, Add{}, cells.data(), step);
      graph.setLabel(node, label);
      if (label == std::string("left")) {
        *left = node;
      }
    };
    if (swapped) {
      add("right", b);
      add("left", a);
    } else {
      add("left", a);
      add("right", b);
    }
    return graph;
  };
  NodeId left(0, 0);
  Launcher launcher = make(false, 1, &left).launcher(kCells);
  launcher[left].disable();
  const backend::Graph other = make(true, 2, &left);
  EXPECT_TRUE(launcher.update(other));
  EXPECT_FALSE(launcher[left].isEnabled());
  runOnce(launcher);
  EXPECT_EQ(a.values(), all(0));
  EXPECT_EQ(b.values(), all(2));
}

TEST(WholeUpdate, LeavesEarlierLaunchesAloneAndDropsTheOldLedgerBehindThem) {
  const Cells cells(kCells);
  Gate gate;
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owner;
  const std::function<void()> wait = gate.node();
  const auto make = [&](int step) {
    backend::Graph graph;
    graph.addHostNode(wait);
    graph.addKernel(perSample(), Add{}, cells.data(), step);
    graph.addMemset(cells.data(), 0, 4);
    return graph;
  };
  Launcher launcher = make(1).launcher(kCells);
  launcher.find("memset#2").update(MemsetParams(cells.data() + 1, 0, 4, std::move(owner)));
  launcher.launch();
  EXPECT_TRUE(launcher.update(make(10)));
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(launcher.statistics().bytesOwned, 0U);
  gate.open();
  launcher.synchronize();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(cells.values(), (std::vector<int>{1, 0, 1, 1, 1, 1, 1, 1}));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), (std::vector<int>{0, 10, 11, 11, 11, 11, 11, 11}));
}

/// A recording of `launches` kernels, each adding `step`.
std::function<void(backend::StreamCapturer&)> adding(const Cells& cells, int step, int launches = 2) {
  return [&cells, step, launches](backend::StreamCapturer& capturer) {
    backend::launch(capturer.stream(), perSample(), kCells, Add{}, cells.data(), 1);
    for (int i = 1; i < launches; ++i) {
      backend::launch(capturer.stream(), perSample(), kCells, Add{}, cells.data(), step);
    }
  };
}

backend::CapturedGraph recording(const std::function<void(backend::StreamCapturer&)>& record) {
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  record(capturer);
  return capturer.end();
}

TEST(Recapture, ChangesParametersOfTheRegionInPlace) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId region = graph.addNode(recording(adding(cells, 10)));
  graph.setLabel(region, "step");
  Launcher launcher = graph.launcher(kCells);
  const RecaptureResult result = graph.recapture(region, adding(cells, 100));
  EXPECT_TRUE(result);
  std::vector<RecapturedNode::Status> kernels;
  for (const RecapturedNode& node : result.nodes) {
    if (node.kind == NodeKind::kernel) {
      kernels.push_back(node.status);
    }
  }
  EXPECT_THAT(kernels, ElementsAre(RecapturedNode::Status::unchanged, RecapturedNode::Status::updated));
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(11));  // a step of its own
  EXPECT_TRUE(launcher.update(graph));
  EXPECT_EQ(launcher.statistics().updates, 1U);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(112));
  EXPECT_EQ(graph.label(region), "step");
  launcher.find("step/kernel#1").disable();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(113));
}

TEST(Recapture, LeavesTheRegionWhereTheShapeDiffers) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId region = graph.addNode(recording(adding(cells, 10)));
  RecaptureResult result = graph.recapture(region, adding(cells, 100, 3));
  EXPECT_FALSE(result);
  EXPECT_EQ(result.nodes.back().status, RecapturedNode::Status::notUpdatable);
  EXPECT_EQ(result.nodes.back().reason, "is new");
  result = graph.recapture(region, adding(cells, 100, 1));
  EXPECT_FALSE(result);
  EXPECT_EQ(result.nodes.back().reason, "was not recorded again");
  EXPECT_THROW(graph.recapture(region, [](backend::StreamCapturer&) { throw std::runtime_error("no more"); }),
               std::runtime_error);
  EXPECT_THROW(graph.recapture(region, [](backend::StreamCapturer&) {}), Error);  // records nothing
  Launcher launcher = graph.launcher(kCells);
  runOnce(launcher);
  EXPECT_EQ(cells.values(), all(11));
}

TEST(Recapture, RefusesNodesThatAreNoCapture) {
  const Cells cells(kCells);
  backend::Graph graph;
  const NodeId kernel = graph.addKernel(perSample(), Add{}, cells.data(), 1);
  const NodeId again = graph.addCapture(adding(cells, 1));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)graph.recapture(kernel, adding(cells, 1)); }),
              HasSubstr("is no capture"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)graph.recapture(again, adding(cells, 1)); }),
              HasSubstr("recorded anew for every launcher"));
  EXPECT_THAT(errorOf(ErrorCode::invalidArgument, [&] { (void)graph.recapture(kernel, nullptr); }),
              HasSubstr("needs a function"));
}

TEST(Dot, DrawsNodesWithLabelsSizesAndWhetherTheyRun) {
  const Cells cells(kCells);
  backend::Graph graph;
  graph.setLabel(graph.addKernel(perSample(4), Add{}, cells.data(), 1), "a \"quoted\" name");
  const NodeId set = graph.addMemset(cells.data(), 0, 4);
  EXPECT_THAT(graph.dot(), HasSubstr("n0 [label=\"a \\\"quoted\\\" name\"];"));
  EXPECT_THAT(graph.dot(), HasSubstr("n0 -> n1;"));
  Launcher launcher = graph.launcher(kCells);
  launcher[set].disable();
  EXPECT_THAT(launcher.dot(), HasSubstr("name\\n8 samples in 2 x 4\"];"));
  EXPECT_THAT(launcher.dot(), HasSubstr("n1 [label=\"memset#1\\ndisabled\", color=gray"));
}

}  // namespace
