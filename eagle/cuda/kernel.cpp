#include "eagle/cuda/kernel.h"

#include <algorithm>

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

Dim3 ours(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}

int multiprocessors() {
  int device = 0;
  int count = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "asking for the size of a device");
  return count;
}

/// Of a kernel that was never launched: one cluster of default blocks.
graph::KernelShape shapeOf(const void* function, SizeParameter size) {
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
  shape.anyGrid = size == SizeParameter::first;
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

}  // namespace

Kernel::Kernel(const cudaKernelNodeParams& params, SizeParameter size, std::size_t parameterCount)
    : parameterCount_(parameterCount) {
  const RelaxedCapture relaxed;
  check(cudaGraphCreate(&graph_, 0), "creating a graph");
  try {
    check(cudaGraphAddKernelNode(&node_, graph_, nullptr, 0, &params), "adding a kernel");
    shape_ = cuda::shapeOf(node_, size);
  } catch (...) {
    cudaGraphDestroy(graph_);
    throw;
  }
}

Kernel::~Kernel() {
  const RelaxedCapture relaxed;
  cudaGraphDestroy(graph_);
}

graph::KernelShape shapeOf(cudaGraphNode_t node, SizeParameter size) {
  const CUDA_KERNEL_NODE_PARAMS params = driver::kernelParams(node);
  graph::KernelShape shape;
  shape.dims = {ours(params.gridDimX, params.gridDimY, params.gridDimZ),
                ours(params.blockDimX, params.blockDimY, params.blockDimZ)};
  shape.cluster = driver::clusterOf(node);
  shape.bestBlock = driver::bestBlock(driver::functionOf(params), params.sharedMemBytes);
  shape.multiprocessors = multiprocessors();
  shape.anyGrid = size == SizeParameter::first;
  return shape;
}

graph::KernelSpec kernelSpec(const void* function, const LaunchRule& rule, Index samples, SizeParameter size,
                             void** pointers, std::size_t count) {
  const RelaxedCapture relaxed;
  const LaunchDims dims = initialDims(rule, samples, shapeOf(function, size));
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(function);
  params.gridDim = native(dims.grid);
  params.blockDim = native(dims.block);
  params.kernelParams = pointers;
  return {std::make_shared<const Kernel>(params, size, count), rule, samples};
}

void launchKernel(cudaStream_t stream, const void* function, const LaunchRule& rule, Index samples, void** pointers,
                  std::size_t count) {
  const auto session = CaptureSession::find(stream);
  if (samples == 0 && !session) {
    return;
  }
  graph::KernelShape shape;
  shape.anyGrid = true;
  if (rule.kind() == LaunchRule::Kind::tuned) {  // the only rule that asks more of the device than a launch is worth
    const RelaxedCapture relaxed;
    shape = shapeOf(function, SizeParameter::first);
  }
  const LaunchDims dims = initialDims(rule, samples, shape);
  check(cudaLaunchKernel(function, native(dims.grid), native(dims.block), pointers, 0, stream), "launching a kernel");
  if (session) {
    session->mark(stream, {rule, samples, count});
  }
}

}  // namespace eagle::cuda
