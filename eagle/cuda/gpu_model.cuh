// Compiles a model for GPUs: EAGLE_GPU_MODEL(M); in one .cu file of a program.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <typeinfo>

#include "eagle/base/types.h"
#include "eagle/batch/advance.h"
#include "eagle/batch/columns.h"
#include "eagle/batch/gpu_models.h"
#include "eagle/batch/model.h"
#include "eagle/cuda/platform.h"
#include "eagle/cuda/run_batch.h"

namespace eagle::cuda::detail {

inline constexpr unsigned kBlock = 128;

// One thread a sample, each to its end.
template <Model M>
__global__ void __launch_bounds__(kBlock)
    runSamples(M model, typename Columns<typename M::State>::Word* states,
               const typename Columns<typename M::Params>::Word* params, KernelRun run) {
  const Index i = Index{blockIdx.x} * kBlock + threadIdx.x;
  if (i < run.size) {
    typename M::State state = Columns<typename M::State>::load(states + i, run.size);
    const typename M::Params parameters = Columns<typename M::Params>::load(params + i, run.size);
    SampleContext context{.sample = run.firstSample + i, .step = run.firstStep, .seed = run.seed};
    const std::int32_t standing = eagle::detail::advanceToEnd(model, state, parameters, context, run.maxSteps);
    Columns<typename M::State>::store(states + i, run.size, state);
    run.statuses[i] = eagle::detail::statusOf(standing);
    run.reasons[i] = eagle::detail::reasonOf(standing);
    run.steps[i] = context.step;
  }
  if (run.ended != nullptr) {
    __syncthreads();
    if (threadIdx.x == 0) {
      const Index first = Index{blockIdx.x} * kBlock;
      const unsigned long long mine = run.size - first < kBlock ? run.size - first : kBlock;
      const unsigned long long before = atomicAdd(run.ended, mine);
      if (before >> run.reportShift != (before + mine) >> run.reportShift) {
        *run.endedSeenByHost = before + mine;
      }
    }
  }
}

// One thread a sample, each that is to run for a round.
template <Model M>
__global__ void __launch_bounds__(kBlock)
    runRound(M model, typename Columns<typename M::State>::Word* states,
             const typename Columns<typename M::Params>::Word* params, KernelRun run) {
  const Index i = Index{blockIdx.x} * kBlock + threadIdx.x;
  std::int32_t standing = 0;
  if (i < run.size && run.statuses[i] == Status::cancelled) {
    typename M::State state = Columns<typename M::State>::load(states + i, run.size);
    const typename M::Params parameters = Columns<typename M::Params>::load(params + i, run.size);
    SampleContext context{.sample = run.firstSample + i, .step = run.steps[i], .seed = run.seed};
    standing = eagle::detail::advanceRound(model, state, parameters, context, run.roundSteps, run.maxSteps);
    Columns<typename M::State>::store(states + i, run.size, state);
    run.statuses[i] = eagle::detail::statusOf(standing);
    run.reasons[i] = eagle::detail::reasonOf(standing);
    run.steps[i] = context.step;
  }
  const int left = __syncthreads_count(standing == eagle::detail::kCancelled ? 1 : 0);
  if (threadIdx.x == 0 && left > 0) {
    atomicAdd(run.left, static_cast<unsigned long long>(left));
  }
}

// Not by <<<>>>, after which an older error of somebody else's looks like one of this launch.
template <Model M>
cudaError_t launchSamples(const eagle::detail::GpuRun& run, const KernelRun& kernel, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((run.size + kBlock - 1) / kBlock);  // below 2^31 for any memory there is
  auto* states = static_cast<typename Columns<typename M::State>::Word*>(run.states);
  const auto* params = static_cast<const typename Columns<typename M::Params>::Word*>(run.params);
  KernelRun how = kernel;
  void* arguments[] = {const_cast<void*>(run.model), &states, &params, &how};
  const auto* function = kernel.left != nullptr ? reinterpret_cast<const void*>(&runRound<M>)
                                                : reinterpret_cast<const void*>(&runSamples<M>);
  return cudaLaunchKernel(function, dim3(blocks), dim3(kBlock), arguments, 0, stream);
}

// Always true, for the variable of EAGLE_GPU_MODEL.
template <Model M>
bool registerModel() {
  eagle::detail::registerGpuModel(typeid(M), eagle::detail::kSizesOf<M>,
                                  [](const eagle::detail::GpuRun& run) { return runBatch(run, launchSamples<M>); });
  return true;
}

}  // namespace eagle::cuda::detail

/// Compiles model M for GPUs and makes it known to simulate(), from any source of the program. Once for each model, at
/// namespace scope in a .cu file of the program itself: a linker leaves out files of static libraries that nothing
/// refers to.
#define EAGLE_GPU_MODEL(...) EAGLE_GPU_MODEL_NUMBERED(__COUNTER__, __VA_ARGS__)
#define EAGLE_GPU_MODEL_NUMBERED(number, ...) EAGLE_GPU_MODEL_NAMED(number, __VA_ARGS__)
#define EAGLE_GPU_MODEL_NAMED(number, ...) \
  [[maybe_unused]] static const bool kEagleGpuModel##number = ::eagle::cuda::detail::registerModel<__VA_ARGS__>()
