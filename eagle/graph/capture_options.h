// How a stream is captured.
#pragma once

namespace eagle {

/// What other threads may do while a stream is captured, as in cudaStreamCaptureMode. A capture ends on the thread that
/// began it, unless it is relaxed.
enum class CaptureMode : unsigned char {
  global,       ///< no thread may make calls that would break a capture, such as an allocation by CUDA
  threadLocal,  ///< this thread may not
  relaxed,      ///< every thread may
};

/// Whether a capture that recorded nothing is an error: usually the work went to another stream.
enum class EmptyCapture : unsigned char {
  refuse,  ///< it is: end() throws
  allow,   ///< it is not: the capture has no nodes
};

/// Urgency of a stream's work where several compete for a device.
enum class StreamPriority : unsigned char { normal, high };

}  // namespace eagle
