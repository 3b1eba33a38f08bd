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
  constexpr std::array kNames{"kernel", "host",    "memset",  "memcpy", "empty",
                              "graph",  "capture", "capture", "native", "record"};
  const auto* event = std::get_if<EventSpec>(&spec);
  const char* name = event != nullptr && event->isWait ? "wait" : kNames.at(spec.index());
  return std::string(name) + "#" + std::to_string(index);
}

}  // namespace

std::string labelOf(const RecipeNode& node, std::size_t index) {
  return node.label.empty() ? defaultLabel(node.spec, index) : node.label;
}

namespace {

/// Appends recipes to a plan.
class Flattener {
 public:
  std::vector<PlanNode> plan;

  void appendAll(const Recipe& recipe) {
    const auto& nodes = recipe.nodes();
    std::vector<std::uint32_t> exits(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const RecipeNode& node = nodes[i];
      std::string label = labelOf(node, i);
      owner_ = {static_cast<std::uint32_t>(i), label, node.fixed, false};
      exits[i] = append(node, exitsOf(node, exits), label, node.fixed);
    }
  }

  void appendOne(const NodeSpec& spec, const PlanOwner& owner) {
    owner_ = owner;
    append({spec, {}, {}, owner.fixed, {}}, {}, owner.label, owner.fixed);
  }

 private:
  static std::vector<std::uint32_t> exitsOf(const RecipeNode& node, const std::vector<std::uint32_t>& exits) {
    std::vector<std::uint32_t> result;
    result.reserve(node.dependencies.size());
    for (const std::uint32_t dependency : node.dependencies) {
      result.push_back(exits[dependency]);
    }
    return result;
  }

  /// Returns the node behind which the next ones follow.
  std::uint32_t append(const RecipeNode& node, std::vector<std::uint32_t> dependencies, const std::string& label,
                       bool fixed) {
    if (const auto* capture = std::get_if<CaptureSpec>(&node.spec)) {
      RecipeNode recorded = node;
      recorded.spec = std::visit([](auto spec) { return NodeSpec(std::move(spec)); }, capture->capture());
      return append(recorded, std::move(dependencies), label, fixed);
    }
    if (const auto* child = std::get_if<ChildSpec>(&node.spec)) {
      owner_.isGroup = true;
      return appendChild(*child->recipe, dependencies, label + "/", fixed);
    }
    owner_.isGroup = owner_.isGroup || std::holds_alternative<NativeSpec>(node.spec);
    return push({node.spec, std::move(dependencies), label, owner_, fixed, node.argumentNames});
  }

  std::uint32_t appendChild(const Recipe& recipe, const std::vector<std::uint32_t>& entry, const std::string& prefix,
                            bool fixed) {
    const auto& nodes = recipe.nodes();
    std::vector<std::uint32_t> exits(nodes.size());
    std::vector<bool> isSink(nodes.size(), true);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const RecipeNode& node = nodes[i];
      for (const std::uint32_t dependency : node.dependencies) {
        isSink[dependency] = false;
      }
      const std::string label = prefix + labelOf(node, i);
      exits[i] = append(node, node.dependencies.empty() ? entry : exitsOf(node, exits), label, fixed || node.fixed);
    }
    std::vector<std::uint32_t> sinks;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (isSink[i]) {
        sinks.push_back(exits[i]);
      }
    }
    if (sinks.size() == 1) {
      return sinks.front();
    }
    return push({EmptySpec{}, sinks.empty() ? entry : sinks, prefix + "end", owner_, true, {}});
  }

  std::uint32_t push(PlanNode node) {
    plan.push_back(std::move(node));
    return static_cast<std::uint32_t>(plan.size() - 1);
  }

  PlanOwner owner_{};
};

}  // namespace

Recipe::Recipe(std::string_view backend) : backend_(backend), id_(nextId()) {}

NodeId Recipe::add(NodeSpec spec, const Dependencies& dependencies) {
  RecipeNode node{std::move(spec), {}, {}, false, {}};
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
  if (node.graph() == id_ && node.index() >= nodes_.size()) {
    throw Error(ErrorCode::invalidArgument, "this graph has no node " + std::to_string(node.index()) + ", only " +
                                                std::to_string(nodes_.size()) + ": use ids that it returned");
  }
  if (node.graph() != id_) {
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
  flattener.appendAll(recipe);
  return std::move(flattener.plan);
}

std::vector<PlanNode> flatten(const NodeSpec& spec, const PlanOwner& owner) {
  Flattener flattener;
  flattener.appendOne(spec, owner);
  return std::move(flattener.plan);
}

}  // namespace eagle::graph
