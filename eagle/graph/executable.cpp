#include "eagle/graph/executable.h"

#include "eagle/base/error.h"

namespace eagle::graph {

BuiltKernel builtKernel(const PlanNode& node, const KernelSpec& spec) {
  if (node.fixed && spec.samples < 0) {
    throw Error(ErrorCode::invalidState, "node '" + node.label +
                                             "' is to keep its size, but has none of its own: add it with "
                                             "eagle::fixed(count)");
  }
  return {node.label, node.owner, node.fixed ? fixed() : spec.rule, spec.kernel->shape(), spec.samples};
}

}  // namespace eagle::graph
