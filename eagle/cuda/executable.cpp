#include "eagle/cuda/executable.h"

#include <string>
#include <utility>

#include "eagle/cuda/capture_session.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/kernel.h"
#include "eagle/cuda/region.h"
#include "eagle/cuda/relaxed_capture.h"

namespace eagle::cuda {

namespace {

LaunchDims dimsOf(const CUDA_KERNEL_NODE_PARAMS& params) {
  return {{params.gridDimX, params.gridDimY, params.gridDimZ}, {params.blockDimX, params.blockDimY, params.blockDimZ}};
}

}  // namespace

/// A kernel of the native graph with its parameters as last set. They point into the native node, which is never
/// changed.
struct Executable::KernelNode {
  cudaGraphNode_t node;
  CUDA_KERNEL_NODE_PARAMS params;
  std::vector<void*> pointers;  ///< to the arguments; empty unless the first is the number of indices
};

struct Executable::HostCall {
  std::shared_ptr<const graph::HostFunction> function;
  graph::FirstError* errors;

  static void CUDART_CB run(void* self) {
    const auto& call = *static_cast<const HostCall*>(self);
    call.errors->guard(*call.function);
  }
};

Executable::Executable(std::vector<graph::PlanNode> plan, const std::optional<StreamRef>& stream)
    : own_(stream ? nullptr : std::make_unique<Stream>()),
      stream_(stream ? *stream : own_->ref()),
      plan_(std::move(plan)) {
  const RelaxedCapture relaxed;
  try {
    check(cudaGraphCreate(&graph_, 0), "creating a graph");
    for (const graph::PlanNode& node : plan_) {
      try {
        addNode(node);
      } catch (const CudaError& error) {
        throw CudaError(error.status(), "node '" + node.label + "': " + error.what(), error.where());
      }
    }
    check(cudaGraphInstantiate(&instance_, graph_, 0), "instantiating a graph");
  } catch (...) {
    destroy();
    throw;
  }
}

Executable::~Executable() {
  const RelaxedCapture relaxed;
  if (!waitForLaunches()) {
    // A launch under way may still call them.
    for (auto& call : hostCalls_) {
      (void)call.release();  // NOLINT(bugprone-unused-return-value)
    }
  }
  destroy();
}

void Executable::destroy() noexcept {
  if (instance_ != nullptr) {
    cudaGraphExecDestroy(instance_);
  }
  if (graph_ != nullptr) {
    cudaGraphDestroy(graph_);
  }
}

bool Executable::waitForLaunches() noexcept {
  if (!launched_ || stream_.isDestroyed()) {
    return true;  // a Stream waits before it goes
  }
  cudaStreamCaptureStatus status{};
  if (cudaStreamIsCapturing(stream_.cuda(), &status) != cudaSuccess) {
    return false;
  }
  if (status == cudaStreamCaptureStatusNone) {
    cudaStreamSynchronize(stream_.cuda());
    return true;
  }
  return CaptureSession::waitForWorkBefore(stream_.cuda());
}

void Executable::addNode(const graph::PlanNode& node) {
  std::vector<cudaGraphNode_t> after;
  after.reserve(node.dependencies.size());
  for (const std::uint32_t dependency : node.dependencies) {
    after.push_back(nodes_[dependency]);
  }
  cudaGraphNode_t added = nullptr;
  if (const auto* kernel = std::get_if<graph::KernelSpec>(&node.spec)) {
    const auto& ours = static_cast<const Kernel&>(*kernel->kernel);
    added = driver::addKernelLike(graph_, after.data(), after.size(), ours.node());
    graph::BuiltKernel built = graph::builtKernel(node, *kernel);
    const bool sized = built.shape.anyGrid;
    addKernel(std::move(built), added, sized ? ours.parameterCount() : 0);
  } else if (const auto* host = std::get_if<graph::HostSpec>(&node.spec)) {
    hostCalls_.push_back(std::make_unique<HostCall>(HostCall{host->function, &errors_}));
    const cudaHostNodeParams params{HostCall::run, hostCalls_.back().get()};
    check(cudaGraphAddHostNode(&added, graph_, after.data(), after.size(), &params), "adding a host node");
  } else if (const auto* set = std::get_if<graph::MemsetSpec>(&node.spec)) {
    cudaMemsetParams params{};
    params.dst = set->destination;
    params.elementSize = 1;
    params.value = set->value;
    params.width = set->bytes;
    params.height = 1;
    params.pitch = set->bytes;
    check(cudaGraphAddMemsetNode(&added, graph_, after.data(), after.size(), &params), "adding a memset");
  } else if (const auto* copy = std::get_if<graph::MemcpySpec>(&node.spec)) {
    check(cudaGraphAddMemcpyNode1D(&added, graph_, after.data(), after.size(), copy->destination, copy->source,
                                   copy->bytes, cudaMemcpyDefault),
          "adding a copy");
  } else if (const auto* region = std::get_if<graph::NativeSpec>(&node.spec)) {
    addRegion(node, *region, &added, after);
  } else {
    check(cudaGraphAddEmptyNode(&added, graph_, after.data(), after.size()), "adding an empty node");
  }
  nodes_.push_back(added);
}

void Executable::addRegion(const graph::PlanNode& node, const graph::NativeSpec& spec, cudaGraphNode_t* added,
                           const std::vector<cudaGraphNode_t>& after) {
  const auto& region = static_cast<const Region&>(*spec.region);
  check(cudaGraphAddChildGraphNode(added, graph_, after.data(), after.size(), region.graph()), "adding a capture");
  cudaGraph_t embedded = nullptr;
  check(cudaGraphChildGraphNodeGetGraph(*added, &embedded), "reading a child graph");
  const auto nodes = kernelNodes(embedded);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const CapturedKernel& kernel = region.kernels().at(k);
    const bool isFixed = node.fixed || kernel.fixed;
    const auto size = kernel.typed ? SizeParameter::first : SizeParameter::none;
    graph::KernelShape shape = shapeOf(nodes[k], size);
    const Index own =
        kernel.typed ? kernel.typed->samples : static_cast<Index>(shape.dims.grid.volume() * shape.dims.block.volume());
    const LaunchRule rule = isFixed ? fixed() : kernel.typed ? kernel.typed->rule : perSample();
    addKernel({node.label + "/kernel#" + std::to_string(k), node.owner, rule, shape, own}, nodes[k],
              kernel.typed ? kernel.typed->parameters : 0);
  }
}

void Executable::addKernel(graph::BuiltKernel built, cudaGraphNode_t node, std::size_t parameterCount) {
  KernelNode kernel{node, driver::kernelParams(node), {}};
  if (parameterCount > 0) {
    kernel.pointers.assign(kernel.params.kernelParams, kernel.params.kernelParams + parameterCount);
  }
  kernels_.push_back(std::move(built));
  kernelNodes_.push_back(std::move(kernel));
}

void Executable::resize(std::size_t kernel, const LaunchDims& dims, Index samples) {
  KernelNode& target = kernelNodes_[kernel];
  CUDA_KERNEL_NODE_PARAMS params = target.params;
  const bool takesSize = !target.pointers.empty();
  if (!takesSize && dims == dimsOf(params)) {
    return;
  }
  params.gridDimX = dims.grid.x;
  params.gridDimY = dims.grid.y;
  params.gridDimZ = dims.grid.z;
  params.blockDimX = dims.block.x;
  params.blockDimY = dims.block.y;
  params.blockDimZ = dims.block.z;
  if (takesSize) {
    target.pointers.front() = &samples;
    params.kernelParams = target.pointers.data();
  }
  driver::check(driver::setKernel(instance_, target.node, params), "resizing a kernel");
  params.kernelParams = target.params.kernelParams;
  target.params = params;
}

void Executable::setEnabled(std::size_t kernel, bool enabled) {
  check(cudaGraphNodeSetEnabled(instance_, kernelNodes_[kernel].node, enabled ? 1 : 0), "enabling a kernel");
}

void Executable::launch() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "launch");
  check(cudaGraphLaunch(instance_, stream), "launching a graph");
  launched_ = true;
}

void Executable::upload() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "upload");
  check(cudaGraphUpload(instance_, stream), "uploading a graph");
}

void Executable::synchronize() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "synchronize");
  const RelaxedCapture relaxed;
  check(cudaStreamSynchronize(stream), "the work of a launcher");
  launched_ = false;
  errors_.rethrow();
}

}  // namespace eagle::cuda
