// Makes a device the calling thread's current one for a while.
#pragma once

#include <cuda_runtime_api.h>

#include "eagle/cuda/check.h"

namespace eagle::cuda {

/// While it lives, `ordinal` is the current device of this thread; then the one before is again.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal) {
    check(cudaGetDevice(&before_), "asking for the current device");
    check(cudaSetDevice(ordinal), "choosing the device");
  }
  ~CurrentDevice() { cudaSetDevice(before_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace eagle::cuda
