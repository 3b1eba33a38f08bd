#include "kernels/power.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::kernels::roughPower;
using eagle::test::evaluate;

// Over the range of a double, and densely where step sizes are decided.
EAGLE_HD double baseOf(Index i) {
  return i < 2000 ? std::exp(0.345 * (static_cast<double>(i) - 1000)) : 0.2 + 1e-3 * static_cast<double>(i - 2000);
}
struct Power {
  double exponent;
  EAGLE_HD double operator()(Index i) const { return roughPower(baseOf(i), exponent); }
};

TEST(RoughPower, IsThePowerTo1e9) {
  for (const double exponent : {-1. / 9, -1. / 8, -1. / 5, -1. / 4, 0.5, -0.99, 0.0}) {
    const auto powers = evaluate(10'000, Power{exponent});
    for (std::size_t i = 0; i < powers.size(); ++i) {
      const double exact = std::pow(baseOf(static_cast<Index>(i)), exponent);
      ASSERT_NEAR(powers[i] / exact, 1, 1e-9) << baseOf(static_cast<Index>(i)) << " to the " << exponent;
    }
  }
}

TEST(RoughPower, LeavesItsRangeTheRightWay) {
  EXPECT_GT(roughPower(0, -1. / 9), 1e10);
  EXPECT_LT(roughPower(HUGE_VAL, -1. / 9), 1e-10);
}

}  // namespace
