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

/// An array of `size` elements on `device`, released with this object; move-only. Copies to and from the host return
/// once they are done and are not ordered with streams: synchronise first, and before it is destroyed too. Copies throw
/// Error (backend) if the device fails.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Buffer {
 public:
  /// Uninitialised elements. Throws Error: invalidArgument for a negative or absurd size, outOfMemory.
  Buffer(const Device& device, Index size) : device_(device), size_(checked(size)) {
    if (size_ > 0) {
      data_ = static_cast<T*>(device_.platform().allocate(device_.ordinal(), bytes()));
    }
  }
  /// A copy of `values`, which lie on the host.
  Buffer(const Device& device, std::span<const T> values) : Buffer(device, static_cast<Index>(values.size())) {
    copyFrom(values);
  }
  /// The other buffer is empty afterwards.
  Buffer(Buffer&& other) noexcept
      : device_(other.device_), size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  /// Exchanges the two.
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

  /// The first element, in the memory of the device; null for a buffer of size 0.
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  [[nodiscard]] const Device& device() const { return device_; }

  /// Copies all elements from the host. Throws Error (invalidArgument) if the sizes differ.
  void copyFrom(std::span<const T> values) {
    requireSize(values.size());
    if (size_ > 0) {
      device_.platform().copyIn(device_.ordinal(), data_, values.data(), bytes());
    }
  }
  /// Copies all elements to the host. Throws Error (invalidArgument) if the sizes differ.
  void copyTo(std::span<T> values) const {
    requireSize(values.size());
    if (size_ > 0) {
      device_.platform().copyOut(device_.ordinal(), values.data(), data_, bytes());
    }
  }
  /// All elements, as a copy on the host.
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
