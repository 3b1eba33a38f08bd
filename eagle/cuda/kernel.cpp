#include "eagle/cuda/kernel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "eagle/cuda/capture_session.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/relaxed_capture.h"

namespace eagle::cuda {
namespace {

constexpr int kDefaultBlock = 256;

dim3 native(const Dim3& d) {
  return {d.x, d.y, d.z};
}

int multiprocessors() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for the size of a device");
  return count;
}

/// Of a kernel that was never launched: one cluster of default blocks.
graph::KernelShape shapeOf(const void* function, bool isSized) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), "reading the attributes of a kernel");
  cudaFunction_t symbol = nullptr;
  check(cudaGetFuncBySymbol(&symbol, function), "finding a kernel");
  graph::KernelShape shape;
  const auto atLeastOne = [](int extent) { return static_cast<std::uint32_t>(std::max(extent, 1)); };
  shape.cluster = {atLeastOne(attributes.requiredClusterWidth), atLeastOne(attributes.requiredClusterHeight),
                   atLeastOne(attributes.requiredClusterDepth)};
  shape.dims = {shape.cluster,
                Dim3{static_cast<std::uint32_t>(std::min(kDefaultBlock, attributes.maxThreadsPerBlock))}};
  shape.bestBlock = driver::bestBlock(symbol, 0);
  shape.multiprocessors = multiprocessors();
  shape.anyGrid = isSized;
  return shape;
}

/// As built in a node.
graph::KernelShape shapeOf(cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS& params, bool isSized) {
  graph::KernelShape shape;
  shape.dims = {{params.gridDimX, params.gridDimY, params.gridDimZ},
                {params.blockDimX, params.blockDimY, params.blockDimZ}};
  shape.cluster = driver::clusterOf(node);
  shape.isCooperative = driver::isCooperative(node);
  shape.bestBlock = driver::bestBlock(driver::functionOf(params), params.sharedMemBytes);
  shape.multiprocessors = multiprocessors();
  shape.anyGrid = isSized;
  shape.takesSize = isSized;
  return shape;
}

LaunchDims initialDims(const LaunchRule& rule, Index samples, const graph::KernelShape& shape) {
  if (samples <= 0) {
    return shape.dims;
  }
  // fixed() without a count means this many threads, in blocks as by default.
  const bool asLaunched = !rule.follows() && rule.count() < 0;
  return (asLaunched ? perSample() : rule).dims(samples, shape);
}

/// A graph of one node.
struct OneNode {
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;

  OneNode() { check(cudaGraphCreate(&graph, 0), "creating a graph"); }
  ~OneNode() {
    const RelaxedCapture relaxed;
    cudaGraphDestroy(graph);
  }
  OneNode(const OneNode&) = delete;
  OneNode& operator=(const OneNode&) = delete;
};

}  // namespace

Kernel::Kernel(std::shared_ptr<const void> owner, cudaGraphNode_t node, Parameters parameters)
    : owner_(std::move(owner)),
      node_(node),
      parameters_(std::move(parameters)),
      params_(driver::kernelParams(node)),
      shape_(shapeOf(node, params_, parameters_.isSized())) {
  if (parameters_.types.empty()) {
    parameters_.types = driver::parameterTypes(params_);
  }
}

std::shared_ptr<const Kernel> Kernel::make(const cudaKernelNodeParams& params, Parameters parameters) {
  const RelaxedCapture relaxed;
  auto graph = std::make_shared<OneNode>();
  check(cudaGraphAddKernelNode(&graph->node, graph->graph, nullptr, 0, &params), "adding a kernel");
  const cudaGraphNode_t node = graph->node;
  return std::make_shared<const Kernel>(std::move(graph), node, std::move(parameters));
}

bool Kernel::isSameFunction(const graph::Kernel& other) const {
  const auto& theirs = static_cast<const Kernel&>(other);
  if (driver::functionOf(params_) != driver::functionOf(theirs.params_) ||
      params_.sharedMemBytes != theirs.params_.sharedMemBytes || parameters_.own != theirs.parameters_.own) {
    return false;
  }
  for (std::size_t k = 1; k < parameters_.own; ++k) {  // the functor
    if (std::memcmp(params_.kernelParams[k], theirs.params_.kernelParams[k], parameters_.types[k].bytes) != 0) {
      return false;
    }
  }
  return true;
}

std::vector<graph::Argument> Kernel::arguments() const {
  std::vector<graph::Argument> arguments;
  for (std::size_t k = parameters_.own; params_.kernelParams != nullptr && k < parameters_.types.size(); ++k) {
    arguments.push_back({parameters_.types[k].type, parameters_.types[k].bytes, params_.kernelParams[k]});
  }
  return arguments;
}

std::shared_ptr<const graph::Kernel> Kernel::withArgument(std::size_t index, const void* value) const {
  const RelaxedCapture relaxed;
  std::vector<void*> pointers(params_.kernelParams, params_.kernelParams + parameters_.types.size());
  pointers[parameters_.own + index] = const_cast<void*>(value);
  CUDA_KERNEL_NODE_PARAMS params = params_;
  params.kernelParams = pointers.data();
  auto graph = std::make_shared<OneNode>();
  graph->node = driver::addKernelLike(graph->graph, nullptr, 0, node_, params);
  const cudaGraphNode_t node = graph->node;
  return std::make_shared<const Kernel>(std::move(graph), node, parameters_);
}

graph::KernelSpec kernelSpec(const void* function, const LaunchRule& rule, Index samples, void** pointers,
                             Parameters parameters) {
  const RelaxedCapture relaxed;
  const LaunchDims dims = initialDims(rule, samples, shapeOf(function, parameters.isSized()));
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(function);
  params.gridDim = native(dims.grid);
  params.blockDim = native(dims.block);
  params.kernelParams = pointers;
  return {Kernel::make(params, std::move(parameters)), rule, samples};
}

void launchKernel(cudaStream_t stream, const void* function, const LaunchRule& rule, Index samples, void** pointers,
                  const Parameters& parameters) {
  const auto session = CaptureSession::find(stream);
  if (!session && driver::captureInfo(stream).capturing) {
    throw Error(ErrorCode::invalidState,
                "launch: this stream is captured by other means than eagle::cuda::StreamCapturer, so nobody would "
                "know how the kernel follows the logical size: capture with that, or launch a __global__ function");
  }
  if (samples == 0 && !session) {
    return;
  }
  graph::KernelShape shape;
  shape.anyGrid = true;
  if (rule.kind() == LaunchRule::Kind::tuned) {  // the only rule that asks more of the device than a launch is worth
    const RelaxedCapture relaxed;
    shape = shapeOf(function, true);
  }
  const LaunchDims dims = initialDims(rule, samples, shape);
  check(cudaLaunchKernel(function, native(dims.grid), native(dims.block), pointers, 0, stream), "launching a kernel");
  if (session) {
    session->mark(stream, {rule, samples, parameters});
  }
}

}  // namespace eagle::cuda
