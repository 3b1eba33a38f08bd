// Runs every sample of a batch until it is done.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
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
}

inline constexpr std::size_t kEndingBytes = sizeof(Status) + sizeof(std::int32_t) + sizeof(Index);

}  // namespace detail

/// Steps each sample, in any order and in parallel, until the model says it is finished, its state is no longer finite,
/// or it has made `maxSteps` steps, and waits for that. The batch then holds the states that the samples ended with; a
/// second run starts from there, counting steps from 0. What becomes of a sample depends on nothing but its State,
/// Params and id, the model, the seed and the kind of device.
///
/// On a GPU, it runs on a stream of its own and is ordered with no other.
///
/// Throws Error: invalidState for a batch that was not filled, invalidArgument for negative options, invalidState for a
/// reason that the model may not give, unavailable for a GPU without EAGLE_GPU_MODEL(M), outOfMemory (13 bytes a sample
/// are needed on the host, and on a GPU), backend. What a step on the host or `progress` throws comes out too. After an
/// exception each sample is either where it ended or where it started.
template <Model M>
Result simulate(Batch<M>& batch, const M& model, const SimulateOptions& options = {}) {
  detail::check(options, batch.size());
  batch.requireFilled();
  Endings endings = detail::onHost(batch.size(), detail::kEndingBytes, [&] { return Endings(batch.size()); });
  double seconds = 0;
  if (options.maxSteps == 0 || batch.size() == 0) {
    std::fill(endings.statuses.begin(), endings.statuses.end(), Status::stepLimit);
    std::fill(endings.reasons.begin(), endings.reasons.end(), -1);
    if (options.progress) {
      options.progress({.done = batch.size(), .total = batch.size(), .seconds = 0});
    }
  } else if (batch.device().kind() == Device::Kind::host) {
    detail::SampleQueue queue(batch.size(), options.progress);
    detail::runOnHost(detail::HostRun<M>{.batch = batch,
                                         .model = model,
                                         .maxSteps = options.maxSteps,
                                         .seed = options.seed,
                                         .firstSample = options.firstSample,
                                         .endings = endings,
                                         .queue = queue});
    seconds = queue.seconds();
  } else {
    const detail::GpuRunner run = detail::findGpuModel(typeid(M), detail::kSizesOf<M>);
    seconds = run({.device = batch.device(),
                   .size = batch.size(),
                   .model = &model,
                   .states = batch.stateColumns(),
                   .params = batch.paramsColumns(),
                   .maxSteps = options.maxSteps,
                   .seed = options.seed,
                   .firstSample = options.firstSample,
                   .progress = options.progress,
                   .endings = endings});
  }
  return {std::move(endings), detail::reasonNames<M>(), seconds};
}

}  // namespace eagle
