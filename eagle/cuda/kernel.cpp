#include "eagle/cuda/kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
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

/// What is asked of the device about a function, once for each device.
struct FunctionInfo {
  cudaFunction_t function = nullptr;
  graph::KernelShape shape;  ///< never launched: one cluster of default blocks
};

FunctionInfo askFor(const void* function) {
  const RelaxedCapture relaxed;
  FunctionInfo info;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), "reading the attributes of a kernel");
  check(cudaGetFuncBySymbol(&info.function, function), "finding a kernel");
  const auto atLeastOne = [](int extent) { return static_cast<std::uint32_t>(std::max(extent, 1)); };
  info.shape.cluster = {atLeastOne(attributes.requiredClusterWidth), atLeastOne(attributes.requiredClusterHeight),
                        atLeastOne(attributes.requiredClusterDepth)};
  info.shape.dims = {info.shape.cluster,
                     Dim3{static_cast<std::uint32_t>(std::min(kDefaultBlock, attributes.maxThreadsPerBlock))}};
  info.shape.bestBlock = driver::bestBlock(info.function, 0);
  info.shape.multiprocessors = multiprocessors();
  return info;
}

const FunctionInfo& infoOf(const void* function) {
  static std::mutex mutex;
  static auto* const kKnown = new std::map<std::pair<int, const void*>, FunctionInfo>;  // outlives static objects
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::scoped_lock lock(mutex);
  const auto found = kKnown->find({device, function});
  return found != kKnown->end() ? found->second
                                : kKnown->emplace(std::pair(device, function), askFor(function)).first->second;
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

/// Copies arguments into one block that begins with pointers to them.
std::shared_ptr<std::byte[]> packed(void** values, std::span<const graph::ArgumentType> types) {
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  const auto aligned = [](std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  const std::size_t table = aligned(types.size() * sizeof(void*));
  std::size_t size = table;
  for (const graph::ArgumentType& type : types) {
    size += aligned(std::max<std::size_t>(type.bytes, 1));
  }
  auto block = std::make_shared<std::byte[]>(size);
  std::byte* at = block.get() + table;
  for (std::size_t k = 0; k < types.size(); ++k) {
    reinterpret_cast<void**>(block.get())[k] = at;
    std::memcpy(at, values[k], types[k].bytes);
    at += aligned(std::max<std::size_t>(types[k].bytes, 1));
  }
  return block;
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const void> owner, cudaGraphNode_t node, const Parameters& parameters)
    : owner_(std::move(owner)),
      node_(node),
      parameters_(parameters),
      params_(driver::kernelParams(node)),
      shape_(shapeOf(node, params_, parameters_.isSized())) {
  if (parameters_.types.empty()) {
    parameters_.types = driver::parameterTypes(params_);
  }
}

std::shared_ptr<const Kernel> Kernel::make(const cudaKernelNodeParams& params,
                                           std::span<const cudaLaunchAttribute> attributes) {
  const RelaxedCapture relaxed;
  auto graph = std::make_shared<OneNode>();
  check(cudaGraphAddKernelNode(&graph->node, graph->graph, nullptr, 0, &params), "adding a kernel");
  for (const cudaLaunchAttribute& attribute : attributes) {
    check(cudaGraphKernelNodeSetAttribute(graph->node, attribute.id, &attribute.val),
          "setting an attribute of a kernel");
  }
  const cudaGraphNode_t node = graph->node;
  return std::make_shared<const Kernel>(std::move(graph), node, Parameters{});
}

Kernel::Kernel(Key, std::shared_ptr<const void> owner, const CUDA_KERNEL_NODE_PARAMS& params,
               const graph::KernelShape& shape, const Parameters& parameters)
    : owner_(std::move(owner)), node_(nullptr), parameters_(parameters), params_(params), shape_(shape) {}

std::shared_ptr<const Kernel> Kernel::make(const void* function, const LaunchRule& rule, Index samples, void** pointers,
                                           const Parameters& parameters) {
  const FunctionInfo& info = infoOf(function);
  graph::KernelShape shape = info.shape;
  shape.anyGrid = shape.takesSize = parameters.isSized();
  shape.dims = initialDims(rule, samples, shape);
  auto block = packed(pointers, parameters.types);
  CUDA_KERNEL_NODE_PARAMS params{};
  params.func = info.function;
  params.gridDimX = shape.dims.grid.x;
  params.gridDimY = shape.dims.grid.y;
  params.gridDimZ = shape.dims.grid.z;
  params.blockDimX = shape.dims.block.x;
  params.blockDimY = shape.dims.block.y;
  params.blockDimZ = shape.dims.block.z;
  params.kernelParams = reinterpret_cast<void**>(block.get());
  return std::make_shared<const Kernel>(Key{}, std::move(block), params, shape, parameters);
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

std::size_t Kernel::argumentBytes() const {
  std::size_t bytes = 0;
  for (std::size_t k = parameters_.own; params_.kernelParams != nullptr && k < parameters_.types.size(); ++k) {
    bytes += parameters_.types[k].bytes;
  }
  return bytes;
}

std::shared_ptr<const graph::Kernel> Kernel::withArgument(std::size_t index, const void* value) const {
  std::vector<void*> pointers(params_.kernelParams, params_.kernelParams + parameters_.types.size());
  pointers[parameters_.own + index] = const_cast<void*>(value);
  CUDA_KERNEL_NODE_PARAMS params = params_;
  if (node_ == nullptr) {
    auto block = packed(pointers.data(), parameters_.types);
    params.kernelParams = reinterpret_cast<void**>(block.get());
    return std::make_shared<const Kernel>(Key{}, std::move(block), params, shape_, parameters_);
  }
  const RelaxedCapture relaxed;
  params.kernelParams = pointers.data();
  auto graph = std::make_shared<OneNode>();
  graph->node = driver::addKernelLike(graph->graph, nullptr, 0, node_, params);
  const cudaGraphNode_t node = graph->node;
  return std::make_shared<const Kernel>(std::move(graph), node, parameters_);
}

graph::KernelSpec kernelSpec(const void* function, const LaunchRule& rule, Index samples, void** pointers,
                             const Parameters& parameters) {
  return {Kernel::make(function, rule, samples, pointers, parameters), rule, samples};
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
  if (rule.kind() == LaunchRule::Kind::tuned) {
    shape = infoOf(function).shape;
    shape.anyGrid = true;
  }
  const LaunchDims dims = initialDims(rule, samples, shape);
  check(cudaLaunchKernel(function, native(dims.grid), native(dims.block), pointers, 0, stream), "launching a kernel");
  if (session) {
    session->mark(stream, {rule, samples, parameters});
  }
}

}  // namespace eagle::cuda
