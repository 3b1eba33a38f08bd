// A recipe: the nodes of a graph in the order they were added, and its flat form that backends build from.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eagle/graph/node.h"

namespace eagle::graph {

/// One node. Dependencies point to earlier nodes only, so a recipe has no cycles.
struct RecipeNode {
  NodeSpec spec;
  std::vector<std::uint32_t> dependencies;
  std::string label;
  bool fixed = false;  ///< the kernels in it keep their sizes
  std::vector<std::string> argumentNames;
};

/// Its label, or its kind and number, such as "kernel#3".
[[nodiscard]] std::string labelOf(const RecipeNode& node, std::size_t index);

/// The specification of a graph. Copies share the owners the nodes hold.
class Recipe {
 public:
  /// `backend` as graph::Kernel has it.
  explicit Recipe(std::string_view backend);

  [[nodiscard]] std::string_view backend() const { return backend_; }

  /// Unique in the process; a copy keeps it.
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const std::vector<RecipeNode>& nodes() const { return nodes_; }

  /// Appends a node. Throws Error (invalidArgument) for a dependency of another graph, or a child that is or holds this
  /// very graph.
  NodeId add(NodeSpec spec, const Dependencies& dependencies);
  /// Throws Error (invalidArgument) if the node is not of this graph.
  [[nodiscard]] const RecipeNode& at(NodeId node) const;
  [[nodiscard]] RecipeNode& at(NodeId node);

 private:
  std::string_view backend_;
  std::uint64_t id_;
  std::set<std::uint64_t> holds_;  // ids of all recipes in children, at any depth
  std::vector<RecipeNode> nodes_;
};

/// The node of the recipe itself that a node of a plan belongs to.
struct PlanOwner {
  std::uint32_t index;
  std::string label;  ///< never empty
  bool fixed = false;
  bool isGroup = false;  ///< a child graph or a capture, of which the nodes of the plan are the parts
};

/// One primitive node of a plan: never a child graph or a capture still to be recorded.
struct PlanNode {
  NodeSpec spec;
  std::vector<std::uint32_t> dependencies;
  std::string label;  ///< path through child graphs, such as "child/advance"; never empty
  PlanOwner owner;
  bool fixed;
  std::vector<std::string> argumentNames;
};

/// Replays children and captures into one list in canonical order: that of the recipe, children in place.
[[nodiscard]] std::vector<PlanNode> flatten(const Recipe& recipe);
/// The nodes of one owner likewise, as if nothing came before them.
[[nodiscard]] std::vector<PlanNode> flatten(const NodeSpec& spec, const PlanOwner& owner);

}  // namespace eagle::graph
