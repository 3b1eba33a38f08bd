#include "eagle/batch/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "tests/support/backend.h"

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::Result;
using eagle::Status;
using eagle::test::testDevice;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Adds 1 until `stop`; finishes as even or odd.
struct Counter {
  enum class Reason { even, odd };
  static constexpr std::array<std::string_view, 2> kReasons{"even", "odd"};
  struct State {
    std::int64_t value;
  };
  struct Params {
    std::int64_t stop;
  };
  EAGLE_HD eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext&) const {
    ++state.value;
    if (state.value < params.stop) {
      return eagle::running();
    }
    return eagle::finished(state.value % 2 == 0 ? Reason::even : Reason::odd);
  }
};

// v' = v x axis by Euler's method; sample `bad` gets a NaN in its fifth step.
struct Spin {
  struct State {
    Eigen::Vector3d v;
    std::int64_t turns;
  };
  struct Params {
    Eigen::Vector3d axis;
    std::int64_t stop;
  };
  Index bad = -1;
  EAGLE_HD eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext& context) const {
    state.v += 0.01 * state.v.cross(params.axis);
    --state.turns;  // below 0 its bits would be those of a NaN
    if (context.sample == bad && context.step == 4) {
      state.v[1] = std::sqrt(-state.v.squaredNorm());
    }
    // A comparison alone would never stop a NaN.
    return state.v.squaredNorm() > 1e6 || context.step + 1 >= params.stop ? eagle::finished() : eagle::running();
  }
};

// Doubles without end: overflows with its 1024th step from 1.
struct Doubling {
  static constexpr bool kLockstep = false;
  struct State {
    double value;
  };
  struct Params {};
  EAGLE_HD eagle::Outcome step(State& state, const Params&, const eagle::SampleContext&) const {
    state.value *= 2;
    return eagle::running();
  }
};

// Gives its one step's reason from its parameters.
struct Ends {
  struct State {
    double unused;
  };
  struct Params {
    std::int64_t reason;
  };
  EAGLE_HD eagle::Outcome step(State&, const Params& params, const eagle::SampleContext&) const {
    return eagle::finished(params.reason);
  }
};

// Overrides what finite means: an infinity is a value like others here, 13 is not.
struct Picky {
  struct State {
    double value;
  };
  struct Params {
    double add;
  };
  EAGLE_HD bool finite(const State& state) const { return state.value != 13; }
  EAGLE_HD eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext&) const {
    state.value += params.add;
    return eagle::running();
  }
};

EAGLE_TEST_MODEL(Counter);
EAGLE_TEST_MODEL(Spin);
EAGLE_TEST_MODEL(Picky);
EAGLE_TEST_MODEL(Doubling);
EAGLE_TEST_MODEL(Ends);

Batch<Counter> counters(Index n) {
  Batch<Counter> batch(testDevice(), n);
  batch.fill([](Index i) { return std::pair{Counter::Params{i % 100 + 1}, Counter::State{0}}; });
  return batch;
}

Batch<Spin> spins(Index n, Index stop, Index stopOfFirst) {
  Batch<Spin> batch(testDevice(), n);
  batch.fill([=](Index i) {
    const double x = 1e-2 * static_cast<double>(i);
    return std::pair{Spin::Params{{0.1, 0.2, 0.3 + x}, i == 0 ? stopOfFirst : stop}, Spin::State{{1, 1 + x, -1}, 0}};
  });
  return batch;
}

TEST(Simulate, RunsEverySampleToItsOwnEndAndSaysHow) {
  constexpr Index kSamples = 10'007;
  Batch<Counter> batch = counters(kSamples);
  const Result result = eagle::simulate(batch, Counter{}, {.maxSteps = 90});
  const auto states = batch.states();
  Index limited = 0;
  Index even = 0;
  Index steps = 0;
  for (Index i = 0; i < kSamples; ++i) {
    const Index stop = i % 100 + 1;
    const bool done = stop <= 90;
    ASSERT_EQ(result.steps(i), done ? stop : 90) << i;
    ASSERT_EQ(result.status(i), done ? Status::finished : Status::stepLimit) << i;
    ASSERT_EQ(result.reason(i), done ? stop % 2 : -1) << i;
    ASSERT_EQ(states[static_cast<std::size_t>(i)].value, result.steps(i)) << i;
    limited += done ? 0 : 1;
    even += done && stop % 2 == 0 ? 1 : 0;
    steps += done ? stop : 90;
  }
  EXPECT_EQ(result.size(), kSamples);
  EXPECT_EQ(result.count(Status::stepLimit), limited);
  EXPECT_EQ(result.count(Status::finished), kSamples - limited);
  EXPECT_EQ(result.count(Status::nonFinite), 0);
  EXPECT_EQ(result.countReason(Counter::Reason::even), even);
  EXPECT_EQ(result.countReason(-1), 0);
  EXPECT_EQ(result.totalSteps(), steps);
  EXPECT_GT(result.seconds(), 0);
  EXPECT_EQ(result.statuses().size(), std::size_t{kSamples});
  EXPECT_EQ(result.reasons()[0], 1);
  EXPECT_EQ(result.steps()[99], 90);
}

TEST(Simulate, NamesReasons) {
  Batch<Counter> batch = counters(3);
  const Result result = eagle::simulate(batch, Counter{});
  EXPECT_EQ(result.reasonName(Counter::Reason::odd), "odd");
  EXPECT_EQ(result.reasonName(2), "reason 2");
  EXPECT_EQ(result.reasonNames().size(), 2u);
  EXPECT_THAT([&] { (void)result.status(3); }, ThrowsMessage<eagle::Error>(HasSubstr("there is no sample 3")));
  EXPECT_THROW((void)result.steps(-1), eagle::Error);
}

TEST(Simulate, GoesOnFromWhereTheLastRunEnded) {
  Batch<Counter> batch = counters(200);
  (void)eagle::simulate(batch, Counter{}, {.maxSteps = 40});
  const Result result = eagle::simulate(batch, Counter{}, {.maxSteps = 50});
  EXPECT_EQ(result.steps(79), 40);  // stops at 80
  EXPECT_EQ(result.steps(94), 50);  // would stop at 95
  EXPECT_EQ(result.status(94), Status::stepLimit);
  EXPECT_EQ(batch.states()[94].value, 90);
}

TEST(Simulate, TakesNoSamplesAndNoSteps) {
  Batch<Counter> none = counters(0);
  EXPECT_EQ(eagle::simulate(none, Counter{}).size(), 0);
  Batch<Counter> batch = counters(5);
  const Result result = eagle::simulate(batch, Counter{}, {.maxSteps = 0});
  EXPECT_EQ(result.count(Status::stepLimit), 5);
  EXPECT_EQ(result.reason(4), -1);
  EXPECT_EQ(result.steps(4), 0);
  EXPECT_EQ(batch.states()[4].value, 0);
}

TEST(Simulate, RefusesBadOptionsAndEmptySamples) {
  Batch<Counter> batch = counters(5);
  EXPECT_THAT([&] { (void)eagle::simulate(batch, Counter{}, {.maxSteps = -1}); },
              ThrowsMessage<eagle::Error>(HasSubstr("maxSteps is -1")));
  EXPECT_THROW((void)eagle::simulate(batch, Counter{}, {.firstSample = -1}), eagle::Error);
  EXPECT_THROW((void)eagle::simulate(batch, Counter{}, {.firstSample = INT64_MAX}), eagle::Error);
  Batch<Counter> unfilled(testDevice(), 5);
  EXPECT_THAT([&] { (void)eagle::simulate(unfilled, Counter{}); },
              ThrowsMessage<eagle::Error>(HasSubstr("call fill() first")));
}

TEST(Simulate, KeepsTheValuesASampleEndedWithWhileOthersGoOn) {
  Batch<Spin> batch = spins(300, 50, 3);
  const Result result = eagle::simulate(batch, Spin{});
  EXPECT_EQ(result.steps(0), 3);
  EXPECT_EQ(result.steps(299), 50);
  Batch<Spin> alone = spins(1, 50, 3);
  (void)eagle::simulate(alone, Spin{});
  EXPECT_EQ(batch.states()[0].v, alone.states()[0].v);
  EXPECT_EQ(batch.states()[0].turns, -3);
}

TEST(Simulate, StopsASampleThatIsNoLongerFiniteAndNoOther) {
  Batch<Spin> clean = spins(300, 50, 50);
  Batch<Spin> batch = spins(300, 50, 50);
  (void)eagle::simulate(clean, Spin{});
  const Result result = eagle::simulate(batch, Spin{.bad = 7});
  EXPECT_EQ(result.status(7), Status::nonFinite);
  EXPECT_EQ(result.steps(7), 5);
  EXPECT_EQ(result.reason(7), -1);
  EXPECT_EQ(result.count(Status::nonFinite), 1);
  const auto states = batch.states();
  const auto expected = clean.states();
  EXPECT_TRUE(std::isnan(states[7].v[1]));
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i != 7) {
      ASSERT_EQ(states[i].v, expected[i].v) << i;
      ASSERT_EQ(result.status(static_cast<Index>(i)), Status::finished) << i;
    }
  }
}

TEST(Simulate, NamesTheSampleThatFinishedForNoReason) {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{32767}, (std::int64_t{1} << 32) + 2}) {
    Batch<Ends> batch(testDevice(), 3);
    batch.fill([bad](Index i) { return std::pair{Ends::Params{i == 1 ? bad : 32766}, Ends::State{}}; });
    EXPECT_THAT([&] { (void)eagle::simulate(batch, Ends{}); },
                ThrowsMessage<eagle::Error>(HasSubstr("sample 1 finished for a reason that is not from 0 to 32766")));
  }
}

TEST(Simulate, TakesTheLargestValuesForFinite) {
  Batch<Doubling> batch(testDevice(), 2);
  batch.fill([](Index i) { return std::pair{Doubling::Params{}, Doubling::State{i == 0 ? 1.0 : -1.0}}; });
  const Result largest = eagle::simulate(batch, Doubling{}, {.maxSteps = 1023});
  EXPECT_EQ(largest.count(Status::stepLimit), 2);
  EXPECT_EQ(batch.states()[1].value, -std::ldexp(1, 1023));
  batch.fill([](Index i) { return std::pair{Doubling::Params{}, Doubling::State{i == 0 ? 1.0 : -1.0}}; });
  const Result over = eagle::simulate(batch, Doubling{});
  EXPECT_EQ(over.count(Status::nonFinite), 2);
  EXPECT_EQ(over.steps(0), 1024);
  EXPECT_EQ(over.steps(1), 1024);
}

TEST(Simulate, AsksTheModelWhatFiniteMeansIfItSays) {
  Batch<Picky> batch(testDevice(), 3);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double add[] = {1, 2, kInfinity};
  batch.fill([&](Index i) { return std::pair{Picky::Params{add[i]}, Picky::State{0}}; });
  const Result result = eagle::simulate(batch, Picky{}, {.maxSteps = 100});
  EXPECT_EQ(result.status(0), Status::nonFinite);
  EXPECT_EQ(result.steps(0), 13);
  EXPECT_EQ(result.status(1), Status::stepLimit);
  EXPECT_EQ(result.status(2), Status::stepLimit);
}

}  // namespace
