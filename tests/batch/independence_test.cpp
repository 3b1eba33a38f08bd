// A sample's result is its own: it depends on nothing but its State, Params and id, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "tests/support/backend.h"

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::Result;
using eagle::Status;
using eagle::test::testDevice;

// A pendulum with a random push at every step; stops when it swings over. Many places where a compiler may contract
// products and sums, and a stop that depends on the last bit.
template <bool lockstep>
struct Pendulum {
  static constexpr bool kLockstep = lockstep;
  struct State {
    double angle, speed;
  };
  struct Params {
    double stiffness, push;
  };
  EAGLE_HD eagle::Outcome step(State& s, const Params& p, const eagle::SampleContext& context) const {
    const double dt = 0.01;
    const double middle = s.angle + 0.5 * dt * s.speed;
    const double cubed = middle * middle * middle;
    s.speed += dt * (p.push * uniform(context) - p.stiffness * (middle - cubed / 6 + cubed * middle * middle / 120));
    s.angle = middle + 0.5 * dt * s.speed;
    return s.angle > 3 || s.angle < -3 ? eagle::finished() : eagle::running();
  }
  // In [-1, 1), keyed by seed, sample and step: the finaliser of splitmix64.
  EAGLE_HD static double uniform(const eagle::SampleContext& context) {
    std::uint64_t z =
        context.seed + 0x9e3779b97f4a7c15 * static_cast<std::uint64_t>(context.sample * 4099 + context.step);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>(static_cast<std::int64_t>((z ^ (z >> 31)) >> 11)) * 0x1p-52 - 1;
  }
};
using Together = Pendulum<true>;
using Alone = Pendulum<false>;

// Pushes hard enough to go over, sooner or later, except for the stiff sample 3, which never does.
template <class M>
std::pair<typename M::Params, typename M::State> sample(Index id) {
  const auto x = static_cast<double>(id);
  return {{.stiffness = id == 3 ? 1e3 : 1 + 1e-3 * x, .push = 20}, {.angle = 1e-3 * x, .speed = 0.5}};
}

struct Ending {
  std::uint64_t angle, speed;
  Index steps;
  Status status;
  friend bool operator==(const Ending&, const Ending&) = default;
};

// Runs the n samples from `first` on.
template <class M>
std::vector<Ending> endings(Index n, Index first = 0) {
  Batch<M> batch(testDevice(), n);
  batch.fill([=](Index i) { return sample<M>(first + i); });
  const Result result = eagle::simulate(batch, M{}, {.maxSteps = 3000, .seed = 42, .firstSample = first});
  const auto states = batch.states();
  std::vector<Ending> all;
  for (Index i = 0; i < n; ++i) {
    const auto& state = states[static_cast<std::size_t>(i)];
    all.push_back({std::bit_cast<std::uint64_t>(state.angle), std::bit_cast<std::uint64_t>(state.speed),
                   result.steps(i), result.status(i)});
  }
  return all;
}

template <class M>
class Independence : public testing::Test {};
using Models = testing::Types<Together, Alone>;
TYPED_TEST_SUITE(Independence, Models);

EAGLE_TEST_MODEL(Together);
EAGLE_TEST_MODEL(Alone);

TYPED_TEST(Independence, TheSamplesOfThisTestStopAtManyDifferentSteps) {
  const auto all = endings<TypeParam>(1000);
  std::vector<Index> steps;
  for (const Ending& ending : all) {
    steps.push_back(ending.steps);
  }
  std::sort(steps.begin(), steps.end());
  EXPECT_GT(std::unique(steps.begin(), steps.end()) - steps.begin(), 200);
  EXPECT_EQ(all[3].status, Status::stepLimit);
}

TYPED_TEST(Independence, AloneOrAmongOthers) {
  const auto all = endings<TypeParam>(1000);
  for (const Index i : {0, 1, 2, 3, 4, 31, 32, 33, 500, 999}) {
    EXPECT_EQ(endings<TypeParam>(1, i)[0], all[static_cast<std::size_t>(i)]) << i;
  }
}

TYPED_TEST(Independence, InBatchesOfAnySize) {
  const auto all = endings<TypeParam>(1000);
  for (const Index n : {2, 7, 31, 32, 33, 64, 127, 128, 129, 511}) {
    const auto some = endings<TypeParam>(n);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << n;
  }
}

TYPED_TEST(Independence, OneBatchOfAHundredIsTenOfTen) {
  const auto all = endings<TypeParam>(100);
  for (Index part = 0; part < 10; ++part) {
    const auto ten = endings<TypeParam>(10, 10 * part);
    EXPECT_TRUE(std::equal(ten.begin(), ten.end(), all.begin() + 10 * part)) << part;
  }
}

TYPED_TEST(Independence, TheSameEveryTime) {
  EXPECT_EQ(endings<TypeParam>(1000), endings<TypeParam>(1000));
}

// No random pushes here: the id goes with the place.
TEST(Order, DoesNotMatter) {
  constexpr Index kSamples = 1000;
  std::vector<Index> order(kSamples);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const auto run = [](auto&& place) {
    Batch<Together> batch(testDevice(), kSamples);
    batch.fill([&](Index i) {
      auto [params, state] = sample<Together>(place(i));
      params.push = 0;
      state.speed = 2.5 + 1e-3 * static_cast<double>(place(i) % 300);
      return std::pair{params, state};
    });
    const Result result = eagle::simulate(batch, Together{}, {.maxSteps = 3000});
    return std::pair{batch.states(), std::vector<Index>(result.steps().begin(), result.steps().end())};
  };
  const auto [states, steps] = run([](Index i) { return i; });
  const auto [shuffled, shuffledSteps] = run([&](Index i) { return order[static_cast<std::size_t>(i)]; });
  EXPECT_NE(steps[0], steps[299]);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(shuffled[i].angle), std::bit_cast<std::uint64_t>(states[from].angle)) << i;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(shuffled[i].speed), std::bit_cast<std::uint64_t>(states[from].speed)) << i;
    ASSERT_EQ(shuffledSteps[i], steps[from]) << i;
  }
}

// Time from the counter of steps stays right past 2^24 steps in single precision, where adding dt would stand still.
struct Clock {
  static constexpr bool kLockstep = false;
  struct State {
    float t;
  };
  struct Params {
    float t0, dt, end;
  };
  EAGLE_HD eagle::Outcome step(State& s, const Params& p, const eagle::SampleContext& context) const {
    s.t = static_cast<float>(p.t0 + static_cast<double>(context.step + 1) * p.dt);
    return s.t >= p.end ? eagle::finished() : eagle::running();
  }
};
EAGLE_TEST_MODEL(Clock);

TEST(Time, FromTheCounterOfStepsIsExactPastTwoToThe24) {
  // The step before rounds to a smaller float, not to this one: 2^23 + 2049 is odd.
  constexpr Index kSteps = (Index{1} << 24) + 4098;
  Batch<Clock> batch(testDevice(), 2);
  batch.fill([](Index i) {
    const float dt = i == 0 ? 0.25f : 1.0f;
    return std::pair{Clock::Params{0, dt, static_cast<float>(kSteps) * dt}, Clock::State{0}};
  });
  const Result result = eagle::simulate(batch, Clock{}, {.maxSteps = 2 * kSteps});
  for (const Index i : {0, 1}) {
    EXPECT_EQ(result.steps(i), kSteps);
    EXPECT_EQ(result.status(i), Status::finished);
  }
  EXPECT_EQ(batch.states()[0].t, 0.25f * static_cast<float>(kSteps));
}

}  // namespace
