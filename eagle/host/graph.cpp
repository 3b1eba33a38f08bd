#include "eagle/host/graph.h"

#include "eagle/base/error.h"
#include "eagle/host/engine.h"

namespace eagle::host {

NodeId Graph::addNode(CapturedGraph capture, const Dependencies& after) {
  return add(capture.spec(), after);
}

NodeId Graph::addNode(const Graph& child, const Dependencies& after) {
  return add(child.spec(), after);
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
    return std::get<graph::ChildSpec>(capturer.end().spec());
  };
  return add(graph::CaptureSpec{std::move(capture)}, after);
}

graph::KernelSpec kernel(const KernelNodeParams& params) {
  if (!params.range) {
    throw Error(ErrorCode::invalidArgument, "a kernel node needs a function: set range");
  }
  graph::KernelShape shape;
  shape.dims = {params.gridDim, params.blockDim};
  return {std::make_shared<const RangeKernel>(params.range, shape), perSample(), graph::threadCount(shape.dims)};
}

NodeId Graph::addKernelNode(const KernelNodeParams& params, const Dependencies& after) {
  return add(kernel(params), after);
}

std::unique_ptr<graph::Executable> Graph::build(const std::vector<graph::PlanNode>& plan) const {
  return std::make_unique<Engine>(describe(plan), stream_);
}

}  // namespace eagle::host
