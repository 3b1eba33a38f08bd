// Graphs of the CUDA backend.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "eagle/cuda/capture.h"
#include "eagle/cuda/kernel.h"
#include "eagle/cuda/stream.h"
#include "eagle/graph/graph.h"
#include "eagle/graph/kernel_traits.h"

namespace eagle::cuda {

using Launcher = eagle::Launcher;

template <graph::KernelFunctor K, class Arguments>
class TypedKernel;  // eagle/cuda/kernel.cuh, for sources that nvcc compiles, with kernel() for functors

/// All parameters of a kernel node, to update the view of one: a `__global__` function with its arguments, which are
/// converted to its own types and copied now.
template <class... P, class... A>
[[nodiscard]] graph::KernelSpec kernel(const LaunchRule& rule, void (*function)(P...), A&&... arguments) {
  auto values = graph::convertArguments<std::tuple<std::decay_t<P>...>>(std::forward<A>(arguments)...);
  auto pointers =
      std::apply([](auto&... value) { return std::array<void*, sizeof...(P)>{static_cast<void*>(&value)...}; }, values);
  static const std::array<graph::ArgumentType, sizeof...(P)> kTypes{
      {{&typeid(std::decay_t<P>), sizeof(std::decay_t<P>)}...}};
  return kernelSpec(reinterpret_cast<const void*>(function), rule, graph::ownSize(rule), pointers.data(), {kTypes, 0});
}

/// Likewise from CUDA's own parameters, which are copied now. It keeps its block and follows the logical size.
[[nodiscard]] graph::KernelSpec kernel(const cudaKernelNodeParams& params,
                                       std::span<const cudaLaunchAttribute> attributes = {});

/// A graph that runs as a CUDA graph on one device: that which is current while nodes are added and launchers built.
/// See graph::GraphBase for what it shares with its host twin.
class Graph final : public graph::GraphBase {
 public:
  Graph() : GraphBase(kBackend) {}

  /// Launchers built from now on run on `stream`, in order with its other work; by default each has a stream of its
  /// own.
  void stream(StreamRef stream) { stream_ = std::move(stream); }

  /// Adds what was captured, as one native child graph.
  NodeId addNode(CapturedGraph capture, const Dependencies& after = Dependencies::previous());
  /// Adds the nodes of another graph as they are now. Throws Error if that graph is or holds this one.
  NodeId addNode(const Graph& child, const Dependencies& after = Dependencies::previous());

  /// Adds what `record` launches on the stream of the capturer it is given. It is called once for every launcher built;
  /// `mode` says what other threads may do meanwhile.
  NodeId addCapture(std::function<void(StreamCapturer&)> record, const Dependencies& after = Dependencies::previous(),
                    CaptureMode mode = CaptureMode::global);

  /// Records a captured region again: calls `record` with a capturer that has begun, and lets the region be what it
  /// launches, if that has the same nodes in the same order. Parameters may differ. The ids of nodes stay. If a node
  /// stands in the way the region is as before, and the answer says which and why. Launchers built before are not
  /// touched: give them the graph by `Launcher::update`. What `record` throws comes out, and changes nothing.
  RecaptureResult recapture(NodeId region, const std::function<void(StreamCapturer&)>& record,
                            CaptureMode mode = CaptureMode::global);

  /// Records `event` at each launch, as of when the nodes before this one are done: whoever waits for the event after
  /// the launch was called waits for that. The graph keeps the event. Throws Error (invalidState) for one that was
  /// moved from.
  NodeId addEventRecord(const Event& event, const Dependencies& after = Dependencies::previous());
  /// Waits for what `event` last recorded when the launch is called; not at all for one never recorded. It does not
  /// order nodes of one graph: dependencies do. Likewise; the event must not have been recorded last
  /// in a capture.
  NodeId addEventWait(const Event& event, const Dependencies& after = Dependencies::previous());

  /// Adds `kernel(i, arguments...)` for every index i. Arguments are converted to the kernel's own types and copied
  /// now; memory that they point to is the caller's. Needs nvcc. Throws Error (invalidArgument) for the rule fixed()
  /// without a count, CudaError if CUDA refuses the kernel.
  template <graph::KernelFunctor K, class... A>
  NodeId addKernel(const LaunchRule& rule, const K& kernel, A&&... arguments) {
    return addKernel(rule, Dependencies::previous(), kernel, std::forward<A>(arguments)...);
  }
  /// Likewise, after the nodes given.
  template <graph::KernelFunctor K, class... A>
  NodeId addKernel(const LaunchRule& rule, const Dependencies& after, const K& kernel, A&&... arguments) {
    using Typed = TypedKernel<K, graph::KernelArguments<K>>;
    Typed typed(graph::ownSize(rule), kernel, std::forward<A>(arguments)...);
    auto pointers = typed.pointers();
    return add(kernelSpec(Typed::function(), rule, graph::ownSize(rule), pointers.data(), Typed::parameters()), after);
  }

  /// Adds a `__global__` function, of which the grid follows the rule; it must itself check that a thread has a sample.
  template <class... P, class... A>
  NodeId addKernel(const LaunchRule& rule, void (*kernel)(P...), A&&... arguments) {
    return addKernel(rule, Dependencies::previous(), kernel, std::forward<A>(arguments)...);
  }
  /// Likewise, after the nodes given.
  template <class... P, class... A>
  NodeId addKernel(const LaunchRule& rule, const Dependencies& after, void (*kernel)(P...), A&&... arguments) {
    return add(cuda::kernel(rule, kernel, std::forward<A>(arguments)...), after);
  }

  /// Adds a kernel by CUDA's own parameters, which are copied now. It keeps its block and follows the logical size.
  /// With `attributes`, as cudaLaunchKernelEx takes them: clusters, cooperative launches, priorities.
  NodeId addKernelNode(const cudaKernelNodeParams& params, const Dependencies& after = Dependencies::previous(),
                       std::span<const cudaLaunchAttribute> attributes = {});

 private:
  [[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) const override;
  [[nodiscard]] std::unique_ptr<graph::Executable> build(std::vector<graph::BuiltNode> nodes) const override;

  std::optional<StreamRef> stream_;
};

}  // namespace eagle::cuda
