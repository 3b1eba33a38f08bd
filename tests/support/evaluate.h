// Evaluates a function of a sample on the device that a test runs on.
#pragma once

#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/base/config.h"
#include "tests/support/backend.h"

namespace eagle::test {

#if defined(EAGLE_TEST_CUDA)
template <class T, class Make>
__global__ void evaluateEach(T* values, Index count, Make make) {
  const Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) {
    values[i] = make(i);
  }
}
#endif

/// `make(i)` for i from 0 to count - 1. `Make` is a struct outside of functions whose call is EAGLE_HD.
template <class Make>
auto evaluate(Index count, const Make& make) {
  using T = decltype(make(Index{}));
  Buffer<T> values(testDevice(), count);
#if defined(EAGLE_TEST_CUDA)
  evaluateEach<<<static_cast<unsigned>((count + 63) / 64), 64>>>(values.data(), count, make);
  const cudaError_t error = cudaDeviceSynchronize();
  EXPECT_EQ(error, cudaSuccess) << cudaGetErrorString(error);
#else
  for (Index i = 0; i < count; ++i) {
    values.data()[i] = make(i);
  }
#endif
  return values.toHost();
}

}  // namespace eagle::test
