#include "kernels/random/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::kernels::Philox;
using eagle::test::evaluate;

// Of a block's first two words, as 52 bits.
double unitOf(std::uint32_t first, std::uint32_t second) {
  return (static_cast<double>((std::uint64_t{second} << 32 | first) >> 12) + 0.5) / 4503599627370496.0;
}

struct Uniform {
  std::uint64_t seed, sample, draw;
  EAGLE_HD double operator()(Index) const { return Philox(seed, static_cast<Index>(sample)).uniform(draw); }
};

TEST(Philox, GivesTheKnownAnswers) {
  // First two words of philox4x32-10 in kat_vectors of the Random123 distribution.
  EXPECT_EQ(evaluate(1, Uniform{0, 0, 0})[0], unitOf(0x6627e8d5, 0xe169c58d));
  EXPECT_EQ(evaluate(1, Uniform{~0ULL, ~0ULL, ~0ULL})[0], unitOf(0x408f276d, 0x41c83b0e));
  EXPECT_EQ(evaluate(1, Uniform{0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e})[0],
            unitOf(0xd16cfe09, 0x94fdcceb));
}

constexpr Index kCount = 1'000'000;
struct UniformOfSample {
  EAGLE_HD double operator()(Index i) const { return Philox(7, i / 4).uniform(static_cast<std::uint64_t>(i % 4)); }
};
struct NormalOfSample {
  EAGLE_HD double operator()(Index i) const { return Philox(7, i / 4).normal(static_cast<std::uint64_t>(i % 4)); }
};

// Moments within 4 standard deviations of what theory says of kCount draws.
TEST(Philox, UniformIsUniformAndStaysInside) {
  const auto values = evaluate(kCount, UniformOfSample{});
  double sum = 0;
  double square = 0;
  for (const double u : values) {
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    square += (u - 0.5) * (u - 0.5);
  }
  EXPECT_NEAR(sum / kCount, 0.5, 4 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(square / kCount, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / kCount));
  EXPECT_EQ(std::set<double>(values.begin(), values.end()).size(), values.size());
}

TEST(Philox, NormalIsNormal) {
  const auto values = evaluate(kCount, NormalOfSample{});
  double sum = 0;
  double square = 0;
  double fourth = 0;
  double neighbours = 0;
  Index beyond = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double z = values[i];
    sum += z;
    square += z * z;
    fourth += z * z * z * z;
    neighbours += i > 0 ? z * values[i - 1] : 0;
    beyond += std::fabs(z) > 1.959963984540054 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kCount, 0, 4 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(square / kCount, 1, 4 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(fourth / kCount, 3, 4 * std::sqrt(96.0 / kCount));
  EXPECT_NEAR(neighbours / kCount, 0, 4 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(static_cast<double>(beyond) / kCount, 0.05, 4 * std::sqrt(0.05 * 0.95 / kCount));
}

struct ExponentialOfSample {
  EAGLE_HD double operator()(Index i) const { return Philox(7, i / 4).exponential(static_cast<std::uint64_t>(i % 4)); }
};
TEST(Philox, ExponentialIsExponential) {
  double sum = 0;
  Index beyond = 0;
  for (const double x : evaluate(kCount, ExponentialOfSample{})) {
    ASSERT_GT(x, 0);
    sum += x;
    beyond += x > 3 ? 1 : 0;
  }
  const double share = std::exp(-3.0);
  EXPECT_NEAR(sum / kCount, 1, 4 * std::sqrt(1.0 / kCount));
  EXPECT_NEAR(static_cast<double>(beyond) / kCount, share, 4 * std::sqrt(share / kCount));
}

struct IntegerOfSample {
  std::uint64_t bound;
  EAGLE_HD std::uint64_t operator()(Index i) const { return Philox(7, i).integer(0, bound); }
};
TEST(Philox, IntegersAreEvenlyDistributedBelowTheirBound) {
  std::vector<double> counts(6);
  for (const std::uint64_t die : evaluate(kCount, IntegerOfSample{6})) {
    ASSERT_LT(die, 6U);
    ++counts[die];
  }
  for (const double count : counts) {
    EXPECT_NEAR(count / kCount, 1.0 / 6, 4 * std::sqrt(5.0 / 36 / kCount));
  }
  // The product's high half, as another way of multiplying has it.
  for (const std::uint64_t bound : {0ULL, 1ULL, 1ULL << 32, (1ULL << 63) + 12345, ~0ULL}) {
    const auto all = evaluate(100, IntegerOfSample{~0ULL});
    const auto some = evaluate(100, IntegerOfSample{bound});
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double expected = static_cast<double>(all[i]) * (static_cast<double>(bound) / 0x1p64);
      EXPECT_NEAR(static_cast<double>(some[i]), expected, 1 + 1e-12 * expected);
      EXPECT_TRUE(bound == 0 ? some[i] == 0 : some[i] < bound);
    }
  }
}

TEST(Philox, DependsOnSeedSampleAndDrawAlone) {
  EXPECT_EQ(Philox(1, 2).normal(3), Philox(1, 2).normal(3));
  EXPECT_NE(Philox(1, 2).normal(3), Philox(2, 2).normal(3));
  EXPECT_NE(Philox(1, 2).normal(3), Philox(1, 3).normal(3));
  EXPECT_NE(Philox(1, 2).normal(3), Philox(1, 2).normal(2));
}

TEST(Philox, IsTheHostsOnEveryDevice) {
  const auto uniform = evaluate(1000, UniformOfSample{});
  const auto normal = evaluate(1000, NormalOfSample{});
  const auto integer = evaluate(1000, IntegerOfSample{1'000'003});
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(uniform[i], UniformOfSample{}(static_cast<Index>(i)));
    EXPECT_NEAR(normal[i], NormalOfSample{}(static_cast<Index>(i)), 1e-14);
    EXPECT_EQ(integer[i], IntegerOfSample{1'000'003}(static_cast<Index>(i)));
  }
}

}  // namespace
