#include "eagle/base/device.h"

#include <atomic>
#include <charconv>
#include <cstring>
#include <new>
#include <thread>

#include "eagle/base/error.h"

namespace eagle {
namespace {

constexpr std::align_val_t kAlignment{256};

class HostPlatform final : public Platform {
 public:
  int deviceCount() const override { return 1; }
  std::string whyUnavailable() const override { return {}; }
  std::string describe(int) const override {
    return "host, " + std::to_string(std::thread::hardware_concurrency()) + " threads";
  }

  void* allocate(int, std::size_t bytes) override {
    void* memory = ::operator new(bytes, kAlignment, std::nothrow);
    if (memory == nullptr) {
      throw Error(ErrorCode::outOfMemory, "the host has no " + std::to_string(bytes) + " bytes left");
    }
    return memory;
  }
  void deallocate(int, void* memory) noexcept override { ::operator delete(memory, kAlignment); }

  void copyIn(int, void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
  void copyOut(int, void* destination, const void* source, std::size_t bytes) override {
    std::memcpy(destination, source, bytes);
  }
};

// Never destroyed, for the sake of buffers in static storage that go at exit.
HostPlatform& hostPlatform() {
  static auto& platform = *new HostPlatform;
  return platform;
}

std::atomic<Platform*> cudaPlatform{nullptr};

}  // namespace

void registerCudaPlatform(Platform& platform) noexcept {
  cudaPlatform = &platform;
}

Device Device::host() {
  return {Kind::host, 0, hostPlatform()};
}

Device Device::cuda(int ordinal) {
  Platform* platform = cudaPlatform;
  if (platform == nullptr) {
    throw Error(ErrorCode::unavailable, "this program was built without the CUDA backend: use device host");
  }
  const int count = platform->deviceCount();
  if (count == 0) {
    throw Error(ErrorCode::unavailable,
                "no CUDA device can be used (" + platform->whyUnavailable() + "): use device host");
  }
  if (ordinal < 0 || ordinal >= count) {
    throw Error(ErrorCode::unavailable, "there is no device cuda:" + std::to_string(ordinal) +
                                            ": this machine has cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return {Kind::cuda, ordinal, *platform};
}

Device Device::automatic() {
  Platform* platform = cudaPlatform;
  return platform != nullptr && platform->deviceCount() > 0 ? cuda(0) : host();
}

Device Device::parse(std::string_view text) {
  if (text == "auto") {
    return automatic();
  }
  if (text == "host") {
    return host();
  }
  if (text == "cuda") {
    return cuda(0);
  }
  constexpr std::string_view kPrefix = "cuda:";
  if (text.starts_with(kPrefix)) {
    const char* end = text.data() + text.size();
    int ordinal = 0;
    const auto parsed = std::from_chars(text.data() + kPrefix.size(), end, ordinal);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
      return cuda(ordinal);
    }
  }
  throw Error(ErrorCode::invalidArgument, "unknown device '" + std::string(text) + "': use auto, host, cuda or cuda:K");
}

std::string Device::name() const {
  return kind_ == Kind::host ? "host" : "cuda:" + std::to_string(ordinal_);
}

std::string Device::describe() const {
  return platform_->describe(ordinal_);
}

}  // namespace eagle
