#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/integrators/adaptive.h"
#include "kernels/integrators/rk4.h"
#include "kernels/integrators/rkf78.h"
#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::kernels::AdaptiveState;
using eagle::kernels::Attempt;
using eagle::kernels::Tolerance;
using eagle::kernels::Vector;
using eagle::test::evaluate;

// y' = y cos t has the solution exp(sin t): not autonomous, not linear in t.
struct Growth {
  template <class Y>
  EAGLE_HD Y operator()(double t, const Y& y) const {
    return std::cos(t) * y;
  }
};

enum class Method { rk4, rkf78, rkf78Lower };

// Error at t = 4 with 2^i times as many steps as the first.
struct ErrorAfter {
  Method method;
  int steps;
  EAGLE_HD double operator()(Index i) const {
    const int count = steps << i;
    const double h = 4.0 / count;
    Vector<1> y{1};
    for (int k = 0; k < count; ++k) {
      if (method == Method::rk4) {
        y = eagle::kernels::rk4(Growth{}, k * h, y, h);
      } else {
        const auto step = eagle::kernels::rkf78(Growth{}, k * h, y, h);
        y = method == Method::rkf78 ? step.y : step.y + step.error;
      }
    }
    return std::fabs(y[0] - std::exp(std::sin(4.0)));
  }
};

double order(const std::vector<double>& errors) {
  return std::log2(errors[errors.size() - 2] / errors.back());
}

TEST(Rk4, IsOfOrder4) {
  EXPECT_NEAR(order(evaluate(4, ErrorAfter{Method::rk4, 20})), 4, 0.1);
}

TEST(Rkf78, GoesOnWithOrder8AndEstimatesWithOrder7) {
  EXPECT_NEAR(order(evaluate(3, ErrorAfter{Method::rkf78, 8})), 8, 0.7);
  EXPECT_NEAR(order(evaluate(3, ErrorAfter{Method::rkf78Lower, 8})), 7, 0.5);
}

// A step for which the method is exact: y' = t^k up to the order, and no further.
struct PowerOfTime {
  int power;
  EAGLE_HD Vector<1> operator()(double t, const Vector<1>&) const { return {std::pow(t, power)}; }
};
struct QuadratureError {
  EAGLE_HD double operator()(Index power) const {
    const auto step = eagle::kernels::rkf78(PowerOfTime{static_cast<int>(power)}, 0.0, Vector<1>{0}, 1.0);
    return std::fabs(step.y[0] - 1.0 / static_cast<double>(power + 1));
  }
};

TEST(Rkf78, IntegratesPolynomialsOfTimeUpToDegree7Exactly) {
  const auto errors = evaluate(9, QuadratureError{});
  for (int power = 1; power < 8; ++power) {
    EXPECT_LT(errors[static_cast<std::size_t>(power)], 4e-16) << power;
  }
  EXPECT_GT(errors[8], 1e-6);
}

TEST(Rk4, TakesNumbersFloatsAndEigenVectors) {
  const double number = eagle::kernels::rk4(Growth{}, 0.0, 1.0, 0.1);
  const Eigen::Vector2d eigen = eagle::kernels::rk4(Growth{}, 0.0, Eigen::Vector2d(1, 2), 0.1);
  EXPECT_NEAR(number, std::exp(std::sin(0.1)), 1e-7);
  EXPECT_DOUBLE_EQ(eigen[0], number);
  EXPECT_DOUBLE_EQ(eigen[1], 2 * number);
  const auto fall = [](float, const Vector<2, float>& y) { return Vector<2, float>{y[1], -10.0F}; };
  EXPECT_FLOAT_EQ(eagle::kernels::rk4(fall, 0.0F, Vector<2, float>{0, 5}, 1.0F)[0], 0.0F);
}

// The orbit of Arenstorf, closed after a period; Hairer, Norsett, Wanner, Solving ODEs I, section II.0.
constexpr double kArenstorfPeriod = 17.0652165601579625588917206249;
struct Arenstorf {
  EAGLE_HD Vector<4> operator()(double, const Vector<4>& y) const {
    constexpr double kMu = 0.012277471;
    const double dx1 = y[0] + kMu;
    const double dx2 = y[0] - (1 - kMu);
    const double d1 = std::pow(dx1 * dx1 + y[1] * y[1], 1.5);
    const double d2 = std::pow(dx2 * dx2 + y[1] * y[1], 1.5);
    return {y[2], y[3], y[0] + 2 * y[3] - (1 - kMu) * dx1 / d1 - kMu * dx2 / d2,
            y[1] - 2 * y[2] - (1 - kMu) * y[1] / d1 - kMu * y[1] / d2};
  }
};

struct FlyArenstorf {
  double tolerance;
  EAGLE_HD AdaptiveState<4> operator()(Index) const {
    AdaptiveState<4> s{.y = {0.994, 0, 0, -2.00158510637908252240537862224}};
    s.h = 1e-3;
    for (int k = 0; k < 5000 && s.t < kArenstorfPeriod; ++k) {
      eagle::kernels::attemptStep(Arenstorf{}, s, kArenstorfPeriod, {tolerance, tolerance});
    }
    return s;
  }
};

TEST(AttemptStep, ReturnsOnArenstorfsOrbitAndEndsExactlyThere) {
  const auto s = evaluate(1, FlyArenstorf{1e-15})[0];
  EXPECT_EQ(s.t, kArenstorfPeriod);
  // The orbit magnifies rounding: a well-rounded integration comes back to 9e-13.
  EXPECT_NEAR(s.y[0], 0.994, 2e-11);
  EXPECT_NEAR(s.y[1], 0, 2e-11);
}

TEST(AttemptStep, ErrorFollowsTolerance) {
  const auto coarse = evaluate(1, FlyArenstorf{1e-9})[0];
  const auto fine = evaluate(1, FlyArenstorf{1e-13})[0];
  const auto miss = [](const AdaptiveState<4>& s) { return std::hypot(s.y[0] - 0.994, s.y[1]); };
  EXPECT_GT(miss(coarse), 10 * miss(fine));
  EXPECT_LT(coarse.accepted, fine.accepted);
}

// A derivative whose last evaluations are NaN beyond y = 1: no step may end there.
struct EndOfTheWorld {
  EAGLE_HD Vector<2> operator()(double, const Vector<2>& y) const { return {1, y[0] < 1 ? 0 : std::nan("")}; }
};
struct RunIntoTheEnd {
  EAGLE_HD Vector<3> operator()(Index) const {
    AdaptiveState<2> s{.y = {0, 0}};
    for (int k = 0; k < 1000; ++k) {
      if (eagle::kernels::attemptStep(EndOfTheWorld{}, s, 5, Tolerance{}) == Attempt::stuck) {
        return {s.y[0], s.y[1], static_cast<double>(k)};
      }
    }
    return {-1, 0, 0};
  }
};

TEST(AttemptStep, RejectsNanAndSaysWhenItIsStuck) {
  const auto end = evaluate(1, RunIntoTheEnd{})[0];
  EXPECT_GT(end[0], 0.99);
  EXPECT_LE(end[0], 1);
  EXPECT_EQ(end[1], 0);
  EXPECT_LT(end[2], 300);
}

TEST(AttemptStep, ChangesStepSizeByItsRule) {
  // An error estimate of zero lets the step grow five times, the most that is allowed.
  AdaptiveState<1> s{.y = {0}};
  s.h = 0.125;
  const auto constant = [](double, const Vector<1>&) { return Vector<1>{1}; };
  EXPECT_EQ(eagle::kernels::attemptStep(constant, s, 100, Tolerance{}), Attempt::accepted);
  EXPECT_EQ(s.h, 0.625);
  EXPECT_EQ(s.t, 0.125);
  EXPECT_EQ(s.accepted, 1);
  // A step far too long is cut to a fifth.
  AdaptiveState<1> rash{.y = {1}};
  rash.h = 50;
  const auto decay = [](double, const Vector<1>& y) { return -1.0 * y; };
  EXPECT_EQ(eagle::kernels::attemptStep(decay, rash, 100, Tolerance{}), Attempt::rejected);
  EXPECT_EQ(rash.h, 10);
  EXPECT_EQ(rash.t, 0);
  EXPECT_EQ(rash.accepted, 0);
}

}  // namespace
