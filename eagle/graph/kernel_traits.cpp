#include "eagle/graph/kernel_traits.h"

#include <string>

#include "eagle/base/error.h"

namespace eagle::graph {

Index launchSize(const LaunchRule& rule, Index n) {
  if (n < 0) {
    throw Error(ErrorCode::invalidArgument, "launch of " + std::to_string(n) + " samples: it must be 0 or more");
  }
  if (rule.count() >= 0 && rule.count() != n) {
    throw Error(ErrorCode::invalidArgument, "launch of " + std::to_string(n) + " samples with fixed(" +
                                                std::to_string(rule.count()) + "): give fixed() and the size once");
  }
  return n;
}

Index ownSize(const LaunchRule& rule) {
  if (!rule.follows() && rule.count() < 0) {
    throw Error(ErrorCode::invalidArgument,
                "addKernel with fixed(): a kernel added to a graph was never launched with a size: use fixed(count)");
  }
  return rule.count();
}

}  // namespace eagle::graph
