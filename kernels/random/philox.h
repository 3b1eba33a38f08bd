// Random numbers that are a function of seed, sample and draw alone.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "eagle/base/config.h"
#include "eagle/base/types.h"

namespace eagle::kernels {

/// Random numbers of one sample. It has no state: draw k of a sample is the same number whenever and wherever it is
/// asked for, so a sample's numbers do not depend on the batch around it. A step that needs k numbers takes the draws
/// from `context.step * k` on; those of its starting values come from another seed. Draws are independent of each
/// other; the functions below of the same draw are not. Source: Philox4x32-10 of Random123 (Salmon et al., SC 2011),
/// keyed by the seed, counting (sample, draw).
class Philox {
 public:
  /// Numbers of the sample with that global id; `SampleContext` has both.
  EAGLE_HD Philox(std::uint64_t seed, Index sample) : seed_(seed), sample_(static_cast<std::uint64_t>(sample)) {}

  /// Evenly distributed in (0, 1), ends excluded, in steps of 2^-52; bit for bit the same on every device.
  [[nodiscard]] EAGLE_HD double uniform(std::uint64_t draw) const {
    const philox4x32_ctr_t random = bits(draw);
    return unit(random.v[0], random.v[1]);
  }

  /// Of mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29 (1958) 610-611). Host and GPU may differ in the last
  /// bits, as their logarithms do.
  [[nodiscard]] EAGLE_HD double normal(std::uint64_t draw) const {
    const philox4x32_ctr_t random = bits(draw);
    constexpr double kTwoPi = 6.283185307179586477;
    return std::sqrt(-2 * std::log(unit(random.v[0], random.v[1]))) * std::cos(kTwoPi * unit(random.v[2], random.v[3]));
  }

  /// Of mean 1: the time until something happens that happens once in a unit of time. As normal() in its last bits.
  [[nodiscard]] EAGLE_HD double exponential(std::uint64_t draw) const { return -std::log(uniform(draw)); }

  /// One of 0 to bound - 1, each as likely as another to within 2^-64 bound; bit for bit the same on every device. 0
  /// for a bound of 0.
  [[nodiscard]] EAGLE_HD std::uint64_t integer(std::uint64_t draw, std::uint64_t bound) const {
    const philox4x32_ctr_t random = bits(draw);
    const std::uint64_t all = std::uint64_t{random.v[1]} << 32 | random.v[0];
    // The high half of the product of two 64-bit numbers.
    const std::uint64_t middle = low(all) * std::uint64_t{high(bound)} + (low(all) * std::uint64_t{low(bound)} >> 32);
    const std::uint64_t other = high(all) * std::uint64_t{low(bound)} + low(middle);
    return high(all) * std::uint64_t{high(bound)} + high(middle) + high(other);
  }

 private:
  [[nodiscard]] EAGLE_HD philox4x32_ctr_t bits(std::uint64_t draw) const {
    const philox4x32_ctr_t counter = {{low(sample_), high(sample_), low(draw), high(draw)}};
    const philox4x32_key_t key = {{low(seed_), high(seed_)}};
    return philox4x32(counter, key);
  }
  EAGLE_HD static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  EAGLE_HD static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
  // The middle of one of 2^52 equal parts: with 53 bits, the last one's would be rounded to 1.
  EAGLE_HD static double unit(std::uint32_t lower, std::uint32_t upper) {
    const std::uint64_t all = std::uint64_t{upper} << 32 | lower;
    return (static_cast<double>(all >> 12) + 0.5) * 0x1p-52;
  }

  std::uint64_t seed_;
  std::uint64_t sample_;
};

}  // namespace eagle::kernels
