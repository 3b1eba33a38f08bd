// Updates a built graph to another recipe of the same shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "eagle/graph/built_node.h"
#include "eagle/graph/record.h"

namespace eagle {

/// What to do where a built graph cannot be changed into another.
enum class UpdatePolicy : unsigned char {
  patchOnly,       ///< leave it as it is
  patchOrRebuild,  ///< build the other one, once
};

/// How an update of many nodes ended.
struct UpdateResult {
  /// What became of the built graph.
  enum class Outcome : unsigned char {
    patched,  ///< its nodes were set
    rebuilt,  ///< it was built anew
    refused,  ///< it is as it was
  };
  Outcome outcome = Outcome::refused;
  std::string node;    ///< the label of the node that stands in the way; empty if the update was not refused
  std::string kind;    ///< what that node is
  std::string reason;  ///< what is in the way, and what would have to differ; kept when it was rebuilt for that reason

  /// Whether the launcher is now what it was asked to be.
  explicit operator bool() const { return outcome != Outcome::refused; }
};

namespace graph {

/// Whether two specifications say the same work. Functions of host nodes are the same only as the same object.
[[nodiscard]] bool isSame(const NodeSpec& a, const NodeSpec& b);

/// The nodes of a launcher that some others are to replace: `order[i]` of all nodes for the i-th of the others.
using Pairing = std::vector<std::size_t>;

/// Pairs `others` with the nodes `candidates` of `nodes`: by label where exactly one of each side has it, the rest in
/// order. Kinds and dependencies must agree; dependencies on nodes outside of the candidates do not count.
[[nodiscard]] std::variant<Pairing, UpdateResult> pair(const std::vector<BuiltNode>& nodes,
                                                       const std::vector<std::size_t>& candidates,
                                                       const std::vector<BuiltNode>& others);

/// Makes the nodes those of `recipe`. Throws Error (invalidArgument) for one of another backend.
[[nodiscard]] UpdateResult updateWhole(Record& record, const Recipe& recipe, UpdatePolicy policy);
/// Updates the nodes that belong to node `owner` of the recipe to `others`, all or none.
[[nodiscard]] UpdateResult updateGroup(Record& record, std::uint32_t owner, const std::vector<BuiltNode>& others);

}  // namespace graph
}  // namespace eagle
