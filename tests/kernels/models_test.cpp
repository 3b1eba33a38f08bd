#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "kernels/models/cr3bp.h"
#include "kernels/models/kepler.h"
#include "kernels/models/oscillator.h"
#include "tests/support/backend.h"

EAGLE_TEST_MODEL(eagle::kernels::Oscillator);
EAGLE_TEST_MODEL(eagle::kernels::Kepler);
EAGLE_TEST_MODEL(eagle::kernels::Cr3bp);

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::Status;
using eagle::kernels::Cr3bp;
using eagle::kernels::Kepler;
using eagle::kernels::Oscillator;
using eagle::kernels::Vector;
using eagle::test::testDevice;

TEST(OscillatorModel, FollowsTheClosedFormToItsStopStep) {
  constexpr Index kSamples = 100;
  const auto params = [](Index i) {
    return Oscillator::Params{.omega = 1 + 0.02 * static_cast<double>(i), .zeta = 0.1, .stopStep = 1 + 7 * i};
  };
  Batch<Oscillator> batch(testDevice(), kSamples);
  batch.fill([&](Index i) { return std::pair{params(i), Oscillator::State{.x = 1, .v = 0.5}}; });
  const auto result = eagle::simulate(batch, Oscillator(1e-3));
  const auto states = batch.states();
  ASSERT_EQ(result.count(Status::finished), kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    const auto p = params(i);
    ASSERT_EQ(result.steps(i), p.stopStep);
    // x = e^(-zeta omega t) (cos(w t) + (v0 + zeta omega) / w sin(w t)), w the damped frequency; x0 = 1.
    const double t = 1e-3 * static_cast<double>(p.stopStep);
    const double w = p.omega * std::sqrt(1 - p.zeta * p.zeta);
    const double decay = p.zeta * p.omega;
    const double x = std::exp(-decay * t) * (std::cos(w * t) + (0.5 + decay) / w * std::sin(w * t));
    EXPECT_NEAR(states[static_cast<std::size_t>(i)].x, x, 1e-11) << i;
  }
}

// Workload B: eccentricities in [0, 0.9], the first sample at 0.9, periapsis at t = 0, orientation at random.
struct Orbit {
  double eccentricity;
  Vector<3> p, q;  // unit vectors towards periapsis and along the velocity there
};
std::vector<Orbit> orbits(Index count) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<Orbit> result(static_cast<std::size_t>(count));
  for (auto& [e, p, q] : result) {
    e = 0.9 * std::generate_canonical<double, 53>(random);
    for (int d = 0; d < 3; ++d) {
      p[d] = normal(random);
      q[d] = normal(random);
    }
    p = 1 / norm(p) * p;
    q = q - dot(p, q) * p;
    q = 1 / norm(q) * q;
  }
  result[0].eccentricity = 0.9;
  return result;
}
Vector<3> positionAt(const Orbit& orbit, double t) {
  const double e = orbit.eccentricity;
  double anomaly = t;
  for (int round = 0; round < 100; ++round) {
    anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
  }
  return (std::cos(anomaly) - e) * orbit.p + std::sqrt(1 - e * e) * std::sin(anomaly) * orbit.q;
}

TEST(KeplerModel, FollowsTheClosedFormWithTheKnownNumberOfSteps) {
  constexpr Index kSamples = 4000;
  constexpr double kEnd = 64;
  const auto all = orbits(kSamples);
  Batch<Kepler> batch(testDevice(), kSamples);
  batch.fill([&](Index i) {
    const auto& [e, p, q] = all[static_cast<std::size_t>(i)];
    const Vector<3> r = (1 - e) * p;
    const Vector<3> v = std::sqrt((1 + e) / (1 - e)) * q;
    return std::pair{Kepler::Params{.endTime = kEnd}, Kepler::State{.y = {r[0], r[1], r[2], v[0], v[1], v[2]}}};
  });
  const auto result = eagle::simulate(batch, Kepler{}, {.maxSteps = 4000});
  ASSERT_EQ(result.countReason(Kepler::Reason::endTime), kSamples);
  const auto states = batch.states();
  std::vector<std::int64_t> accepted;
  for (Index i = 0; i < kSamples; ++i) {
    const auto& s = states[static_cast<std::size_t>(i)];
    ASSERT_EQ(s.t, kEnd);
    const Vector<3> truth = positionAt(all[static_cast<std::size_t>(i)], kEnd);
    EXPECT_LT(norm(Vector<3>{s.y[0], s.y[1], s.y[2]} - truth), 1e-6) << i;
    accepted.push_back(s.accepted);
    EXPECT_LE(s.accepted, result.steps(i));
  }
  std::sort(accepted.begin(), accepted.end());
  // Minimum, median, 90th percentile and maximum of accepted steps, as other implementations of the same rule make.
  EXPECT_NEAR(static_cast<double>(accepted.front()), 323, 3);
  EXPECT_NEAR(static_cast<double>(accepted[kSamples / 2]), 371, 6);
  EXPECT_NEAR(static_cast<double>(accepted[kSamples * 9 / 10]), 571, 8);
  EXPECT_NEAR(static_cast<double>(accepted.back()), 693, 3);
}

TEST(KeplerModel, AFallIntoTheCentreGetsStuckAndIsSaid) {
  Batch<Kepler> batch(testDevice(), 1);
  batch.fill([](Index) { return std::pair{Kepler::Params{.endTime = 2}, Kepler::State{.y = {1, 0, 0, 0, 0, 0}}}; });
  const auto result = eagle::simulate(batch, Kepler{}, {.maxSteps = 100'000});
  EXPECT_EQ(result.status(0), Status::finished);
  EXPECT_EQ(result.reason(0), static_cast<int>(Kepler::Reason::stuck));
  EXPECT_EQ(result.reasonName(result.reason(0)), "stuck");
  // The fall takes pi / sqrt(8).
  EXPECT_NEAR(batch.states()[0].t, 1.1107207345395915618, 1e-6);
}

constexpr Cr3bp kEarthMoon{.mu = 0.012150585609624, .tolerance = {1e-14, 1e-14}};

TEST(Cr3bpModel, HasItsLagrangePoints) {
  // Computed in 40 digits.
  EXPECT_NEAR(kEarthMoon.lagrangePoint(1)[0], 0.8369151257723574, 2e-15);
  EXPECT_NEAR(kEarthMoon.lagrangePoint(2)[0], 1.155682165444884, 2e-15);
  EXPECT_NEAR(kEarthMoon.lagrangePoint(3)[0], -1.005062645810278, 2e-15);
  const double jacobi[] = {3.18834111774924, 3.172160460968527, 3.012147150680504, 2.987997051121033,
                           2.987997051121033};
  for (int number = 1; number <= 5; ++number) {
    const auto l = kEarthMoon.lagrangePoint(number);
    const Vector<6> rest{l[0], l[1], l[2], 0, 0, 0};
    EXPECT_NEAR(kEarthMoon.jacobi(rest), jacobi[number - 1], 1e-14) << number;
    const Vector<6> rate = kEarthMoon(0, rest);
    EXPECT_LT(std::fabs(rate[3]) + std::fabs(rate[4]), 1e-14) << number;
  }
  EXPECT_TRUE(std::isnan(kEarthMoon.lagrangePoint(6)[0]));
}

TEST(Cr3bpModel, KeepsTheJacobiConstantAndTheNeckShut) {
  // Around the Earth with more than the Jacobi constant of L1, no orbit comes past L1.
  constexpr Index kSamples = 200;
  const double neck = kEarthMoon.lagrangePoint(1)[0];
  const auto start = [](Index i) {
    const double speed = 1.0 + 0.003 * static_cast<double>(i);
    return Vector<6>{0.35, 0, 0, 0, speed, 0.1};
  };
  Batch<Cr3bp> batch(testDevice(), kSamples);
  batch.fill([&](Index i) { return std::pair{Cr3bp::Params{.endTime = 20}, Cr3bp::State{.y = start(i)}}; });
  const auto result = eagle::simulate(batch, kEarthMoon);
  const auto states = batch.states();
  Index shut = 0;
  for (Index i = 0; i < kSamples; ++i) {
    if (result.reason(i) != static_cast<int>(Cr3bp::Reason::endTime)) {
      continue;
    }
    const auto& y = states[static_cast<std::size_t>(i)].y;
    const double before = kEarthMoon.jacobi(start(i));
    EXPECT_NEAR(kEarthMoon.jacobi(y), before, 1e-10) << i;
    if (before > 3.18834111774924) {
      ++shut;
      EXPECT_LT(y[0], neck) << i;
    }
  }
  EXPECT_GT(shut, 100);
}

TEST(Cr3bpModel, NearRectilinearOrbitCloses) {
  // The 9:2 orbit from its farthest point, to the digits published: it closes to about those.
  constexpr double kPeriod = 1.5111986;
  Batch<Cr3bp> batch(testDevice(), 1);
  const Vector<6> start{1.02202815, 0, -0.18210136, 0, -0.10327081, 0};
  batch.fill([&](Index) { return std::pair{Cr3bp::Params{.endTime = kPeriod}, Cr3bp::State{.y = start}}; });
  ASSERT_EQ(eagle::simulate(batch, kEarthMoon).countReason(Cr3bp::Reason::endTime), 1);
  EXPECT_LT(norm(batch.states()[0].y - start), 1e-6);
  EXPECT_NEAR(kEarthMoon.jacobi(start), 3.0464938, 1e-7);
}

}  // namespace
