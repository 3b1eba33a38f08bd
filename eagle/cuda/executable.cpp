#include "eagle/cuda/executable.h"

#include <string>
#include <utility>

#include "eagle/cuda/capture_session.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/describe.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/event_state.h"
#include "eagle/cuda/kernel.h"
#include "eagle/cuda/region.h"
#include "eagle/cuda/relaxed_capture.h"

namespace eagle::cuda {

namespace {

/// The driver needs a context on each thread that calls it; the runtime makes one at its first call that needs it.
void bindContext() {
  thread_local const bool kIsBound = [] {
    const RelaxedCapture relaxed;
    check(cudaFree(nullptr), "binding a thread to its device");
    return true;
  }();
  (void)kIsBound;
}

/// Whether `node`, of a copy, is that of `original` as far as kernels can tell.
bool isCopyOf(cudaGraphNode_t node, const graph::BuiltNode& original) {
  const auto* kernel = std::get_if<graph::KernelSpec>(&original.spec);
  return kernel == nullptr || driver::functionOf(driver::kernelParams(node)) ==
                                  driver::functionOf(static_cast<const Kernel&>(*kernel->kernel).params());
}

}  // namespace

/// What a host node of the native graph calls.
struct Executable::HostCall {
  std::shared_ptr<const graph::HostFunction> function;
  std::shared_ptr<graph::FirstError> errors;

  static void CUDART_CB run(void* self) {
    const auto& call = *static_cast<const HostCall*>(self);
    call.errors->guard(*call.function);
  }
};

Executable::Executable(std::vector<graph::BuiltNode> nodes, const std::optional<StreamRef>& stream)
    : Executable(std::move(nodes), stream ? nullptr : std::make_shared<Stream>(), stream,
                 std::make_shared<graph::FirstError>()) {}

Executable::Executable(std::vector<graph::BuiltNode> nodes, std::shared_ptr<Stream> own,
                       const std::optional<StreamRef>& stream, std::shared_ptr<graph::FirstError> errors)
    : own_(std::move(own)),
      stream_(stream ? *stream : own_->ref()),
      nodes_(std::move(nodes)),
      errors_(std::move(errors)) {
  const RelaxedCapture relaxed;
  handles_.reserve(nodes_.size());
  try {
    check(cudaGraphCreate(&graph_, 0), "creating a graph");
    while (handles_.size() < nodes_.size()) {
      const graph::BuiltNode& node = nodes_[handles_.size()];
      try {
        handles_.push_back(add(node));
        if (node.kind == NodeKind::childGraph) {
          cudaGraph_t embedded = nullptr;
          check(cudaGraphChildGraphNodeGetGraph(handles_.back(), &embedded), "reading a child graph");
          findInside(embedded);
        }
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

std::string_view Executable::backend() const {
  return kBackend;
}

cudaGraphNode_t Executable::add(const graph::BuiltNode& node) {
  std::vector<cudaGraphNode_t> after;
  after.reserve(node.dependencies.size());
  for (const std::uint32_t dependency : node.dependencies) {
    after.push_back(handles_[dependency]);
  }
  cudaGraphNode_t added = nullptr;
  if (const auto* kernel = std::get_if<graph::KernelSpec>(&node.spec)) {
    const auto& ours = static_cast<const Kernel&>(*kernel->kernel);
    added = driver::addKernelLike(graph_, after.data(), after.size(), ours.node(), ours.params());
  } else if (const auto* host = std::get_if<graph::HostSpec>(&node.spec)) {
    const cudaHostNodeParams params{HostCall::run, newHostCall(*host)};
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
  } else if (const auto* event = std::get_if<graph::EventSpec>(&node.spec)) {
    auto& state = static_cast<EventState&>(*event->event);
    if (event->isWait) {
      check(cudaGraphAddEventWaitNode(&added, graph_, after.data(), after.size(), state.event), "adding an event wait");
    } else {
      check(cudaGraphAddEventRecordNode(&added, graph_, after.data(), after.size(), state.event),
            "adding an event record");
      recorded_.emplace_back(added, &state);
    }
  } else if (const auto* native = std::get_if<graph::NativeSpec>(&node.spec)) {
    const auto& region = static_cast<const Region&>(*native->region);
    check(cudaGraphAddChildGraphNode(&added, graph_, after.data(), after.size(), region.graph()), "adding a capture");
  } else {
    check(cudaGraphAddEmptyNode(&added, graph_, after.data(), after.size()), "adding an empty node");
  }
  return added;
}

// CUDA lists the nodes of a copy in the order of the original, though it does not promise to: checked here.
void Executable::findInside(cudaGraph_t graph) {
  for (const cudaGraphNode_t node : nodesOf(graph)) {
    if (handles_.size() >= nodes_.size() || kindOf(node) != nodes_[handles_.size()].kind ||
        !isCopyOf(node, nodes_[handles_.size()])) {
      throw Error(ErrorCode::backend, "CUDA's copy of a capture has its nodes in another order than the capture");
    }
    handles_.push_back(node);
    if (kindOf(node) == NodeKind::childGraph) {
      cudaGraph_t child = nullptr;
      check(cudaGraphChildGraphNodeGetGraph(node, &child), "reading a child graph");
      findInside(child);
    }
  }
}

Executable::HostCall* Executable::newHostCall(const graph::HostSpec& spec) {
  hostCalls_.push_back(std::make_unique<HostCall>(HostCall{spec.function, errors_}));
  return hostCalls_.back().get();
}

std::vector<graph::BuiltNode> Executable::describe(const std::vector<graph::PlanNode>& plan) const {
  const RelaxedCapture relaxed;
  return cuda::describe(plan);
}

std::unique_ptr<graph::Executable> Executable::rebuilt(std::vector<graph::BuiltNode> nodes) const {
  return std::unique_ptr<graph::Executable>(new Executable(std::move(nodes), own_, stream_, errors_));
}

void Executable::set(std::size_t node, const graph::NodeSpec& spec, const LaunchDims& dims, Index samples) {
  ++calls_;
  bindContext();
  if (const auto* kernel = std::get_if<graph::KernelSpec>(&spec)) {
    setKernel(handles_[node], *kernel, dims, samples);
  } else {
    setOther(handles_[node], spec);
  }
}

void Executable::setKernel(cudaGraphNode_t node, const graph::KernelSpec& spec, const LaunchDims& dims, Index samples) {
  const auto& kernel = static_cast<const Kernel&>(*spec.kernel);
  CUDA_KERNEL_NODE_PARAMS params = kernel.params();
  params.gridDimX = dims.grid.x;
  params.gridDimY = dims.grid.y;
  params.gridDimZ = dims.grid.z;
  params.blockDimX = dims.block.x;
  params.blockDimY = dims.block.y;
  params.blockDimZ = dims.block.z;
  if (kernel.parameters().isSized()) {
    pointers_.assign(params.kernelParams, params.kernelParams + kernel.parameters().types.size());
    pointers_.front() = &samples;
    params.kernelParams = pointers_.data();
  }
  driver::check(driver::setKernel(instance_, node, params), "setting a kernel");
}

void Executable::setOther(cudaGraphNode_t node, const graph::NodeSpec& spec) {
  cudaGraphNodeParams params{};
  if (const auto* host = std::get_if<graph::HostSpec>(&spec)) {
    params.type = cudaGraphNodeTypeHost;
    params.host.fn = HostCall::run;
    params.host.userData = newHostCall(*host);
  } else if (const auto* set = std::get_if<graph::MemsetSpec>(&spec)) {
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = set->destination;
    params.memset.elementSize = 1;
    params.memset.value = set->value;
    params.memset.width = set->bytes;
    params.memset.height = 1;
    params.memset.pitch = set->bytes;
  } else if (const auto* copy = std::get_if<graph::MemcpySpec>(&spec)) {
    params.type = cudaGraphNodeTypeMemcpy;
    params.memcpy.copyParams.dstPtr = {copy->destination, copy->bytes, copy->bytes, 1};
    params.memcpy.copyParams.srcPtr = {const_cast<void*>(copy->source), copy->bytes, copy->bytes, 1};
    params.memcpy.copyParams.extent = {copy->bytes, 1, 1};
    params.memcpy.copyParams.kind = cudaMemcpyDefault;
  } else if (const auto* event = std::get_if<graph::EventSpec>(&spec)) {
    const auto& state = static_cast<const EventState&>(*event->event);
    params.type = event->isWait ? cudaGraphNodeTypeWaitEvent : cudaGraphNodeTypeEventRecord;
    (event->isWait ? params.eventWait.event : params.eventRecord.event) = state.event;
  } else if (const auto* native = std::get_if<graph::NativeNodeSpec>(&spec)) {
    params = paramsOf(static_cast<const CapturedNode&>(*native->node).node());
  }
  recorded_.reserve(recorded_.size() + 1);
  const cudaError_t status = cudaGraphExecNodeSetParams(instance_, node, &params);
  if (status != cudaSuccess && std::holds_alternative<graph::HostSpec>(spec)) {
    hostCalls_.pop_back();
  }
  check(status, "setting a node");
  if (params.type == cudaGraphNodeTypeEventRecord) {
    std::erase_if(recorded_, [node](const auto& recorded) { return recorded.first == node; });
    if (const auto* event = std::get_if<graph::EventSpec>(&spec)) {
      recorded_.emplace_back(node, static_cast<EventState*>(event->event.get()));
    }
  }
}

void Executable::setEnabled(std::size_t node, bool enabled) {
  ++calls_;
  bindContext();
  check(cudaGraphNodeSetEnabled(instance_, handles_[node], enabled ? 1 : 0), "enabling a node");
}

bool Executable::isEnabled(std::size_t node) const {
  bindContext();
  unsigned enabled = 0;
  check(cudaGraphNodeGetEnabled(instance_, handles_[node], &enabled), "asking whether a node is enabled");
  return enabled != 0;
}

void Executable::launch() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "launch");
  check(cudaGraphLaunch(instance_, stream), "launching a graph");
  launched_ = true;
  for (const auto& [node, event] : recorded_) {
    event->isRecorded = true;
    event->capture = 0;
  }
}

void Executable::upload() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "upload");
  check(cudaGraphUpload(instance_, stream), "uploading a graph");
}

bool Executable::isIdle() const noexcept {
  if (!launched_ || stream_.isDestroyed()) {
    return true;
  }
  const RelaxedCapture relaxed;
  cudaStreamCaptureStatus capture{};
  if (cudaStreamIsCapturing(stream_.cuda(), &capture) != cudaSuccess || capture != cudaStreamCaptureStatusNone) {
    return false;
  }
  const cudaError_t status = cudaStreamQuery(stream_.cuda());
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // it is an answer, no error of the user's
  }
  return status == cudaSuccess;
}

void Executable::synchronize() {
  const cudaStream_t stream = stream_.cuda();
  refuseWhileCaptured(stream, "synchronize");
  const RelaxedCapture relaxed;
  check(cudaStreamSynchronize(stream), "the work of a launcher");
  launched_ = false;
  errors_->rethrow();
}

}  // namespace eagle::cuda
