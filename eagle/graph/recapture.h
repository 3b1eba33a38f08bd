// Records a capture again, onto the region that is there.
#pragma once

#include <string>
#include <vector>

#include "eagle/graph/built_node.h"

namespace eagle {

/// What a recapture made of one node of the region.
struct RecapturedNode {
  /// What became of the node.
  enum class Status : unsigned char {
    unchanged,     ///< the same parameters
    updated,       ///< other parameters
    notUpdatable,  ///< the reason says why
  };
  std::string label;
  NodeKind kind;
  Status status;
  std::string reason;  ///< what differs, in words; empty where nothing does
};

/// The nodes of a recaptured region in the order they were recorded.
struct RecaptureResult {
  std::vector<RecapturedNode> nodes;

  /// Whether the region is now as it was recorded last; else it is as it was before.
  explicit operator bool() const;
};

namespace graph {

/// Compares a region with a new recording of it: the same nodes in the same order, which may differ in parameters.
/// Nodes whose parameters are their identity (memory allocations and their releases, conditionals) are not updatable.
[[nodiscard]] RecaptureResult compareRecording(const std::vector<BuiltNode>& region,
                                               const std::vector<BuiltNode>& recording);

}  // namespace graph
}  // namespace eagle
