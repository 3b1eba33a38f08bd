// Names the place where a batch lives and runs, and what any such place can do with memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eagle {

/// Memory and identity of one kind of device. The host's is built in; linking the CUDA backend adds its own.
class Platform {
 public:
  virtual ~Platform() = default;

  /// Number of usable devices; 0 if there is none, for the reason `whyUnavailable` gives.
  [[nodiscard]] virtual int deviceCount() const = 0;
  /// Why there is no usable device, in words; empty if there is one.
  [[nodiscard]] virtual std::string whyUnavailable() const = 0;
  /// One line for a person, such as "cuda:0, NVIDIA H200".
  [[nodiscard]] virtual std::string describe(int ordinal) const = 0;

  /// Uninitialised memory aligned to at least 256 bytes. Throws Error (outOfMemory) naming the bytes asked for and
  /// free.
  [[nodiscard]] virtual void* allocate(int ordinal, std::size_t bytes) = 0;
  /// Releases what allocate() returned, once nothing uses it.
  virtual void deallocate(int ordinal, void* memory) noexcept = 0;

  /// Copies to this device from the host; returns once the copy is done. Not ordered with streams.
  virtual void copyIn(int ordinal, void* destination, const void* hostSource, std::size_t bytes) = 0;
  /// Copies from this device to the host; likewise.
  virtual void copyOut(int ordinal, void* hostDestination, const void* source, std::size_t bytes) = 0;
};

/// The host, or one CUDA device. A value: copies name the same place.
class Device {
 public:
  enum class Kind : unsigned char { host, cuda };

  /// The host, which is always there.
  [[nodiscard]] static Device host();
  /// Throws Error (unavailable) when that device is not there, with the reason.
  [[nodiscard]] static Device cuda(int ordinal = 0);
  /// The first CUDA device if one can be used, else the host.
  [[nodiscard]] static Device automatic();
  /// "auto", "host", "cuda" or "cuda:K". Throws Error (invalidArgument or unavailable).
  [[nodiscard]] static Device parse(std::string_view text);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// K of "cuda:K"; 0 for the host.
  [[nodiscard]] int ordinal() const { return ordinal_; }
  /// "host" or "cuda:K", as `parse` takes it.
  [[nodiscard]] std::string name() const;
  /// One line for a person.
  [[nodiscard]] std::string describe() const;
  /// What allocates and copies there; lives as long as the program.
  [[nodiscard]] Platform& platform() const { return *platform_; }

  friend bool operator==(const Device&, const Device&) = default;

 private:
  Device(Kind kind, int ordinal, Platform& platform) : kind_(kind), ordinal_(ordinal), platform_(&platform) {}

  Kind kind_;
  int ordinal_;
  Platform* platform_;
};

/// Called once by the CUDA backend when it is linked into a program. `platform` outlives the program.
void registerCudaPlatform(Platform& platform) noexcept;

}  // namespace eagle
