// The same chain on a GPU, each case beside the CUDA calls that it stands for.
#include <benchmark/benchmark.h>

#include <optional>
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
  [[nodiscard]] eagle::NodeView find(const std::string& label) const { return launcher_.find(label); }

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

/// Calls `run(bench, how...)` where there is a device.
template <class Run, class... How>
void ifGpu(benchmark::State& bench, Run run, How... how) {
  if (eagle::Device::automatic().kind() == eagle::Device::Kind::cuda) {
    run(bench, how...);
  } else {
    bench.SkipWithError("no CUDA device");
  }
}

template <class Chain>
void run(benchmark::State& bench, What what) {
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
                                 [what = what](benchmark::State& bench) { ifGpu(bench, run<Chain>, what); })
        ->Arg(1)
        ->Arg(8)
        ->Arg(64)
        ->Arg(512)
        ->UseRealTime();
  }
}

// Updates, each of all nodes of a graph of kUpdated nodes of one kind, beside the calls that they stand for.
constexpr int kUpdated = 64;

enum class Kind { kernel, memset, memcpy, host };

void nothing(void*) {}

cudaGraphNodeParams paramsOf(Kind kind, int* cells, int round) {
  cudaGraphNodeParams params{};
  const auto bytes = static_cast<std::size_t>(round + 1) * sizeof(int);
  if (kind == Kind::memset) {
    params.type = cudaGraphNodeTypeMemset;
    params.memset.dst = cells;
    params.memset.elementSize = 1;
    params.memset.width = params.memset.pitch = bytes;
    params.memset.height = 1;
  } else if (kind == Kind::memcpy) {
    params.type = cudaGraphNodeTypeMemcpy;
    params.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(cells, bytes, bytes, 1);
    params.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(cells + 2, bytes, bytes, 1);
    params.memcpy.copyParams.extent = make_cudaExtent(bytes, 1, 1);
    params.memcpy.copyParams.kind = cudaMemcpyDefault;
  } else {
    params.type = cudaGraphNodeTypeHost;
    params.host.fn = nothing;
    params.host.userData = cells + round;
  }
  return params;
}

/// A graph of nodes of one kind that start with the parameters of round 1.
eagle::cuda::Graph graphOf(Kind kind, int* cells) {
  eagle::cuda::Graph graph;
  for (int k = 0; k < kUpdated; ++k) {
    switch (kind) {
      case Kind::kernel:
        graph.addKernel(eagle::perSample(256), touch, kCells, cells);
        break;
      case Kind::memset:
        graph.addMemset(cells, 0, 2 * sizeof(int));
        break;
      case Kind::memcpy:
        graph.addMemcpy(cells, cells + 2, 2 * sizeof(int));
        break;
      case Kind::host:
        graph.addHostNode([] {});
        break;
    }
  }
  return graph;
}

void updateRaw(benchmark::State& bench, Kind kind) {
  const eagle::Buffer<int> cells(eagle::Device::cuda(), kCells);
  cudaGraph_t graph = nullptr;
  check(cudaGraphCreate(&graph, 0), "graph");
  std::vector<cudaGraphNode_t> nodes(kUpdated);
  eagle::Index n = kCells;
  int* pointer = cells.data();
  void* pointers[] = {&n, &pointer};
  for (int k = 0; k < kUpdated; ++k) {
    cudaGraphNodeParams params = paramsOf(kind, cells.data(), 1);
    if (kind == Kind::kernel) {
      params = {};
      params.type = cudaGraphNodeTypeKernel;
      params.kernel.func = reinterpret_cast<void*>(touch);
      params.kernel.gridDim = {1, 1, 1};
      params.kernel.blockDim = {256, 1, 1};
      params.kernel.kernelParams = pointers;
    }
#if CUDART_VERSION >= 13000
    check(cudaGraphAddNode(&nodes[k], graph, k > 0 ? &nodes[k - 1] : nullptr, nullptr, k > 0 ? 1 : 0, &params), "node");
#else
    check(cudaGraphAddNode(&nodes[k], graph, k > 0 ? &nodes[k - 1] : nullptr, k > 0 ? 1 : 0, &params), "node");
#endif
  }
  cudaGraphExec_t instance = nullptr;
  check(cudaGraphInstantiate(&instance, graph, 0), "instance");
  CUDA_KERNEL_NODE_PARAMS kernel{};
  if (kind == Kind::kernel) {
    kernel = driver::kernelParams(nodes[0]);
    kernel.kernelParams = pointers;
  }
  int round = 0;
  for (auto _ : bench) {
    round = 1 - round;
    for (const cudaGraphNode_t node : nodes) {
      if (kind == Kind::kernel) {
        n = kCells - round;
        driver::check(driver::setKernel(instance, node, kernel), "update");
      } else {
        cudaGraphNodeParams params = paramsOf(kind, cells.data(), round);
        check(cudaGraphExecNodeSetParams(instance, node, &params), "update");
      }
    }
  }
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
}

void updateEagle(benchmark::State& bench, Kind kind, bool asEdit, bool prepared) {
  const eagle::Buffer<int> cells(eagle::Device::cuda(), kCells);
  std::optional<eagle::Launcher> launcher = graphOf(kind, cells.data()).launcher(256);
  std::vector<eagle::NodeView> nodes = launcher->nodes();
  const auto kernel = [&](int which) {
    return eagle::cuda::kernel(eagle::perSample(256), touch, kCells - which, cells.data());
  };
  const eagle::graph::KernelSpec kernels[] = {kernel(0), kernel(1)};
  int round = 0;
  int updates = 0;
  const auto updateAll = [&] {
    for (const eagle::NodeView& node : nodes) {
      const auto bytes = static_cast<std::size_t>(round + 1) * sizeof(int);
      switch (kind) {
        case Kind::kernel:
          node.update(prepared ? kernels[round] : kernel(round));
          break;
        case Kind::memset:
          node.update(eagle::MemsetParams(cells.data(), 0, bytes));
          break;
        case Kind::memcpy:
          node.update(eagle::MemcpyParams(cells.data(), cells.data() + 2, bytes));
          break;
        case Kind::host:
          node.update([] {});
          break;
      }
    }
  };
  for (auto _ : bench) {
    round = 1 - round;
    if (asEdit) {
      launcher->edit([&](eagle::Launcher&) { updateAll(); });
    } else {
      updateAll();
    }
    if (++updates % 1000 == 0) {  // what updates hand over is kept: a fresh launcher now and then
      bench.PauseTiming();
      launcher = graphOf(kind, cells.data()).launcher(256);
      nodes = launcher->nodes();
      bench.ResumeTiming();
    }
  }
}

void find(benchmark::State& bench) {
  const eagle::Buffer<int> cells(eagle::Device::cuda(), kCells);
  const Eagle chain(bench.range(0), cells.data());
  const std::string label = "kernel#" + std::to_string(bench.range(0) / 2);
  for (auto _ : bench) {
    benchmark::DoNotOptimize(chain.find(label));
  }
}

bool addUpdates() {
  for (const auto& [name, kind] : {std::pair("kernel", Kind::kernel), std::pair("memset", Kind::memset),
                                   std::pair("memcpy", Kind::memcpy), std::pair("host", Kind::host)}) {
    const std::string what = std::string("update-64/") + name;
    benchmark::RegisterBenchmark(("gpu-raw/" + what).c_str(),
                                 [kind = kind](benchmark::State& bench) { ifGpu(bench, updateRaw, kind); });
    benchmark::RegisterBenchmark(("gpu/" + what).c_str(), [kind = kind](benchmark::State& bench) {
      ifGpu(bench, updateEagle, kind, false, false);
    });
    benchmark::RegisterBenchmark(
        ("gpu/edit-of-64/" + std::string(name)).c_str(),
        [kind = kind](benchmark::State& bench) { ifGpu(bench, updateEagle, kind, true, false); });
  }
  benchmark::RegisterBenchmark("gpu/update-64/kernel-prepared",
                               [](benchmark::State& bench) { ifGpu(bench, updateEagle, Kind::kernel, false, true); });
  benchmark::RegisterBenchmark("gpu/find", [](benchmark::State& bench) { ifGpu(bench, find); })->Arg(8)->Arg(512);
  return true;
}

[[maybe_unused]] const bool kAdded = (add<Raw>("gpu-raw"), add<Eagle>("gpu"), addUpdates());

}  // namespace
