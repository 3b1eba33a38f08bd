// Captures what is launched on CUDA streams.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "eagle/cuda/stream.h"
#include "eagle/graph/capture_options.h"
#include "eagle/graph/node.h"

namespace eagle::cuda {

class CaptureSession;
class Region;

/// A finished capture. Owns the native graph; move-only. Using one that was moved from throws Error (invalidState).
class CapturedGraph {
 public:
  explicit CapturedGraph(std::shared_ptr<const Region> region) : region_(std::move(region)) {}
  /// Takes over a graph captured or built by other means; it is destroyed even if this throws.
  [[nodiscard]] static CapturedGraph adopt(cudaGraph_t graph);
  CapturedGraph(CapturedGraph&&) noexcept = default;
  CapturedGraph& operator=(CapturedGraph&&) noexcept = default;
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  /// Number of nodes recorded, those of child graphs not counted.
  [[nodiscard]] std::size_t nodeCount() const;
  /// The native graph; this object keeps it.
  [[nodiscard]] cudaGraph_t cuda() const;
  /// This as a node of a graph.
  [[nodiscard]] graph::NodeSpec spec() const;

 private:
  [[nodiscard]] const std::shared_ptr<const Region>& region() const;

  std::shared_ptr<const Region> region_;
};

/// Records instead of running what is launched on a stream between begin() and end(), as cudaStreamBeginCapture does.
/// Other streams take part by waiting for an event recorded on it, and must be joined the same way. If it is destroyed
/// in between, as when user code throws, the recording is dropped and the streams are as before. Unless the mode is
/// relaxed, CUDA ends a capture only on the thread that began it: destroy the capturer and the captured stream there.
/// Elsewhere the streams stay captured, until that thread calls cudaStreamEndCapture.
///
/// Work that goes to a default stream of the device meanwhile would run at once and be missing from the graph: end()
/// reports it if the mode is global: then the legacy stream and this thread's own are watched, and no other thread may
/// use the legacy one meanwhile, which can crash today's drivers. With the other modes other threads are free to, and
/// default streams go on like any other stream that takes no part: work launched there by mistake runs at once, is
/// missing from the graph and cannot be seen.
class StreamCapturer {
 public:
  /// For that stream, which must live until the capture ends. Begins nothing.
  explicit StreamCapturer(StreamRef stream) : stream_(std::move(stream)) {}
  StreamCapturer(const StreamCapturer&) = delete;
  StreamCapturer& operator=(const StreamCapturer&) = delete;

  /// Throws Error (invalidState) if the stream is captured already.
  void begin(CaptureMode mode = CaptureMode::global);

  /// Ends the capture and hands over what was recorded. Throws Error (invalidState), and ends it all the same: without
  /// begin(); when nothing was recorded, unless allowed; when a stream was not joined; when work went to a default
  /// stream; when a captured stream was destroyed; when a call that no capture allows broke it. On another thread than
  /// begin(), unless relaxed, it throws and the capture goes on.
  [[nodiscard]] CapturedGraph end(EmptyCapture empty = EmptyCapture::refuse);

  /// Kernels launched by `launches()` keep their sizes, whatever the logical size.
  template <class F>
  void fixed(F&& launches) {
    const FixedScope scope(session_);
    std::forward<F>(launches)();
  }

  [[nodiscard]] const StreamRef& stream() const { return stream_; }

 private:
  class FixedScope {
   public:
    explicit FixedScope(std::shared_ptr<CaptureSession> session);
    ~FixedScope();
    FixedScope(const FixedScope&) = delete;
    FixedScope& operator=(const FixedScope&) = delete;

   private:
    struct Before;
    std::shared_ptr<CaptureSession> session_;
    std::unique_ptr<Before> before_;
  };

  StreamRef stream_;
  std::shared_ptr<CaptureSession> session_;
};

}  // namespace eagle::cuda
