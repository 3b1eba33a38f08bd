// Tutorial 1: capture a kernel, add a host node, launch, resize. Compiled once for each backend.
#include <cstdio>
#include <exception>
#include <vector>

#include "eagle/eagle.h"

#if defined(__CUDACC__)
namespace backend = eagle::cuda;
constexpr const char* kDevice = "cuda";
#else
namespace backend = eagle::host;
constexpr const char* kDevice = "host";
#endif

// A kernel is a plain functor, called once for each sample. EAGLE_HD lets it run on both backends.
struct Grow {
  EAGLE_HD void operator()(eagle::Index i, double* values, double rate) const { values[i] *= 1 + rate; }
};

double sum(const eagle::Buffer<double>& values) {
  double total = 0;
  for (const double value : values.toHost()) {
    total += value;
  }
  return total;
}

void run() {
  const eagle::Index n = 1000;
  const eagle::Buffer<double> values(eagle::Device::parse(kDevice), std::vector<double>(n, 1.0));

  // Capture: what is launched between begin() and end() is recorded instead of run.
  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  backend::launch(stream, eagle::perSample(), n, Grow{}, values.data(), 0.5);

  // A graph is a recipe. Each node follows the one before it, unless told otherwise.
  backend::Graph graph;
  graph.stream(stream);
  graph.addNode(capturer.end());
  int rounds = 0;
  graph.addHostNode([&rounds] { ++rounds; });
  std::printf("after recording: sum %.2f\n", sum(values));

  // A launcher is one built copy of the recipe; it can be launched any number of times.
  eagle::Launcher launcher = graph.launcher();
  launcher.launch();
  launcher.synchronize();
  std::printf("after round %d, all samples: sum %.2f\n", rounds, sum(values));

  // Fewer samples from now on: the built graph is changed in place.
  launcher.setLogicalSize(10);
  launcher.launch();
  launcher.synchronize();
  std::printf("after round %d, 10 samples: sum %.2f\n", rounds, sum(values));

  // Size 0 runs no kernel; host nodes still take their turn.
  launcher.setLogicalSize(0);
  launcher.launch();
  launcher.synchronize();
  std::printf("after round %d, 0 samples: sum %.2f\n", rounds, sum(values));
}

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
