// A launcher: one built copy of a graph, replayed and resized.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/executable.h"
#include "eagle/graph/node.h"

namespace eagle {

/// What one kernel of a launcher runs at its next launch.
struct NodeSize {
  std::string label;
  LaunchDims dims;
  bool follows;  ///< changes with the logical size
  bool enabled;  ///< false at logical size 0 for kernels that follow
};

/// The built, replayable form of a graph, made by `Graph::launcher()`. Holds everything its nodes use, whatever becomes
/// of the graph. Move-only. Not thread-safe; launchers of one graph are independent of each other.
class Launcher {
 public:
  Launcher(std::unique_ptr<graph::Executable> executable, std::uint64_t graph);

  /// Queues one run on the graph's stream; does not synchronize. Runs of one launcher do not overlap. Throws Error
  /// (invalidState) naming the node where a kernel has no size yet.
  void launch();

  /// Waits for everything queued on the stream. Rethrows the first exception a host node threw since the last call; the
  /// launcher can be used on.
  void synchronize();

  /// Lets the next launches process n samples: each kernel that follows gets grid and block from its launch rule; at 0
  /// it runs nothing and keeps its place in the order. Launches already queued are not touched. Throws Error and
  /// changes nothing if n is negative or one node cannot take that size, naming the node.
  void setLogicalSize(Index n);

  /// The size last set; none until then, and captured kernels run as captured.
  [[nodiscard]] std::optional<Index> logicalSize() const { return size_; }

  /// Sizes of all kernels in canonical order, or of those in one node of the graph.
  [[nodiscard]] std::vector<NodeSize> sizes() const;
  [[nodiscard]] std::vector<NodeSize> sizes(NodeId node) const;

  /// Moves the built graph to the device now, so that the first launch does not pay for it; does not synchronize.
  void upload();

 private:
  struct State {
    LaunchDims dims;
    Index samples;
    bool enabled;
  };

  void apply(std::size_t kernel, const State& from, const State& to);
  void rollBack(std::size_t end) noexcept;
  [[nodiscard]] NodeSize describe(std::size_t kernel) const;

  std::unique_ptr<graph::Executable> executable_;
  std::uint64_t graph_;
  std::optional<Index> size_;
  std::vector<State> state_;
  std::vector<State> next_;  // scratch of setLogicalSize, kept to spare an allocation
};

}  // namespace eagle
