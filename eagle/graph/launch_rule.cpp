#include "eagle/graph/launch_rule.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "eagle/base/error.h"

namespace eagle {
namespace {

// What every CUDA device of today takes; the host backend holds to the same limits.
constexpr std::uint64_t kMaxGridX = 2147483647;
constexpr std::uint64_t kMaxGridYz = 65535;
constexpr std::uint32_t kMaxBlock = 1024;
constexpr std::uint32_t kMaxBlockZ = 64;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kDefaultBlock = 256;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalidArgument, message);
}

std::uint32_t checkedBlock(std::uint32_t block) {
  if (block == 0 || block > kMaxBlock) {
    refuse("a block of " + std::to_string(block) + " threads: use 1 to " + std::to_string(kMaxBlock));
  }
  return block;
}

/// A grid of one thread a sample along x.
LaunchDims along(Index n, const Dim3& block, const graph::KernelShape& kernel) {
  const std::uint64_t cluster = kernel.cluster.x;
  std::uint64_t x = ceilDiv(static_cast<std::uint64_t>(n), block.x);
  x = ceilDiv(x, cluster) * cluster;
  if (x > kMaxGridX) {
    if (!kernel.anyGrid) {
      refuse(std::to_string(n) + " samples in blocks of " + std::to_string(block.x) + " need " + std::to_string(x) +
             " blocks, a grid has at most " + std::to_string(kMaxGridX) + ": use larger blocks or fewer samples");
    }
    x = kMaxGridX / cluster * cluster;
  }
  return {{static_cast<std::uint32_t>(x), kernel.dims.grid.y, kernel.dims.grid.z}, block};
}

}  // namespace

void graph::checkDims(const LaunchDims& dims) {
  const Dim3& grid = dims.grid;
  const Dim3& block = dims.block;
  if (grid.volume() == 0 || grid.x > kMaxGridX || grid.y > kMaxGridYz || grid.z > kMaxGridYz) {
    refuse("grid " + text(grid) + ": x must be 1 to 2147483647, y and z 1 to 65535");
  }
  if (block.x > kMaxBlock || block.y > kMaxBlock || block.z > kMaxBlockZ || block.volume() == 0 ||
      block.volume() > kMaxBlock) {
    refuse("block " + text(block) + ": it must hold 1 to 1024 threads, with z at most 64");
  }
}

Index graph::threadCount(const LaunchDims& dims) {
  checkDims(dims);
  const auto blocks = static_cast<Index>(dims.grid.volume());  // below 2^63 by the limits
  const auto threads = static_cast<Index>(dims.block.volume());
  if (blocks > std::numeric_limits<Index>::max() / threads) {
    refuse("grid " + text(dims.grid) + " of blocks " + text(dims.block) + " has more than 2^63 threads");
  }
  return blocks * threads;
}

LaunchDims LaunchRule::dims(Index n, const graph::KernelShape& kernel) const {
  switch (kind_) {
    case Kind::perSample: {
      if (block_ != 0) {
        return along(n, Dim3{block_}, kernel);
      }
      const bool hasOwn = kernel.dims.block.volume() > 1 || !kernel.anyGrid;
      return hasOwn ? along(n, kernel.dims.block, kernel) : along(n, Dim3{kDefaultBlock}, kernel);
    }
    case Kind::tuned: {
      const auto best = std::min(block_, static_cast<std::uint32_t>(kernel.bestBlock));
      const std::uint64_t spread = ceilDiv(static_cast<std::uint64_t>(n), kernel.multiprocessors);
      const std::uint64_t block = std::min<std::uint64_t>(ceilDiv(spread, kWarp) * kWarp, best);
      return along(n, Dim3{static_cast<std::uint32_t>(block)}, kernel);
    }
    case Kind::fixed:
      return count_ < 0 ? kernel.dims : along(count_, Dim3{block_}, kernel);
    case Kind::computed: {
      const LaunchDims dims = (*function_)(n);
      graph::checkDims(dims);
      const Dim3& c = kernel.cluster;
      if (kernel.anyGrid && (dims.grid.y * dims.grid.z != 1 || dims.block.y * dims.block.z != 1)) {
        refuse("the computed grid " + text(dims.grid) + " of blocks " + text(dims.block) +
               ": a typed kernel runs along x, so y and z must be 1");
      }
      if (dims.grid.x % c.x != 0 || dims.grid.y % c.y != 0 || dims.grid.z % c.z != 0) {
        refuse("the computed grid " + text(dims.grid) + " is no multiple of the kernel's cluster " + text(c));
      }
      return dims;
    }
  }
  return kernel.dims;
}

LaunchRule perSample(std::uint32_t block) {
  return {LaunchRule::Kind::perSample, block == 0 ? 0 : checkedBlock(block), -1};
}

LaunchRule tuned(std::uint32_t maxBlock) {
  return {LaunchRule::Kind::tuned, checkedBlock(maxBlock), -1};
}

LaunchRule fixed(Index count, std::uint32_t block) {
  if (count <= 0) {
    refuse("fixed(" + std::to_string(count) + "): the number of threads must be positive");
  }
  return {LaunchRule::Kind::fixed, checkedBlock(block), count};
}

LaunchRule fixed() {
  return {LaunchRule::Kind::fixed, 0, -1};
}

LaunchRule computed(std::function<LaunchDims(Index)> function) {
  if (!function) {
    refuse("computed() needs a function");
  }
  LaunchRule rule(LaunchRule::Kind::computed, 0, -1);
  rule.function_ = std::make_shared<const std::function<LaunchDims(Index)>>(std::move(function));
  return rule;
}

}  // namespace eagle
