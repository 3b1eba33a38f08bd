// An array on a device, owned.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eagle/base/device.h"
#include "eagle/base/error.h"
#include "eagle/base/types.h"

namespace eagle {

/// `size` uninitialised elements on `device`; move-only. Copies to and from the host return once they are done and are
/// not ordered with streams: synchronise first.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  Buffer(const Device& device, Index size) : device_(device), size_(checked(size)) {
    if (size_ > 0) {
      data_ = static_cast<T*>(device_.platform().allocate(device_.ordinal(), bytes()));
    }
  }
  Buffer(const Device& device, std::span<const T> values) : Buffer(device, static_cast<Index>(values.size())) {
    copyFrom(values);
  }
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (data_ != nullptr) {
      device_.platform().deallocate(device_.ordinal(), data_);
    }
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  [[nodiscard]] const Device& device() const { return device_; }

  /// Throws Error (invalidArgument) if the sizes differ.
  void copyFrom(std::span<const T> values) {
    requireSize(values.size());
    if (size_ > 0) {
      device_.platform().copyIn(device_.ordinal(), data_, values.data(), bytes());
    }
  }
  void copyTo(std::span<T> values) const {
    requireSize(values.size());
    if (size_ > 0) {
      device_.platform().copyOut(device_.ordinal(), values.data(), data_, bytes());
    }
  }
  [[nodiscard]] std::vector<T> toHost() const {
    std::vector<T> values(static_cast<std::size_t>(size_));
    copyTo(values);
    return values;
  }

 private:
  static Index checked(Index size) {
    if (size < 0 || static_cast<std::uint64_t>(size) > PTRDIFF_MAX / sizeof(T)) {
      throw Error(ErrorCode::invalidArgument, "a buffer cannot have " + std::to_string(size) + " elements");
    }
    return size;
  }
  void requireSize(std::size_t given) const {
    if (given != static_cast<std::size_t>(size_)) {
      throw Error(ErrorCode::invalidArgument, "the buffer has " + std::to_string(size_) + " elements, the host range " +
                                                  std::to_string(given) + ": copy ranges of equal size");
    }
  }

  Device device_;
  Index size_;
  T* data_ = nullptr;
};

}  // namespace eagle
