#include "eagle/graph/graph.h"

#include <utility>

#include "eagle/base/error.h"

namespace eagle::graph {

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

NodeId GraphBase::addChild(const GraphBase& child, const Dependencies& after) {
  return add(ChildSpec{std::make_shared<const Recipe>(child.recipe_)}, after);
}

void GraphBase::checkBytes(const void* memory, std::size_t bytes, const char* what) const {
  if (memory == nullptr || bytes == 0) {
    throw Error(ErrorCode::invalidArgument, std::string(what) + (memory == nullptr ? " is null" : " has 0 bytes"));
  }
}

void GraphBase::setLabel(NodeId node, std::string label) {
  recipe_.at(node).label = std::move(label);
}

void GraphBase::setFixed(NodeId node) {
  RecipeNode& target = recipe_.at(node);
  const auto* kernel = std::get_if<KernelSpec>(&target.spec);
  if (kernel != nullptr && kernel->samples < 0) {
    throw Error(ErrorCode::invalidArgument,
                "setFixed: this kernel has no size of its own: add it with eagle::fixed(count)");
  }
  target.fixed = true;
}

Launcher GraphBase::launcher() const {
  if (recipe_.nodes().empty()) {
    throw Error(ErrorCode::invalidState, "launcher of an empty graph: add nodes first");
  }
  return {build(flatten(recipe_)), recipe_.id()};
}

Launcher GraphBase::launcher(Index logicalSize) const {
  Launcher result = launcher();
  result.setLogicalSize(logicalSize);
  return result;
}

}  // namespace eagle::graph
