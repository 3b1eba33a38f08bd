#include "eagle/batch/gpu_models.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

#include "eagle/base/error.h"

namespace eagle::detail {
namespace {

struct Entry {
  GpuModelSizes sizes;
  GpuRunner runner;
};

// Built on first use: other sources register before main, in any order.
std::unordered_map<std::type_index, Entry>& registry() {
  static std::unordered_map<std::type_index, Entry> entries;
  return entries;
}

std::string nameOf(std::type_index type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace

void registerGpuModel(std::type_index model, const GpuModelSizes& sizes, GpuRunner runner) {
  registry().insert_or_assign(model, Entry{sizes, runner});
}

GpuRunner findGpuModel(std::type_index model, const GpuModelSizes& sizes) {
  const auto found = registry().find(model);
  const std::string name = nameOf(model);
  if (found == registry().end()) {
    throw Error(
        ErrorCode::unavailable,
        "the model " + name +
            " was not compiled for GPUs: include \"eagle/cuda/gpu_model.cuh\" and the model's header in one .cu "
            "file of the program and say EAGLE_GPU_MODEL(" +
            name + "); there, or run it on device host");
  }
  if (found->second.sizes != sizes) {
    throw Error(ErrorCode::invalidState,
                "the model " + name +
                    " has another size in the .cu file that has its EAGLE_GPU_MODEL than here: compile both with the "
                    "same options (-march changes the alignment of Eigen's types)");
  }
  return found->second.runner;
}

}  // namespace eagle::detail
