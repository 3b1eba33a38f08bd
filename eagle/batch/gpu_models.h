// Where simulate() finds the kernel of a model that was compiled for GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <typeindex>

#include "eagle/base/device.h"
#include "eagle/base/types.h"
#include "eagle/batch/progress.h"
#include "eagle/batch/result.h"
#include "eagle/batch/stop_condition.h"

namespace eagle::detail {

// A run of one batch on a GPU, without the model's type. Pointers to columns are device memory.
struct GpuRun {
  Device device;
  Index size;
  const void* model;
  void* states;
  const void* params;
  Index maxSteps;
  std::uint64_t seed;
  Index firstSample;
  bool inRounds;  // may be stopped, or goes on from an earlier run
  const StopCondition& stop;
  const std::function<void(const Progress&)>& progress;
  Endings& endings;  // `cancelled`, with the steps made so far, for those that are to run
};

// Sizes that the two compilers of a program must agree on.
struct GpuModelSizes {
  std::size_t model;
  std::size_t state;
  std::size_t params;

  friend bool operator==(const GpuModelSizes&, const GpuModelSizes&) = default;
};

template <class M>
inline constexpr GpuModelSizes kSizesOf{sizeof(M), sizeof(typename M::State), sizeof(typename M::Params)};

// Runs all samples to their ends, fills `endings`, returns the seconds of the run itself.
using GpuRunner = double (*)(const GpuRun&);

// Called before main by EAGLE_GPU_MODEL.
void registerGpuModel(std::type_index model, const GpuModelSizes& sizes, GpuRunner runner);

// Throws Error: unavailable without EAGLE_GPU_MODEL for that model, invalidState if the sizes differ.
GpuRunner findGpuModel(std::type_index model, const GpuModelSizes& sizes);

}  // namespace eagle::detail
