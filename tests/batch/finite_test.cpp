#include "eagle/batch/finite.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>

namespace {

using eagle::allFinite;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Inner {
  float a;
  double b[3];
};

struct Mixed {
  std::int64_t count;
  Inner inner;
  double matrix[2][2];
  bool flag;
  std::array<float, 3> array;
  std::complex<double> amplitude;
  std::uint8_t bytes[3];
};

struct WithEigen {
  Eigen::Vector3d position;
  Eigen::Matrix<double, 4, 2> matrix;
  Eigen::Quaterniond attitude;
  double mass;
};

struct OnlyAnArray {
  double values[20];
};

struct Empty {};

Mixed goodMixed() {
  // Integers whose bits would be NaN if they were read as floating-point values.
  return {.count = -1,
          .inner = {1, {1, 2, 3}},
          .matrix = {{1, 2}, {3, 4}},
          .flag = true,
          .array = {1, 2, 3},
          .amplitude = {1, 2},
          .bytes = {255, 255, 255}};
}

TEST(Finite, TakesEveryFiniteDouble) {
  for (const double value : {0.0, -0.0, 1.0, -1.0, std::numeric_limits<double>::max(),
                             std::numeric_limits<double>::lowest(), std::numeric_limits<double>::denorm_min()}) {
    EXPECT_TRUE(allFinite(value)) << value;
  }
  EXPECT_TRUE(allFinite(std::numeric_limits<float>::max()));
  EXPECT_TRUE(allFinite(std::numeric_limits<float>::denorm_min()));
}

TEST(Finite, RefusesInfinityAndEveryNan) {
  for (const double value : {kInfinity, -kInfinity, kNan, -kNan, std::numeric_limits<double>::signaling_NaN(),
                             std::bit_cast<double>(~std::uint64_t{0})}) {
    EXPECT_FALSE(allFinite(value));
    EXPECT_FALSE(allFinite(static_cast<float>(value)));
  }
}

TEST(Finite, LooksIntoEveryFieldOfAnAggregate) {
  EXPECT_TRUE(allFinite(goodMixed()));
  const auto bad = [](auto change) {
    Mixed mixed = goodMixed();
    change(mixed);
    return allFinite(mixed);
  };
  EXPECT_FALSE(bad([](Mixed& m) { m.inner.a = static_cast<float>(kNan); }));
  EXPECT_FALSE(bad([](Mixed& m) { m.inner.b[0] = kNan; }));
  EXPECT_FALSE(bad([](Mixed& m) { m.inner.b[2] = kInfinity; }));
  EXPECT_FALSE(bad([](Mixed& m) { m.matrix[0][1] = kNan; }));
  EXPECT_FALSE(bad([](Mixed& m) { m.matrix[1][1] = -kInfinity; }));
  EXPECT_FALSE(bad([](Mixed& m) { m.array[2] = static_cast<float>(kInfinity); }));
  EXPECT_FALSE(bad([](Mixed& m) { m.amplitude = {0, kNan}; }));
  EXPECT_TRUE(allFinite(Empty{}));
}

TEST(Finite, LooksIntoLongArraysAndEigenTypes) {
  OnlyAnArray array{};
  EXPECT_TRUE(allFinite(array));
  array.values[19] = kNan;
  EXPECT_FALSE(allFinite(array));

  WithEigen good{.position = Eigen::Vector3d::Zero(),
                 .matrix = Eigen::Matrix<double, 4, 2>::Zero(),
                 .attitude = Eigen::Quaterniond::Identity(),
                 .mass = 1};
  EXPECT_TRUE(allFinite(good));
  WithEigen bad = good;
  bad.position[2] = kNan;
  EXPECT_FALSE(allFinite(bad));
  bad = good;
  bad.matrix(3, 1) = kInfinity;
  EXPECT_FALSE(allFinite(bad));
  bad = good;
  bad.attitude.w() = kNan;
  EXPECT_FALSE(allFinite(bad));
  bad = good;
  bad.mass = kNan;
  EXPECT_FALSE(allFinite(bad));
}

}  // namespace
