// What is built from a plan, the nodes of captures included. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "eagle/graph/built_node.h"

namespace eagle::cuda {

/// A captured node that no specification of ours describes.
class CapturedNode final : public graph::NativeNode {
 public:
  CapturedNode(std::shared_ptr<const graph::NativeRegion> region, cudaGraphNode_t node)
      : region_(std::move(region)), node_(node) {}
  [[nodiscard]] bool isSame(const graph::NativeNode& other) const override;
  [[nodiscard]] cudaGraphNode_t node() const { return node_; }

 private:
  std::shared_ptr<const graph::NativeRegion> region_;
  cudaGraphNode_t node_;
};

/// Each capture is followed by the nodes in it, in the order of `nodesOf`, those of child graphs likewise.
[[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan);

[[nodiscard]] NodeKind kindOf(cudaGraphNode_t node);
/// All parameters of a captured node that is no kernel and no child graph.
[[nodiscard]] cudaGraphNodeParams paramsOf(cudaGraphNode_t node);

}  // namespace eagle::cuda
