// Index and size types shared by every part.
#pragma once

#include <cstdint>

namespace eagle {

/// Counts and indices of samples: signed, 64 bits everywhere.
using Index = std::int64_t;

/// Extent of a grid, a block or a cluster.
struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  friend constexpr bool operator==(const Dim3&, const Dim3&) = default;

  /// Number of cells, in 64 bits.
  [[nodiscard]] constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
};

}  // namespace eagle
