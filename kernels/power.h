// Powers for the control of step sizes, of arithmetic that compilers put into vector registers.
#pragma once

#include <cstdint>
#include <cstring>

#include "eagle/base/config.h"

namespace eagle::kernels {

namespace detail {

EAGLE_HD inline std::uint64_t bitsOf(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
EAGLE_HD inline double fromBits(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace detail

/// The power x^exponent to a relative error of 1e-9, for x from 1e-300 to 1e300 and exponents from -10 to 10, if the
/// power is in the former range too.
/// Without calls, branches or tables: std::pow keeps compilers from vectorising what calls it.
EAGLE_HD inline double roughPower(double x, double exponent) {
  // x = 2^e m with m in [3/4, 3/2): log2 m by the series of the inverse hyperbolic tangent, of (m - 1) / (m + 1) < 1/5.
  constexpr std::uint64_t kThreeQuarters = 0x3fe8000000000000;
  constexpr std::uint64_t kExponent = 0xfff0000000000000;
  constexpr double kMagic = 0x1.8p52;  // added to a small integer, its last bits hold it
  const std::uint64_t bits = detail::bitsOf(x);
  const std::uint64_t shift = (bits - kThreeQuarters) & kExponent;
  const double m = detail::fromBits(bits - shift);
  // The shifted exponent as a signed number, by way of the last bits of kMagic + e.
  const double e = detail::fromBits(detail::bitsOf(kMagic) + (shift >> 52)) - kMagic;
  const double whole = e - (e >= 2048 ? 4096 : 0);
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  const double series =
      1 + s2 * (1. / 3 + s2 * (1. / 5 + s2 * (1. / 7 + s2 * (1. / 9 + s2 * (1. / 11 + s2 * (1. / 13))))));
  constexpr double kTwoByLn2 = 2.8853900817779268;
  const double y = exponent * (whole + kTwoByLn2 * s * series);
  // 2^y = 2^k e^z with |z| < 0.35.
  const double shifted = y + kMagic;
  const double k = shifted - kMagic;
  const double z = (y - k) * 0.69314718055994531;
  const double power =
      1 + z * (1 + z * (1. / 2 +
                        z * (1. / 6 + z * (1. / 24 + z * (1. / 120 + z * (1. / 720 + z * (1. / 5040 + z / 40320)))))));
  return detail::fromBits(detail::bitsOf(power) + (detail::bitsOf(shifted) << 52));
}

}  // namespace eagle::kernels
