// Hands the samples of a run on the host to its threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include "eagle/base/types.h"
#include "eagle/batch/progress.h"
#include "eagle/batch/stop_condition.h"

namespace eagle::detail {

// Samples [begin, end); empty once there are none left.
struct SampleRange {
  Index begin = 0;
  Index end = 0;
};

// Every thread takes ranges until there are none: a thread whose samples stop early goes on with others.
class SampleQueue {
 public:
  using Callback = std::function<void(const Progress&)>;

  // Keeps references to the last two. Of the samples, `ended` have ended before.
  SampleQueue(Index samples, Index ended, const StopCondition& stop, const Callback& progress);

  // Runs `worker` once on each of oneTBB's threads and waits. The first exception of a worker is rethrown; the others
  // then get no more samples.
  void run(const std::function<void()>& worker);

  SampleRange take();
  // Whether the run can be told to end early, and whether it was.
  [[nodiscard]] bool canStop() const { return stop_.canHappen(); }
  [[nodiscard]] bool isStopped() const { return stop_.hasHappened(); }
  // Tells that `samples` more have ended; calls back now and then.
  void ended(Index samples);
  [[nodiscard]] double seconds() const;

 private:
  void report();

  Index total_;
  Index rangeSize_ = 1;
  const StopCondition& stop_;
  const Callback& progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<Index> next_{0};
  std::atomic<Index> done_;
  std::mutex reporting_;
  double nextReport_ = 0;
};

}  // namespace eagle::detail
