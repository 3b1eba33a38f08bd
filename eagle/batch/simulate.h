// Runs every sample of a batch until it is done.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/base/types.h"
#include "eagle/batch/batch.h"
#include "eagle/batch/gpu_models.h"
#include "eagle/batch/host_engine.h"
#include "eagle/batch/model.h"
#include "eagle/batch/progress.h"
#include "eagle/batch/result.h"
#include "eagle/batch/sample_queue.h"
#include "eagle/batch/stop_condition.h"

namespace eagle {

/// How a batch is run.
struct SimulateOptions {
  /// Steps after which a sample that is not done ends as `stepLimit`; with 0, none is made.
  Index maxSteps = 1'000'000;
  /// Given to each step: random numbers are keyed by it and by the sample's id.
  std::uint64_t seed = 0;
  /// Id of the batch's first sample, for a batch that is a part of a larger whole.
  Index firstSample = 0;
  /// Called at most ten times a second, when samples have ended, and once at the end; by one thread at a time, not
  /// always the same one. What it throws ends the run once the samples under way have ended.
  std::function<void(const Progress&)> progress = {};
  /// Asked to stop, the run ends soon: samples that are still running end as `cancelled`.
  std::stop_token stop = {};
  /// Likewise once its samples have run that long in this call, in seconds on the wall's clock.
  double maxSeconds = std::numeric_limits<double>::infinity();
};

namespace detail {

template <Model M>
constexpr std::span<const std::string_view> reasonNames() {
  if constexpr (requires { M::kReasons; }) {
    return M::kReasons;
  } else {
    return {};
  }
}

inline void check(const SimulateOptions& options, Index samples) {
  if (options.maxSteps < 0) {
    throw Error(ErrorCode::invalidArgument,
                "maxSteps is " + std::to_string(options.maxSteps) + ": give the steps a sample may make, 0 or more");
  }
  if (options.firstSample < 0 || options.firstSample > INT64_MAX - samples) {
    throw Error(ErrorCode::invalidArgument, "firstSample is " + std::to_string(options.firstSample) +
                                                ": ids of samples are 64-bit numbers, 0 or more");
  }
  if (!(options.maxSeconds >= 0)) {
    throw Error(ErrorCode::invalidArgument,
                "maxSeconds is " + std::to_string(options.maxSeconds) + ": give the time a run may take, 0 or more");
  }
}

template <Model M>
Result run(Batch<M>& batch, const M& model, const SimulateOptions& options, Endings endings, double secondsBefore,
           bool isResumed) {
  const StopCondition stop(options.stop, options.maxSeconds);
  const Index ended = settle(endings, options.maxSteps);
  double seconds = 0;
  if (ended == batch.size()) {
    if (options.progress) {
      options.progress({.done = batch.size(), .total = batch.size(), .seconds = 0});
    }
  } else if (batch.device().kind() == Device::Kind::host) {
    SampleQueue queue(batch.size(), ended, stop, options.progress);
    runOnHost(HostRun<M>{.batch = batch,
                         .model = model,
                         .maxSteps = options.maxSteps,
                         .seed = options.seed,
                         .firstSample = options.firstSample,
                         .endings = endings,
                         .queue = queue});
    seconds = queue.seconds();
  } else {
    const GpuRunner runOnGpu = findGpuModel(typeid(M), kSizesOf<M>);
    seconds = runOnGpu({.device = batch.device(),
                        .size = batch.size(),
                        .model = &model,
                        .states = batch.stateColumns(),
                        .params = batch.paramsColumns(),
                        .maxSteps = options.maxSteps,
                        .seed = options.seed,
                        .firstSample = options.firstSample,
                        .inRounds = isResumed || stop.canHappen(),
                        .stop = stop,
                        .progress = options.progress,
                        .endings = endings});
  }
  return {std::move(endings), reasonNames<M>(), secondsBefore + seconds};
}

inline constexpr std::size_t kEndingBytes = sizeof(Status) + sizeof(std::int32_t) + sizeof(Index);

}  // namespace detail

/// Steps each sample, in any order and in parallel, until the model says it is finished, its state is no longer finite,
/// or it has made `maxSteps` steps, and waits for that. The batch then holds the states that the samples ended with; a
/// second run starts from there, counting steps from 0. What becomes of a sample depends on nothing but its State,
/// Params and id, the model, the seed and the kind of device.
///
/// On a GPU, it runs on a stream of its own and is ordered with no other. A run that can be stopped takes one kernel
/// after the other there, of so many steps each that they take some hundredths of a second.
///
/// Throws Error: invalidState for a batch that was not filled, invalidArgument for negative options, invalidState for a
/// reason that the model may not give, unavailable for a GPU without EAGLE_GPU_MODEL(M), outOfMemory (13 bytes a sample
/// are needed on the host, and on a GPU), backend. What a step on the host or `progress` throws comes out too. After an
/// exception each sample is either where it ended or where it started; in a run that can be stopped, or between.
template <Model M>
Result simulate(Batch<M>& batch, const M& model, const SimulateOptions& options = {}) {
  detail::check(options, batch.size());
  batch.requireFilled();
  Endings endings = detail::onHost(batch.size(), detail::kEndingBytes, [&] { return Endings(batch.size()); });
  return detail::run(batch, model, options, std::move(endings), 0, false);
}

/// Goes on with the samples of `batch` that ended as `cancelled` or `stepLimit` in the run that `previous` is of, the
/// last one of this batch, not filled again since: from the states and the steps they had, with `maxSteps` counted from
/// their beginning. With the same model, seed and first sample they end as they would have in one run, bit for bit.
/// Throws as simulate() does, and Error (invalidArgument) if `previous` is of another number of samples.
template <Model M>
Result resume(Batch<M>& batch, const M& model, const Result& previous, const SimulateOptions& options = {}) {
  detail::check(options, batch.size());
  batch.requireFilled();
  if (previous.size() != batch.size()) {
    throw Error(ErrorCode::invalidArgument, "resume: the batch has " + std::to_string(batch.size()) +
                                                " samples, the result given " + std::to_string(previous.size()));
  }
  Endings endings = detail::onHost(batch.size(), detail::kEndingBytes, [&] { return previous.endings(); });
  return detail::run(batch, model, options, std::move(endings), previous.seconds(), true);
}

}  // namespace eagle
