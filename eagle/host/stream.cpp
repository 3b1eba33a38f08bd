#include "eagle/host/stream.h"

#include <chrono>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/host/event_state.h"
#include "eagle/host/kernel.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {

namespace {
constexpr const char* kDestroyed = "the stream was destroyed: keep the Stream as long as it is used";
}  // namespace

void StreamState::enqueueMade(const std::function<std::function<void()>()>& make) {
  const std::scoped_lock lock(mutex_);
  if (closing_) {
    throw Error(ErrorCode::invalidState, kDestroyed);
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([self = shared_from_this()] { self->work(); });
    threadId_ = thread_.get_id();
  }
  queue_.emplace_back();
  try {
    queue_.back() = make();
  } catch (...) {
    queue_.pop_back();
    throw;
  }
  changed_.notify_all();
}

void StreamState::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) {
      return;
    }
    {
      const std::function<void()> task = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      errors_.guard(task);
    }  // what the task owned is gone before anybody learns that it is done
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void StreamState::synchronize() {
  if (capture() != nullptr) {
    throw Error(ErrorCode::invalidState, "a stream cannot be synchronised while it is captured: end the capture first");
  }
  {
    std::unique_lock lock(mutex_);
    if (threadId_ == std::this_thread::get_id()) {
      throw Error(ErrorCode::invalidState,
                  "synchronize: called by the stream's own work, which would wait for itself: call it from elsewhere");
    }
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
  }
  errors_.rethrow();
}

void StreamState::close() noexcept {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    changed_.notify_all();
  }
  if (!thread_.joinable()) {
    return;
  }
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // it holds this object until its work is done
  } else {
    thread_.join();
  }
}

CaptureState* StreamState::capture() {
  if (capturing && capturing->ended) {
    capturing.reset();
    tails.clear();
  }
  return capturing.get();
}

void StreamState::submit(const graph::KernelSpec& spec) {
  CaptureState* recording = capture();
  if (recording == nullptr) {
    enqueue([spec] { run(static_cast<const Kernel&>(*spec.kernel), spec.samples); });
    return;
  }
  const NodeId node = recording->recipe.add(spec, tails);
  if (recording->fixedDepth > 0) {
    recording->recipe.at(node).fixed = true;
  }
  tails = {node};
}

std::shared_ptr<StreamState> StreamRef::lock() const {
  auto state = state_.lock();
  if (!state) {
    throw Error(ErrorCode::invalidState, kDestroyed);
  }
  return state;
}

Stream::Stream(StreamPriority) : state_(std::make_shared<StreamState>()) {}

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
  if (CaptureState* capture = state_->capture()) {
    capture->broken = "a captured stream was destroyed before the capture ended";
  }
  state_->close();
}

StreamState& Stream::state() const {
  if (!state_) {
    throw Error(ErrorCode::invalidState, "this stream was moved from: use the one it was moved to");
  }
  return *state_;
}

void Stream::synchronize() {
  state().synchronize();
}

StreamRef Stream::ref() const {
  return StreamRef(state().weak_from_this());
}

namespace {

// The last recording of an event, which must be a point in time.
std::shared_ptr<EventMark> pointOf(const EventState& event) {
  auto mark = event.last();
  if (mark->capture) {
    throw Error(ErrorCode::invalidState, "the event was recorded in a capture: it is no point in time");
  }
  return mark;
}

}  // namespace

Event::Event() : state_(std::make_shared<EventState>()) {}

EventState& Event::state() const {
  if (!state_) {
    throw Error(ErrorCode::invalidState, "this event was moved from: use the one it was moved to");
  }
  return *state_;
}

std::shared_ptr<graph::NativeEvent> Event::native() const {
  (void)state();
  return state_;
}

void Event::record(const StreamRef& stream) {
  EventState& event = state();
  const auto queue = stream.lock();
  auto mark = EventMark::ahead();
  if (queue->capture() != nullptr) {
    mark->capture = queue->capturing;
    mark->tails = queue->tails;
  } else {
    queue->enqueue([mark] { mark->reach(); });
  }
  event.renew(std::move(mark));
}

bool Event::query() const {
  const auto mark = pointOf(state());
  const std::scoped_lock lock(mark->mutex);
  return mark->reached;
}

void Event::synchronize() const {
  pointOf(state())->wait();
}

double Event::secondsSince(const Event& earlier) const {
  if (!state().last()->recorded || !earlier.state().last()->recorded) {
    throw Error(ErrorCode::invalidState, "elapsed time of an event that was never recorded: record both first");
  }
  const auto to = pointOf(state());
  const auto from = pointOf(earlier.state());
  to->wait();
  from->wait();
  return std::chrono::duration<double>(to->time - from->time).count();
}

void Stream::waitFor(const Event& event) {
  CaptureState* recording = state().capture();
  const auto mark = event.state().last();
  if (!mark->recorded) {
    return;
  }
  if (!mark->capture) {
    if (recording != nullptr) {
      recording->broken = "a captured stream was to wait for an event recorded outside the capture";
      throw Error(ErrorCode::invalidState, recording->broken);
    }
    state_->enqueue([mark] { mark->wait(); });
    return;
  }
  if (mark->capture->ended || (recording != nullptr && recording != mark->capture.get())) {
    throw Error(ErrorCode::invalidState, "the event was recorded in another capture than the one under way");
  }
  state_->capturing = mark->capture;
  state_->tails.insert(state_->tails.end(), mark->tails.begin(), mark->tails.end());
}

}  // namespace eagle::host
