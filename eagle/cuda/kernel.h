// A kernel of a CUDA graph with its arguments, as the recipe keeps it. Only the backend includes this.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "eagle/graph/node.h"

namespace eagle::cuda {

inline constexpr std::string_view kBackend = "a CUDA device";

/// What the library knows of the parameters of a kernel.
struct Parameters {
  std::span<const graph::ArgumentType> types;  ///< of all, in memory that stays; empty if nothing is known
  std::size_t own = 0;                         ///< the first ones, which the library gives: size and functor
  /// Whether the first is the number of indices, which the kernel then covers whatever its grid.
  [[nodiscard]] bool isSized() const { return own > 0; }
};

/// A function with its arguments, and with the attributes of a node if it comes from one.
class Kernel final : public graph::Kernel {
  struct Key {};  // to construct by make() alone

 public:
  Kernel(Key, std::shared_ptr<const void> owner, const CUDA_KERNEL_NODE_PARAMS& params, const graph::KernelShape& shape,
         const Parameters& parameters);
  /// Of a node of a native graph, which keeps the arguments; `owner` keeps the node, which is never changed.
  Kernel(std::shared_ptr<const void> owner, cudaGraphNode_t node, const Parameters& parameters);
  /// Of a graph of its own. Copies the arguments. Throws CudaError if the driver refuses it.
  [[nodiscard]] static std::shared_ptr<const Kernel> make(const cudaKernelNodeParams& params,
                                                          std::span<const cudaLaunchAttribute> attributes);
  /// A function whose parameters are all known, with the grid and block that `rule` gives `samples`. Copies the
  /// arguments.
  [[nodiscard]] static std::shared_ptr<const Kernel> make(const void* function, const LaunchRule& rule, Index samples,
                                                          void** pointers, const Parameters& parameters);

  [[nodiscard]] std::string_view backend() const override { return kBackend; }
  [[nodiscard]] graph::KernelShape shape() const override { return shape_; }
  [[nodiscard]] bool isSameFunction(const graph::Kernel& other) const override;
  [[nodiscard]] std::vector<graph::Argument> arguments() const override;
  [[nodiscard]] std::size_t argumentBytes() const override;
  [[nodiscard]] std::shared_ptr<const graph::Kernel> withArgument(std::size_t index, const void* value) const override;

  /// Null for a kernel without attributes of its own.
  [[nodiscard]] cudaGraphNode_t node() const { return node_; }
  /// The pointers in it stay valid with this object.
  [[nodiscard]] const CUDA_KERNEL_NODE_PARAMS& params() const { return params_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  std::shared_ptr<const void> owner_;
  cudaGraphNode_t node_;
  Parameters parameters_;
  CUDA_KERNEL_NODE_PARAMS params_;
  graph::KernelShape shape_;
};

/// The specification of a kernel of which grid and block follow from `rule` and `samples` (-1: none of its own yet).
/// The arguments are copied.
[[nodiscard]] graph::KernelSpec kernelSpec(const void* function, const LaunchRule& rule, Index samples, void** pointers,
                                           const Parameters& parameters);

/// Launches it on `stream` now, or records it for the capture under way; nothing for 0 samples outside a capture.
/// Throws Error (invalidState) in a capture that the library did not begin.
void launchKernel(cudaStream_t stream, const void* function, const LaunchRule& rule, Index samples, void** pointers,
                  const Parameters& parameters);

}  // namespace eagle::cuda
