// What is known of a stream that the library made. Only sources of the backend include this.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>

namespace eagle::cuda {

struct StreamState {
  cudaStream_t stream = nullptr;
  int device = 0;  ///< ordinal
  std::atomic<bool> destroyed{false};
};

}  // namespace eagle::cuda
