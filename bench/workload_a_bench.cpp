// Workload A on the host and on the first GPU, beside a loop that steps one sample after the other.
#include <benchmark/benchmark.h>
#include <tbb/parallel_for.h>

#include <span>

#include "bench/workload_a.h"
#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"

namespace {

using workload_a::Oscillator;
using workload_a::Stops;
using Sample = std::pair<Oscillator::Params, Oscillator::State>;

constexpr std::int64_t kHostSamples = 100'000;

void report(benchmark::State& bench, double steps) {
  bench.counters["GFlop/s"] =
      benchmark::Counter(steps * workload_a::kFlopsPerStep * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

double totalSteps(std::span<const Sample> samples) {
  double steps = 0;
  for (const auto& [params, state] : samples) {
    steps += static_cast<double>(params.stopStep);
  }
  return steps;
}

// What one would write without eagle: all cores, on each one sample after the other.
void scalarLoop(benchmark::State& bench, Stops stops) {
  const std::vector<Sample> start = workload_a::samples(kHostSamples, stops);
  std::vector<Sample> samples;
  const Oscillator model;
  for (auto _ : bench) {
    samples = start;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, samples.size(), 64), [&](const auto& range) {
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        auto& [params, state] = samples[i];
        eagle::SampleContext context{.sample = static_cast<std::int64_t>(i)};
        while (model.step(state, params, context).isRunning()) {
          ++context.step;
        }
      }
    });
    benchmark::DoNotOptimize(samples.data());
  }
  report(bench, totalSteps(start));
}

enum class Timed { runAlone, withCopies };

void simulate(benchmark::State& bench, const eagle::Device& device, std::int64_t count, Stops stops, Timed timed) {
  const std::vector<Sample> samples = workload_a::samples(count, stops);
  const auto sample = [&](std::int64_t i) { return samples[static_cast<std::size_t>(i)]; };
  const double steps = totalSteps(samples);
  eagle::Batch<Oscillator> batch(device, count);
  for (auto _ : bench) {
    if (timed == Timed::runAlone) {
      bench.PauseTiming();
      batch.fill(sample);
      bench.ResumeTiming();
    } else {
      batch.fill(sample);
    }
    const eagle::Result result = eagle::simulate(batch, Oscillator{}, {.maxSteps = workload_a::kSteps});
    if (static_cast<double>(result.totalSteps()) != steps || result.count(eagle::Status::finished) != count) {
      bench.SkipWithError("a sample made the wrong number of steps");
      break;
    }
    if (timed == Timed::withCopies) {
      benchmark::DoNotOptimize(batch.states().data());
    } else {
      bench.SetIterationTime(result.seconds());
    }
  }
  report(bench, steps);
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, stops] : {std::pair{"uniform-1000", Stops::uniform}, {"spread-1000", Stops::spread}}) {
    const auto add = [&](const char* what, auto&& run) {
      return benchmark::RegisterBenchmark((std::string("workloadA/") + name + "/" + what).c_str(), run)
          ->Unit(benchmark::kMillisecond);
    };
    add("host-scalar-loop/1e5", [stops = stops](auto& bench) { scalarLoop(bench, stops); })->UseRealTime();
    add("host/1e5", [stops = stops](auto& bench) {
      simulate(bench, eagle::Device::host(), kHostSamples, stops, Timed::runAlone);
    })->UseManualTime();
    if (eagle::Device::automatic().kind() == eagle::Device::Kind::cuda) {
      add("gpu/1e6", [stops = stops](auto& bench) {
        simulate(bench, eagle::Device::cuda(), 1'000'000, stops, Timed::runAlone);
      })->UseManualTime();
      add("gpu-with-copies/1e6", [stops = stops](auto& bench) {
        simulate(bench, eagle::Device::cuda(), 1'000'000, stops, Timed::withCopies);
      })->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
