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

NodeId Graph::addCapture(std::function<void(StreamCapturer&)> record, const Dependencies& after) {
  if (!record) {
    throw Error(ErrorCode::invalidArgument, "addCapture needs a function to record");
  }
  auto capture = [record = std::move(record)]() -> std::variant<graph::ChildSpec, graph::NativeSpec> {
    const Stream stream;
    StreamCapturer capturer(stream.ref());
    capturer.begin(CaptureMode::threadLocal);  // other threads are none of this graph's business
    record(capturer);
    return std::get<graph::NativeSpec>(capturer.end().spec());
  };
  return add(graph::CaptureSpec{std::move(capture)}, after);
}

graph::KernelSpec kernel(const cudaKernelNodeParams& params) {
  if (params.func == nullptr) {
    throw Error(ErrorCode::invalidArgument, "a kernel node needs a kernel: set func");
  }
  // Of the size it was given; what its threads make of it is its own business.
  const Index threads = graph::threadCount({{params.gridDim.x, params.gridDim.y, params.gridDim.z},
                                            {params.blockDim.x, params.blockDim.y, params.blockDim.z}});
  return {Kernel::make(params, {}), perSample(), threads};
}

NodeId Graph::addKernelNode(const cudaKernelNodeParams& params, const Dependencies& after) {
  return add(kernel(params), after);
}

std::unique_ptr<graph::Executable> Graph::build(const std::vector<graph::PlanNode>& plan) const {
  return std::make_unique<Executable>(describe(plan), stream_);
}

}  // namespace eagle::cuda
