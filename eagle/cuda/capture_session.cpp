#include "eagle/cuda/capture_session.h"

#include <mutex>
#include <optional>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/current_device.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/relaxed_capture.h"

namespace eagle::cuda {
namespace {

/// Sessions by the driver's id of their capture, which every stream that takes part in one can be asked for.
struct Sessions {
  std::mutex mutex;
  std::unordered_map<unsigned long long, std::weak_ptr<CaptureSession>> byId;
};

Sessions& sessions() {
  static auto* const kAll = new Sessions;  // never destroyed: captures may be in static objects of the user
  return *kAll;
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalidState, message);
}

cudaStreamCaptureMode native(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::global:
      return cudaStreamCaptureModeGlobal;
    case CaptureMode::threadLocal:
      return cudaStreamCaptureModeThreadLocal;
    case CaptureMode::relaxed:
      break;
  }
  return cudaStreamCaptureModeRelaxed;
}

/// Clears the last error if it is one that a broken capture leaves behind, and returns it.
cudaError_t takeCaptureError() {
  const cudaError_t last = cudaPeekAtLastError();
  if (last >= cudaErrorStreamCaptureUnsupported && last <= cudaErrorCapturedEvent) {
    return cudaGetLastError();
  }
  return last == cudaErrorStreamCaptureWrongThread ? cudaGetLastError() : cudaSuccess;
}

/// While it lives, the device of a stream is current. Where it is already, nothing is touched: the user may have a
/// context of his own.
class DeviceOfStream {
 public:
  explicit DeviceOfStream(int ordinal) {
    int current = 0;
    check(cudaGetDevice(&current), "asking for the current device");
    if (current != ordinal) {
      switched_.emplace(ordinal);
    }
  }

 private:
  std::optional<CurrentDevice> switched_;
};

bool isCaptured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "asking whether a stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

std::shared_ptr<CaptureSession> CaptureSession::begin(const StreamRef& stream, CaptureMode mode) {
  refuseWhileCaptured(stream.cuda(), "begin");
  const int ordinal = stream.device();
  const DeviceOfStream device(ordinal);
  std::shared_ptr<CaptureSession> session(new CaptureSession(stream, mode));
  session->device_ = ordinal;
  if (mode == CaptureMode::global) {
    const RelaxedCapture relaxed;
    check(cudaStreamCreateWithFlags(&session->blockingTwin_, cudaStreamDefault), "creating a stream");
  }
  session->before_[stream.cuda()].record(stream);
  check(cudaStreamBeginCapture(stream.cuda(), native(mode)), "beginning a capture");
  session->underWay_ = true;
  session->id_ = driver::captureInfo(stream.cuda()).id;
  session->watchDefaultStreams();
  const std::scoped_lock lock(sessions().mutex);
  sessions().byId[session->id_] = session;
  return session;
}

CaptureSession::~CaptureSession() {
  drop();
  const RelaxedCapture relaxed;
  if (blockingTwin_ != nullptr) {
    cudaStreamDestroy(blockingTwin_);
  }
}

void CaptureSession::drop() noexcept {
  if (!underWay_) {
    return;
  }
  std::string problem;
  try {
    if (const cudaGraph_t graph = endNative(&problem)) {
      cudaGraphDestroy(graph);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): the capture is dropped, whatever became of it
  }
}

// Work on a default stream would run now and never again, with no error. So the default streams take part: the legacy
// one refuses work while a stream that synchronizes with it is captured, and this thread's own one records what it
// gets. Both are such streams, and drivers (580 was seen to) crash when another thread launches on the legacy stream
// meanwhile: so not where other threads are to go on freely.
void CaptureSession::watchDefaultStreams() {
  if (mode_ != CaptureMode::global) {
    return;
  }
  fork_.record(stream_);
  check(cudaStreamWaitEvent(blockingTwin_, fork_.cuda(), 0), "forking a capture");
  if (!isCaptured(cudaStreamPerThread) && stream_.cuda() != cudaStreamPerThread) {
    check(cudaStreamWaitEvent(cudaStreamPerThread, fork_.cuda(), 0), "forking a capture");
    watchesPerThread_ = true;
  }
}

bool CaptureSession::perThreadStreamWasUsed() const {
  if (!watchesPerThread_ || thread_ != std::this_thread::get_id()) {
    return false;
  }
  // The fork followed the beginning, when there was no node yet.
  const driver::CaptureInfo info = driver::captureInfo(cudaStreamPerThread);
  return info.capturing && info.id == id_ && info.dependencyCount > 0;
}

std::shared_ptr<CaptureSession> CaptureSession::find(cudaStream_t stream) {
  const driver::CaptureInfo info = driver::captureInfo(stream);
  return info.capturing ? withId(info.id) : nullptr;
}

std::shared_ptr<CaptureSession> CaptureSession::withId(unsigned long long id) {
  const std::scoped_lock lock(sessions().mutex);
  const auto found = sessions().byId.find(id);
  return found == sessions().byId.end() ? nullptr : found->second.lock();
}

/// Finds a broken capture too, of which the driver tells no id.
std::shared_ptr<CaptureSession> CaptureSession::beganOn(cudaStream_t stream) {
  std::vector<std::shared_ptr<CaptureSession>> seen;  // let go after the lock, which a session's end takes
  const std::scoped_lock lock(sessions().mutex);
  for (const auto& [id, session] : sessions().byId) {
    seen.push_back(session.lock());
    if (seen.back() && seen.back()->stream_.cuda() == stream) {
      return seen.back();
    }
  }
  return nullptr;
}

bool CaptureSession::breakIfCaptured(cudaStream_t stream) noexcept {
  try {
    if (!isCaptured(stream)) {
      return false;
    }
    if (const auto session = beganOn(stream)) {
      session->drop();  // nobody can end it when its stream is gone
    } else if (const auto joined = find(stream)) {
      joined->streamDestroyed_ = true;
    }
    return isCaptured(stream);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody to tell from a destructor
  }
  return true;
}

void CaptureSession::join(const StreamRef& stream, unsigned long long id) {
  if (const auto session = withId(id)) {
    const DeviceOfStream device(stream.device());
    Event before;
    before.record(stream);
    const std::scoped_lock lock(sessions().mutex);
    session->before_.insert_or_assign(stream.cuda(), std::move(before));
  }
}

bool CaptureSession::waitForWorkBefore(cudaStream_t stream) noexcept {
  try {
    if (const auto session = find(stream)) {
      const Event* before = nullptr;
      {
        const std::scoped_lock lock(sessions().mutex);
        const auto found = session->before_.find(stream);
        before = found == session->before_.end() ? nullptr : &found->second;
      }
      if (before != nullptr) {
        before->synchronize();
        return true;
      }
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody to tell from a destructor
  }
  return false;
}

/// Ends the native capture; none and the problem in words if it was broken.
cudaGraph_t CaptureSession::endNative(std::string* problem) {
  underWay_ = false;
  {
    const std::scoped_lock lock(sessions().mutex);
    sessions().byId.erase(id_);
  }
  const DeviceOfStream device(device_);
  const bool onPerThread = perThreadStreamWasUsed();
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream_.cuda(), &graph);
  const cudaError_t earlier = status == cudaSuccess ? cudaSuccess : takeCaptureError();
  if (streamDestroyed_) {
    *problem = "a stream that took part in the capture was destroyed before the capture ended";
  } else if (onPerThread || earlier == cudaErrorStreamCaptureImplicit) {
    *problem = "work was launched on the default stream, where it is not captured: launch it on the captured stream";
  } else if (status == cudaErrorStreamCaptureUnjoined) {
    *problem = "a stream that took part was not joined: let the captured stream wait for an event recorded on it";
  } else if (status == cudaErrorStreamCaptureInvalidated) {
    *problem =
        "the capture was broken while it was under way: by work on the default stream, or by a call that no capture "
        "allows, such as a synchronisation or an allocation";
  } else {
    check(status, "ending a capture");
    return graph;
  }
  if (graph != nullptr) {
    cudaGraphDestroy(graph);
  }
  return nullptr;
}

std::shared_ptr<const Region> CaptureSession::end(EmptyCapture empty) {
  if (!underWay_) {
    refuse("end: the captured stream was destroyed before the capture ended");
  }
  std::string problem;
  const cudaGraph_t graph = endNative(&problem);
  if (graph == nullptr) {
    refuse("end: " + problem);
  }
  auto region = std::make_shared<Region>(graph);
  if (empty == EmptyCapture::refuse && nodesOf(graph).empty()) {
    refuse("end: nothing was captured: launch on the captured stream, or allow it with EmptyCapture::allow");
  }
  std::vector<CapturedKernel> kernels;
  for (const cudaGraphNode_t node : kernelNodes(graph)) {
    const auto typed = typed_.find(node);
    kernels.push_back({typed == typed_.end() ? std::nullopt : std::optional(typed->second), fixed_.contains(node)});
  }
  region->setKernels(std::move(kernels));
  return region;
}

void CaptureSession::mark(cudaStream_t stream, const TypedLaunch& launch) {
  const driver::CaptureInfo info = driver::captureInfo(stream);
  if (info.dependencyCount == 1) {  // a launch becomes the one node that the next will follow
    typed_.insert_or_assign(info.dependencies[0], launch);
  }
}

std::unordered_set<cudaGraphNode_t> CaptureSession::nodes() const {
  const auto nodes = kernelNodes(driver::captureInfo(stream_.cuda()).graph);
  return {nodes.begin(), nodes.end()};
}

void CaptureSession::fixSince(const std::unordered_set<cudaGraphNode_t>& before) {
  for (const cudaGraphNode_t node : nodes()) {
    if (!before.contains(node)) {
      fixed_.insert(node);
    }
  }
}

}  // namespace eagle::cuda
