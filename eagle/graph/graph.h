// What every graph can record, whatever its backend.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eagle/graph/executable.h"
#include "eagle/graph/launcher.h"
#include "eagle/graph/node.h"
#include "eagle/graph/recapture.h"
#include "eagle/graph/recipe.h"

namespace eagle::graph {

/// The recipe of a graph under construction: the part of `eagle::host::Graph` and `eagle::cuda::Graph` that means the
/// same on both. It holds what its nodes use (arguments, functions, captures); memory given by address stays the
/// caller's. Launchers keep what they were built from: later changes of the graph do not reach them. A NodeId of
/// another graph is refused by Error (invalidArgument). Move-only. Not thread-safe.
class GraphBase {
 public:
  /// The other graph is empty afterwards, with an identity of its own.
  GraphBase(GraphBase&& other) noexcept;
  /// Likewise.
  GraphBase& operator=(GraphBase&& other) noexcept;
  GraphBase(const GraphBase&) = delete;
  GraphBase& operator=(const GraphBase&) = delete;
  virtual ~GraphBase() = default;

  /// Calls `function` on a host thread, not that of the caller. What it throws is rethrown by `Launcher::synchronize`;
  /// the nodes behind it run all the same. It must not call the CUDA API. Throws Error (invalidArgument) without a
  /// function.
  NodeId addHostNode(std::function<void()> function, const Dependencies& after = Dependencies::previous());

  /// Sets `bytes` bytes at `destination` to `value`, in memory of the graph's device. Throws Error (invalidArgument)
  /// for a null address or 0 bytes.
  NodeId addMemset(void* destination, unsigned char value, std::size_t bytes,
                   const Dependencies& after = Dependencies::previous());

  /// Copies `bytes` bytes; the ranges do not overlap. CUDA tells from the addresses where they lie. Throws likewise.
  NodeId addMemcpy(void* destination, const void* source, std::size_t bytes,
                   const Dependencies& after = Dependencies::previous());

  /// Does nothing: a point where branches meet.
  NodeId addEmpty(const Dependencies& after = Dependencies::previous());

  /// Names a node in errors, sizes and listings; the default is its kind and number, such as "kernel#3".
  void setLabel(NodeId node, std::string label);
  /// As set by setLabel; empty for a node that has the default.
  [[nodiscard]] const std::string& label(NodeId node) const { return recipe_.at(node).label; }

  /// Lets the kernels of a node (a kernel, a capture, a child graph) keep the sizes they have, whatever the logical
  /// size. Throws Error (invalidArgument) for a kernel that has no size of its own, and for nodes of other kinds.
  void setFixed(NodeId node);

  /// Names the arguments of a kernel, in order, for setArgument on the views of launchers. Throws Error
  /// (invalidArgument) for another node, or for more names than the kernel has arguments.
  void setArgumentNames(NodeId node, std::vector<std::string> names);

  /// A capture or child graph counts as one.
  [[nodiscard]] std::size_t nodeCount() const { return recipe_.nodes().size(); }

  /// The nodes in the language of Graphviz; `scripts/graph-svg` draws it.
  [[nodiscard]] std::string dot() const;

  /// Builds a native graph from the recipe and makes it ready to launch; any number of times. Throws Error
  /// (invalidState) for a graph without nodes, and from a function that is being captured for this very graph.
  [[nodiscard]] Launcher launcher() const;
  /// Likewise, with the logical size set. Throws as `Launcher::setLogicalSize` does, too.
  [[nodiscard]] Launcher launcher(Index logicalSize) const;

  /// For backends and updates; this graph keeps it.
  [[nodiscard]] const Recipe& recipe() const { return recipe_; }
  /// This graph as it is now, as a node of another one.
  [[nodiscard]] NodeSpec spec() const;

 protected:
  /// `backend` as graph::Kernel has it.
  explicit GraphBase(std::string_view backend) : recipe_(backend) {}

  NodeId add(NodeSpec spec, const Dependencies& after) { return recipe_.add(std::move(spec), after); }

  /// Calls `record`, which records the region anew, and takes the recording for the region if it has the same shape.
  RecaptureResult recaptureAs(NodeId region, const std::function<NodeSpec()>& record);
  [[nodiscard]] virtual std::vector<BuiltNode> describe(const std::vector<PlanNode>& plan) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Executable> build(std::vector<BuiltNode> nodes) const = 0;

 private:
  void checkBytes(const void* memory, std::size_t bytes, const char* what) const;

  Recipe recipe_;
  mutable bool isBuilding_ = false;
};

}  // namespace eagle::graph
