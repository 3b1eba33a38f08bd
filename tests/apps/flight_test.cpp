#include "apps/cislunar/flight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "tests/support/backend.h"

EAGLE_TEST_MODEL(cislunar::Flight);

namespace {

using cislunar::Flight;
using eagle::Index;
using eagle::kernels::Vector;
using eagle::test::testDevice;
using Reason = Flight::Reason;

constexpr double kMu = 0.012150585609624;
constexpr double kMoonRadius = 1737.4 / 384400;
const Flight kFlight{.dynamics = {.mu = kMu, .tolerance = {3e-14, 3e-14}},
                     .moonRadius = kMoonRadius,
                     .escapeRadius = 0.5,
                     .horizon = 60};

double distanceToMoon(const Vector<6>& y) {
  return std::hypot(y[0] - 1 + kMu, y[1], y[2]);
}

struct Ends {
  eagle::Result result;
  std::vector<Flight::State> states;
};
Ends fly(const Flight& flight, const std::vector<Vector<6>>& starts, double firstStep = 1e-3) {
  eagle::Batch<Flight> batch(testDevice(), static_cast<Index>(starts.size()));
  batch.fill([&](Index i) {
    Flight::State state{.y = starts[static_cast<std::size_t>(i)]};
    state.h = firstStep;
    return std::pair{Flight::Params{}, state};
  });
  auto result = eagle::simulate(batch, flight, {.maxSteps = 100'000});
  return {std::move(result), batch.states()};
}

// The 9:2 orbit from its farthest point, corrected in quadruple precision so that it closes.
const Vector<6> kNominal{1.0220281501306581, 0, -0.18210135768297177, 0, -0.10327081338132812, 0};
constexpr double kPeriod = 1.5111986;

TEST(Flight, NominalOrbitClosesAtTheHorizonExactly) {
  Flight flight = kFlight;
  flight.horizon = kPeriod;
  const auto [result, states] = fly(flight, {kNominal});
  EXPECT_EQ(result.countReason(Reason::horizon), 1);
  EXPECT_EQ(states[0].t, kPeriod);
  for (int d = 0; d < 6; ++d) {
    EXPECT_NEAR(states[0].y[d], kNominal[d], 1e-12) << d;
  }
  flight.horizon = kPeriod / 2;
  EXPECT_NEAR(distanceToMoon(fly(flight, {kNominal}).states[0].y) * 384400, 3249.3073785, 1e-6);  // perilune
}

// Sample i starts with i / 256 of 30 m/s against x and along y: the first perilune sinks into the Moon.
std::vector<Vector<6>> shifted() {
  std::vector<Vector<6>> starts(256, kNominal);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const double shift = 0.03 / 1.0245 * static_cast<double>(i) / 256;
    starts[i][3] -= shift;
    starts[i][4] += shift;
  }
  return starts;
}

TEST(Flight, ImpactsEndOnTheSurfaceAndEscapesAtTheBorder) {
  const auto starts = shifted();
  const auto [result, states] = fly(kFlight, starts);
  ASSERT_GT(result.countReason(Reason::impact), 20);
  ASSERT_GT(result.countReason(Reason::escape), 20);
  for (Index i = 0; i < result.size(); ++i) {
    const auto& s = states[static_cast<std::size_t>(i)];
    const auto reason = static_cast<Reason>(result.reason(i));
    if (reason == Reason::horizon) {
      EXPECT_EQ(s.t, kFlight.horizon);
      continue;
    }
    const double radius = reason == Reason::impact ? kMoonRadius : 0.5;
    EXPECT_NEAR(distanceToMoon(s.y), radius, 1e-12) << i;
    EXPECT_LT(s.t, kFlight.horizon);
    // The Jacobi constant of the start: the end lies on the trajectory.
    EXPECT_NEAR(kFlight.dynamics.jacobi(s.y), kFlight.dynamics.jacobi(starts[static_cast<std::size_t>(i)]), 1e-10);
  }
}

TEST(Flight, NoImpactIsOverlookedBetweenTheEndsOfAStep) {
  // A Moon that reaches half a kilometre above the perilune, and one step that passes it.
  Flight flight = kFlight;
  flight.horizon = kPeriod / 2 - 0.001;
  const auto before = fly(flight, {kNominal}).states[0].y;
  flight.moonRadius = 3249.8 / 384400;
  flight.dynamics.tolerance = {1e-6, 1e-6};
  flight.horizon = 0.002;
  ASSERT_GT(distanceToMoon(before), flight.moonRadius);
  const auto grazing = fly(flight, {before}, 0.002);
  EXPECT_EQ(grazing.result.steps(0), 1);
  EXPECT_EQ(grazing.result.reason(0), static_cast<int>(Reason::impact));
  EXPECT_NEAR(distanceToMoon(grazing.states[0].y), flight.moonRadius, 1e-12);
  EXPECT_LT(grazing.states[0].t, 0.001);
  flight.moonRadius = 3248.8 / 384400;  // half a kilometre below
  const auto passing = fly(flight, {before}, 0.002);
  EXPECT_EQ(passing.result.steps(0), 1);
  EXPECT_EQ(passing.result.reason(0), static_cast<int>(Reason::horizon));
}

TEST(Flight, AStartBeyondABorderEndsAtOnce) {
  const auto [result, states] = fly(kFlight, {{1 - kMu, 0, 1e-3, 0, 0, 0}, {0.4, 0, 0, 0, 0, 0}});
  EXPECT_EQ(result.reason(0), static_cast<int>(Reason::impact));
  EXPECT_EQ(result.reason(1), static_cast<int>(Reason::escape));
  EXPECT_EQ(states[0].t, 0);
  EXPECT_EQ(states[1].t, 0);
}

TEST(Flight, ASampleIsTheSameAloneAndAmongOthers) {
  const auto starts = shifted();
  const auto [all, states] = fly(kFlight, starts);
  for (const std::size_t i : {0U, 100U, 255U}) {
    const auto [one, state] = fly(kFlight, {starts[i]});
    EXPECT_EQ(one.steps(0), all.steps(static_cast<Index>(i)));
    EXPECT_EQ(state[0].t, states[i].t);
    for (int d = 0; d < 6; ++d) {
      EXPECT_EQ(state[0].y[d], states[i].y[d]);
    }
  }
}

// The step size, the number of steps and the time of the event are a sample's own, whatever flies beside it.
TEST(Flight, IsTheSameAloneBesideAStiffOneAndInAnyOrder) {
  std::vector<Vector<6>> starts;
  for (int i = 0; i < 40; ++i) {  // pushed by up to 50 m/s along each axis, to the Moon or away
    Vector<6> start = kNominal;
    for (int d = 0; d < 3; ++d) {
      start[3 + d] += 0.05 * std::sin(1 + i * (1.3 + d));
    }
    starts.push_back(start);
  }
  const auto [result, states] = fly(kFlight, starts);
  ASSERT_GT(result.countReason(Reason::impact), 0);
  ASSERT_LT(result.countReason(Reason::impact), 40);
  const auto expectSame = [&, &result = result, &states = states](std::size_t i, const Ends& ends, std::size_t at) {
    EXPECT_EQ(ends.result.steps(static_cast<Index>(at)), result.steps(static_cast<Index>(i))) << i;
    EXPECT_EQ(std::memcmp(&ends.states[at], &states[i], sizeof states[i]), 0) << i;
  };
  for (const std::size_t i : {std::size_t{0}, std::size_t{7}, std::size_t{39}}) {
    expectSame(i, fly(kFlight, {starts[i]}), 0);
  }
  // Round the Moon close above its ground: a thousand revolutions of the others' one.
  const Vector<6> stiff{1 - kMu + 1.05 * kMoonRadius, 0, 0, 0, std::sqrt(kMu / (1.05 * kMoonRadius)), 0};
  std::vector<Vector<6>> neighbours{stiff};
  neighbours.insert(neighbours.end(), starts.rbegin(), starts.rend());
  const Ends beside = fly(kFlight, neighbours);
  EXPECT_GT(beside.result.steps(0), 10 * beside.result.steps(1));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    expectSame(i, beside, starts.size() - i);
  }
}

}  // namespace
