#include "eagle/cuda/platform.h"

#include <cuda_runtime_api.h>

#include <string>

#include "eagle/base/device.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/current_device.h"
#include "eagle/cuda/relaxed_capture.h"
#include "eagle/cuda/stream.h"

namespace eagle::cuda {
namespace {

// "12.3" of 12030, CUDA's way to write a version.
std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string reasonFor(cudaError_t status) {
  int driver = 0;
  int runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return "no NVIDIA driver is installed";
  }
  if (status == cudaErrorInsufficientDriver && cudaRuntimeGetVersion(&runtime) == cudaSuccess) {
    return "the NVIDIA driver is too old: it knows CUDA " + versionText(driver) +
           ", this program was built with CUDA " + versionText(runtime) + "; install a newer driver";
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice) {
    return "the NVIDIA driver sees no device; CUDA_VISIBLE_DEVICES may hide it";
  }
  return std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
}

struct Devices {
  int count = 0;
  std::string whyNone;
};

Devices findDevices() {
  Devices devices;
  const RelaxedCapture relaxed;
  const cudaError_t status = cudaGetDeviceCount(&devices.count);
  if (status != cudaSuccess) {
    devices.count = 0;
    cudaGetLastError();
  }
  if (devices.count == 0) {
    devices.whyNone = reasonFor(status);
  }
  return devices;
}

// The devices of a process do not change while it runs.
const Devices& devices() {
  static const Devices kFound = findDevices();
  return kFound;
}

class CudaPlatform final : public Platform {
 public:
  int deviceCount() const override { return devices().count; }
  std::string whyUnavailable() const override { return devices().whyNone; }

  std::string describe(int ordinal) const override {
    cudaDeviceProp properties{};
    const RelaxedCapture relaxed;
    check(cudaGetDeviceProperties(&properties, ordinal), "asking for the device's properties");
    return "cuda:" + std::to_string(ordinal) + ", " + properties.name;
  }

  void* allocate(int ordinal, std::size_t bytes) override {
    const RelaxedCapture relaxed;
    const CurrentDevice current(ordinal);
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0;
      std::size_t total = 0;
      check(cudaMemGetInfo(&free, &total), "asking for the device's free memory");
      throw Error(ErrorCode::outOfMemory, "cuda:" + std::to_string(ordinal) + " was asked for " +
                                              std::to_string(bytes) + " bytes and has " + std::to_string(free) +
                                              " of " + std::to_string(total) + " free");
    }
    check(status, "allocating " + std::to_string(bytes) + " bytes on cuda:" + std::to_string(ordinal));
    return memory;
  }

  // Unified addressing: the pointer says the device. An error here can only be one that another call met before.
  void deallocate(int, void* memory) noexcept override {
    const RelaxedCapture relaxed;
    if (cudaFree(memory) != cudaSuccess) {
      cudaGetLastError();
    }
  }

  void copyIn(int ordinal, void* destination, const void* source, std::size_t bytes) override {
    copy(ordinal, destination, source, bytes, cudaMemcpyHostToDevice);
  }
  void copyOut(int ordinal, void* destination, const void* source, std::size_t bytes) override {
    copy(ordinal, destination, source, bytes, cudaMemcpyDeviceToHost);
  }

 private:
  // On a stream of its own: work on a default stream would break, or enter, a capture that watches it.
  static void copy(int ordinal, void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    const RelaxedCapture relaxed;
    const CurrentDevice current(ordinal);
    const char* what = kind == cudaMemcpyHostToDevice ? "copying to the device" : "copying from the device";
    const Stream stream;
    check(cudaMemcpyAsync(destination, source, bytes, kind, stream.cuda()), what);
    check(cudaStreamSynchronize(stream.cuda()), what);
  }
};

// Never destroyed, for the sake of buffers in static storage that go at exit.
CudaPlatform& platform() {
  static auto& platform = *new CudaPlatform;
  return platform;
}

}  // namespace

bool registerPlatform() noexcept {
  registerCudaPlatform(platform());
  return true;
}

}  // namespace eagle::cuda
