#include "eagle/graph/built_node.h"

#include <array>

#include "eagle/base/error.h"

namespace eagle {

std::string_view nameOf(NodeKind kind) {
  constexpr std::array<std::string_view, 13> kNames{
      "kernel",          "host call",  "memset",           "memory copy",    "empty node",        "child graph",
      "event record",    "event wait", "semaphore signal", "semaphore wait", "memory allocation", "memory release",
      "conditional node"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view shortNameOf(NodeKind kind) {
  constexpr std::array<std::string_view, 13> kNames{"kernel",   "host",   "memset",     "memcpy", "empty",
                                                    "graph",    "record", "wait",       "signal", "wait",
                                                    "allocate", "free",   "conditional"};
  return kNames.at(static_cast<std::size_t>(kind));
}

namespace graph {
namespace {

NodeKind kindOf(const NodeSpec& spec) {
  if (std::holds_alternative<KernelSpec>(spec)) {
    return NodeKind::kernel;
  }
  if (std::holds_alternative<HostSpec>(spec)) {
    return NodeKind::host;
  }
  if (std::holds_alternative<MemsetSpec>(spec)) {
    return NodeKind::memset;
  }
  if (std::holds_alternative<MemcpySpec>(spec)) {
    return NodeKind::memcpy;
  }
  if (const auto* event = std::get_if<EventSpec>(&spec)) {
    return event->isWait ? NodeKind::eventWait : NodeKind::eventRecord;
  }
  return std::holds_alternative<NativeSpec>(spec) ? NodeKind::childGraph : NodeKind::empty;
}

}  // namespace

bool isOfKind(const NodeSpec& spec, NodeKind kind) {
  switch (kind) {
    case NodeKind::kernel:
      return std::holds_alternative<KernelSpec>(spec);
    case NodeKind::host:
      return std::holds_alternative<HostSpec>(spec) || std::holds_alternative<NativeNodeSpec>(spec);
    case NodeKind::memset:
      return std::holds_alternative<MemsetSpec>(spec) || std::holds_alternative<NativeNodeSpec>(spec);
    case NodeKind::memcpy:
      return std::holds_alternative<MemcpySpec>(spec) || std::holds_alternative<NativeNodeSpec>(spec);
    case NodeKind::eventRecord:
    case NodeKind::eventWait:
      return std::holds_alternative<NativeNodeSpec>(spec) ||
             (std::holds_alternative<EventSpec>(spec) && kindOf(spec) == kind);
    default:
      return std::holds_alternative<NativeNodeSpec>(spec);
  }
}

bool canBeUpdated(NodeKind kind) {
  switch (kind) {
    case NodeKind::empty:
    case NodeKind::childGraph:       // by the nodes in it
    case NodeKind::semaphoreSignal:  // CUDA could; whatever imports semaphores captures anew
    case NodeKind::semaphoreWait:
    case NodeKind::allocation:
    case NodeKind::release:
    case NodeKind::conditional:
      return false;
    default:
      return true;
  }
}

bool canBeDisabled(NodeKind kind) {
  return kind == NodeKind::kernel || kind == NodeKind::memset || kind == NodeKind::memcpy;
}

LabelMap byLabel(const std::vector<BuiltNode>& nodes) {
  LabelMap map;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [place, isNew] = map.try_emplace(nodes[i].label, i);
    if (!isNew) {
      place->second = kNoNode;
    }
  }
  return map;
}

KernelSizing sizingOf(const KernelSpec& spec, bool isFixed, const std::string& label) {
  if (isFixed && spec.samples < 0) {
    throw Error(ErrorCode::invalidState,
                "node '" + label + "' is to keep its size, but has none of its own: add it with eagle::fixed(count)");
  }
  return {isFixed ? fixed() : spec.rule, spec.kernel->shape(), spec.samples};
}

BuiltNode builtNode(const PlanNode& node) {
  BuiltNode built{.label = node.label,
                  .kind = kindOf(node.spec),
                  .spec = node.spec,
                  .dependencies = node.dependencies,
                  .owner = node.owner,
                  .parent = {},
                  .fixed = node.fixed,
                  .sizing = {},
                  .argumentNames = node.argumentNames};
  if (const auto* kernel = std::get_if<KernelSpec>(&node.spec)) {
    built.sizing = sizingOf(*kernel, node.fixed, node.label);
  }
  return built;
}

}  // namespace graph
}  // namespace eagle
