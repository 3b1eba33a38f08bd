// A kernel of a CUDA graph with its arguments, as the recipe keeps it. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "eagle/graph/node.h"

namespace eagle::cuda {

/// Whether a kernel takes the number of indices as its first parameter, and covers them whatever its grid.
enum class SizeParameter : unsigned char { none, first };

/// Holds a native graph of one node, so that the driver has copied the arguments and keeps all attributes.
class Kernel final : public graph::Kernel {
 public:
  /// Copies the arguments. `parameterCount` counts what the kernel takes. Throws CudaError if the driver refuses it.
  Kernel(const cudaKernelNodeParams& params, SizeParameter size, std::size_t parameterCount);
  ~Kernel() override;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  [[nodiscard]] graph::KernelShape shape() const override { return shape_; }
  [[nodiscard]] cudaGraphNode_t node() const { return node_; }
  [[nodiscard]] std::size_t parameterCount() const { return parameterCount_; }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t node_ = nullptr;
  std::size_t parameterCount_;
  graph::KernelShape shape_;
};

/// What launch rules must know of the kernel of a node, on the current device.
[[nodiscard]] graph::KernelShape shapeOf(cudaGraphNode_t node, SizeParameter size);

/// The specification of a kernel of which grid and block follow from `rule` and `samples` (-1: none of its own yet);
/// `pointers` to its arguments, the first being the number of indices if `size` says so. The arguments are copied.
[[nodiscard]] graph::KernelSpec kernelSpec(const void* function, const LaunchRule& rule, Index samples,
                                           SizeParameter size, void** pointers, std::size_t count);

/// Launches it on `stream` now, or records it for the capture under way; nothing for 0 samples outside a capture.
void launchKernel(cudaStream_t stream, const void* function, const LaunchRule& rule, Index samples, void** pointers,
                  std::size_t count);

}  // namespace eagle::cuda
