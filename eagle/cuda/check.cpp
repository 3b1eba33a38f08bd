#include "eagle/cuda/check.h"

namespace eagle::cuda {
namespace {

ErrorCode codeOf(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return ErrorCode::outOfMemory;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNotSupported:
      return ErrorCode::unavailable;
    case cudaErrorInvalidValue:
      return ErrorCode::invalidArgument;
    default:
      return ErrorCode::backend;
  }
}

}  // namespace

CudaError::CudaError(cudaError_t status, const std::string& message, std::source_location where)
    : Error(codeOf(status), message, where), status_(status) {}

void throwCudaError(cudaError_t status, std::string_view what, std::source_location where) {
  // An older error the user left pending is not ours to clear.
  if (cudaPeekAtLastError() == status) {
    cudaGetLastError();
  }
  throw CudaError(status,
                  std::string(what) + " failed: " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")",
                  where);
}

}  // namespace eagle::cuda
