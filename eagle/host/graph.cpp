#include "eagle/host/graph.h"

#include "eagle/base/error.h"
#include "eagle/host/engine.h"

namespace eagle::host {

NodeId Graph::addNode(CapturedGraph capture, const Dependencies& after) {
  return add(graph::ChildSpec{capture.recipe()}, after);
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
    return graph::ChildSpec{capturer.end().recipe()};
  };
  return add(graph::CaptureSpec{std::move(capture)}, after);
}

NodeId Graph::addKernelNode(const KernelNodeParams& params, const Dependencies& after) {
  if (!params.range) {
    throw Error(ErrorCode::invalidArgument, "addKernelNode: the kernel is empty: set range");
  }
  graph::KernelShape shape;
  shape.dims = {params.gridDim, params.blockDim};
  graph::checkDims(shape.dims);
  const auto samples = static_cast<Index>(params.gridDim.volume() * params.blockDim.volume());
  return add(graph::KernelSpec{std::make_shared<const Kernel>(params.range, shape), perSample(), samples}, after);
}

std::unique_ptr<graph::Executable> Graph::build(std::vector<graph::PlanNode> plan) const {
  return std::make_unique<Engine>(std::move(plan), stream_);
}

}  // namespace eagle::host
