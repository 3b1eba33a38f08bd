// Problems with known answers, from the literature, at the accuracy that their answers are known to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "kernels/integrators/adaptive.h"
#include "kernels/integrators/dopri54.h"
#include "kernels/integrators/euler_maruyama.h"
#include "kernels/integrators/reactions.h"
#include "kernels/integrators/rkf78.h"
#include "kernels/integrators/rodas43.h"
#include "kernels/random/philox.h"
#include "tests/support/evaluate.h"

namespace {

using eagle::Index;
using eagle::Outcome;
using eagle::SampleContext;
using eagle::kernels::AdaptiveState;
using eagle::kernels::Dopri54;
using eagle::kernels::Matrix;
using eagle::kernels::Philox;
using eagle::kernels::Rkf78;
using eagle::kernels::Rodas43;
using eagle::kernels::Tolerance;
using eagle::kernels::Vector;
using eagle::test::evaluate;
using eagle::test::testDevice;

// ---- differential equations -----------------------------------------------------------------------------------------

// The solution of F at `end`; NaN if it takes more than a million attempts.
template <class Method, class F, int n>
struct SolutionAt {
  F f;
  Vector<n> start;
  double end;
  Tolerance tolerance;
  EAGLE_HD Vector<n> operator()(Index) const {
    AdaptiveState<n> s{.y = start};
    s.h = 1e-6;
    for (int k = 0; k < 1'000'000; ++k) {
      eagle::kernels::attemptStep<Method>(f, s, end, tolerance);
      if (s.t >= end) {
        return s.y;
      }
    }
    return std::nan("") * start;
  }
};

template <class Method, class F, int n>
Vector<n> solve(const F& f, const Vector<n>& start, double end, Tolerance tolerance) {
  return evaluate(1, SolutionAt<Method, F, n>{f, start, end, tolerance})[0];
}

template <int n>
double distance(const Vector<n>& a, const Vector<n>& b) {
  return norm(a - b);
}

struct Lorenz {
  EAGLE_HD Vector<3> operator()(double, const Vector<3>& y) const {
    return {10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8. / 3 * y[2]};
  }
};
TEST(Reference, Lorenz) {
  const Vector<3> exact{-9.3785700109250623608, -8.3570337884266447329, 29.36232533736342818};
  EXPECT_LT(distance(solve<Rkf78>(Lorenz{}, Vector<3>{1, 1, 1}, 1, {1e-15, 1e-15}), exact), 1e-11);
  EXPECT_LT(distance(solve<Dopri54>(Lorenz{}, Vector<3>{1, 1, 1}, 1, {1e-12, 1e-12}), exact), 1e-8);
}

struct RigidBody {
  EAGLE_HD Vector<3> operator()(double, const Vector<3>& y) const {
    return {y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]};
  }
};
TEST(Reference, EulersRigidBody) {
  const Vector<3> exact{-0.9396570798729203962, -0.3421177754000749065, 0.7414126596199953008};
  EXPECT_LT(distance(solve<Rkf78>(RigidBody{}, Vector<3>{0, 1, 1}, 20, {1e-15, 1e-15}), exact), 1e-13);
  EXPECT_LT(distance(solve<Dopri54>(RigidBody{}, Vector<3>{0, 1, 1}, 20, {1e-13, 1e-13}), exact), 1e-10);
}

// Seven bodies in a plane: positions x, positions y, velocities x, velocities y.
struct Pleiades {
  EAGLE_HD Vector<28> operator()(double, const Vector<28>& y) const {
    Vector<28> d{};
    for (int i = 0; i < 7; ++i) {
      d[i] = y[14 + i];
      d[7 + i] = y[21 + i];
      for (int j = 0; j < 7; ++j) {
        if (i != j) {
          const double dx = y[j] - y[i];
          const double dy = y[7 + j] - y[7 + i];
          const double r2 = dx * dx + dy * dy;
          const double pull = (j + 1) / (r2 * std::sqrt(r2));
          d[14 + i] += pull * dx;
          d[21 + i] += pull * dy;
        }
      }
    }
    return d;
  }
};
TEST(Reference, Pleiades) {
  const Vector<28> start{3, 3, -1, -3, 2, -2,   2,    3, -3, 2, 0,     0, -4, 4,
                         0, 0, 0,  0,  0, 1.75, -1.5, 0, 0,  0, -1.25, 1, 0,  0};
  const Vector<14> exact{.3706139143970502,  3.237284092057233, -3.222559032418324, .6597091455775310,
                         .3425581707156584,  1.562172101400631, -.7003092922212495, -3.943437585517392,
                         -3.271380973972550, 5.225081843456543, -2.590612434977470, 1.198213693392275,
                         -.2429682344935824, 1.091449240428980};
  const Vector<28> end = solve<Rkf78>(Pleiades{}, start, 3, {1e-14, 1e-14});
  for (int d = 0; d < 14; ++d) {
    EXPECT_NEAR(end[d], exact[d], 1e-10) << d;
  }
}

// Three reactions whose rates lie nine orders of magnitude apart.
struct Robertson {
  EAGLE_HD Vector<3> operator()(double, const Vector<3>& y) const {
    const double slow = 0.04 * y[0];
    const double middle = 1e4 * y[1] * y[2];
    const double fast = 3e7 * y[1] * y[1];
    return {middle - slow, slow - middle - fast, fast};
  }
  EAGLE_HD Matrix<3> jacobian(double, const Vector<3>& y) const {
    return {{{-0.04, 1e4 * y[2], 1e4 * y[1]}, {0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]}, {0, 6e7 * y[1], 0}}};
  }
};
TEST(Reference, RobertsonsReactions) {
  const Vector<3> end = solve<Rodas43>(Robertson{}, Vector<3>{1, 0, 0}, 1e11, {1e-16, 1e-10});
  EXPECT_NEAR(end[0] / 0.2083340149701255e-7, 1, 1e-6);
  EXPECT_NEAR(end[1] / 0.8333360770334713e-13, 1, 1e-6);
  EXPECT_NEAR(end[2], 0.9999999791665050, 1e-12);
}

struct VanDerPol {
  EAGLE_HD Vector<2> operator()(double, const Vector<2>& y) const {
    return {y[1], ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6};
  }
  EAGLE_HD Matrix<2> jacobian(double, const Vector<2>& y) const {
    return {{{0, 1}, {(-2 * y[0] * y[1] - 1) / 1e-6, (1 - y[0] * y[0]) / 1e-6}}};
  }
};
TEST(Reference, VanDerPolsOscillator) {
  const Vector<2> end = solve<Rodas43>(VanDerPol{}, Vector<2>{2, 0}, 2, {1e-9, 1e-9});
  EXPECT_NEAR(end[0], 1.706167732170483, 2e-7);
  EXPECT_NEAR(end[1], -0.8928097010247975, 2e-7);
}

// ---- batches whose samples stop at random ---------------------------------------------------------------------------

struct Collatz {
  struct State {
    std::uint64_t value;
  };
  struct Params {};
  EAGLE_HD Outcome step(State& s, const Params&, const SampleContext&) const {
    s.value = s.value % 2 == 0 ? s.value / 2 : 3 * s.value + 1;
    return s.value == 1 ? eagle::finished() : eagle::running();
  }
};

// Wins or loses 1 with each step, until it has none or `goal`.
struct Gambler {
  enum class Reason { ruined, won };
  struct State {
    std::int64_t fortune;
  };
  struct Params {
    std::int64_t goal;
    double chance;
  };
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext& context) const {
    s.fortune += Philox(context.seed, context.sample).uniform(draw(context)) < p.chance ? 1 : -1;
    return s.fortune == 0        ? eagle::finished(Reason::ruined)
           : s.fortune == p.goal ? eagle::finished(Reason::won)
                                 : eagle::running();
  }
  EAGLE_HD static std::uint64_t draw(const SampleContext& context) { return static_cast<std::uint64_t>(context.step); }
};

// Draws one of 50 coupons with each step, until it has all.
struct Collector {
  struct State {
    std::uint64_t have;
  };
  struct Params {};
  EAGLE_HD Outcome step(State& s, const Params&, const SampleContext& context) const {
    const Philox random(context.seed, context.sample);
    s.have |= std::uint64_t{1} << random.integer(static_cast<std::uint64_t>(context.step), 50);
    return s.have == (std::uint64_t{1} << 50) - 1 ? eagle::finished() : eagle::running();
  }
};

// An epidemic: a step is an infection or a recovery, until nobody is infected.
struct Epidemic {
  static constexpr bool kLockstep = false;
  struct State {
    std::int64_t susceptible, infected;
    double t;
  };
  struct Params {
    double infection, recovery, population;
  };
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext& context) const {
    const Philox random(context.seed, context.sample);
    const auto draw = 2 * static_cast<std::uint64_t>(context.step);
    const auto infected = static_cast<double>(s.infected);
    const auto next = eagle::kernels::nextReaction(
        Vector<2>{p.infection * static_cast<double>(s.susceptible) * infected / p.population, p.recovery * infected},
        random.uniform(draw), random.uniform(draw + 1));
    s.t += next.delay;
    s.susceptible -= next.reaction == 0 ? 1 : 0;
    s.infected += next.reaction == 0 ? 1 : -1;
    return s.infected == 0 ? eagle::finished() : eagle::running();
  }
};

// Births and deaths, each in proportion to the number alive, until none is, or there are so many that some will always
// be, or time is up.
struct BirthDeath {
  static constexpr bool kLockstep = false;
  enum class Reason { extinct, safe, timeUp };
  struct State {
    std::int64_t alive;
    double t;
  };
  struct Params {
    double birth, death, end;
  };
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext& context) const {
    const Philox random(context.seed, context.sample);
    const auto draw = 2 * static_cast<std::uint64_t>(context.step);
    const auto alive = static_cast<double>(s.alive);
    const auto next = eagle::kernels::nextReaction(Vector<2>{p.birth * alive, p.death * alive}, random.uniform(draw),
                                                   random.uniform(draw + 1));
    if (s.t + next.delay > p.end) {
      s.t = p.end;
      return eagle::finished(Reason::timeUp);
    }
    s.t += next.delay;
    s.alive += next.reaction == 0 ? 1 : -1;
    return s.alive == 0      ? eagle::finished(Reason::extinct)
           : s.alive >= 1000 ? eagle::finished(Reason::safe)
                             : eagle::running();
  }
};

// dx = drift dt + sigma dw from x until a barrier above or below, by steps of dt.
struct Diffusion {
  enum class Reason { barrier, end };
  struct State {
    double x;
  };
  struct Params {
    double drift, sigma, dt, barrier, steps;
    bool above;
  };
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext& context) const {
    const double normal = Philox(context.seed, context.sample).normal(static_cast<std::uint64_t>(context.step));
    const auto drift = [&](double, double) { return p.drift; };
    const auto noise = [&](double, double, double dw) { return p.sigma * dw; };
    s.x = eagle::kernels::eulerMaruyama(drift, noise, 0.0, s.x, p.dt, normal);
    if (p.above ? s.x >= p.barrier : s.x <= p.barrier) {
      return eagle::finished(Reason::barrier);
    }
    return static_cast<double>(context.step + 1) >= p.steps ? eagle::finished(Reason::end) : eagle::running();
  }
};

}  // namespace

EAGLE_TEST_MODEL(Collatz);
EAGLE_TEST_MODEL(Gambler);
EAGLE_TEST_MODEL(Collector);
EAGLE_TEST_MODEL(Epidemic);
EAGLE_TEST_MODEL(BirthDeath);
EAGLE_TEST_MODEL(Diffusion);

namespace {

template <class M>
struct Ran {
  eagle::Result result;
  std::vector<typename M::State> states;
};

// All samples alike but for their random numbers.
template <class M>
Ran<M> run(Index samples, const typename M::Params& params, const typename M::State& start) {
  eagle::Batch<M> batch(testDevice(), samples);
  batch.fill([&](Index) { return std::pair{params, start}; });
  eagle::Result result = eagle::simulate(batch, M{}, {.maxSteps = 100'000'000, .seed = 2026});
  return {std::move(result), batch.states()};
}

// A share of samples, within 4 standard deviations of what theory says.
void expectShare(Index count, Index samples, double probability) {
  const auto n = static_cast<double>(samples);
  EXPECT_NEAR(static_cast<double>(count) / n, probability, 4 * std::sqrt(probability * (1 - probability) / n));
}

// The mean and the variance likewise; the spread of the latter is taken from the values.
void expectMoments(const std::vector<double>& values, double mean, double variance) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double x : values) {
    sum += x;
  }
  double second = 0;
  double fourth = 0;
  for (const double x : values) {
    const double square = (x - mean) * (x - mean);
    second += square / n;
    fourth += square * square / n;
  }
  EXPECT_NEAR(sum / n, mean, 4 * std::sqrt(variance / n));
  EXPECT_NEAR(second, variance, 4 * std::sqrt((fourth - second * second) / n));
}

std::vector<double> stepsOf(const eagle::Result& result) {
  return {result.steps().begin(), result.steps().end()};
}

TEST(Reference, CollatzToAMillion) {
  constexpr Index kSamples = 1'000'000 - 1;  // 1 has no step to make
  eagle::Batch<Collatz> batch(testDevice(), kSamples);
  batch.fill([](Index i) { return std::pair{Collatz::Params{}, Collatz::State{static_cast<std::uint64_t>(i + 2)}}; });
  const auto result = eagle::simulate(batch, Collatz{});
  EXPECT_EQ(result.count(eagle::Status::finished), kSamples);
  EXPECT_EQ(result.totalSteps(), 131'434'424);
  const auto longest = std::max_element(result.steps().begin(), result.steps().end());
  EXPECT_EQ(*longest, 524);
  EXPECT_EQ(longest - result.steps().begin() + 2, 837'799);
}

TEST(Reference, GamblersRuin) {
  constexpr Index kSamples = 20'000;
  const auto unfair = run<Gambler>(kSamples, {.goal = 100, .chance = 0.49}, {50});
  expectShare(unfair.result.countReason(Gambler::Reason::ruined), kSamples, .880825080144479813);
  const auto mean = static_cast<double>(unfair.result.totalSteps()) / kSamples;
  EXPECT_NEAR(mean, 1904.12540072239906, 4 * 1500 / std::sqrt(kSamples));
  const auto fair = run<Gambler>(kSamples, {.goal = 30, .chance = 0.5}, {10});
  expectShare(fair.result.countReason(Gambler::Reason::ruined), kSamples, 2. / 3);
  EXPECT_NEAR(static_cast<double>(fair.result.totalSteps()) / kSamples, 200, 4 * 200 / std::sqrt(kSamples));
}

TEST(Reference, CouponCollector) {
  constexpr Index kSamples = 50'000;
  const auto [result, states] = run<Collector>(kSamples, {}, {0});
  const auto steps = stepsOf(result);
  expectMoments(steps, 224.960266916471253, 3837.87156713735202);
  expectShare(std::count_if(steps.begin(), steps.end(), [](double k) { return k <= 200; }), kSamples,
              .398287031966894372);
}

TEST(Reference, EpidemicByReactions) {
  constexpr Index kSamples = 50'000;
  const auto [result, states] =
      run<Epidemic>(kSamples, {.infection = 2, .recovery = 1, .population = 200}, {200, 1, 0});
  Index none = 0;
  Index small = 0;
  double mean = 0;
  for (const auto& state : states) {
    const std::int64_t size = 200 - state.susceptible;
    none += size == 0 ? 1 : 0;
    small += size < 20 ? 1 : 0;
    mean += static_cast<double>(size) / kSamples;
  }
  expectShare(none, kSamples, 1. / 3);
  expectShare(small, kSamples, .505781658417029);
  EXPECT_NEAR(mean, 78.1913256510665, 4 * 80 / std::sqrt(kSamples));
}

TEST(Reference, LinearBirthAndDeath) {
  constexpr Index kSamples = 20'000;
  const auto forever = run<BirthDeath>(kSamples, {.birth = 1, .death = 0.8, .end = HUGE_VAL}, {5, 0});
  expectShare(forever.result.countReason(BirthDeath::Reason::extinct), kSamples, .32768);
  const auto byTen = run<BirthDeath>(kSamples, {.birth = 1, .death = 0.8, .end = 10}, {5, 0});
  expectShare(byTen.result.countReason(BirthDeath::Reason::extinct), kSamples, .280877801164610009);
}

// A path looked at in steps of dt overlooks passages as if the barrier were so much further away.
double shift(double sigma, double dt) {
  return 0.58259715793901067 * sigma * std::sqrt(dt);
}

TEST(Reference, BrownianFirstPassage) {
  constexpr Index kSamples = 20'000;
  constexpr double kDt = 0.01;
  const auto [result, states] = run<Diffusion>(
      kSamples, {.drift = 0.5, .sigma = 1, .dt = kDt, .barrier = 1 - shift(1, kDt), .steps = 1e6, .above = true}, {0});
  std::vector<double> times;
  for (const Index steps : result.steps()) {
    times.push_back(kDt * static_cast<double>(steps));
  }
  expectMoments(times, 2, 8);
  const auto by = [&](double end) {
    return std::count_if(times.begin(), times.end(), [=](double t) { return t <= end; });
  };
  expectShare(by(1 + kDt / 2), kSamples, .490138339945329847);
  expectShare(by(5 + kDt / 2), kSamples, .908565379489319216);
  const auto away = run<Diffusion>(
      kSamples, {.drift = -0.5, .sigma = 1, .dt = kDt, .barrier = 1 - shift(1, kDt), .steps = 5000, .above = true},
      {0});
  expectShare(away.result.countReason(Diffusion::Reason::barrier), kSamples, std::exp(-1.0));
  EXPECT_EQ(away.result.countReason(Diffusion::Reason::barrier) + away.result.countReason(Diffusion::Reason::end),
            kSamples);
}

TEST(Reference, DownAndOutCall) {
  constexpr Index kSamples = 50'000;
  constexpr double kDt = 1.0 / 500;
  constexpr double kSigma = 0.2;
  constexpr double kRate = 0.05;
  const auto price = [&](double barrier) {
    const auto [result, states] = run<Diffusion>(kSamples,
                                                 {.drift = kRate - kSigma * kSigma / 2,
                                                  .sigma = kSigma,
                                                  .dt = kDt,
                                                  .barrier = barrier,
                                                  .steps = 500,
                                                  .above = false},
                                                 {std::log(100.0)});
    double sum = 0;
    for (Index i = 0; i < kSamples; ++i) {
      const bool isOut = result.reason(i) == static_cast<int>(Diffusion::Reason::barrier);
      sum += isOut ? 0 : std::fmax(std::exp(states[static_cast<std::size_t>(i)].x) - 100, 0);
    }
    return std::pair{std::exp(-kRate) * sum / kSamples, result.countReason(Diffusion::Reason::barrier)};
  };
  constexpr double kSpread = 4 * 14.7;  // of a payoff, four standard deviations
  const auto [barred, out] = price(std::log(95.0) + shift(kSigma, kDt));
  EXPECT_NEAR(barred, 5.636258109069812, kSpread / std::sqrt(kSamples));
  expectShare(out, kSamples, .7659182614464799);
  EXPECT_NEAR(price(-HUGE_VAL).first, 10.45058357218557, kSpread / std::sqrt(kSamples));
}

}  // namespace
