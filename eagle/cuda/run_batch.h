// Runs a batch on a GPU: everything but the kernel, which gpu_model.cuh compiles for each model.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "eagle/base/types.h"
#include "eagle/batch/gpu_models.h"
#include "eagle/batch/status.h"

namespace eagle::cuda::detail {

// What the kernel of every model is told and writes. Pointers are device memory unless said otherwise.
struct KernelRun {
  Index size;
  Index maxSteps;
  std::uint64_t seed;
  Index firstSample;
  // 0, which the compiler must not know: it would round the first step in another way than runs in rounds do.
  Index firstStep;
  // One of each for every sample:
  Status* statuses;
  std::int32_t* reasons;
  Index* steps;
  // Progress, null where nobody asked: samples of the blocks that have ended, and a copy of it in the host's memory,
  // written whenever the count passes a multiple of 2^reportShift.
  unsigned long long* ended;
  volatile unsigned long long* endedSeenByHost;
  int reportShift;
  // Rounds, null where all samples run to their ends at once: samples that a round of so many steps left running.
  unsigned long long* left;
  Index roundSteps;
};

// Launches the kernel of `run.model` on `stream`; whether that was accepted.
using Launch = cudaError_t (*)(const eagle::detail::GpuRun& run, const KernelRun& kernel, cudaStream_t stream);

// Runs all samples, fills `run.endings` and returns the seconds the kernel took. Waits for the end even when the
// progress callback throws.
double runBatch(const eagle::detail::GpuRun& run, Launch launch);

}  // namespace eagle::cuda::detail
