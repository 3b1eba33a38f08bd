// Workload A: damped oscillators, classical Runge-Kutta of order 4 with a fixed step, each until a step of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/models/oscillator.h"

namespace workload_a {

/// Floating-point operations of one step of one sample.
inline constexpr double kFlopsPerStep = 44;
inline constexpr std::int64_t kSteps = 1000;

using eagle::kernels::Oscillator;

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
