// Streams and events of the host backend.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "eagle/graph/capture_options.h"
#include "eagle/graph/node.h"

namespace eagle::host {

class Event;
class EventState;
class StreamState;

/// Names a stream without owning it. Using it after its stream was destroyed throws Error (invalidState).
class StreamRef {
 public:
  /// Made by Stream::ref().
  explicit StreamRef(std::weak_ptr<StreamState> state) : state_(std::move(state)) {}
  StreamRef(const StreamRef&) = default;
  StreamRef(StreamRef&& other) noexcept { *this = std::as_const(other); }  // a name that was moved from stays good
  StreamRef& operator=(const StreamRef&) = default;
  StreamRef& operator=(StreamRef&& other) noexcept { return *this = std::as_const(other); }
  ~StreamRef() = default;
  /// The stream's inner part, for the library. Throws Error (invalidState) if the stream is gone.
  [[nodiscard]] std::shared_ptr<StreamState> lock() const;

 private:
  std::weak_ptr<StreamState> state_;
};

/// An ordered queue of work, run by a thread of its own. Move-only; thread-safe as far as queueing goes. Destroying it
/// waits for its work; done by that work itself, on the stream's thread, it does not wait, and what is queued still
/// runs. Using one that was moved from throws Error (invalidState).
class Stream {
 public:
  /// The host runs every stream alike: the priority is taken for the sake of the twin.
  explicit Stream(StreamPriority priority = StreamPriority::normal);
  ~Stream();
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for all work queued so far; throws the first exception it threw. Throws Error (invalidState) while the
  /// stream is captured, and on the stream's own thread, which would wait for itself. A parallel branch of a graph runs
  /// on other threads, where waiting for its own stream is not seen and never ends.
  void synchronize();
  /// Lets work queued from now on wait for what `event` last recorded; does not wait itself. An event never recorded is
  /// not waited for. While the stream is captured, one that was recorded in another capture throws Error (invalidState)
  /// and both go on; one recorded in none breaks the capture.
  void waitFor(const Event& event);

  /// A name of this stream, which does not keep it.
  [[nodiscard]] StreamRef ref() const;
  operator StreamRef() const { return ref(); }  // NOLINT(google-explicit-constructor): a stream is its own reference

 private:
  void close() noexcept;
  [[nodiscard]] StreamState& state() const;

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

  /// Marks all work queued on `stream` so far; replaces an earlier mark. Does not wait.
  void record(const StreamRef& stream);
  /// Whether the marked work is done; true for an event never recorded. Throws Error (invalidState), harmlessly, if it
  /// was recorded in a capture.
  [[nodiscard]] bool query() const;
  /// Waits for the marked work. Throws as query() does.
  void synchronize() const;
  /// Seconds from the moment `earlier` was reached to the moment this was; waits for both. Throws Error (invalidState)
  /// if either was never recorded.
  [[nodiscard]] double secondsSince(const Event& earlier) const;

  /// For graphs that use it, which keep it.
  [[nodiscard]] std::shared_ptr<graph::NativeEvent> native() const;

 private:
  friend class Stream;
  [[nodiscard]] EventState& state() const;

  std::shared_ptr<EventState> state_;  // none after a move
};

}  // namespace eagle::host
