// Streams and events of the CUDA backend.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "eagle/graph/capture_options.h"
#include "eagle/graph/node.h"

namespace eagle::cuda {

class Event;
struct EventState;
struct StreamState;

/// Names a stream without owning it. One made by `Stream` is known here even by its raw handle: using it after it was
/// destroyed throws Error (invalidState). Any other handle must stay valid as long as something uses it.
class StreamRef {
 public:
  /// Names a stream by its raw handle.
  StreamRef(cudaStream_t stream);  // NOLINT(google-explicit-constructor): as EAGLE's users write it
  explicit StreamRef(std::shared_ptr<const StreamState> state);
  StreamRef(const StreamRef&) = default;
  StreamRef(StreamRef&& other) noexcept { *this = std::as_const(other); }  // a name that was moved from stays good
  StreamRef& operator=(const StreamRef&) = default;
  StreamRef& operator=(StreamRef&& other) noexcept { return *this = std::as_const(other); }
  ~StreamRef() = default;

  /// The raw handle, after checking that the stream is still there.
  [[nodiscard]] cudaStream_t cuda() const;
  /// Whether it was made by Stream and is gone; false for a foreign handle.
  [[nodiscard]] bool isDestroyed() const;
  /// The ordinal of its device. For a foreign handle before CUDA 12.8, and for a default stream, the current one.
  [[nodiscard]] int device() const;

 private:
  cudaStream_t stream_ = nullptr;
  std::shared_ptr<const StreamState> state_;  // none for a foreign handle
};

/// An ordered queue of work on the device that is current when it is made. It does not synchronize with the default
/// stream. Move-only; using one that was moved from throws Error (invalidState). Destroying it waits for its work;
/// while it is captured, that breaks the capture, which then says so when it ends, and waits for what it was given
/// before.
class Stream {
 public:
  /// High priority is the highest the device has.
  explicit Stream(StreamPriority priority = StreamPriority::normal);
  ~Stream();
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for all work queued so far. Throws CudaError for what went wrong on the device. Refused, harmlessly, while
  /// the stream is captured.
  void synchronize();
  /// Lets work queued from now on wait for what `event` last recorded; does not wait itself. An event never recorded is
  /// not waited for. While the stream is captured, one that was recorded in another capture throws Error (invalidState)
  /// and both go on (unless recorded by a call of CUDA's, which is not seen); one recorded in none breaks the capture.
  void waitFor(const Event& event);

  /// The raw handle; the stream keeps it.
  [[nodiscard]] cudaStream_t cuda() const;
  /// A name of this stream, which does not keep it.
  [[nodiscard]] StreamRef ref() const { return StreamRef(state_); }
  operator StreamRef() const { return ref(); }  // NOLINT(google-explicit-constructor): a stream is its own reference

 private:
  void close() noexcept;

  std::shared_ptr<StreamState> state_;  // none after a move
};

/// A point in a stream's order of work. Move-only; using one that was moved from throws Error (invalidState).
class Event {
 public:
  Event();
  ~Event() = default;
  Event(Event&&) noexcept = default;
  Event& operator=(Event&&) noexcept = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks all work queued on `stream` so far; replaces an earlier mark. Does not synchronize.
  void record(const StreamRef& stream);
  /// Whether the marked work is done; true for an event never recorded. Throws Error (invalidState), harmlessly, if it
  /// was recorded in a capture.
  [[nodiscard]] bool query() const;
  /// Waits for the marked work. Throws as query() does.
  void synchronize() const;
  /// Seconds on the device from `earlier` to this; waits for both. Throws Error (invalidState) if either was never
  /// recorded.
  [[nodiscard]] double secondsSince(const Event& earlier) const;

  /// The raw handle; the event keeps it.
  [[nodiscard]] cudaEvent_t cuda() const;
  /// For graphs that use it, which keep it.
  [[nodiscard]] std::shared_ptr<graph::NativeEvent> native() const;

 private:
  friend class Stream;
  [[nodiscard]] EventState& state() const;
  /// Throws Error (invalidState) if it is no point in time.
  [[nodiscard]] EventState& pointInTime() const;

  std::shared_ptr<EventState> state_;  // none after a move
};

/// Throws Error (invalidState) naming `call` if the stream is being captured: some calls would break the capture.
void refuseWhileCaptured(cudaStream_t stream, const char* call);

}  // namespace eagle::cuda
