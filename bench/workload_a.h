// Workload A: damped oscillators, classical Runge-Kutta of order 4 with a fixed step, each until a step of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "eagle/batch/model.h"

namespace workload_a {

/// Floating-point operations of one step of one sample.
inline constexpr double kFlopsPerStep = 44;
inline constexpr std::int64_t kSteps = 1000;

/// x'' + 2 zeta omega x' + omega^2 x = 0.
struct Oscillator {
  struct State {
    double x, v;
  };
  struct Params {
    double omega, zeta;
    std::int64_t stopStep;
  };
  double dt = 0.01;

  EAGLE_HD eagle::Outcome step(State& s, const Params& p, const eagle::SampleContext& context) const {
    const double stiffness = -p.omega * p.omega;
    const double damping = -2 * p.zeta * p.omega;
    const double half = dt / 2;
    const double x1 = s.v;
    const double v1 = stiffness * s.x + damping * s.v;
    const double x2 = s.v + half * v1;
    const double v2 = stiffness * (s.x + half * x1) + damping * x2;
    const double x3 = s.v + half * v2;
    const double v3 = stiffness * (s.x + half * x2) + damping * x3;
    const double x4 = s.v + dt * v3;
    const double v4 = stiffness * (s.x + dt * x3) + damping * x4;
    s.x += dt / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
    s.v += dt / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    return context.step + 1 >= p.stopStep ? eagle::finished() : eagle::running();
  }
};

enum class Stops { uniform, spread };

/// omega in [1, 10], zeta in [0.01, 0.2], x and v in [-1, 1]. Stop steps: kSteps for all, or log-uniform from a
/// hundredth of it, with sample 0 at kSteps.
inline std::vector<std::pair<Oscillator::Params, Oscillator::State>> samples(std::int64_t count, Stops stops) {
  std::mt19937_64 random(1);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * std::generate_canonical<double, 53>(random);
  };
  std::vector<std::pair<Oscillator::Params, Oscillator::State>> result(static_cast<std::size_t>(count));
  for (auto& [params, state] : result) {
    params = {.omega = uniform(1, 10), .zeta = uniform(0.01, 0.2), .stopStep = kSteps};
    state = {.x = uniform(-1, 1), .v = uniform(-1, 1)};
    if (stops == Stops::spread && &params != &result[0].first) {
      params.stopStep =
          static_cast<std::int64_t>(std::ceil(std::exp(uniform(std::log(0.01 * kSteps), std::log(1.0 * kSteps)))));
    }
  }
  return result;
}

}  // namespace workload_a
