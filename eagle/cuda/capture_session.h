// A capture under way that the library began. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "eagle/cuda/region.h"
#include "eagle/cuda/stream.h"
#include "eagle/graph/capture_options.h"

namespace eagle::cuda {

/// From cudaStreamBeginCapture to cudaStreamEndCapture. Used by one thread at a time.
class CaptureSession {
 public:
  /// Begins to capture. Throws Error (invalidState) if the stream is captured already.
  [[nodiscard]] static std::shared_ptr<CaptureSession> begin(const StreamRef& stream, CaptureMode mode);
  ~CaptureSession();
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  /// The session that captures `stream`, or none.
  [[nodiscard]] static std::shared_ptr<CaptureSession> find(cudaStream_t stream);
  /// Tells the session that captures `stream` that the stream is about to go, and drops the capture if it began on it.
  /// Whether the stream is captured afterwards.
  static bool breakIfCaptured(cudaStream_t stream) noexcept;
  /// Tells the session of capture `id`, if the library began it, that `stream` is about to take part.
  static void join(const StreamRef& stream, unsigned long long id);
  /// Waits for the work that a captured stream was given before it was captured. False if no session knows of it, as
  /// when the capture is broken or not the library's, or the stream joined it by a call of CUDA's.
  static bool waitForWorkBefore(cudaStream_t stream) noexcept;

  /// Ends the capture. Throws Error (invalidState) in the cases StreamCapturer::end names.
  [[nodiscard]] std::shared_ptr<const Region> end(EmptyCapture empty);

  /// Records what a typed launch just put on `stream`.
  void mark(cudaStream_t stream, const TypedLaunch& launch);

  /// Nodes recorded so far.
  [[nodiscard]] std::unordered_set<cudaGraphNode_t> nodes() const;
  /// Nodes recorded since `before` keep their sizes.
  void fixSince(const std::unordered_set<cudaGraphNode_t>& before);

  [[nodiscard]] bool mayEndHere() const {
    return mode_ == CaptureMode::relaxed || thread_ == std::this_thread::get_id();
  }

 private:
  CaptureSession(const StreamRef& stream, CaptureMode mode) : stream_(stream), mode_(mode) {}

  [[nodiscard]] static std::shared_ptr<CaptureSession> withId(unsigned long long id);
  [[nodiscard]] static std::shared_ptr<CaptureSession> beganOn(cudaStream_t stream);
  void drop() noexcept;
  void watchDefaultStreams();
  [[nodiscard]] bool perThreadStreamWasUsed() const;
  [[nodiscard]] cudaGraph_t endNative(std::string* problem);

  StreamRef stream_;
  CaptureMode mode_;
  int device_ = 0;  // of the stream
  std::thread::id thread_ = std::this_thread::get_id();
  unsigned long long id_ = 0;
  bool underWay_ = false;
  bool streamDestroyed_ = false;
  std::unordered_map<cudaStream_t, Event> before_;  ///< where each stream was when it was captured
  Event fork_;
  cudaStream_t blockingTwin_ = nullptr;
  bool watchesPerThread_ = false;
  std::unordered_map<cudaGraphNode_t, TypedLaunch> typed_;
  std::unordered_set<cudaGraphNode_t> fixed_;
};

}  // namespace eagle::cuda
