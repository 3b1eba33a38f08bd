// The same chain on a GPU, each case beside the CUDA calls that it stands for.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/graph.h"
#include "eagle/cuda/platform.h"

namespace {

using eagle::cuda::check;
namespace driver = eagle::cuda::driver;

constexpr eagle::Index kCells = 1024;

__global__ void touch(eagle::Index n, int* cells) {
  const eagle::Index i = static_cast<eagle::Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) {
    cells[i] += 1;
  }
}

/// By hand: the graph, its instance and its nodes.
class Raw {
 public:
  Raw(std::int64_t kernels, int* cells) : cells_(cells) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(cudaGraphCreate(&graph_, 0), "graph");
    nodes_.resize(static_cast<std::size_t>(kernels));
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const cudaKernelNodeParams params = at(256);
      check(cudaGraphAddKernelNode(&nodes_[k], graph_, k > 0 ? &nodes_[k - 1] : nullptr, k > 0 ? 1 : 0, &params),
            "node");
    }
    check(cudaGraphInstantiate(&instance_, graph_, 0), "instance");
    params_ = driver::kernelParams(nodes_.front());
  }
  ~Raw() {
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(instance_);
    cudaGraphDestroy(graph_);
    cudaStreamDestroy(stream);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;

  /// By the driver's call, which is dearer to write and cheaper to make than the runtime's.
  void resize(eagle::Index n) {
    for (const cudaGraphNode_t node : nodes_) {
      params_.gridDimX = at(n).gridDim.x;
      params_.kernelParams = pointers_;
      driver::check(driver::setKernel(instance_, node, params_), "resize");
    }
  }
  void launch() { check(cudaGraphLaunch(instance_, stream), "launch"); }
  void synchronize() { check(cudaStreamSynchronize(stream), "synchronize"); }

  cudaStream_t stream = nullptr;

 private:
  cudaKernelNodeParams at(eagle::Index n) {
    n_ = n;
    cudaKernelNodeParams params{};
    params.func = reinterpret_cast<void*>(touch);
    params.gridDim = {static_cast<unsigned>((n + 255) / 256), 1, 1};
    params.blockDim = {256, 1, 1};
    params.kernelParams = pointers_;
    return params;
  }

  int* cells_;
  eagle::Index n_ = 0;
  void* pointers_[2] = {&n_, &cells_};
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t instance_ = nullptr;
  std::vector<cudaGraphNode_t> nodes_;
  CUDA_KERNEL_NODE_PARAMS params_{};
};

/// As a user of eagle writes it, with the same kernel and the same members.
class Eagle {
 public:
  Eagle(std::int64_t kernels, int* cells) : launcher_(make(kernels, cells)) {}
  void resize(eagle::Index n) { launcher_.setLogicalSize(n); }
  void launch() { launcher_.launch(); }
  void synchronize() { launcher_.synchronize(); }

 private:
  static eagle::Launcher make(std::int64_t kernels, int* cells) {
    eagle::cuda::Graph graph;
    for (std::int64_t k = 0; k < kernels; ++k) {
      graph.addKernel(eagle::perSample(256), touch, kCells, cells);
    }
    return graph.launcher(256);
  }
  eagle::Launcher launcher_;
};

enum class What { launchOnly, launchAndWait, resize, resizeAndLaunch };

template <class Chain>
void run(benchmark::State& bench, What what) {
  if (eagle::Device::automatic().kind() != eagle::Device::Kind::cuda) {
    bench.SkipWithError("no CUDA device");
    return;
  }
  const eagle::Buffer<int> cells(eagle::Device::cuda(), kCells);
  Chain chain(bench.range(0), cells.data());
  eagle::Index n = 256;
  for (auto _ : bench) {
    if (what == What::resize || what == What::resizeAndLaunch) {
      n = 768 - n;
      chain.resize(n);
    }
    if (what != What::resize) {
      chain.launch();
    }
    if (what == What::launchOnly) {
      bench.PauseTiming();
      chain.synchronize();
      bench.ResumeTiming();
    } else if (what != What::resize) {
      chain.synchronize();
    }
  }
}

template <class Chain>
void add(const std::string& who) {
  for (const auto& [name, what] :
       {std::pair("launch", What::launchOnly), std::pair("launch+wait", What::launchAndWait),
        std::pair("resize", What::resize), std::pair("resize+launch+wait", What::resizeAndLaunch)}) {
    benchmark::RegisterBenchmark((who + "/" + name).c_str(),
                                 [what = what](benchmark::State& bench) { run<Chain>(bench, what); })
        ->Arg(1)
        ->Arg(8)
        ->Arg(64)
        ->Arg(512)
        ->UseRealTime();
  }
}

[[maybe_unused]] const bool kAdded = (add<Raw>("gpu-raw"), add<Eagle>("gpu"), true);

}  // namespace
