// Workload B, Kepler orbits with adaptive steps, on the host and on the first GPU, beside Boost.odeint where there is
// one: the same pair of methods and the same tolerance, one sample after the other on all cores.
#include <benchmark/benchmark.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "kernels/models/kepler.h"
#if __has_include(<boost/numeric/odeint.hpp>)
#include <boost/numeric/odeint.hpp>
#define EAGLE_BENCH_ODEINT 1
#endif

namespace {

using eagle::Index;
using eagle::kernels::Kepler;

constexpr double kEnd = 64;
constexpr double kTolerance = 1e-10;

/// Starts at periapsis of orbits with mu = a = 1, eccentricities in [0, 0.9] and that of sample 0 0.9, each turned at
/// random: positions and velocities.
std::vector<std::array<double, 6>> starts(Index count) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::array<double, 6>> result(static_cast<std::size_t>(count));
  for (auto& start : result) {
    const double e = &start == result.data() ? 0.9 : 0.9 * std::generate_canonical<double, 53>(random);
    eagle::kernels::Vector<3> p{};
    eagle::kernels::Vector<3> q{};
    for (int d = 0; d < 3; ++d) {
      p[d] = normal(random);
      q[d] = normal(random);
    }
    p = (1 - e) / norm(p) * p;
    q = q - dot(p, q) / dot(p, p) * p;
    q = std::sqrt((1 + e) / (1 - e)) / norm(q) * q;
    start = {p[0], p[1], p[2], q[0], q[1], q[2]};
  }
  return result;
}

void simulate(benchmark::State& bench, const eagle::Device& device, Index count) {
  const auto all = starts(count);
  eagle::Batch<Kepler> batch(device, count);
  Index attempts = 0;
  for (auto _ : bench) {
    bench.PauseTiming();
    batch.fill([&](Index i) {
      const auto& s = all[static_cast<std::size_t>(i)];
      return std::pair{Kepler::Params{.endTime = kEnd}, Kepler::State{.y = {s[0], s[1], s[2], s[3], s[4], s[5]}}};
    });
    bench.ResumeTiming();
    const auto result = eagle::simulate(batch, Kepler{.tolerance = {kTolerance, kTolerance}}, {.maxSteps = 4000});
    if (result.countReason(Kepler::Reason::endTime) != count) {
      bench.SkipWithError("a sample did not reach its end");
      break;
    }
    attempts = result.totalSteps();
    bench.SetIterationTime(result.seconds());
  }
  using benchmark::Counter;
  bench.counters["samples/s"] = Counter(static_cast<double>(count), Counter::kIsIterationInvariantRate);
  bench.counters["attempts/s"] = Counter(static_cast<double>(attempts), Counter::kIsIterationInvariantRate);
}

#if defined(EAGLE_BENCH_ODEINT)
#pragma GCC diagnostic ignored "-Wuninitialized"  // odeint copies arrays that it has not filled yet
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
void odeintLoop(benchmark::State& bench, Index count) {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 6>;
  const auto all = starts(count);
  const auto derivative = [](const State& y, State& d, double) {
    const double r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    const double pull = -1 / (r2 * std::sqrt(r2));
    d = {y[3], y[4], y[5], pull * y[0], pull * y[1], pull * y[2]};
  };
  for (auto _ : bench) {
    auto states = all;
    tbb::parallel_for(std::size_t{0}, states.size(), [&](std::size_t i) {
      auto stepper = odeint::make_controlled(kTolerance, kTolerance, odeint::runge_kutta_fehlberg78<State>());
      odeint::integrate_adaptive(stepper, derivative, states[i], 0.0, kEnd, 1.0);
    });
    benchmark::DoNotOptimize(states.data());
  }
  bench.counters["samples/s"] =
      benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}
#endif

}  // namespace

int main(int argc, char** argv) {
  constexpr Index kHostSamples = 10'000;
  const auto add = [](const char* name, auto&& run) {
    return benchmark::RegisterBenchmark(name, run)->Unit(benchmark::kMillisecond);
  };
#if defined(EAGLE_BENCH_ODEINT)
  add("workloadB/host-odeint-loop/1e4", [](auto& bench) { odeintLoop(bench, kHostSamples); })->UseRealTime();
#endif
  add("workloadB/host/1e4", [](auto& bench) { simulate(bench, eagle::Device::host(), kHostSamples); })->UseManualTime();
  if (eagle::Device::automatic().kind() == eagle::Device::Kind::cuda) {
    add("workloadB/gpu/1e6", [](auto& bench) { simulate(bench, eagle::Device::cuda(), 1'000'000); })->UseManualTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
