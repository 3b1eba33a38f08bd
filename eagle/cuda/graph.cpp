#include "eagle/cuda/graph.h"

#include "eagle/base/error.h"
#include "eagle/cuda/describe.h"
#include "eagle/cuda/executable.h"
#include "eagle/cuda/region.h"

namespace eagle::cuda {

NodeId Graph::addNode(CapturedGraph capture, const Dependencies& after) {
  return add(capture.spec(), after);
}

NodeId Graph::addNode(const Graph& child, const Dependencies& after) {
  return add(child.spec(), after);
}

namespace {

graph::NativeSpec recorded(const std::function<void(StreamCapturer&)>& record, CaptureMode mode) {
  const Stream stream;
  StreamCapturer capturer(stream.ref());
  capturer.begin(mode);
  record(capturer);
  return std::get<graph::NativeSpec>(capturer.end().spec());
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

graph::KernelSpec kernel(const cudaKernelNodeParams& params, std::span<const cudaLaunchAttribute> attributes) {
  if (params.func == nullptr) {
    throw Error(ErrorCode::invalidArgument, "a kernel node needs a kernel: set func");
  }
  // Of the size it was given; what its threads make of it is its own business.
  const Index threads = graph::threadCount({{params.gridDim.x, params.gridDim.y, params.gridDim.z},
                                            {params.blockDim.x, params.blockDim.y, params.blockDim.z}});
  return {Kernel::make(params, attributes), perSample(), threads};
}

NodeId Graph::addKernelNode(const cudaKernelNodeParams& params, const Dependencies& after,
                            std::span<const cudaLaunchAttribute> attributes) {
  return add(kernel(params, attributes), after);
}

NodeId Graph::addEventRecord(const Event& event, const Dependencies& after) {
  return add(graph::EventSpec{event.native(), false}, after);
}

NodeId Graph::addEventWait(const Event& event, const Dependencies& after) {
  return add(graph::EventSpec{event.native(), true}, after);
}

std::vector<graph::BuiltNode> Graph::describe(const std::vector<graph::PlanNode>& plan) const {
  return cuda::describe(plan);
}

std::unique_ptr<graph::Executable> Graph::build(std::vector<graph::BuiltNode> nodes) const {
  return std::make_unique<Executable>(std::move(nodes), stream_);
}

}  // namespace eagle::cuda
