// Launch, resize and relaunch of a chain of small kernels on the host engine.
#include <benchmark/benchmark.h>

#include <vector>

#include "eagle/host/graph.h"

namespace {

struct Touch {
  void operator()(eagle::Index i, int* cells) const { cells[i] += 1; }
};

struct Chain {
  explicit Chain(std::int64_t kernels) {
    for (std::int64_t k = 0; k < kernels; ++k) {
      graph.addKernel(eagle::perSample(), Touch{}, cells.data());
    }
  }
  std::vector<int> cells = std::vector<int>(1024);
  eagle::host::Graph graph;
};

void launch(benchmark::State& bench) {
  const Chain chain(bench.range(0));
  eagle::Launcher launcher = chain.graph.launcher(256);
  for (auto _ : bench) {
    launcher.launch();
    launcher.synchronize();
  }
}

void resizeAndLaunch(benchmark::State& bench) {
  const Chain chain(bench.range(0));
  eagle::Launcher launcher = chain.graph.launcher(256);
  eagle::Index n = 256;
  for (auto _ : bench) {
    n = 768 - n;
    launcher.setLogicalSize(n);
    launcher.launch();
    launcher.synchronize();
  }
}

void resize(benchmark::State& bench) {
  const Chain chain(bench.range(0));
  eagle::Launcher launcher = chain.graph.launcher(256);
  eagle::Index n = 256;
  for (auto _ : bench) {
    n = 768 - n;
    launcher.setLogicalSize(n);
  }
}

BENCHMARK(launch)->Name("host/launch")->Arg(1)->Arg(8)->Arg(64)->Arg(512)->UseRealTime();
BENCHMARK(resize)->Name("host/resize")->Arg(1)->Arg(8)->Arg(64)->Arg(512)->UseRealTime();
BENCHMARK(resizeAndLaunch)->Name("host/resize+launch")->Arg(1)->Arg(8)->Arg(64)->Arg(512)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
