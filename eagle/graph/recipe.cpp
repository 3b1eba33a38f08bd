#include "eagle/graph/recipe.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "eagle/base/error.h"

namespace eagle::graph {
namespace {

std::uint64_t nextId() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string defaultLabel(const NodeSpec& spec, std::size_t index) {
  constexpr std::array kNames{"kernel", "host", "memset", "memcpy", "empty", "graph", "capture", "capture"};
  return std::string(kNames.at(spec.index())) + "#" + std::to_string(index);
}

/// Appends `recipe` to `plan` behind `entry` and returns its last nodes.
class Flattener {
 public:
  std::vector<PlanNode> plan;

  std::uint32_t append(const Recipe& recipe, const std::vector<std::uint32_t>& entry, const std::string& prefix,
                       bool fixed, std::int64_t owner) {
    const auto& nodes = recipe.nodes();
    std::vector<std::uint32_t> exits(nodes.size());
    std::vector<bool> isSink(nodes.size(), true);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const RecipeNode& node = nodes[i];
      std::vector<std::uint32_t> dependencies;
      for (const std::uint32_t d : node.dependencies) {
        dependencies.push_back(exits[d]);
        isSink[d] = false;
      }
      if (dependencies.empty()) {
        dependencies = entry;
      }
      const std::string label = prefix + (node.label.empty() ? defaultLabel(node.spec, i) : node.label);
      const auto top = static_cast<std::uint32_t>(owner < 0 ? static_cast<std::int64_t>(i) : owner);
      exits[i] = appendNode(node.spec, std::move(dependencies), label, fixed || node.fixed, top);
    }
    std::vector<std::uint32_t> sinks;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (isSink[i]) {
        sinks.push_back(exits[i]);
      }
    }
    if (owner < 0) {
      return 0;  // nothing follows the outermost recipe
    }
    if (sinks.size() == 1) {
      return sinks.front();
    }
    return push({EmptySpec{}, sinks.empty() ? entry : sinks, prefix + "end", static_cast<std::uint32_t>(owner), true});
  }

 private:
  std::uint32_t appendNode(const NodeSpec& spec, std::vector<std::uint32_t> dependencies, const std::string& label,
                           bool fixed, std::uint32_t owner) {
    if (const auto* capture = std::get_if<CaptureSpec>(&spec)) {
      const NodeSpec recorded = std::visit([](auto s) { return NodeSpec(std::move(s)); }, capture->capture());
      return appendNode(recorded, std::move(dependencies), label, fixed, owner);
    }
    if (const auto* child = std::get_if<ChildSpec>(&spec)) {
      return append(*child->recipe, dependencies, label + "/", fixed, owner);
    }
    return push({spec, std::move(dependencies), label, owner, fixed});
  }

  std::uint32_t push(PlanNode node) {
    plan.push_back(std::move(node));
    return static_cast<std::uint32_t>(plan.size() - 1);
  }
};

}  // namespace

Recipe::Recipe() : id_(nextId()) {}

NodeId Recipe::add(NodeSpec spec, const Dependencies& dependencies) {
  RecipeNode node{std::move(spec), {}, {}, false};
  if (dependencies.isPrevious()) {
    if (!nodes_.empty()) {
      node.dependencies.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
    }
  }
  for (const NodeId& dependency : dependencies.nodes()) {
    (void)at(dependency);
    const auto index = dependency.index();
    if (std::find(node.dependencies.begin(), node.dependencies.end(), index) == node.dependencies.end()) {
      node.dependencies.push_back(index);
    }
  }
  if (const auto* child = std::get_if<ChildSpec>(&node.spec)) {
    if (child->recipe->id_ == id_ || child->recipe->holds_.contains(id_)) {
      throw Error(ErrorCode::invalidArgument, "a graph cannot hold itself, directly or through a child graph");
    }
    holds_.insert(child->recipe->id_);
    holds_.insert(child->recipe->holds_.begin(), child->recipe->holds_.end());
  }
  nodes_.push_back(std::move(node));
  return {id_, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

const RecipeNode& Recipe::at(NodeId node) const {
  if (node.graph() != id_ || node.index() >= nodes_.size()) {
    throw Error(ErrorCode::invalidArgument,
                "node " + std::to_string(node.index()) + " is of another graph: use ids that this graph returned");
  }
  return nodes_[node.index()];
}

RecipeNode& Recipe::at(NodeId node) {
  return const_cast<RecipeNode&>(std::as_const(*this).at(node));
}

std::vector<PlanNode> flatten(const Recipe& recipe) {
  Flattener flattener;
  flattener.append(recipe, {}, "", false, -1);
  return std::move(flattener.plan);
}

}  // namespace eagle::graph
