// Captures what is launched on host streams.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "eagle/graph/capture_options.h"
#include "eagle/graph/recipe.h"
#include "eagle/host/stream.h"

namespace eagle::host {

struct CaptureState;

/// A finished capture. Owns what was recorded; move-only. Using one that was moved from throws Error (invalidState).
class CapturedGraph {
 public:
  explicit CapturedGraph(std::shared_ptr<const graph::Recipe> recipe) : recipe_(std::move(recipe)) {}
  CapturedGraph(CapturedGraph&&) noexcept = default;
  CapturedGraph& operator=(CapturedGraph&&) noexcept = default;
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Number of nodes recorded.
  [[nodiscard]] std::size_t nodeCount() const { return recipe()->nodes().size(); }
  /// This as a node of a graph.
  [[nodiscard]] graph::NodeSpec spec() const { return graph::ChildSpec{recipe()}; }

 private:
  [[nodiscard]] const std::shared_ptr<const graph::Recipe>& recipe() const;

  std::shared_ptr<const graph::Recipe> recipe_;
};

/// Records instead of running what is launched on a stream between begin() and end(). Other streams take part by
/// waiting for an event recorded on it, and must be joined the same way. If it is destroyed in between, as when user
/// code throws, the recording is dropped and the streams are as before. Work launched on a stream that takes no part
/// runs at once and is missing from the recording.
class StreamCapturer {
 public:
  /// For that stream, which must live until the capture ends. Begins nothing.
  explicit StreamCapturer(StreamRef stream) : stream_(std::move(stream)) {}
  ~StreamCapturer();
  StreamCapturer(const StreamCapturer&) = delete;
  StreamCapturer& operator=(const StreamCapturer&) = delete;

  /// Throws Error (invalidState) if the stream is captured already.
  void begin(CaptureMode mode = CaptureMode::global);

  /// Ends the capture and hands over what was recorded. Throws Error (invalidState), and ends it all the same: without
  /// begin(); when nothing was recorded, unless allowed; when a stream was not joined; when a captured stream was
  /// destroyed. On another thread than begin(), unless relaxed, it throws and the capture goes on.
  [[nodiscard]] CapturedGraph end(EmptyCapture empty = EmptyCapture::refuse);

  /// Kernels launched by `launches()` keep their sizes, whatever the logical size.
  template <class F>
  void fixed(F&& launches) {
    const FixedScope scope(*this);
    std::forward<F>(launches)();
  }

  [[nodiscard]] const StreamRef& stream() const { return stream_; }

 private:
  class FixedScope {
   public:
    explicit FixedScope(StreamCapturer& capturer);
    ~FixedScope();
    FixedScope(const FixedScope&) = delete;
    FixedScope& operator=(const FixedScope&) = delete;

   private:
    std::shared_ptr<CaptureState> capture_;
  };

  StreamRef stream_;
  CaptureMode mode_ = CaptureMode::global;
  std::shared_ptr<CaptureState> capture_;
};

}  // namespace eagle::host
