#include "eagle/cuda/stream.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/cuda/capture_session.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/event_state.h"
#include "eagle/cuda/kernel.h"
#include "eagle/cuda/relaxed_capture.h"
#include "eagle/cuda/stream_state.h"

namespace eagle::cuda {
namespace {

/// All streams the library made and has not destroyed, by raw handle. CUDA uses a handle again once it is free.
class Registry {
 public:
  void add(const std::shared_ptr<StreamState>& state) {
    const std::scoped_lock lock(mutex_);
    streams_[state->stream] = state;
  }
  void remove(cudaStream_t stream) {
    const std::scoped_lock lock(mutex_);
    streams_.erase(stream);
  }
  std::shared_ptr<const StreamState> find(cudaStream_t stream) {
    const std::scoped_lock lock(mutex_);
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<cudaStream_t, std::shared_ptr<const StreamState>> streams_;
};

Registry& registry() {
  static auto* const kStreams = new Registry;  // never destroyed: streams may be static objects of the user
  return *kStreams;
}

}  // namespace

StreamRef::StreamRef(cudaStream_t stream) : stream_(stream), state_(registry().find(stream)) {}

StreamRef::StreamRef(std::shared_ptr<const StreamState> state)
    : stream_(state ? state->stream : nullptr), state_(std::move(state)) {
  if (!state_) {
    throw Error(ErrorCode::invalidState, "this stream was moved from: use the one it was moved to");
  }
}

bool StreamRef::isDestroyed() const {
  return state_ && state_->destroyed;
}

cudaStream_t StreamRef::cuda() const {
  if (isDestroyed()) [[unlikely]] {
    throw Error(ErrorCode::invalidState, "the stream was destroyed: keep the Stream as long as it is used");
  }
  return stream_;
}

int StreamRef::device() const {
  if (state_) {
    return state_->device;
  }
  int device = 0;
#if CUDART_VERSION >= 12080
  if (stream_ != nullptr && stream_ != cudaStreamLegacy && stream_ != cudaStreamPerThread) {
    const RelaxedCapture relaxed;
    check(cudaStreamGetDevice(stream_, &device), "asking for the device of a stream");
    return device;
  }
#endif
  check(cudaGetDevice(&device), "asking for the current device");
  return device;
}

Stream::Stream(StreamPriority priority) : state_(std::make_shared<StreamState>()) {
  const RelaxedCapture relaxed;
  check(cudaGetDevice(&state_->device), "asking for the current device");
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for stream priorities");
  check(cudaStreamCreateWithPriority(&state_->stream, cudaStreamNonBlocking,
                                     priority == StreamPriority::high ? greatest : least),
        "creating a stream");
  registry().add(state_);
}

Stream::~Stream() {
  close();
}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    close();
    state_ = std::move(other.state_);
  }
  return *this;
}

void Stream::close() noexcept {
  if (!state_) {
    return;
  }
  const RelaxedCapture relaxed;
  CaptureSession::waitForWorkBefore(state_->stream);
  if (!CaptureSession::breakIfCaptured(state_->stream)) {
    cudaStreamSynchronize(state_->stream);
  }
  state_->destroyed = true;
  registry().remove(state_->stream);
  cudaStreamDestroy(state_->stream);
  state_.reset();
}

void Stream::synchronize() {
  refuseWhileCaptured(cuda(), "synchronize");
  const RelaxedCapture relaxed;
  check(cudaStreamSynchronize(cuda()), "the work of a stream");
}

void Stream::waitFor(const Event& event) {
  const driver::CaptureInfo info = driver::captureInfo(cuda());
  const unsigned long long capture = event.state().capture;
  if (capture != 0) {
    if (!info.capturing) {
      CaptureSession::join(ref(), capture);
    } else if (info.id != capture) {  // the driver would break both captures
      throw Error(ErrorCode::invalidState, "the event was recorded in another capture than the one under way");
    }
  }
  check(cudaStreamWaitEvent(cuda(), event.cuda(), 0), "letting a stream wait for an event");
}

cudaStream_t Stream::cuda() const {
  return ref().cuda();
}

void refuseWhileCaptured(cudaStream_t stream, const char* call) {
  cudaStreamCaptureStatus status{};
  check(cudaStreamIsCapturing(stream, &status), "asking whether a stream is captured");
  if (status != cudaStreamCaptureStatusNone) [[unlikely]] {
    throw Error(ErrorCode::invalidState, std::string(call) + ": the stream is being captured: end the capture first");
  }
}

EventState::EventState() {
  const RelaxedCapture relaxed;
  check(cudaEventCreate(&event), "creating an event");
}

EventState::~EventState() {
  const RelaxedCapture relaxed;
  cudaEventDestroy(event);
}

std::string_view EventState::backend() const {
  return kBackend;
}

Event::Event() : state_(std::make_shared<EventState>()) {}

EventState& Event::state() const {
  if (!state_) [[unlikely]] {
    throw Error(ErrorCode::invalidState, "this event was moved from: use the one it was moved to");
  }
  return *state_;
}

EventState& Event::pointInTime() const {
  if (state().capture != 0) [[unlikely]] {  // the driver would break the capture
    throw Error(ErrorCode::invalidState, "the event was recorded in a capture: it is no point in time");
  }
  return *state_;
}

cudaEvent_t Event::cuda() const {
  return state().event;
}

std::shared_ptr<graph::NativeEvent> Event::native() const {
  (void)state();
  return state_;
}

void Event::record(const StreamRef& stream) {
  check(cudaEventRecord(cuda(), stream.cuda()), "recording an event");
  const driver::CaptureInfo info = driver::captureInfo(stream.cuda());
  state_->isRecorded = true;
  state_->capture = info.capturing ? info.id : 0;
}

bool Event::query() const {
  const cudaError_t status = cudaEventQuery(pointInTime().event);
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // it is an answer, no error of the user's
    return false;
  }
  check(status, "asking for an event");
  return true;
}

void Event::synchronize() const {
  const cudaEvent_t event = pointInTime().event;
  const RelaxedCapture relaxed;
  check(cudaEventSynchronize(event), "the work before an event");
}

double Event::secondsSince(const Event& earlier) const {
  if (!state().isRecorded || !earlier.state().isRecorded) {
    throw Error(ErrorCode::invalidState, "elapsed time of an event that was never recorded: record both first");
  }
  synchronize();
  earlier.synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, earlier.cuda(), cuda()), "the time between two events");
  return 1e-3 * milliseconds;
}

}  // namespace eagle::cuda
