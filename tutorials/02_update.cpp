// Tutorial 2: change a built graph. Compiled once for each backend.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "eagle/eagle.h"

#if defined(__CUDACC__)
namespace backend = eagle::cuda;
constexpr const char* kDevice = "cuda";
#else
namespace backend = eagle::host;
constexpr const char* kDevice = "host";
#endif

struct Grow {
  EAGLE_HD void operator()(eagle::Index i, double* values, double rate) const { values[i] *= 1 + rate; }
};
struct Shift {
  EAGLE_HD void operator()(eagle::Index i, double* values, double by) const { values[i] += by; }
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

  backend::Graph graph;
  const eagle::NodeId grow = graph.addKernel(eagle::perSample(), Grow{}, values.data(), 0.5);
  const eagle::NodeId shift = graph.addKernel(eagle::perSample(), Shift{}, values.data(), 1.0);
  graph.setArgumentNames(grow, {"values", "rate"});
  graph.setLabel(shift, "shift");

  eagle::Launcher launcher = graph.launcher(n);
  const auto round = [&](const char* what) {
    launcher.launch();
    launcher.synchronize();
    std::printf("%-32s sum %.1f\n", what, sum(values));
  };
  round("as recorded");

  // A view names a node of the built graph. One argument, by name; launches already queued would keep the old one.
  launcher[grow].setArgument("rate", 1.0);
  round("rate 1");

  // All parameters of a node: nothing is inferred, and the kernel may be another one.
  launcher[grow].update(backend::kernel(eagle::perSample(), Shift{}, values.data(), -6.0));
  round("the first kernel replaced");

  // Switched off, a node keeps its place. It can be found by its label as well.
  launcher.find("shift").disable();
  round("shift disabled");

  // Several changes, all or none.
  try {
    launcher.edit([&](eagle::Launcher& edited) {
      edited[grow].setArgument(1, 100.0);
      edited[shift].enable();
      throw std::runtime_error("changed my mind");
    });
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
  round("the edit undone");

  // In what is this launcher not what the graph says?
  for (const eagle::NodeDifference& difference : launcher.diff()) {
    std::printf("  %s: %s\n", difference.label.c_str(), difference.what.c_str());
  }

  // Another graph of the same shape: only what differs is set.
  backend::Graph other;
  other.addKernel(eagle::perSample(), Grow{}, values.data(), 3.0);
  other.setLabel(other.addKernel(eagle::perSample(), Shift{}, values.data(), 4.0), "shift");
  if (launcher.update(other)) {
    launcher.find("shift").enable();  // an update leaves what is disabled disabled
    round("another graph");
  }

  // And one of another shape: nothing happens, and the answer says why.
  other.addMemset(values.data(), 0, sizeof(double));
  const eagle::UpdateResult refused = launcher.update(other);
  std::printf("refused: %s '%s' %s\n", refused.kind.c_str(), refused.node.c_str(), refused.reason.c_str());
  round("still the one before");
}

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
