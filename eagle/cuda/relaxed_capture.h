// Lets library calls that are no work of a stream go on while a stream is being captured.
#pragma once

#include <cuda_runtime_api.h>

namespace eagle::cuda {

/// While it lives, this thread may allocate, free and query though a capture is under way, on this thread or another,
/// and does not break it.
class RelaxedCapture {
 public:
  RelaxedCapture() noexcept { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~RelaxedCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  // after the constructor: the mode to go back to
};

}  // namespace eagle::cuda
