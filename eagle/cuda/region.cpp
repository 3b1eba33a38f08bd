#include "eagle/cuda/region.h"

#include "eagle/cuda/check.h"
#include "eagle/cuda/relaxed_capture.h"

namespace eagle::cuda {

Region::~Region() {
  const RelaxedCapture relaxed;
  cudaGraphDestroy(graph_);
}

std::vector<cudaGraphNode_t> nodesOf(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "counting the nodes of a graph");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) {
    check(cudaGraphGetNodes(graph, nodes.data(), &count), "listing the nodes of a graph");
  }
  return nodes;
}

std::vector<cudaGraphNode_t> kernelNodes(cudaGraph_t graph) {
  std::vector<cudaGraphNode_t> kernels;
  for (const cudaGraphNode_t node : nodesOf(graph)) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type), "asking for the type of a node");
    if (type == cudaGraphNodeTypeKernel) {
      kernels.push_back(node);
    } else if (type == cudaGraphNodeTypeGraph) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "reading a child graph");
      const auto inner = kernelNodes(child);
      kernels.insert(kernels.end(), inner.begin(), inner.end());
    }
  }
  return kernels;
}

}  // namespace eagle::cuda
