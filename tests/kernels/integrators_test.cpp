#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/integrators/adaptive.h"
#include "kernels/integrators/dopri54.h"
#include "kernels/integrators/euler_maruyama.h"
#include "kernels/integrators/leapfrog.h"
#include "kernels/integrators/reactions.h"
#include "kernels/integrators/rk4.h"
#include "kernels/integrators/rkf78.h"
#include "kernels/integrators/rodas43.h"
#include "kernels/matrix.h"
#include "kernels/random/philox.h"
#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::kernels::AdaptiveState;
using eagle::kernels::Attempt;
using eagle::kernels::Dopri54;
using eagle::kernels::Philox;
using eagle::kernels::Rkf78;
using eagle::kernels::Rodas43;
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

// Euler's rigid body at a speed that changes with time: a system, not linear, not autonomous.
struct Tumbling {
  EAGLE_HD static Vector<3> body(const Vector<3>& y) { return {y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]}; }
  EAGLE_HD static double speed(double t) { return 1 + 0.5 * std::cos(t); }
  EAGLE_HD Vector<3> operator()(double t, const Vector<3>& y) const { return speed(t) * body(y); }
  EAGLE_HD eagle::kernels::Matrix<3> jacobian(double t, const Vector<3>& y) const {
    const double s = speed(t);
    return {
        {s * Vector<3>{0, y[2], y[1]}, s * Vector<3>{-y[2], 0, -y[0]}, s * Vector<3>{-0.51 * y[1], -0.51 * y[0], 0}}};
  }
  EAGLE_HD Vector<3> timeDerivative(double t, const Vector<3>& y) const { return -0.5 * std::sin(t) * body(y); }
};

// Its state at t = 4 with 2^i times as many steps as the first; of the lower order of the pair if `lower` says so.
template <class Pair>
struct Tumble {
  int steps;
  bool lower = false;
  EAGLE_HD Vector<3> operator()(Index i) const {
    const int count = steps << i;
    const double h = 4.0 / count;
    Vector<3> y{0, 1, 1};
    for (int k = 0; k < count; ++k) {
      const auto step = Pair::step(Tumbling{}, k * h, y, h);
      y = lower ? step.y + step.error : step.y;
    }
    return y;
  }
};

template <class Pair>
double tumblingOrder(bool lower) {
  const Vector<3> exact = evaluate(1, Tumble<Rkf78>{2000})[0];
  std::vector<double> errors;
  for (const Vector<3>& y : evaluate(4, Tumble<Pair>{40, lower})) {
    errors.push_back(norm(y - exact));
  }
  return std::log2(errors[2] / errors[3]);
}

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

TEST(Dopri54, GoesOnWithOrder5AndEstimatesWithOrder4) {
  EXPECT_NEAR(tumblingOrder<Dopri54>(false), 5, 0.35);
  EXPECT_NEAR(tumblingOrder<Dopri54>(true), 4, 0.1);
}

TEST(Rodas43, GoesOnWithOrder4AndEstimatesWithOrder3) {
  EXPECT_NEAR(tumblingOrder<Rodas43>(false), 4, 0.1);
  EXPECT_NEAR(tumblingOrder<Rodas43>(true), 3, 0.1);
}

// Error within one step of 1 / 2^i at three quarters of it, and the jump at its ends.
struct DenseErrors {
  EAGLE_HD Vector<2> operator()(Index i) const {
    const double h = 1.0 / (1 << i);
    const Vector<1> y{std::exp(std::sin(1.0))};
    const auto step = eagle::kernels::dopri54Dense(Growth{}, 1.0, y, h);
    return {std::fabs(step(0.75 * h)[0] - std::exp(std::sin(1 + 0.75 * h))),
            std::fabs(step(0)[0] - y[0]) + std::fabs(step(h)[0] - step.y[0])};
  }
};

TEST(Dopri54, IsDenseToOrder4AndMeetsTheEndsOfItsStep) {
  std::vector<double> errors;
  for (const Vector<2>& run : evaluate(6, DenseErrors{})) {
    errors.push_back(run[0]);
    EXPECT_LT(run[1], 1e-15);
  }
  EXPECT_NEAR(order(errors), 5, 0.3);  // of one step: one more than of many
}

// A pendulum's swing there and back with the sign of the step turned, and its energy on the way.
struct Pull {
  EAGLE_HD double operator()(double x) const { return -std::sin(x); }
};
struct Swing {
  double time;
  EAGLE_HD Vector<3> operator()(Index i) const {
    const int steps = 50 << i;
    const double h = time / steps;
    eagle::kernels::Motion<double> motion{1, 0};
    double drift = 0;
    for (int k = 0; k < steps; ++k) {
      motion = eagle::kernels::leapfrog(Pull{}, motion, h);
      const double energy = motion.velocity * motion.velocity / 2 - std::cos(motion.position) + std::cos(1.0);
      drift = std::fmax(drift, std::fabs(energy));
    }
    const double end = motion.position;
    for (int k = 0; k < steps; ++k) {
      motion = eagle::kernels::leapfrog(Pull{}, motion, -h);
    }
    return {end, drift, std::fabs(motion.position - 1) + std::fabs(motion.velocity)};
  }
};

TEST(Leapfrog, IsOfOrder2ReversibleAndKeepsEnergyNearby) {
  const auto runs = evaluate(5, Swing{5});
  EXPECT_NEAR(std::log2((runs[2][0] - runs[3][0]) / (runs[3][0] - runs[4][0])), 2, 0.05);
  for (const auto& run : runs) {
    EXPECT_LT(run[2], 1e-12);
  }
  EXPECT_NEAR(evaluate(1, Swing{5})[0][1], evaluate(5, Swing{80})[4][1], 2e-4);  // the same step for 16 times as long
  EXPECT_LT(evaluate(5, Swing{80})[4][1], 1.1e-3);
}

// Geometric Brownian motion along the path of 1024 small increments, in 2^i times larger steps: the mean error at the
// end falls with the square root of the step, that of the mean with the step.
struct MeanErrors {
  EAGLE_HD Vector<2> operator()(Index i) const {
    constexpr double kDrift = 0.5;
    constexpr double kSigma = 1;
    const int each = 1 << i;
    const double fine = 1.0 / 1024;
    double strong = 0;
    double weak = 0;
    constexpr int kPaths = 1000;
    const auto drift = [](double, double y) { return kDrift * y; };
    const auto noise = [](double, double y, double dw) { return kSigma * y * dw; };
    for (int path = 0; path < kPaths; ++path) {
      const Philox random(5, path);
      double y = 1;
      double w = 0;
      for (int k = 0; k < 1024; k += each) {
        double sum = 0;
        for (int m = 0; m < each; ++m) {
          sum += random.normal(static_cast<std::uint64_t>(k) + static_cast<std::uint64_t>(m));
        }
        y = eagle::kernels::eulerMaruyama(drift, noise, k * fine, y, each * fine, sum / std::sqrt(double(each)));
        w += sum * std::sqrt(fine);
      }
      const double exact = std::exp(kDrift - kSigma * kSigma / 2 + kSigma * w);
      strong += std::fabs(y - exact) / kPaths;
      weak += (y - exact) / kPaths;
    }
    return {strong, std::fabs(weak)};
  }
};

TEST(EulerMaruyama, IsOfStrongOrderOneHalf) {
  const auto errors = evaluate(7, MeanErrors{});
  EXPECT_NEAR(std::log2(errors[6][0] / errors[0][0]) / 6, 0.5, 0.1);
  EXPECT_LT(errors[0][1], 0.1 * errors[6][0]);
}

TEST(EulerMaruyama, IsOfStrongOrder1WhereTheNoiseIsAdditive) {
  // dy = -y dt + dw from 0: one step of h and two halves of it differ by h^1.5 of the noise, or h/2 w1.
  const auto drift = [](double, double y) { return -y; };
  const auto noise = [](double, double, double dw) { return dw; };
  const double whole = eagle::kernels::eulerMaruyama(drift, noise, 0.0, 0.0, 0.01, (0.3 + 0.7) / std::sqrt(2.0));
  double halves = eagle::kernels::eulerMaruyama(drift, noise, 0.0, 0.0, 0.005, 0.3);
  halves = eagle::kernels::eulerMaruyama(drift, noise, 0.005, halves, 0.005, 0.7);
  EXPECT_NEAR(whole - halves, 0.005 * 0.3 * std::sqrt(0.005), 1e-16);
}

TEST(NextReaction, TakesEachByItsRateAndNoneOfRate0) {
  const Vector<4> rates{0, 1, 0, 3};
  const auto at = [&](double second) { return eagle::kernels::nextReaction(rates, 0.5, second).reaction; };
  EXPECT_EQ(at(1e-16), 1);
  EXPECT_EQ(at(0.2499), 1);
  EXPECT_EQ(at(0.25), 3);
  EXPECT_EQ(at(1 - 1e-16), 3);
  EXPECT_DOUBLE_EQ(eagle::kernels::nextReaction(rates, 0.5, 0.5).delay, std::log(2.0) / 4);
  const auto none = eagle::kernels::nextReaction(Vector<2>{0, 0}, 0.5, 0.5);
  EXPECT_EQ(none.reaction, -1);
  EXPECT_EQ(none.delay, HUGE_VAL);
  for (const Vector<2>& bad : {Vector<2>{std::nan(""), 2}, {HUGE_VAL, 2}, {1e308, 1e308}}) {
    EXPECT_EQ(eagle::kernels::nextReaction(bad, 0.5, 0.5).reaction, -1);
    EXPECT_TRUE(std::isnan(eagle::kernels::nextReaction(bad, 0.5, 0.5).delay));
  }
}

TEST(LuFactors, SolveAndPivot) {
  const eagle::kernels::Matrix<3> matrix{{{0, 2, 1}, {1, 1e-20, 3}, {4, 5, 6}}};
  const Vector<3> x = eagle::kernels::LuFactors<3>(matrix).solve({7, 10, 32});
  EXPECT_NEAR(x[0], 1, 1e-14);
  EXPECT_NEAR(x[1], 2, 1e-14);
  EXPECT_NEAR(x[2], 3, 1e-14);
  const eagle::kernels::Matrix<2> singular{{{1, 2}, {2, 4}}};
  const Vector<2> none = eagle::kernels::LuFactors<2>(singular).solve({1, 1});
  EXPECT_FALSE(std::isfinite(none[0]) && std::isfinite(none[1]));
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
