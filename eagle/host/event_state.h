// What is behind an event of the host backend.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "eagle/graph/node.h"
#include "eagle/host/kernel.h"

namespace eagle::host {

struct CaptureState;

/// One recording of an event: a point of a queue, or the nodes of a capture that it follows.
struct EventMark {
  std::mutex mutex;
  std::condition_variable changed;
  bool recorded = false;
  bool reached = true;
  std::chrono::steady_clock::time_point time;
  std::shared_ptr<CaptureState> capture;
  std::vector<NodeId> tails;

  /// One that work still to come will reach.
  [[nodiscard]] static std::shared_ptr<EventMark> ahead() {
    auto mark = std::make_shared<EventMark>();
    mark->recorded = true;
    mark->reached = false;
    return mark;
  }
  void reach() {
    const std::scoped_lock lock(mutex);
    time = std::chrono::steady_clock::now();
    reached = true;
    changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return reached; });
  }
};

/// Shared by an event and the graphs that record it or wait for it.
class EventState final : public graph::NativeEvent {
 public:
  [[nodiscard]] std::string_view backend() const override { return kBackend; }
  [[nodiscard]] std::shared_ptr<EventMark> last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
  }
  void renew(std::shared_ptr<EventMark> mark) {
    const std::scoped_lock lock(mutex_);
    last_ = std::move(mark);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<EventMark> last_ = std::make_shared<EventMark>();
};

}  // namespace eagle::host
