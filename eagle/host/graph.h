// Graphs of the host backend.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "eagle/graph/graph.h"
#include "eagle/host/capture.h"
#include "eagle/host/kernel.h"
#include "eagle/host/stream.h"

namespace eagle::host {

using Launcher = eagle::Launcher;

/// An untyped kernel: `range` runs grid x block indices, or as many as the logical size says.
struct KernelNodeParams {
  RangeFunction range;
  Dim3 gridDim;   ///< in blocks
  Dim3 blockDim;  ///< in threads
};

/// All parameters of an untyped kernel node, to update the view of one. Throws Error (invalidArgument) without a
/// function, or with a grid or block that no device takes.
[[nodiscard]] graph::KernelSpec kernel(const KernelNodeParams& params);

/// A graph that runs on the host's threads: independent branches at the same time, each kernel's samples split over
/// threads. See graph::GraphBase for what it shares with its CUDA twin.
class Graph final : public graph::GraphBase {
 public:
  Graph() : GraphBase(kBackend) {}

  /// Launchers built from now on run on `stream`, in order with its other work; by default each has a stream of its
  /// own.
  void stream(StreamRef stream) { stream_ = std::move(stream); }

  /// Adds what was captured.
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
  /// order nodes of one graph: dependencies do. Likewise; a launch throws Error (invalidState) if that
  /// was in a capture.
  NodeId addEventWait(const Event& event, const Dependencies& after = Dependencies::previous());

  /// Adds `kernel(i, arguments...)` for every index i. Arguments are converted to the kernel's own types and copied
  /// now; memory that they point to is the caller's. Throws Error (invalidArgument) for the rule fixed() without a
  /// count.
  template <graph::KernelFunctor K, class... A>
  NodeId addKernel(const LaunchRule& rule, const K& kernel, A&&... arguments) {
    return addKernel(rule, Dependencies::previous(), kernel, std::forward<A>(arguments)...);
  }
  /// Likewise, after the nodes given.
  template <graph::KernelFunctor K, class... A>
  NodeId addKernel(const LaunchRule& rule, const Dependencies& after, const K& kernel, A&&... arguments) {
    return add(host::kernel(rule, kernel, std::forward<A>(arguments)...), after);
  }

  /// Adds an untyped kernel, which follows the logical size in blocks of its own. Throws as host::kernel does.
  NodeId addKernelNode(const KernelNodeParams& params, const Dependencies& after = Dependencies::previous());

 private:
  [[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) const override;
  [[nodiscard]] std::unique_ptr<graph::Executable> build(std::vector<graph::BuiltNode> nodes) const override;

  std::optional<StreamRef> stream_;
};

}  // namespace eagle::host
