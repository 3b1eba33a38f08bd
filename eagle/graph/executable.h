// The short table of primitives a backend supplies: one built native graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/built_node.h"
#include "eagle/graph/launch_rule.h"

namespace eagle::graph {

/// A native graph built from a plan, on one stream. Owned by one launcher, which alone changes it. Destroying it waits
/// for its launches.
class Executable {
 public:
  virtual ~Executable() = default;

  /// As graph::Kernel has it.
  [[nodiscard]] virtual std::string_view backend() const = 0;
  /// In canonical order; fixed for life. The index of a node here names it below.
  [[nodiscard]] virtual const std::vector<BuiltNode>& nodes() const = 0;

  /// Sets all parameters of a node, for kernels grid and block too and the number of indices of one that takes it.
  /// `spec` is of the node's kind. Applies to later launches. One driver call. On failure throws and changes nothing.
  virtual void set(std::size_t node, const NodeSpec& spec, const LaunchDims& dims, Index samples) = 0;
  /// A disabled kernel, copy or memset keeps its place in the order and does nothing. Likewise.
  virtual void setEnabled(std::size_t node, bool enabled) = 0;
  /// As the native graph has it.
  [[nodiscard]] virtual bool isEnabled(std::size_t node) const = 0;
  /// Calls made by set() and setEnabled() so far, refused ones too.
  [[nodiscard]] virtual std::uint64_t driverCalls() const = 0;

  /// The nodes that would be built from `plan`.
  [[nodiscard]] virtual std::vector<BuiltNode> describe(const std::vector<PlanNode>& plan) const = 0;
  /// Another graph, built from such nodes on this one's stream; errors of either's host nodes are thrown by either.
  [[nodiscard]] virtual std::unique_ptr<Executable> rebuilt(std::vector<BuiltNode> nodes) const = 0;

  /// Queues one run on the stream; does not wait.
  virtual void launch() = 0;
  /// Moves to the device what the first launch would; does not wait.
  virtual void upload() = 0;
  /// Whether its launches are done; false where that cannot be told.
  [[nodiscard]] virtual bool isIdle() const noexcept = 0;
  /// Waits for all work of the stream; throws the first error of a host node since the last call.
  virtual void synchronize() = 0;
};

}  // namespace eagle::graph
