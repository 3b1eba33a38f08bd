// Tutorial 3: record a capture again, onto the region that is there. Compiled once for each backend.
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

struct Grow {
  EAGLE_HD void operator()(eagle::Index i, double* values, double rate) const { values[i] *= 1 + rate; }
};

// Stands for a library that launches what it likes, with parameters it works out itself.
void libraryStep(const backend::StreamRef& stream, const eagle::Buffer<double>& values, double rate, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    backend::launch(stream, eagle::perSample(), values.size(), Grow{}, values.data(), rate);
  }
}

const char* text(eagle::RecapturedNode::Status status) {
  switch (status) {
    case eagle::RecapturedNode::Status::unchanged:
      return "unchanged";
    case eagle::RecapturedNode::Status::updated:
      return "updated";
    default:
      return "not updatable";
  }
}

void report(const eagle::RecaptureResult& result) {
  std::printf("%s\n", result ? "recaptured" : "left as it was");
  for (const eagle::RecapturedNode& node : result.nodes) {
    if (node.kind == eagle::NodeKind::kernel) {
      std::printf("  %s: %s%s%s\n", node.label.c_str(), text(node.status), node.reason.empty() ? "" : ", ",
                  node.reason.c_str());
    }
  }
}

void run() {
  const eagle::Buffer<double> values(eagle::Device::parse(kDevice), std::vector<double>(100, 1.0));

  backend::Stream stream;
  backend::StreamCapturer capturer(stream);
  capturer.begin();
  libraryStep(stream, values, 1.0, 2);

  backend::Graph graph;
  const eagle::NodeId region = graph.addNode(capturer.end());
  graph.setLabel(region, "step");
  eagle::Launcher launcher = graph.launcher();
  const auto round = [&] {
    launcher.launch();
    launcher.synchronize();
    std::printf("each value is %g\n", values.toHost().front());
  };
  round();

  // The same launches with another rate: ids and labels stay, parameters change.
  report(graph.recapture(region, [&](backend::StreamCapturer& again) { libraryStep(again.stream(), values, 0.0, 2); }));
  // The graph has changed; its launchers are told when we say so.
  launcher.update(graph);
  round();

  // A launch more is another shape: the region is left alone.
  report(graph.recapture(region, [&](backend::StreamCapturer& again) { libraryStep(again.stream(), values, 9.0, 3); }));
  launcher.update(graph);
  round();
}

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
