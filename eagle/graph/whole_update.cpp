#include "eagle/graph/whole_update.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "eagle/base/error.h"

namespace eagle::graph {
namespace {

UpdateResult refused(const BuiltNode& node, std::string reason) {
  return {UpdateResult::Outcome::refused, node.label, std::string(nameOf(node.kind)), std::move(reason)};
}

bool isSameKernel(const Kernel& a, const Kernel& b) {
  if (&a == &b) {
    return true;
  }
  if (!a.isSameFunction(b)) {
    return false;
  }
  const std::vector<Argument> ours = a.arguments();
  const std::vector<Argument> theirs = b.arguments();
  return !ours.empty() &&
         std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), [](const Argument& x, const Argument& y) {
           return x.bytes == y.bytes && std::memcmp(x.value, y.value, x.bytes) == 0;
         });
}

// The pairs of `pair()`; kNoNode for an other without a node left.
Pairing pairByLabel(const std::vector<BuiltNode>& nodes, const std::vector<std::size_t>& candidates,
                    const std::vector<BuiltNode>& others) {
  std::vector<BuiltNode> ours;
  ours.reserve(candidates.size());
  for (const std::size_t candidate : candidates) {
    ours.push_back(nodes[candidate]);
  }
  const LabelMap ourLabels = byLabel(ours);
  const LabelMap theirLabels = byLabel(others);
  Pairing order(others.size(), kNoNode);
  std::vector<bool> isTaken(candidates.size(), false);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const auto mine = ourLabels.find(others[i].label);
    if (mine != ourLabels.end() && mine->second != kNoNode && theirLabels.at(others[i].label) != kNoNode) {
      order[i] = candidates[mine->second];
      isTaken[mine->second] = true;
    }
  }
  std::size_t next = 0;
  for (std::size_t& place : order) {
    if (place != kNoNode) {
      continue;
    }
    while (next < isTaken.size() && isTaken[next]) {
      ++next;
    }
    if (next < isTaken.size()) {
      place = candidates[next++];
    }
  }
  return order;
}

std::string quoted(const std::vector<BuiltNode>& nodes, const std::set<std::size_t>& which) {
  std::string text;
  for (const std::size_t node : which) {
    text += (text.empty() ? "'" : ", '") + nodes[node].label + "'";
  }
  return text.empty() ? "none" : text;
}

void requireBackend(const Record& record, std::string_view backend) {
  if (record.executable().backend() != backend) {
    throw Error(ErrorCode::invalidArgument, "this launcher runs on " + std::string(record.executable().backend()) +
                                                ", the graph is for " + std::string(backend));
  }
}

// The error that stands in the way, or none; which of the others were so already.
std::optional<UpdateResult> apply(Record& record, const Pairing& order, const std::vector<BuiltNode>& others,
                                  std::vector<bool>& isKept) {
  isKept.assign(others.size(), false);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const BuiltNode& other = others[i];
    const Record::Node& now = record.nodes()[order[i]];
    const bool isSized = other.kind == NodeKind::kernel;
    if (isSame(now.work.spec, other.spec) && (!isSized || now.work.sizing == other.sizing)) {
      isKept[i] = true;
      continue;
    }
    try {
      record.update(order[i], NodeSpec(other.spec), other.fixed);
    } catch (const Error& error) {
      return refused(record.built()[order[i]], error.what());
    }
  }
  return std::nullopt;
}

}  // namespace

bool isSame(const NodeSpec& a, const NodeSpec& b) {
  if (a.index() != b.index()) {
    return false;
  }
  if (const auto* kernel = std::get_if<KernelSpec>(&a)) {
    return isSameKernel(*kernel->kernel, *std::get<KernelSpec>(b).kernel);
  }
  if (const auto* host = std::get_if<HostSpec>(&a)) {
    return host->function == std::get<HostSpec>(b).function;
  }
  if (const auto* set = std::get_if<MemsetSpec>(&a)) {
    return *set == std::get<MemsetSpec>(b);
  }
  if (const auto* copy = std::get_if<MemcpySpec>(&a)) {
    return *copy == std::get<MemcpySpec>(b);
  }
  if (const auto* event = std::get_if<EventSpec>(&a)) {
    return *event == std::get<EventSpec>(b);
  }
  if (const auto* native = std::get_if<NativeNodeSpec>(&a)) {
    return native->node->isSame(*std::get<NativeNodeSpec>(b).node);
  }
  return true;  // nothing to differ in but the nodes inside, which are compared themselves
}

std::variant<Pairing, UpdateResult> pair(const std::vector<BuiltNode>& nodes,
                                         const std::vector<std::size_t>& candidates,
                                         const std::vector<BuiltNode>& others) {
  const Pairing pairing = pairByLabel(nodes, candidates, others);
  std::set<std::size_t> left(candidates.begin(), candidates.end());
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (pairing[i] == kNoNode) {
      return refused(others[i], "is new: a built graph keeps its " + std::to_string(candidates.size()) + " nodes");
    }
    left.erase(pairing[i]);
  }
  if (!left.empty()) {
    return refused(nodes[*left.begin()],
                   "would be gone: a built graph keeps its " + std::to_string(candidates.size()) + " nodes");
  }
  const std::set<std::size_t> inside(candidates.begin(), candidates.end());
  for (std::size_t i = 0; i < others.size(); ++i) {
    const BuiltNode& mine = nodes[pairing[i]];
    const BuiltNode& other = others[i];
    if (mine.kind != other.kind) {
      return refused(mine, "would become a " + std::string(nameOf(other.kind)) + ": the kind of a node stays");
    }
    std::set<std::size_t> now;
    for (const std::uint32_t dependency : mine.dependencies) {
      if (inside.contains(dependency)) {
        now.insert(dependency);
      }
    }
    std::set<std::size_t> then;
    for (const std::uint32_t dependency : other.dependencies) {
      then.insert(pairing[dependency]);
    }
    if (now != then) {
      return refused(mine, "would wait for other nodes (" + quoted(nodes, then) + ", now " + quoted(nodes, now) +
                               "): the order of a built graph stays");
    }
  }
  return pairing;
}

UpdateResult updateWhole(Record& record, const Recipe& recipe, UpdatePolicy policy) {
  record.requireNoChangeUnderWay("update");
  requireBackend(record, recipe.backend());
  std::vector<BuiltNode> others = record.executable().describe(flatten(recipe));
  std::vector<std::size_t> all(record.built().size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  auto pairing = pair(record.built(), all, others);
  UpdateResult result;
  if (const auto* order = std::get_if<Pairing>(&pairing)) {
    Transaction transaction(record);
    std::vector<bool> isKept;
    if (const auto problem = apply(record, *order, others, isKept)) {
      result = *problem;
    } else {
      record.adopt(others, *order, isKept, recipe.id());
      transaction.commit();
      result.outcome = UpdateResult::Outcome::patched;
    }
  } else {
    result = std::get<UpdateResult>(pairing);
  }
  if (!result && policy == UpdatePolicy::patchOrRebuild) {
    record.rebuild(std::move(others), recipe.id());
    result.outcome = UpdateResult::Outcome::rebuilt;
  }
  return result;
}

UpdateResult updateGroup(Record& record, std::uint32_t owner, const std::vector<BuiltNode>& others) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < record.built().size(); ++i) {
    if (record.built()[i].owner.index == owner) {
      members.push_back(i);
    }
  }
  const auto pairing = pair(record.built(), members, others);
  if (const auto* problem = std::get_if<UpdateResult>(&pairing)) {
    return *problem;
  }
  Transaction transaction(record);
  std::vector<bool> isKept;
  if (const auto problem = apply(record, std::get<Pairing>(pairing), others, isKept)) {
    return *problem;
  }
  transaction.commit();
  return {UpdateResult::Outcome::patched, {}, {}, {}};
}

}  // namespace eagle::graph
