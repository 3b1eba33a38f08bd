#include "eagle/cuda/run_batch.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "eagle/base/buffer.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/current_device.h"
#include "eagle/cuda/relaxed_capture.h"
#include "eagle/cuda/stream.h"

namespace eagle::cuda::detail {
namespace {

using eagle::detail::GpuRun;

constexpr double kReportInterval = 0.1;               // seconds
constexpr std::chrono::microseconds kPollEvery{200};  // only when progress is asked for

// A count that the GPU writes and the host reads while the kernel runs.
class SharedCount {
 public:
  SharedCount() {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, sizeof(unsigned long long), cudaHostAllocMapped | cudaHostAllocPortable),
          "allocating the count of ended samples");
    host_ = static_cast<volatile unsigned long long*>(memory);
    *host_ = 0;
  }
  ~SharedCount() { cudaFreeHost(const_cast<unsigned long long*>(host_)); }
  SharedCount(const SharedCount&) = delete;
  SharedCount& operator=(const SharedCount&) = delete;

  [[nodiscard]] volatile unsigned long long* device() const {
    void* pointer = nullptr;
    check(cudaHostGetDevicePointer(&pointer, const_cast<unsigned long long*>(host_), 0), "mapping the count");
    return static_cast<volatile unsigned long long*>(pointer);
  }
  [[nodiscard]] Index value() const { return static_cast<Index>(*host_); }

 private:
  volatile unsigned long long* host_;
};

template <class T>
Buffer<T> endingsBuffer(const GpuRun& run) {
  try {
    return Buffer<T>(run.device, run.size);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::outOfMemory) {
      throw;
    }
    constexpr Index kBytes = sizeof(Status) + sizeof(std::int32_t) + sizeof(Index);
    throw Error(ErrorCode::outOfMemory, "running " + std::to_string(run.size) + " samples needs " +
                                            std::to_string(run.size * kBytes) + " more bytes on " + run.device.name() +
                                            " (" + std::to_string(kBytes) + " a sample): " + error.what() +
                                            ". Use fewer samples, or run them in several batches");
  }
}

// Calls back until the work of `stream` is done.
void report(const GpuRun& run, const SharedCount& ended, cudaStream_t stream) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  double next = 0;
  Index done = 0;
  for (cudaError_t status = cudaStreamQuery(stream); status != cudaSuccess; status = cudaStreamQuery(stream)) {
    if (status != cudaErrorNotReady) {
      check(status, "running the batch");
    }
    if (seconds() >= next) {
      next = seconds() + kReportInterval;
      // Blocks write their counts in any order.
      done = std::clamp(ended.value(), done, run.size);
      // The call with done == size is made once all is there.
      run.progress({.done = std::min(done, run.size - 1), .total = run.size, .seconds = seconds()});
    }
    std::this_thread::sleep_for(kPollEvery);
  }
}

// Waits for the stream on the way out of an exception: its kernel uses memory that is freed next.
class Finally {
 public:
  explicit Finally(cudaStream_t stream) : stream_(stream) {}
  ~Finally() { cudaStreamSynchronize(stream_); }
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;

 private:
  cudaStream_t stream_;
};

// The endings of the samples, on the device.
struct Memory {
  Buffer<Status> statuses;
  Buffer<std::int32_t> reasons;
  Buffer<Index> steps;

  explicit Memory(const GpuRun& run)
      : statuses(endingsBuffer<Status>(run)),
        reasons(endingsBuffer<std::int32_t>(run)),
        steps(endingsBuffer<Index>(run)) {}

  [[nodiscard]] KernelRun kernelRun(const GpuRun& run) const {
    return {.size = run.size,
            .maxSteps = run.maxSteps,
            .seed = run.seed,
            .firstSample = run.firstSample,
            .firstStep = 0,
            .statuses = statuses.data(),
            .reasons = reasons.data(),
            .steps = steps.data(),
            .ended = nullptr,
            .endedSeenByHost = nullptr,
            .reportShift = 0,
            .left = nullptr,
            .roundSteps = 0};
  }
  void copyFrom(const Endings& endings) {
    statuses.copyFrom(endings.statuses);
    reasons.copyFrom(endings.reasons);
    steps.copyFrom(endings.steps);
  }
  void copyTo(Endings& endings) const {
    statuses.copyTo(endings.statuses);
    reasons.copyTo(endings.reasons);
    steps.copyTo(endings.steps);
  }
};

double secondsBetween(const Event& begin, const Event& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.cuda(), end.cuda()), "timing the batch");
  return static_cast<double>(milliseconds) * 1e-3;
}

// Every sample to its end, in one launch.
double runAtOnce(const GpuRun& run, const Memory& memory, Launch launch) {
  const Stream stream;
  const Event begin;
  const Event end;
  KernelRun kernel = memory.kernelRun(run);
  const auto start = [&] {
    // Keeps the GPU busy until the kernel is there, so that its way from the host is not in the time.
    for (const auto& [array, bytes] : {std::pair<void*, std::size_t>(memory.steps.data(), memory.steps.bytes()),
                                       {memory.reasons.data(), memory.reasons.bytes()},
                                       {memory.statuses.data(), memory.statuses.bytes()}}) {
      check(cudaMemsetAsync(array, 0, bytes, stream.cuda()), "clearing the endings");
    }
    check(cudaEventRecord(begin.cuda(), stream.cuda()), "recording an event");
    check(launch(run, kernel, stream.cuda()), "launching the batch");
    check(cudaEventRecord(end.cuda(), stream.cuda()), "recording an event");
  };

  if (run.progress) {
    const SharedCount seen;
    const Buffer<unsigned long long> ended(run.device, 1);
    check(cudaMemsetAsync(ended.data(), 0, ended.bytes(), stream.cuda()), "clearing the count of ended samples");
    kernel.ended = ended.data();
    kernel.endedSeenByHost = seen.device();
    // Some 256 to 512 writes to the host in a run.
    kernel.reportShift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(run.size) / 512));
    const Finally wait(stream.cuda());
    start();
    report(run, seen, stream.cuda());
  } else {
    start();
  }
  check(cudaStreamSynchronize(stream.cuda()), "running the batch");
  return secondsBetween(begin, end);
}

// In launches of so many steps each, with a look between them at whether to stop.
double runInRounds(const GpuRun& run, const Memory& memory, Launch launch) {
  constexpr double kRoundSeconds = 0.02;
  constexpr Index kFirstRound = 64;
  constexpr Index kLongestRound = Index{1} << 40;
  const Stream stream;
  const Event begin;
  const Event end;
  const Buffer<unsigned long long> left(run.device, 1);
  KernelRun kernel = memory.kernelRun(run);
  kernel.left = left.data();
  kernel.roundSteps = kFirstRound;
  const auto start = std::chrono::steady_clock::now();
  const eagle::detail::StopCondition stop = run.stop.startingNow();
  double seconds = 0;
  double nextReport = 0;
  while (!stop.hasHappened()) {
    check(cudaMemsetAsync(left.data(), 0, left.bytes(), stream.cuda()), "clearing the count of samples left");
    check(cudaEventRecord(begin.cuda(), stream.cuda()), "recording an event");
    check(launch(run, kernel, stream.cuda()), "launching a round of the batch");
    check(cudaEventRecord(end.cuda(), stream.cuda()), "recording an event");
    check(cudaStreamSynchronize(stream.cuda()), "running a round of the batch");
    const double round = secondsBetween(begin, end);
    seconds += round;
    const auto running = static_cast<Index>(left.toHost().front());
    if (running == 0) {
      break;
    }
    if (round < kRoundSeconds && kernel.roundSteps < kLongestRound) {
      kernel.roundSteps *= 2;
    }
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run.progress && now >= nextReport) {
      nextReport = now + kReportInterval;
      run.progress({.done = run.size - running, .total = run.size, .seconds = now});
    }
  }
  return seconds;
}

}  // namespace

double runBatch(const GpuRun& run, Launch launch) {
  const RelaxedCapture relaxed;
  const CurrentDevice current(run.device.ordinal());
  Memory memory(run);
  if (run.inRounds) {
    memory.copyFrom(run.endings);
  }
  const double seconds = run.inRounds ? runInRounds(run, memory, launch) : runAtOnce(run, memory, launch);
  memory.copyTo(run.endings);
  if (run.progress) {
    const Index left = std::count(run.endings.statuses.begin(), run.endings.statuses.end(), Status::cancelled);
    run.progress({.done = run.size - left, .total = run.size, .seconds = seconds});
  }
  return seconds;
}

}  // namespace eagle::cuda::detail
