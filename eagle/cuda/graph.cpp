#include "eagle/cuda/graph.h"

#include "eagle/base/error.h"
#include "eagle/cuda/executable.h"
#include "eagle/cuda/region.h"

namespace eagle::cuda {

NodeId Graph::addNode(CapturedGraph capture, const Dependencies& after) {
  return add(graph::NativeSpec{capture.region()}, after);
}

NodeId Graph::addNode(const Graph& child, const Dependencies& after) {
  return addChild(child, after);
}

NodeId Graph::addCapture(std::function<void(StreamCapturer&)> record, const Dependencies& after) {
  if (!record) {
    throw Error(ErrorCode::invalidArgument, "addCapture needs a function to record");
  }
  auto capture = [record = std::move(record)]() -> std::variant<graph::ChildSpec, graph::NativeSpec> {
    const Stream stream;
    StreamCapturer capturer(stream.ref());
    capturer.begin();
    record(capturer);
    return graph::NativeSpec{capturer.end().region()};
  };
  return add(graph::CaptureSpec{std::move(capture)}, after);
}

NodeId Graph::addKernelNode(const cudaKernelNodeParams& params, const Dependencies& after) {
  graph::checkDims({{params.gridDim.x, params.gridDim.y, params.gridDim.z},
                    {params.blockDim.x, params.blockDim.y, params.blockDim.z}});
  if (params.func == nullptr) {
    throw Error(ErrorCode::invalidArgument, "addKernelNode: the kernel is null: set func");
  }
  // Of the size it was given; what its threads make of it is its own business.
  const auto threads = static_cast<Index>(std::uint64_t{params.gridDim.x} * params.gridDim.y * params.gridDim.z *
                                          params.blockDim.x * params.blockDim.y * params.blockDim.z);
  return add(graph::KernelSpec{std::make_shared<const Kernel>(params, SizeParameter::none, 0), perSample(), threads},
             after);
}

std::unique_ptr<graph::Executable> Graph::build(std::vector<graph::PlanNode> plan) const {
  return std::make_unique<Executable>(std::move(plan), stream_);
}

}  // namespace eagle::cuda
