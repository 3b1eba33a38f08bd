// The short table of primitives a backend supplies: one built native graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/launch_rule.h"
#include "eagle/graph/recipe.h"

namespace eagle::graph {

/// One kernel of a built graph, captured ones included.
struct BuiltKernel {
  std::string label;
  std::uint32_t owner;  ///< index of the node of the recipe it belongs to
  LaunchRule rule;
  KernelShape shape;
  Index samples;  ///< indices it runs over as built; -1 if it has no size of its own
};

/// What a kernel node of a plan is built as. Throws Error (invalidState) naming the node if it is to keep a size that
/// it does not have.
[[nodiscard]] BuiltKernel builtKernel(const PlanNode& node, const KernelSpec& spec);

/// A native graph built from a plan, on one stream. Owned by one launcher, which alone changes it. Destroying it waits
/// for its launches.
class Executable {
 public:
  virtual ~Executable() = default;

  /// In canonical order; fixed for life. The index of a kernel here names it below.
  [[nodiscard]] virtual const std::vector<BuiltKernel>& kernels() const = 0;

  /// Sets grid and block, and the number of indices of a kernel that takes it. Applies to later launches. At most one
  /// driver call. On failure throws and changes nothing.
  virtual void resize(std::size_t kernel, const LaunchDims& dims, Index samples) = 0;
  /// A disabled kernel keeps its place in the order and does nothing. Likewise.
  virtual void setEnabled(std::size_t kernel, bool enabled) = 0;

  /// Queues one run on the stream; does not wait.
  virtual void launch() = 0;
  /// Moves to the device what the first launch would; does not wait.
  virtual void upload() = 0;
  /// Waits for all work of the stream; throws the first error of a host node since the last call.
  virtual void synchronize() = 0;
};

}  // namespace eagle::graph
