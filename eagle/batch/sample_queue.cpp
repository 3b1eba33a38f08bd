#include "eagle/batch/sample_queue.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>

#include "eagle/base/fork_join.h"

namespace eagle::detail {
namespace {

constexpr double kReportInterval = 0.1;  // seconds

}  // namespace

SampleQueue::SampleQueue(Index samples, Index ended, const StopCondition& stop, const Callback& progress)
    : total_(samples), stop_(stop), progress_(progress), done_(ended) {}

void SampleQueue::run(const std::function<void()>& worker) {
  const int threads = tbb::this_task_arena::max_concurrency();
  // Small enough to balance uneven samples, large enough that threads do not share cache lines all the time.
  rangeSize_ = std::clamp<Index>(total_ / (threads * Index{64}), 1, 256);
  std::exception_ptr error;
  std::once_flag first;
  const auto guarded = [&](int) {
    const Task task;
    try {
      worker();
    } catch (...) {
      next_ = total_;
      std::call_once(first, [&] { error = std::current_exception(); });
    }
  };
  forkOrJoin();
  tbb::parallel_for(0, threads, 1, guarded, tbb::simple_partitioner{});
  forkOrJoin();
  if (error) {
    std::rethrow_exception(error);
  }
  if (progress_) {
    progress_({.done = done_, .total = total_, .seconds = seconds()});
  }
}

SampleRange SampleQueue::take() {
  const Index begin = std::min(next_.load(std::memory_order_relaxed), total_);
  if (begin == total_) {
    return {total_, total_};
  }
  const Index taken = std::min(next_.fetch_add(rangeSize_, std::memory_order_relaxed), total_);
  return {taken, std::min(taken + rangeSize_, total_)};
}

void SampleQueue::ended(Index samples) {
  if (progress_) {
    done_.fetch_add(samples, std::memory_order_relaxed);
    report();
  }
}

void SampleQueue::report() {
  const std::unique_lock lock(reporting_, std::try_to_lock);
  const double now = seconds();
  // The call with done == total is made once all is written, by run().
  if (lock && now >= nextReport_ && done_ < total_) {
    nextReport_ = now + kReportInterval;
    progress_({.done = done_, .total = total_, .seconds = now});
  }
}

double SampleQueue::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace eagle::detail
