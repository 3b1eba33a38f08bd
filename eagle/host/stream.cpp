#include "eagle/host/stream.h"

#include <chrono>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/host/kernel.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {

using Clock = std::chrono::steady_clock;

namespace {
constexpr const char* kDestroyed = "the stream was destroyed: keep the Stream as long as it is used";
}  // namespace

void StreamState::enqueue(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  if (closing_) {
    throw Error(ErrorCode::invalidState, kDestroyed);
  }
  if (!thread_.joinable()) {
    thread_ = std::thread([self = shared_from_this()] { self->work(); });
    threadId_ = thread_.get_id();
  }
  queue_.push_back(std::move(task));
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

/// What an event recorded: a point of a queue, or the nodes of a capture that it follows.
struct Event::Mark {
  std::mutex mutex;
  std::condition_variable changed;
  bool recorded = false;
  bool reached = true;
  Clock::time_point time;
  std::shared_ptr<CaptureState> capture;
  std::vector<NodeId> tails;

  void reach() {
    const std::scoped_lock lock(mutex);
    time = Clock::now();
    reached = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return reached; });
  }
  void refuseCaptured() const {
    if (capture) {
      throw Error(ErrorCode::invalidState, "the event was recorded in a capture: it is no point in time");
    }
  }
};

Event::Event() : mark_(std::make_shared<Mark>()) {}

Event::Mark& Event::mark() const {
  if (!mark_) {
    throw Error(ErrorCode::invalidState, "this event was moved from: use the one it was moved to");
  }
  return *mark_;
}

void Event::record(const StreamRef& stream) {
  (void)mark();
  const auto state = stream.lock();
  auto mark = std::make_shared<Mark>();
  mark->recorded = true;
  mark->reached = false;
  if (state->capture() != nullptr) {
    mark->capture = state->capturing;
    mark->tails = state->tails;
  } else {
    state->enqueue([mark] { mark->reach(); });
  }
  mark_ = std::move(mark);
}

bool Event::query() const {
  Mark& last = mark();
  last.refuseCaptured();
  const std::scoped_lock lock(last.mutex);
  return last.reached;
}

void Event::synchronize() const {
  mark().refuseCaptured();
  mark_->wait();
}

double Event::secondsSince(const Event& earlier) const {
  if (!mark().recorded || !earlier.mark().recorded) {
    throw Error(ErrorCode::invalidState, "elapsed time of an event that was never recorded: record both first");
  }
  synchronize();
  earlier.synchronize();
  return std::chrono::duration<double>(mark_->time - earlier.mark_->time).count();
}

void Stream::waitFor(const Event& event) {
  CaptureState* recording = state().capture();
  if (!event.mark().recorded) {
    return;
  }
  const auto& mark = event.mark_;
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
