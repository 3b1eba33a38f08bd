// Streams and events.
#include <chrono>
#include <future>
#include <utility>

#include "tests/support/graph_test.h"

namespace eagle::test {
namespace {

using testing::HasSubstr;

TEST(Stream, RunsInOrder) {
  const Cells cells(10);
  backend::Stream stream;
  for (int digit = 1; digit <= 5; ++digit) {
    backend::launch(stream, perSample(), 10, Append{}, cells.data(), digit);
  }
  backend::launch(stream, perSample(), 0, Append{}, cells.data(), 9);
  backend::launch(stream, fixed(10), 10, Append{}, cells.data(), 6);
  stream.synchronize();
  EXPECT_EQ(cells.values(), firstCells(10, 10, 123456));
  EXPECT_THROW(backend::launch(stream, perSample(), -1, Append{}, cells.data(), 9), Error);
  EXPECT_THROW(backend::launch(stream, fixed(10), 9, Append{}, cells.data(), 9), Error);
}

TEST(Stream, WaitsForAnEventOfAnother) {
  const Cells cells(10);
  backend::Stream a;
  backend::Stream b;
  backend::Event done;
  for (int round = 0; round < 20; ++round) {
    backend::launch(a, perSample(), 10, Append{}, cells.data(), 1);
    done.record(a);
    b.waitFor(done);
    backend::launch(b, perSample(), 10, Append{}, cells.data(), 2);
    b.synchronize();
    backend::Graph reset;
    reset.addMemset(cells.data(), 0, 10 * sizeof(int));
    ASSERT_EQ(cells.values(), firstCells(10, 10, 12));
    Launcher launcher = reset.launcher();
    runOnce(launcher);
  }
}

TEST(Stream, AGraphTakesItsTurnOnTheStreamItIsGiven) {
  const Cells cells(10);
  backend::Stream stream;
  backend::Graph graph;
  graph.stream(stream);
  graph.addKernel(fixed(10), Append{}, cells.data(), 2);
  Launcher launcher = graph.launcher();
  backend::launch(stream, perSample(), 10, Append{}, cells.data(), 1);
  launcher.launch();
  backend::launch(stream, perSample(), 10, Append{}, cells.data(), 3);
  stream.synchronize();
  EXPECT_EQ(cells.values(), firstCells(10, 10, 123));
}

TEST(Stream, UseAfterDestructionIsNamed) {
  const Cells cells(10);
  auto stream = std::make_unique<backend::Stream>();
  const backend::StreamRef ref = *stream;
  backend::Graph graph;
  graph.stream(*stream);
  graph.addKernel(fixed(10), Increment{}, cells.data());
  Launcher launcher = graph.launcher();
  launcher.launch();
  stream.reset();  // waits for the launch
  EXPECT_EQ(cells.values(), firstCells(10, 10, 1));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher.launch(); }), HasSubstr("stream was destroyed"));
  EXPECT_THROW(launcher.synchronize(), Error);
  EXPECT_THROW(backend::launch(ref, perSample(), 1, Increment{}, cells.data()), Error);
}

TEST(Stream, MovesItsOwnership) {
  const Cells cells(1);
  backend::Stream a;
  backend::launch(a, perSample(), 1, Increment{}, cells.data());
  backend::Stream b = std::move(a);
  backend::launch(b, perSample(), 1, Increment{}, cells.data());
  b = backend::Stream();  // waits
  EXPECT_EQ(cells.values(), std::vector<int>{2});
}

TEST(Stream, OneThatWasMovedFromIsNamed) {
  backend::Stream a;
  const backend::Stream b = std::move(a);
  const backend::Event event;
  // NOLINTBEGIN(bugprone-use-after-move): it is what is tested
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { a.synchronize(); }), HasSubstr("moved from"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { a.waitFor(event); }), HasSubstr("moved from"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)a.ref(); }), HasSubstr("moved from"));
  backend::StreamRef ref = b;
  const backend::StreamRef other = std::move(ref);
  const Cells cells(1);
  backend::Event done;
  for (const backend::StreamRef& same : {ref, other}) {  // a name stays good
    backend::launch(same, perSample(), 1, Increment{}, cells.data());
    done.record(same);
  }
  // NOLINTEND(bugprone-use-after-move)
  done.synchronize();
  EXPECT_EQ(cells.values(), std::vector<int>{2});
  a = backend::Stream();
  EXPECT_NO_THROW(a.synchronize());
}

TEST(Event, OneThatWasMovedFromIsNamed) {
  backend::Stream stream;
  backend::Event a;
  a.record(stream);
  backend::Event b = std::move(a);
  const std::string message = "moved from";
  // NOLINTBEGIN(bugprone-use-after-move): it is what is tested
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { a.record(stream); }), HasSubstr(message));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)a.query(); }), HasSubstr(message));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { a.synchronize(); }), HasSubstr(message));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)a.secondsSince(b); }), HasSubstr(message));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)b.secondsSince(a); }), HasSubstr(message));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { stream.waitFor(a); }), HasSubstr(message));
  a = std::move(b);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { b.synchronize(); }), HasSubstr(message));
  // NOLINTEND(bugprone-use-after-move)
  EXPECT_NO_THROW(a.synchronize());
  EXPECT_TRUE(a.query());
}

TEST(Stream, MovedOntoItselfStaysAsItWas) {
  const Cells cells(1);
  backend::Stream stream;
  backend::launch(stream, perSample(), 1, Increment{}, cells.data());
  backend::Stream& same = stream;
  stream = std::move(same);
  for (int expected = 2; expected < 4; ++expected) {
    backend::launch(stream, perSample(), 1, Increment{}, cells.data());
    stream.synchronize();
    EXPECT_EQ(cells.values(), std::vector<int>{expected});
  }
}

// CUDA lets no work of a stream call it.
TEST(Stream, ItsOwnWorkCannotWaitForIt) {
  if (testDevice().kind() != Device::Kind::host) {
    GTEST_SKIP() << "host backend only";
  }
  backend::Stream stream;
  backend::Graph graph;
  graph.stream(stream);
  graph.addHostNode([&] { stream.synchronize(); });
  Launcher launcher = graph.launcher();
  launcher.launch();
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher.synchronize(); }), HasSubstr("own work"));
}

TEST(Stream, ItsOwnWorkMayDestroyIt) {
  if (testDevice().kind() != Device::Kind::host) {
    GTEST_SKIP() << "host backend only";
  }
  const Cells cells(1);
  std::promise<void> queued;
  std::promise<std::string> refusal;
  std::promise<void> done;
  auto stream = std::make_unique<backend::Stream>();
  const backend::StreamRef ref = *stream;
  backend::Graph graph;
  graph.stream(*stream);
  graph.addHostNode([&] {
    queued.get_future().wait();
    stream.reset();
    refusal.set_value(
        errorOf(ErrorCode::invalidState, [&] { backend::launch(ref, perSample(), 1, Increment{}, cells.data()); }));
  });
  backend::Graph last;
  last.stream(*stream);
  last.addHostNode([&] { done.set_value(); });
  Launcher launcher = graph.launcher();
  Launcher lastLauncher = last.launcher();
  launcher.launch();
  backend::launch(*stream, perSample(), 1, Increment{}, cells.data());
  lastLauncher.launch();
  queued.set_value();
  done.get_future().wait();
  EXPECT_THAT(refusal.get_future().get(), HasSubstr("stream was destroyed"));
  EXPECT_EQ(cells.values(), std::vector<int>{1});  // what was queued ran
}

TEST(Event, SaysWhenAndHowLong) {
  const Cells cells(1);
  backend::Stream stream;
  backend::Event start;
  backend::Event stop;
  EXPECT_TRUE(stop.query());
  EXPECT_NO_THROW(stream.waitFor(stop));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)stop.secondsSince(start); }), HasSubstr("never recorded"));
  const auto before = std::chrono::steady_clock::now();
  start.record(stream);
  for (int k = 0; k < 100; ++k) {
    backend::launch(stream, perSample(), 1, Increment{}, cells.data());
  }
  stop.record(stream);
  stop.synchronize();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  EXPECT_TRUE(start.query());
  EXPECT_TRUE(stop.query());
  const double seconds = stop.secondsSince(start);
  EXPECT_GT(seconds, 0);
  EXPECT_LE(seconds, wall.count());
}

}  // namespace
}  // namespace eagle::test
