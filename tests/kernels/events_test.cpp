#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/events/event.h"
#include "kernels/integrators/adaptive.h"
#include "kernels/integrators/rk4.h"
#include "kernels/models/kepler.h"
#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::kernels::AdaptiveState;
using eagle::kernels::Attempt;
using eagle::kernels::Direction;
using eagle::kernels::EventOptions;
using eagle::kernels::EventPoint;
using eagle::kernels::Vector;
using eagle::test::evaluate;

// The root finder, on functions with a root at x = 0.3 of various shapes.
struct Shape {
  int kind;
  int* calls = nullptr;
  EAGLE_HD double operator()(double x) const {
    if (calls != nullptr) {
      ++*calls;
    }
    const double d = x - 0.3;
    switch (kind) {
      case 0:
        return d;
      case 1:
        return d * (1 + x * x);
      case 2:
        return d * d * d;
      case 3:
        return std::exp(20 * x) - std::exp(6.0);
      case 4:
        return d < 0 ? -1 : 1e-9;
      default:
        return -std::atan(1e4 * d);
    }
  }
};
struct RootOfShape {
  EAGLE_HD double operator()(Index kind) const {
    const Shape f{.kind = static_cast<int>(kind)};
    return eagle::kernels::findRoot(f, {.a = 0, .b = 1, .fa = f(0), .fb = f(1)}, 1e-14);
  }
};

TEST(FindRoot, BracketsWithinTheTolerance) {
  const auto roots = evaluate(6, RootOfShape{});
  for (std::size_t kind = 0; kind < 6; ++kind) {
    // On the side of b, from where the function has the sign it changes to. (exp and the cube are 0 near the root.)
    EXPECT_NEAR(roots[kind], 0.3, kind == 2 ? 1e-6 : 2e-14) << kind;
  }
  EXPECT_GE(roots[4], 0.3);
}

TEST(FindRoot, TakesFewEvaluations) {
  for (const auto& [kind, most] : std::vector<std::pair<int, int>>{{0, 4}, {1, 10}, {3, 24}, {5, 25}, {4, 240}}) {
    int calls = 0;
    const Shape f{.kind = kind, .calls = &calls};
    eagle::kernels::findRoot(f, {.a = 0, .b = 1, .fa = Shape{kind}(0), .fb = Shape{kind}(1)}, 1e-14);
    EXPECT_LE(calls, most) << kind;
  }
}

TEST(FindRoot, WithoutToleranceGoesAsFarAsDoublesDo) {
  const auto root = [](double x) { return x * x - 2; };
  EXPECT_DOUBLE_EQ(eagle::kernels::findRoot(root, {.a = 0, .b = 2, .fa = -2, .fb = 2}, 0), std::sqrt(2.0));
  // NaN ends it too.
  const auto nan = [](double) { return std::nan(""); };
  EXPECT_GE(eagle::kernels::findRoot(nan, {.a = 0, .b = 1, .fa = -1, .fb = 1}, 0), 0);
}

// Time from periapsis to a radius; the closed forms from t = E - e sin E, r = 1 - e cos E with a = mu = 1.
struct Passage {
  double eccentricity, radius, time;
};
constexpr Passage kPassages[] = {
    {0.5, 1.2, 1.524055603366800638}, {0.9, 1.5, 1.4114958196563822242}, {0.3, 1.0, 1.2707963267948966192}};
struct Beyond {
  double radius;
  EAGLE_HD double operator()(double, const Vector<6>& y) const {
    return std::sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) - radius;
  }
};
template <class F>
struct Step {
  const F& f;
  double t;
  const Vector<6>& y;
  EAGLE_HD Vector<6> operator()(double h) const { return eagle::kernels::rkf78(f, t, y, h).y; }
};
struct TimeToRadius {
  Direction direction;
  EAGLE_HD double operator()(Index i) const {
    const Passage p = passage(i);
    const eagle::kernels::Kepler kepler{.mu = 1, .tolerance = {1e-14, 1e-14}};
    const double e = p.eccentricity;
    AdaptiveState<6> s{.y = {1 - e, 0, 0, 0, std::sqrt((1 + e) / (1 - e)), 0}};
    for (int k = 0; k < 1000 && s.t < 6; ++k) {
      const AdaptiveState<6> before = s;
      if (eagle::kernels::attemptStep(kepler, s, 6, kepler.tolerance) == Attempt::accepted) {
        const Step<eagle::kernels::Kepler> step{kepler, before.t, before.y};
        const auto event = eagle::kernels::locateEvent(Beyond{p.radius}, step, before.t, s.t - before.t, before.y, s.y,
                                                       {.direction = direction});
        if (event.found) {
          return before.t + event.h;
        }
      }
    }
    return -1;
  }
  EAGLE_HD static Passage passage(Index i) {
    return i == 0   ? Passage{0.5, 1.2, 1.524055603366800638}
           : i == 1 ? Passage{0.9, 1.5, 1.4114958196563822242}
                    : Passage{0.3, 1.0, 1.2707963267948966192};
  }
};

TEST(LocateEvent, FindsKeplersTimeToARadius) {
  for (const Direction direction : {Direction::rising, Direction::both}) {
    const auto times = evaluate(3, TimeToRadius{direction});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(times[i], kPassages[i].time, 2e-13) << i;
    }
  }
  // On the way back: the mirror image about apoapsis.
  const auto times = evaluate(3, TimeToRadius{Direction::falling});
  constexpr double kPeriod = 6.2831853071795864769;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(times[i], kPeriod - kPassages[i].time, 5e-12) << i;
  }
}

// Height of a thrown ball, exact for rk4: y = 5 t - 5 t^2 about the ground.
struct Height {
  double ground;
  EAGLE_HD double operator()(double, const Vector<2>& y) const { return y[0] - ground; }
};
struct HeightWithRate : Height {
  EAGLE_HD double rate(double, const Vector<2>& y) const { return y[1]; }
};
struct Fall {
  EAGLE_HD Vector<2> operator()(double, const Vector<2>& y) const { return {y[1], -10}; }
};
struct Throw {
  EAGLE_HD Vector<2> operator()(double h) const { return eagle::kernels::rk4(Fall{}, 0.0, Vector<2>{0, 5}, h); }
};
template <class G>
struct OneLongStep {
  G g;
  EventOptions options;
  double h = 1.5;
  EAGLE_HD EventPoint<Vector<2>> operator()(Index) const {
    const Throw step{};
    return eagle::kernels::locateEvent(g, step, 0.0, h, step(0), step(h), options);
  }
};
template <class G>
EventPoint<Vector<2>> throwBall(const G& g, const EventOptions& options, double h = 1.5) {
  return evaluate(1, OneLongStep<G>{g, options, h})[0];
}

TEST(LocateEvent, MindsTheDirection) {
  const Height g{-1};  // passed on the way down, at t = (1 + sqrt(1.8)) / 2
  for (const Direction direction : {Direction::falling, Direction::both}) {
    const auto event = throwBall(g, {.direction = direction});
    ASSERT_TRUE(event.found);
    EXPECT_NEAR(event.h, (1 + std::sqrt(1.8)) / 2, 1e-15);
    EXPECT_NEAR(event.y[0], -1, 1e-14);
  }
  EXPECT_FALSE(throwBall(g, {.direction = Direction::rising}).found);
}

TEST(LocateEvent, ABeginningAtZeroIsNoEvent) {
  EXPECT_FALSE(throwBall(Height{0}, {}, 0.5).found);
  EXPECT_FALSE(throwBall(Height{0}, {.direction = Direction::falling}).found);  // it begins at zero, then goes above
}

TEST(LocateEvent, AnEndAtZeroIsAnEventOnce) {
  const Throw step{};
  const Height g{step(0.25)[0]};
  const auto event = eagle::kernels::locateEvent(g, step, 0.0, 0.25, step(0), step(0.25));
  EXPECT_TRUE(event.found);
  EXPECT_EQ(event.h, 0.25);
  const auto from = [&](double h) { return step(0.25 + h); };
  EXPECT_FALSE(eagle::kernels::locateEvent(g, from, 0.25, 0.1, from(0), from(0.1)).found);
}

TEST(LocateEvent, WithARateSeesAPassageThereAndBackWithinAStep) {
  const double up = (1 - std::sqrt(0.2)) / 2;  // 5 t - 5 t^2 = 1
  const HeightWithRate g{{.ground = 1}};
  EXPECT_FALSE(throwBall(Height{1}, {}, 1).found);  // without, both ends look the same
  const auto rising = throwBall(g, {.direction = Direction::rising}, 1);
  ASSERT_TRUE(rising.found);
  EXPECT_NEAR(rising.h, up, 1e-15);
  const auto falling = throwBall(g, {.direction = Direction::falling}, 1);
  ASSERT_TRUE(falling.found);
  EXPECT_NEAR(falling.h, 1 - up, 1e-15);
  EXPECT_NEAR(throwBall(g, {}, 1).h, up, 1e-15);                          // of two, the first
  EXPECT_FALSE(throwBall(HeightWithRate{{.ground = 1.3}}, {}, 1).found);  // the top is at 1.25
}

TEST(LocateEvent, KeepsToItsToleranceAndIsNotEarly) {
  const auto event = throwBall(Height{-1}, {.tolerance = 1e-3});
  EXPECT_GE(event.h, (1 + std::sqrt(1.8)) / 2 - 1e-15);
  EXPECT_LE(event.h, (1 + std::sqrt(1.8)) / 2 + 1e-3);
  EXPECT_LE(event.y[0], -1);
}

}  // namespace
