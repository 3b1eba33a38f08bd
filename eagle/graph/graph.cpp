#include "eagle/graph/graph.h"

#include <utility>

#include "eagle/base/error.h"
#include "eagle/graph/dot.h"

namespace eagle::graph {
namespace {

bool isRegion(const NodeSpec& spec) {
  return std::holds_alternative<ChildSpec>(spec) || std::holds_alternative<NativeSpec>(spec);
}

}  // namespace

GraphBase::GraphBase(GraphBase&& other) noexcept
    : recipe_(std::exchange(other.recipe_, Recipe(other.recipe_.backend()))) {}

GraphBase& GraphBase::operator=(GraphBase&& other) noexcept {
  if (this != &other) {
    recipe_ = std::exchange(other.recipe_, Recipe(other.recipe_.backend()));
  }
  return *this;
}

NodeId GraphBase::addHostNode(std::function<void()> function, const Dependencies& after) {
  if (!function) {
    throw Error(ErrorCode::invalidArgument, "addHostNode needs a function to call");
  }
  return add(HostSpec{std::make_shared<const HostFunction>(std::move(function))}, after);
}

NodeId GraphBase::addMemset(void* destination, unsigned char value, std::size_t bytes, const Dependencies& after) {
  checkBytes(destination, bytes, "addMemset: destination");
  return add(MemsetSpec{destination, value, bytes}, after);
}

NodeId GraphBase::addMemcpy(void* destination, const void* source, std::size_t bytes, const Dependencies& after) {
  checkBytes(destination, bytes, "addMemcpy: destination");
  checkBytes(source, bytes, "addMemcpy: source");
  return add(MemcpySpec{destination, source, bytes}, after);
}

NodeId GraphBase::addEmpty(const Dependencies& after) {
  return add(EmptySpec{}, after);
}

NodeSpec GraphBase::spec() const {
  return ChildSpec{std::make_shared<const Recipe>(recipe_)};
}

void GraphBase::checkBytes(const void* memory, std::size_t bytes, const char* what) const {
  if (memory == nullptr || bytes == 0) {
    throw Error(ErrorCode::invalidArgument, std::string(what) + (memory == nullptr ? " is null" : " has 0 bytes"));
  }
}

void GraphBase::setLabel(NodeId node, std::string label) {
  recipe_.at(node).label = std::move(label);
}

void GraphBase::setArgumentNames(NodeId node, std::vector<std::string> names) {
  RecipeNode& target = recipe_.at(node);
  const auto* kernel = std::get_if<KernelSpec>(&target.spec);
  const std::size_t count = kernel != nullptr ? kernel->kernel->arguments().size() : 0;
  if (names.size() > count) {
    throw Error(ErrorCode::invalidArgument, "setArgumentNames: " + std::to_string(names.size()) +
                                                " names for a node of " + std::to_string(count) + " arguments");
  }
  target.argumentNames = std::move(names);
}

void GraphBase::setFixed(NodeId node) {
  RecipeNode& target = recipe_.at(node);
  const bool canHaveSizes = std::holds_alternative<KernelSpec>(target.spec) || isRegion(target.spec) ||
                            std::holds_alternative<CaptureSpec>(target.spec);
  if (!canHaveSizes) {
    throw Error(ErrorCode::invalidArgument,
                "setFixed: this node has no size: kernels have, and captures and child graphs of kernels");
  }
  const auto* kernel = std::get_if<KernelSpec>(&target.spec);
  if (kernel != nullptr && kernel->samples < 0) {
    throw Error(ErrorCode::invalidArgument,
                "setFixed: this kernel has no size of its own: add it with eagle::fixed(count)");
  }
  target.fixed = true;
}

RecaptureResult GraphBase::recaptureAs(NodeId region, const std::function<NodeSpec()>& record) {
  const RecipeNode before = recipe_.at(region);
  if (!isRegion(before.spec)) {
    throw Error(ErrorCode::invalidArgument,
                std::holds_alternative<CaptureSpec>(before.spec)
                    ? "recapture: this node is recorded anew for every launcher: build another launcher"
                    : "recapture: this node is no capture: recapture what addNode was given by a StreamCapturer");
  }
  const PlanOwner owner{region.index(), before.label.empty() ? "region" : before.label, before.fixed, true};
  const NodeSpec recording = record();
  RecaptureResult result = compareRecording(describe(flatten(before.spec, owner)), describe(flatten(recording, owner)));
  if (result) {
    recipe_.at(region).spec = recording;
  }
  return result;
}

std::string GraphBase::dot() const {
  std::vector<Drawn> nodes;
  for (std::size_t i = 0; i < recipe_.nodes().size(); ++i) {
    const RecipeNode& node = recipe_.nodes()[i];
    nodes.push_back({labelOf(node, i), node.fixed ? "fixed" : "", node.dependencies, false});
  }
  return graph::dot(nodes);
}

Launcher GraphBase::launcher() const {
  if (recipe_.nodes().empty()) {
    throw Error(ErrorCode::invalidState, "launcher of an empty graph: add nodes first");
  }
  if (isBuilding_) {
    throw Error(ErrorCode::invalidState,
                "launcher: this graph is being built: a function captured for it cannot build it");
  }
  const Recipe recipe = recipe_;  // a function that is captured may add nodes to this graph
  isBuilding_ = true;
  try {
    Launcher launcher(build(describe(flatten(recipe))), recipe.id());
    isBuilding_ = false;
    return launcher;
  } catch (...) {
    isBuilding_ = false;
    throw;
  }
}

Launcher GraphBase::launcher(Index logicalSize) const {
  Launcher result = launcher();
  result.setLogicalSize(logicalSize);
  return result;
}

}  // namespace eagle::graph
