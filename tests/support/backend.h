// The device a test runs on: the host, or the first GPU in a test program compiled for GPUs.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <iostream>

#include "eagle/base/device.h"

// EAGLE_TEST_MODEL(M); makes model M usable on testDevice(); outside of functions and namespaces.
#if defined(EAGLE_TEST_CUDA)
#include "eagle/cuda/gpu_model.cuh"
#define EAGLE_TEST_MODEL(...) EAGLE_GPU_MODEL(__VA_ARGS__)
#else
#define EAGLE_TEST_MODEL(...) static_assert(true)
#endif

namespace eagle::test {

inline Device testDevice() {
#if defined(EAGLE_TEST_CUDA)
  return Device::cuda(0);
#else
  return Device::host();
#endif
}

// Skips every test, and says so, where the device is not there.
class BackendEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    try {
      (void)testDevice();
    } catch (const std::exception& error) {
      std::cout << "[  SKIPPED ] " << error.what() << std::endl;  // what ctest looks for
      GTEST_SKIP();
    }
  }
};

inline testing::Environment* const kBackendEnvironment = testing::AddGlobalTestEnvironment(new BackendEnvironment);

}  // namespace eagle::test
