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

namespace {

graph::ChildSpec recorded(const std::function<void(StreamCapturer&)>& record, CaptureMode mode) {
  const Stream stream;
  StreamCapturer capturer(stream.ref());
  capturer.begin(mode);
  record(capturer);
  return std::get<graph::ChildSpec>(capturer.end().spec());
}

void requireFunction(const std::function<void(StreamCapturer&)>& record, const char* call) {
  if (!record) {
    throw Error(ErrorCode::invalidArgument, std::string(call) + " needs a function to record");
  }
}

}  // namespace

NodeId Graph::addCapture(std::function<void(StreamCapturer&)> record, const Dependencies& after, CaptureMode mode) {
  requireFunction(record, "addCapture");
  return add(
      graph::CaptureSpec{[record = std::move(record), mode]() -> std::variant<graph::ChildSpec, graph::NativeSpec> {
        return recorded(record, mode);
      }},
      after);
}

RecaptureResult Graph::recapture(NodeId region, const std::function<void(StreamCapturer&)>& record, CaptureMode mode) {
  requireFunction(record, "recapture");
  return recaptureAs(region, [&]() -> graph::NodeSpec { return recorded(record, mode); });
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

NodeId Graph::addEventRecord(const Event& event, const Dependencies& after) {
  return add(graph::EventSpec{event.native(), false}, after);
}

NodeId Graph::addEventWait(const Event& event, const Dependencies& after) {
  return add(graph::EventSpec{event.native(), true}, after);
}

std::vector<graph::BuiltNode> Graph::describe(const std::vector<graph::PlanNode>& plan) const {
  return host::describe(plan);
}

std::unique_ptr<graph::Executable> Graph::build(std::vector<graph::BuiltNode> nodes) const {
  return std::make_unique<Engine>(std::move(nodes), stream_);
}

}  // namespace eagle::host
