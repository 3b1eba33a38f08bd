// What only the host engine promises: branches at the same time, samples split over threads, ranges.
#include <tbb/global_control.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/support/graph_test.h"

namespace eagle::test {
namespace {

/// Blocks until as many threads wait as it was made for; false if they do not come.
class Meeting {
 public:
  explicit Meeting(int expected) : missing_(expected) {}
  bool arrive() {
    std::unique_lock lock(mutex_);
    --missing_;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(20), [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int missing_;
};

bool manyThreads() {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) > 1;
}

TEST(HostEngine, IndependentBranchesRunAtTheSameTime) {
  if (!manyThreads()) {
    GTEST_SKIP() << "one processor";
  }
  Meeting meeting(2);
  bool met[2] = {};
  host::Graph graph;
  const NodeId root = graph.addEmpty();
  graph.addHostNode([&] { met[0] = meeting.arrive(); }, root);
  graph.addHostNode([&] { met[1] = meeting.arrive(); }, root);
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_TRUE(met[0]);
  EXPECT_TRUE(met[1]);
}

TEST(HostEngine, SamplesAreSplitOverThreads) {
  if (!manyThreads()) {
    GTEST_SKIP() << "one processor";
  }
  Meeting meeting(2);
  std::atomic<int> timeouts = 0;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::vector<int> touched(1000, 0);
  host::Graph graph;
  host::KernelNodeParams params;
  params.range = [&](Index begin, Index end) {
    bool first = false;
    {
      const std::scoped_lock lock(mutex);
      first = threads.insert(std::this_thread::get_id()).second;
    }
    if (first && !meeting.arrive()) {
      ++timeouts;
    }
    for (Index i = begin; i < end; ++i) {
      ++touched[static_cast<std::size_t>(i)];
    }
  };
  params.gridDim = {10};
  params.blockDim = {100};
  graph.addKernelNode(params);
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(timeouts, 0);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_EQ(touched, std::vector<int>(1000, 1));
  launcher.setLogicalSize(7);
  runOnce(launcher);
  std::vector<int> expected(1000, 1);
  std::fill_n(expected.begin(), 7, 2);
  EXPECT_EQ(touched, expected);
}

// Whoever sees a recording that a launch will make is queued behind that launch.
TEST(HostEngine, EventsAreAsOfThePlaceInTheQueue) {
  host::Stream stream;
  const host::Event event;
  host::Graph records;
  records.stream(stream);
  records.addEventRecord(event);
  host::Graph waits;
  waits.stream(stream);
  waits.addEventWait(event);
  Launcher one = records.launcher();
  Launcher two = waits.launcher();
  for (int k = 0; k < 2000; ++k) {
    std::thread other([&] { one.launch(); });
    two.launch();
    other.join();
    stream.synchronize();  // would wait for ever
  }
  EXPECT_TRUE(event.query());
}

TEST(HostEngine, ARefusedLaunchRecordsNothing) {
  auto stream = std::make_unique<host::Stream>();
  const host::Event event;
  host::Graph graph;
  graph.stream(*stream);
  graph.addEventRecord(event);
  Launcher launcher = graph.launcher();
  stream.reset();
  EXPECT_THROW(launcher.launch(), Error);
  EXPECT_TRUE(event.query());
}

TEST(HostEngine, TwoErrorsAtOnceGiveOne) {
  host::Graph graph;
  const NodeId root = graph.addEmpty();
  for (int k = 0; k < 10; ++k) {
    graph.addHostNode([] { throw std::runtime_error("one of ten"); }, root);
  }
  Launcher launcher = graph.launcher();
  launcher.launch();
  EXPECT_THROW(launcher.synchronize(), std::runtime_error);
  EXPECT_NO_THROW(launcher.synchronize());
}

TEST(HostEngine, AKernelThatThrowsIsReported) {
  struct Fail {
    void operator()(Index i) const {
      if (i == 500) {
        throw std::runtime_error("sample 500");
      }
    }
  };
  host::Graph graph;
  graph.addKernel(fixed(1000), Fail{});
  Launcher launcher = graph.launcher();
  launcher.launch();
  EXPECT_THROW(launcher.synchronize(), std::runtime_error);
  host::Stream stream;
  host::launch(stream, perSample(), 1000, Fail{});
  EXPECT_THROW(stream.synchronize(), std::runtime_error);
}

TEST(HostEngine, RefusesAKernelWithoutARange) {
  host::Graph graph;
  EXPECT_THROW(graph.addKernelNode({}), Error);
  host::KernelNodeParams params;
  params.range = [](Index, Index) {};
  params.gridDim = {1, 70000};
  EXPECT_THROW(graph.addKernelNode(params), Error);
}

TEST(HostEngine, WideAndDeepGraphsFinish) {
  std::atomic<int> calls = 0;
  host::Graph graph;
  std::vector<NodeId> layer{graph.addEmpty()};
  for (int depth = 0; depth < 50; ++depth) {
    std::vector<NodeId> next;
    for (int k = 0; k < 20; ++k) {
      next.push_back(graph.addHostNode([&] { ++calls; }, layer));
    }
    layer = next;
  }
  Launcher launcher = graph.launcher();
  runOnce(launcher);
  EXPECT_EQ(calls, 1000);
  host::Graph chain;
  for (int k = 0; k < 20'000; ++k) {
    chain.addHostNode([&] { ++calls; });
  }
  Launcher deep = chain.launcher();
  runOnce(deep);
  EXPECT_EQ(calls, 21'000);
}

}  // namespace
}  // namespace eagle::test
