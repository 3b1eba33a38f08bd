// The nodes of a built graph, as every backend lists them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eagle/graph/launch_rule.h"
#include "eagle/graph/node.h"
#include "eagle/graph/recipe.h"

namespace eagle {

/// What a node of a launcher does.
enum class NodeKind : unsigned char {
  kernel,
  host,
  memset,
  memcpy,
  empty,
  childGraph,  ///< a capture that CUDA holds as a graph of its own; the nodes in it follow it
  eventRecord,
  eventWait,
  semaphoreSignal,
  semaphoreWait,
  allocation,
  release,
  conditional,
};

/// As errors and listings write it, such as "memory copy".
[[nodiscard]] std::string_view nameOf(NodeKind kind);
/// As default labels begin, such as "memcpy".
[[nodiscard]] std::string_view shortNameOf(NodeKind kind);

namespace graph {

/// How a kernel follows the logical size.
struct KernelSizing {
  LaunchRule rule = fixed();
  KernelShape shape;
  Index samples = -1;  ///< indices it runs over until a logical size is set; -1 if it has no size of its own

  friend bool operator==(const KernelSizing&, const KernelSizing&) = default;
};

/// One node of a built graph: what it was built from.
struct BuiltNode {
  std::string label;  ///< path through child graphs and captures, such as "capture#0/kernel#2"
  NodeKind kind;
  NodeSpec spec;
  std::vector<std::uint32_t> dependencies;  ///< indices of built nodes
  PlanOwner owner;
  std::optional<std::uint32_t> parent;     ///< index of the childGraph it is in
  bool fixed = false;                      ///< its kernels keep their sizes, updated or not
  KernelSizing sizing;                     ///< of kernels
  std::vector<std::string> argumentNames;  ///< of kernels, as far as they were named
};

/// A primitive node of a plan. Throws Error (invalidState) naming the node if it is to keep a size that it does not
/// have.
[[nodiscard]] BuiltNode builtNode(const PlanNode& node);

/// How a kernel node with this specification follows the logical size. Throws likewise.
[[nodiscard]] KernelSizing sizingOf(const KernelSpec& spec, bool isFixed, const std::string& label);

/// Whether a node of that kind may be set to the specification.
[[nodiscard]] bool isOfKind(const NodeSpec& spec, NodeKind kind);
/// What CUDA lets change in an executable graph; the host holds to the same.
[[nodiscard]] bool canBeUpdated(NodeKind kind);
[[nodiscard]] bool canBeDisabled(NodeKind kind);

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

/// The node that has a label; kNoNode where several have it.
using LabelMap = std::unordered_map<std::string, std::size_t>;
[[nodiscard]] LabelMap byLabel(const std::vector<BuiltNode>& nodes);

}  // namespace graph
}  // namespace eagle
