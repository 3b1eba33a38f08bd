// How the grid of a kernel follows the number of samples.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "eagle/base/types.h"

namespace eagle {

/// Grid and block of one launch.
struct LaunchDims {
  Dim3 grid;
  Dim3 block;

  friend bool operator==(const LaunchDims&, const LaunchDims&) = default;
};

namespace graph {

/// What a launch rule must know of a kernel.
struct KernelShape {
  LaunchDims dims;             ///< as launched, captured or given; all ones for a kernel that has no grid yet
  Dim3 cluster;                ///< the grid must be a multiple of it
  int bestBlock = 1024;        ///< threads a block at which most threads fit on the device
  int multiprocessors = 1;     ///< of the device; 1 on the host
  bool anyGrid = false;        ///< the kernel covers all its samples whatever the grid
  bool takesSize = false;      ///< the kernel is told its number of indices
  bool isCooperative = false;  ///< all its blocks are on the device at the same time

  friend bool operator==(const KernelShape&, const KernelShape&) = default;
};

/// Throws Error (invalidArgument) if a launch of these dimensions is beyond what devices take.
void checkDims(const LaunchDims& dims);

/// Throws likewise, and if there are more threads than an Index counts.
[[nodiscard]] Index threadCount(const LaunchDims& dims);

}  // namespace graph

/// Says how a kernel's grid follows the logical size n. Made by perSample(), tuned(), fixed() and computed().
class LaunchRule {
 public:
  enum class Kind : unsigned char { perSample, tuned, fixed, computed };

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Whether the grid changes with n.
  [[nodiscard]] bool follows() const { return kind_ != Kind::fixed; }
  /// The number of threads of fixed(count), or -1 for the size a kernel was launched with.
  [[nodiscard]] Index count() const { return count_; }
  /// Threads a block; for tuned() the upper limit, for perSample() 0 where the kernel keeps its own.
  [[nodiscard]] std::uint32_t block() const { return block_; }

  /// Grid and block for n > 0 samples. The x dimension follows; y and z stay as the kernel has them; x is rounded up to
  /// a multiple of the cluster. Throws Error (invalidArgument) where no device takes such a launch.
  [[nodiscard]] LaunchDims dims(Index n, const graph::KernelShape& kernel) const;

  /// Functions of computed() are equal only as copies of one rule.
  friend bool operator==(const LaunchRule&, const LaunchRule&) = default;

 private:
  friend LaunchRule perSample(std::uint32_t block);
  friend LaunchRule tuned(std::uint32_t maxBlock);
  friend LaunchRule fixed(Index count, std::uint32_t block);
  friend LaunchRule fixed();
  friend LaunchRule computed(std::function<LaunchDims(Index)> function);

  LaunchRule(Kind kind, std::uint32_t block, Index count) : kind_(kind), block_(block), count_(count) {}

  Kind kind_;
  std::uint32_t block_;
  Index count_;
  std::shared_ptr<const std::function<LaunchDims(Index)>> function_;
};

/// One thread a sample, in blocks of `block` threads; 0 keeps the kernel's own block (256 for one that has none).
/// Throws Error (invalidArgument) for more than 1024.
[[nodiscard]] LaunchRule perSample(std::uint32_t block = 0);

/// One thread a sample, in blocks that fill the device: the block with the best occupancy, at most `maxBlock`, and
/// smaller while n is too small to give each multiprocessor one. Throws Error (invalidArgument) unless it is 1 to 1024.
[[nodiscard]] LaunchRule tuned(std::uint32_t maxBlock = 1024);

/// `count` threads in blocks of `block`, whatever the logical size. Throws Error (invalidArgument) unless `count` is
/// positive and `block` 1 to 1024.
[[nodiscard]] LaunchRule fixed(Index count, std::uint32_t block = 256);

/// As launched, whatever the logical size: for launches on a stream.
[[nodiscard]] LaunchRule fixed();

/// Grid and block from a function of n. It is called for n > 0, on the thread that sets the size. Of a typed kernel, y
/// and z are 1. Throws Error (invalidArgument) without a function.
[[nodiscard]] LaunchRule computed(std::function<LaunchDims(Index)> function);

}  // namespace eagle
