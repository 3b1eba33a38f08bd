// Hands the samples of a run on the host to its threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include "eagle/base/types.h"
#include "eagle/batch/progress.h"

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

  // Keeps a reference to `progress`.
  SampleQueue(Index samples, const Callback& progress);

  // Runs `worker` once on each of oneTBB's threads and waits. The first exception of a worker is rethrown; the others
  // then get no more samples.
  void run(const std::function<void()>& worker);

  SampleRange take();
  // Tells that `samples` more have ended; calls back now and then.
  void ended(Index samples);
  [[nodiscard]] double seconds() const;

 private:
  void report();

  Index total_;
  Index rangeSize_ = 1;
  const Callback& progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<Index> next_{0};
  std::atomic<Index> done_{0};
  std::mutex reporting_;
  double nextReport_ = 0;
};

}  // namespace eagle::detail
