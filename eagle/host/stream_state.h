// The queue behind a host stream, and the capture it may take part in.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eagle/graph/first_error.h"
#include "eagle/graph/recipe.h"
#include "eagle/host/kernel.h"

namespace eagle::host {

/// One capture under way: shared by every stream that takes part.
struct CaptureState {
  graph::Recipe recipe{kBackend};
  std::thread::id thread = std::this_thread::get_id();
  std::string broken;  ///< why the capture can no longer be ended; empty while it can
  int fixedDepth = 0;  ///< > 0: kernels recorded now keep their sizes
  bool ended = false;
};

/// Made by a Stream, which closes it. Its thread holds it while there is one.
class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  StreamState() = default;
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;

  /// Queues work; what it throws is kept for synchronize(). Throws Error (invalidState) once the stream is closed.
  void enqueue(std::function<void()> task) {
    enqueueMade([&] { return std::move(task); });
  }
  /// Queues the work that `make` returns, which it makes once nothing can be queued before it or fail any more.
  void enqueueMade(const std::function<std::function<void()>()>& make);
  void synchronize();
  /// Waits for the queue, then ends the thread. On that very thread it does not wait: the thread ends after the queue.
  void close() noexcept;

  /// Runs `spec` in order, or records it if this stream is captured.
  void submit(const graph::KernelSpec& spec);

  // Capture: only touched by threads that use the stream, which CUDA too asks to take turns.
  [[nodiscard]] CaptureState* capture();
  std::shared_ptr<CaptureState> capturing;  ///< set while captured, or until somebody notices the capture has ended
  std::vector<NodeId> tails;                ///< nodes the next one recorded on this stream waits for

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool closing_ = false;
  std::thread thread_;
  std::thread::id threadId_;  // kept when the thread is let go
  graph::FirstError errors_;
};

}  // namespace eagle::host
