// A launcher: one built copy of a graph, replayed, resized and changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/node.h"
#include "eagle/graph/node_view.h"
#include "eagle/graph/record.h"
#include "eagle/graph/whole_update.h"

namespace eagle {

namespace graph {
class GraphBase;
}

/// What a launcher was changed by so far.
struct LauncherStatistics {
  std::uint64_t updates;      ///< of nodes; those of a whole update included, those of an undone edit not
  std::uint64_t driverCalls;  ///< made to change nodes, refused ones included
  std::uint64_t rebuilds;     ///< whole updates that built a native graph anew
  std::uint64_t bytesOwned;   ///< of arguments and functions that updates handed over and that are still kept
};

/// One way in which a node is set otherwise than the graph says.
struct NodeDifference {
  std::string label;
  std::string what;  ///< such as "argument 1" or "disabled"
};

/// The built, replayable form of a graph, made by `Graph::launcher()`. Holds everything its nodes use, whatever becomes
/// of the graph. Destroying it waits for its launches. Move-only; using one that was moved from throws Error
/// (invalidState). Not thread-safe; launchers of one graph are independent of each other.
class Launcher {
 public:
  /// Made by graphs; `graph` is the id of the recipe.
  Launcher(std::unique_ptr<graph::Executable> executable, std::uint64_t graph);

  /// Queues one run on the graph's stream; does not synchronize. Runs of one launcher do not overlap. Throws Error
  /// (invalidState) naming the node where a kernel has no size yet, and while the stream is captured or within edit().
  void launch();

  /// Waits for everything queued on the stream. Rethrows the first exception a host node threw since the last call; the
  /// launcher can be used on.
  void synchronize();

  /// Lets the next launches process n samples: each kernel that follows gets grid and block from its launch rule; at 0
  /// it runs nothing and keeps its place in the order. Launches already queued are not touched. Throws Error and
  /// changes nothing if n is negative or one node cannot take that size, naming the node.
  void setLogicalSize(Index n);

  /// The size last set; none until then, and captured kernels run as captured.
  [[nodiscard]] std::optional<Index> logicalSize() const { return record().logicalSize(); }

  /// Sizes of all kernels in canonical order: that of the graph, with captures and child graphs in place.
  [[nodiscard]] std::vector<NodeSize> sizes() const;
  /// Of the kernels in one node of the graph. Throws as operator[] does.
  [[nodiscard]] std::vector<NodeSize> sizes(NodeId node) const;

  /// The view of a node of the graph this was built from or last updated to. Throws Error (invalidArgument) for a node
  /// of another graph. The view of a capture or child graph updates it as a whole; the nodes in it have views by label.
  [[nodiscard]] NodeView operator[](NodeId node) const;
  /// By label, with the path for a node in a capture or child graph, such as "step/advance". Constant time. Throws
  /// Error (invalidArgument) if no node has it, or several.
  [[nodiscard]] NodeView find(const std::string& label) const;
  /// All nodes in canonical order, those in captures and child graphs included.
  [[nodiscard]] std::vector<NodeView> nodes() const;

  /// Calls `changes(*this)`. If it throws, everything it changed is undone, and the exception goes on. Nothing can be
  /// launched in between, and neither edits nor updates of the whole can be made.
  template <class F>
  void edit(F&& changes) {
    const std::shared_ptr<graph::Record> kept = recordToEdit();  // the changes may move this or assign to it
    graph::Transaction transaction(*kept);
    std::forward<F>(changes)(*this);
    transaction.commit();
  }

  /// Makes this what `graph.launcher()` would be, at the same logical size, on the same stream; disabled nodes stay
  /// disabled. Nodes are paired by label, those without a pair by order; only those that differ are set. On success
  /// views from before are stale. Otherwise nothing has changed, and the answer says which node stands in the way.
  /// Throws Error: invalidState for a graph without nodes, invalidArgument for one of another backend, and what the
  /// backend throws for reasons that are none of the graphs' fault.
  UpdateResult update(const graph::GraphBase& graph, UpdatePolicy policy = UpdatePolicy::patchOnly);

  /// Counted since the launcher was built.
  [[nodiscard]] LauncherStatistics statistics() const;
  /// In what this differs from the graph it was built from, in canonical order.
  [[nodiscard]] std::vector<NodeDifference> diff() const;

  /// The nodes as built and set, in the language of Graphviz, with sizes; those that do nothing are gray.
  [[nodiscard]] std::string dot() const;

  /// Moves the built graph to the device now, so that the first launch does not pay for it; does not synchronize.
  void upload();

 private:
  /// Throws Error (invalidState) for a launcher that was moved from.
  [[nodiscard]] graph::Record& record() const;
  /// Throws Error (invalidState) within another edit.
  [[nodiscard]] std::shared_ptr<graph::Record> recordToEdit();

  std::shared_ptr<graph::Record> record_;  // views look at it
};

}  // namespace eagle
