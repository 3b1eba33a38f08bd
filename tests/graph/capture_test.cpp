// Captures: what enters them, what breaks them, and what is left afterwards.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/support/graph_test.h"

namespace eagle::test {
namespace {

using testing::HasSubstr;

/// Nothing of an earlier failure is left on `stream`.
void expectCaptureWorks(backend::Stream& stream) {
  const Cells cells(10);
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  backend::Graph graph;
  graph.addNode(capturer.end());
  Launcher launcher = graph.launcher();
  EXPECT_EQ(cells.values(), firstCells(0, 10, 0));  // recorded, not run
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(10, 10, 1));
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  stream.synchronize();
  EXPECT_EQ(cells.values(), firstCells(10, 10, 2));
}

TEST(Capture, RecordsInsteadOfRunning) {
  backend::Stream stream;
  expectCaptureWorks(stream);
}

TEST(Capture, StreamsForkAndJoin) {
  const Cells left(10);
  const Cells right(10);
  backend::Stream stream;
  backend::Stream other(StreamPriority::high);
  backend::Event fork;
  backend::Event join;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), 10, Append{}, left.data(), 1);
  fork.record(stream);
  other.waitFor(fork);
  backend::launch(other, perSample(), 10, Append{}, right.data(), 2);
  backend::launch(stream, perSample(), 10, Append{}, left.data(), 3);
  join.record(other);
  stream.waitFor(join);
  backend::launch(stream, perSample(), 10, Append{}, left.data(), 4);
  backend::launch(stream, perSample(), 10, Append{}, right.data(), 4);
  backend::CapturedGraph captured = capturer.end();
  EXPECT_EQ(captured.nodeCount(), 5u);
  backend::Graph graph;
  graph.addNode(std::move(captured));
  Launcher launcher = graph.launcher(5);
  runOnce(launcher);
  EXPECT_EQ(left.values(), firstCells(5, 10, 134));
  EXPECT_EQ(right.values(), firstCells(5, 10, 24));
  expectCaptureWorks(other);
}

TEST(Capture, ARegionBetweenOtherNodesKeepsItsPlace) {
  const Cells cells(10);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  backend::Graph graph;
  graph.stream(stream);
  graph.addKernel(fixed(10), Append{}, cells.data(), 1);
  capturer.begin();
  backend::launch(stream, perSample(), 10, Append{}, cells.data(), 2);
  graph.addNode(capturer.end());
  graph.addKernel(fixed(10), Append{}, cells.data(), 3);
  capturer.begin();  // a capturer can be used again
  backend::launch(stream, perSample(), 10, Append{}, cells.data(), 4);
  graph.addNode(capturer.end());
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(10, 10, 1234));
}

TEST(Capture, AFunctionIsCapturedAnewForEachLauncher) {
  const Cells cells(4);
  int recordings = 0;
  backend::Graph graph;
  const NodeId node = graph.addCapture([&](backend::StreamCapturer& capturer) {
    ++recordings;
    backend::launch(capturer.stream(), perSample(), 4, Append{}, cells.data(), recordings);
  });
  EXPECT_EQ(recordings, 0);
  Launcher one = graph.launcher();
  Launcher two = graph.launcher(2);
  EXPECT_EQ(recordings, 2);
  EXPECT_EQ(two.sizes(node).size(), 1u);
  runOnce(one);
  runOnce(two);
  EXPECT_EQ(cells.values(), (std::vector<int>{12, 12, 1, 1}));
  backend::Graph empty;
  empty.addCapture([](backend::StreamCapturer&) {});
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)empty.launcher(); }), HasSubstr("nothing was captured"));
}

TEST(Capture, OneThatWasMovedFromIsNamed) {
  const Cells cells(10);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  backend::CapturedGraph captured = capturer.end();
  backend::Graph graph;
  graph.addNode(std::move(captured));
  // NOLINTBEGIN(bugprone-use-after-move): it is what is tested
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)captured.nodeCount(); }), HasSubstr("moved from"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { graph.addNode(std::move(captured)); }), HasSubstr("moved from"));
  // NOLINTEND(bugprone-use-after-move)
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(10, 10, 1));
}

TEST(Capture, AnEmptyOneIsAnErrorUnlessAllowed) {
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("nothing was captured"));
  capturer.begin();
  backend::Graph graph;
  graph.addNode(capturer.end(EmptyCapture::allow));
  Launcher launcher = graph.launcher();
  EXPECT_NO_THROW(runOnce(launcher));
  expectCaptureWorks(stream);
}

TEST(Capture, BeginAndEndComeInPairs) {
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("no capture was begun"));
  EXPECT_THROW(capturer.fixed([] {}), Error);
  capturer.begin();
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { capturer.begin(); }), HasSubstr("captured already"));
  backend::StreamCapturer second(stream);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { second.begin(); }), HasSubstr("being captured"));
  EXPECT_NO_THROW((void)capturer.end(EmptyCapture::allow));
  expectCaptureWorks(stream);
}

TEST(Capture, UserCodeThatThrowsLeavesNothingBehind) {
  const Cells cells(10);
  backend::Stream stream;
  backend::Stream other;
  const auto throwAt = [&](int place) {
    backend::Event fork;
    backend::Event join;
    backend::StreamCapturer capturer(stream);
    capturer.begin();
    if (place == 0) {
      throw std::runtime_error("after begin");
    }
    backend::launch(stream, perSample(), 10, Increment{}, cells.data());
    if (place == 1) {
      throw std::runtime_error("in the body");
    }
    fork.record(stream);
    other.waitFor(fork);
    backend::launch(other, perSample(), 10, Increment{}, cells.data());
    if (place == 2) {
      throw std::runtime_error("in the middle of a join");
    }
    join.record(other);
    stream.waitFor(join);
    capturer.fixed([] { throw std::runtime_error("in a fixed part"); });
  };
  for (int place = 0; place < 4; ++place) {
    EXPECT_THROW(throwAt(place), std::runtime_error);
    expectCaptureWorks(stream);
    expectCaptureWorks(other);
  }
  EXPECT_EQ(cells.values(), firstCells(0, 10, 0));
}

TEST(Capture, AStreamThatIsNotJoinedIsAnError) {
  const Cells cells(10);
  backend::Stream stream;
  backend::Stream other;
  backend::Event fork;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  fork.record(stream);
  other.waitFor(fork);
  backend::launch(other, perSample(), 10, Increment{}, cells.data());
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("not joined"));
  expectCaptureWorks(stream);
  expectCaptureWorks(other);
}

TEST(Capture, AnEventOfAnotherCaptureIsRefusedAndHarmless) {
  const Cells cells(10);
  backend::Stream a;
  backend::Stream b;
  backend::StreamCapturer captureA(a);
  backend::StreamCapturer captureB(b);
  captureA.begin();
  captureB.begin();
  backend::launch(a, perSample(), 10, Increment{}, cells.data());
  backend::Event event;
  event.record(a);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { b.waitFor(event); }), HasSubstr("another capture"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { event.synchronize(); }), HasSubstr("recorded in a capture"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)event.query(); }), HasSubstr("recorded in a capture"));
  backend::launch(b, perSample(), 10, Increment{}, cells.data());
  EXPECT_EQ(captureA.end().nodeCount(), 1u);
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { b.waitFor(event); }), HasSubstr("another capture"));
  EXPECT_EQ(captureB.end().nodeCount(), 1u);
  expectCaptureWorks(a);
  expectCaptureWorks(b);
}

TEST(Capture, ADestroyedStreamIsNamed) {
  const Cells cells(10);
  auto stream = std::make_unique<backend::Stream>();
  backend::StreamCapturer capturer(*stream);
  capturer.begin();
  backend::launch(*stream, perSample(), 10, Increment{}, cells.data());
  stream.reset();
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("destroyed"));
  backend::Stream fresh;
  expectCaptureWorks(fresh);
}

// The host function is owned by the launcher, which trusts a stream that is gone to have waited.
TEST(Capture, ADestroyedStreamWaitsForTheWorkBefore) {
  for (const bool joins : {false, true}) {
    std::atomic<int> runs = 0;
    backend::Stream origin;
    auto stream = std::make_unique<backend::Stream>();
    backend::Graph graph;
    graph.stream(*stream);
    graph.addHostNode([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ++runs;
    });
    auto launcher = std::make_unique<Launcher>(graph.launcher());
    launcher->launch();
    backend::StreamCapturer capturer(joins ? origin : *stream);
    capturer.begin();
    if (joins) {
      backend::Event fork;
      fork.record(origin);
      stream->waitFor(fork);
    }
    stream.reset();
    EXPECT_EQ(runs, 1);
    launcher.reset();
    EXPECT_THROW((void)capturer.end(EmptyCapture::allow), Error);
  }
}

TEST(Capture, OtherThingsMayBeDestroyedMeanwhile) {
  const Cells cells(10);
  const Cells firsts(10);
  const Cells seconds(10);
  const auto unrelated = [](const Cells& target) {
    backend::Graph graph;
    graph.addKernel(fixed(10), Increment{}, target.data());
    return std::make_unique<Launcher>(graph.launcher());
  };
  auto first = unrelated(firsts);
  auto second = unrelated(seconds);
  first->launch();
  second->launch();
  auto buffer = std::make_unique<Buffer<int>>(testDevice(), 100);
  auto another = std::make_unique<Buffer<int>>(testDevice(), 100);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  first.reset();
  buffer.reset();
  std::thread([&] {
    second.reset();
    another.reset();
  }).join();
  const Cells made(10);
  EXPECT_EQ(made.values(), firstCells(0, 10, 0));
  backend::Graph graph;
  graph.addNode(capturer.end());
  EXPECT_EQ(firsts.values(), firstCells(10, 10, 1));
  EXPECT_EQ(seconds.values(), firstCells(10, 10, 1));
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(cells.values(), firstCells(10, 10, 1));
}

TEST(Capture, ALauncherMayGoWhileItsOwnStreamIsCaptured) {
  const Cells cells(10);
  const auto owned = std::make_shared<int>(0);
  backend::Stream stream;
  backend::Graph graph;
  graph.stream(stream);
  graph.addKernel(fixed(10), Increment{}, cells.data());
  graph.addHostNode([owned] { ++*owned; });
  auto launcher = std::make_unique<Launcher>(graph.launcher());
  launcher->launch();
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { launcher->launch(); }), HasSubstr("being captured"));
  EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { stream.synchronize(); }), HasSubstr("captured"));
  launcher.reset();
  EXPECT_EQ(*owned, 1);
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  EXPECT_EQ(capturer.end().nodeCount(), 1u);
}

TEST(Capture, EndsOnTheThreadThatBeganIt) {
  const Cells cells(10);
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  for (const CaptureMode mode : {CaptureMode::global, CaptureMode::threadLocal}) {
    capturer.begin(mode);
    backend::launch(stream, perSample(), 10, Increment{}, cells.data());
    std::thread([&] {
      EXPECT_THAT(errorOf(ErrorCode::invalidState, [&] { (void)capturer.end(); }), HasSubstr("thread"));
    }).join();
    EXPECT_EQ(capturer.end().nodeCount(), 1u);
  }
  capturer.begin(CaptureMode::relaxed);
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  std::thread([&] { EXPECT_EQ(capturer.end().nodeCount(), 1u); }).join();
}

TEST(Capture, ARelaxedOneIsDroppedOnAnyThread) {
  const Cells cells(10);
  backend::Stream stream;
  backend::Stream other;
  auto capturer = std::make_unique<backend::StreamCapturer>(stream);
  capturer->begin(CaptureMode::relaxed);
  backend::launch(stream, perSample(), 10, Increment{}, cells.data());
  backend::Event fork;
  fork.record(stream);
  other.waitFor(fork);
  std::thread([&] { capturer.reset(); }).join();
  expectCaptureWorks(stream);
  expectCaptureWorks(other);
}

TEST(Capture, ManyTimesOver) {
  backend::Stream stream;
  const Cells cells(1);
  for (int k = 0; k < 200; ++k) {
    backend::StreamCapturer capturer(stream);
    capturer.begin();
    backend::launch(stream, perSample(), 1, Increment{}, cells.data());
    backend::Graph graph;
    graph.addNode(capturer.end());
    Launcher launcher = graph.launcher();
    launcher.launch();
  }
  EXPECT_EQ(cells.values(), std::vector<int>{200});
}

}  // namespace
}  // namespace eagle::test
