// The one way CUDA runtime calls are checked.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>
#include <string_view>

#include "eagle/base/error.h"

namespace eagle::cuda {

/// A CUDA call that failed. Codes such as cudaErrorIllegalAddress are fatal: the process can use the device no more.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const std::string& message, std::source_location where);
  /// As the runtime returned it.
  [[nodiscard]] cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

[[noreturn]] void throwCudaError(cudaError_t status, std::string_view what, std::source_location where);

/// Throws CudaError unless `status` is success, after clearing the runtime's last error if it is this very one.
/// `what` says what was tried, such as "instantiating the graph".
inline void check(cudaError_t status, std::string_view what,
                  std::source_location where = std::source_location::current()) {
  if (status != cudaSuccess) [[unlikely]] {
    throwCudaError(status, what, where);
  }
}

}  // namespace eagle::cuda
