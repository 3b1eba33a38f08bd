// A finished capture: a native graph and what is known of the kernels in it. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "eagle/cuda/kernel.h"
#include "eagle/graph/launch_rule.h"
#include "eagle/graph/node.h"

namespace eagle::cuda {

/// What a typed launch says of the kernel it captured.
struct TypedLaunch {
  LaunchRule rule;
  Index samples;  ///< given at launch
  Parameters parameters;
};

/// A kernel of a capture. One that was launched untyped keeps its block and follows the logical size.
struct CapturedKernel {
  std::optional<TypedLaunch> typed;
  bool fixed = false;
};

class Region final : public graph::NativeRegion {
 public:
  /// Takes over `graph`.
  explicit Region(cudaGraph_t graph) : graph_(graph) {}
  ~Region() override;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  [[nodiscard]] cudaGraph_t graph() const { return graph_; }
  /// Tells of the kernels in the order of `kernelNodes`.
  [[nodiscard]] const std::vector<CapturedKernel>& kernels() const { return kernels_; }
  void setKernels(std::vector<CapturedKernel> kernels) { kernels_ = std::move(kernels); }

 private:
  cudaGraph_t graph_;
  std::vector<CapturedKernel> kernels_;
};

/// All nodes of a graph, in the order they were made; not those of child graphs.
[[nodiscard]] std::vector<cudaGraphNode_t> nodesOf(cudaGraph_t graph);

/// The kernel nodes of a graph and its child graphs. A copy of the graph has the same order.
[[nodiscard]] std::vector<cudaGraphNode_t> kernelNodes(cudaGraph_t graph);

}  // namespace eagle::cuda
