#include "eagle/graph/node_view.h"

#include <algorithm>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/graph/whole_update.h"

namespace eagle {
namespace {

void requireMemory(const void* memory, std::size_t bytes) {
  if (memory == nullptr || bytes == 0) {
    throw Error(ErrorCode::invalidArgument,
                memory == nullptr ? "update: an address is null" : "update: 0 bytes: disable the node instead");
  }
}

}  // namespace

NodeView::NodeView(const std::shared_ptr<graph::Record>& record, std::size_t node, bool isGroup)
    : owner_(record), record_(record.get()), generation_(record->generation()), node_(node), isGroup_(isGroup) {}

graph::Record& NodeView::record() const {
  if (owner_.expired()) {
    throw Error(ErrorCode::invalidState, "this view is of a launcher that is gone");
  }
  if (record_->generation() != generation_) {
    throw Error(ErrorCode::invalidState,
                "this view is stale: its launcher was updated as a whole since: ask it for a view again");
  }
  return *record_;
}

graph::Record& NodeView::recordOfOne() const {
  graph::Record& all = record();
  if (isGroup_) {
    throw Error(ErrorCode::invalidArgument, "'" + label() + "' is a child graph or capture: find(\"" + label() +
                                                "/...\") and nodes() give views of the nodes in it");
  }
  return all;
}

const std::string& NodeView::label() const {
  const graph::BuiltNode& node = record().built()[node_];
  return isGroup_ ? node.owner.label : node.label;
}

NodeKind NodeView::kind() const {
  return isGroup_ ? NodeKind::childGraph : record().built()[node_].kind;
}

void NodeView::updateGroup(const graph::NodeSpec& spec) const {
  graph::Record& all = record();
  const graph::PlanOwner owner = all.built()[node_].owner;
  if (!isGroup_) {
    throw Error(ErrorCode::invalidArgument, std::string(nameOf(kind())) + " '" + label() +
                                                "' is not a child graph or capture: the kind of a node stays");
  }
  const UpdateResult result =
      graph::updateGroup(all, owner.index, all.executable().describe(graph::flatten(spec, owner)));
  if (!result) {
    throw Error(ErrorCode::invalidArgument, result.kind + " '" + result.node + "' " + result.reason);
  }
}

void NodeView::update(graph::KernelSpec kernel) const {
  recordOfOne().update(node_, std::move(kernel));
}

void NodeView::update(const MemsetParams& params) const {
  requireMemory(params.spec.destination, params.spec.bytes);
  recordOfOne().update(node_, params.spec, params.owners);
}

void NodeView::update(const MemcpyParams& params) const {
  requireMemory(params.spec.destination, params.spec.bytes);
  requireMemory(params.spec.source, params.spec.bytes);
  recordOfOne().update(node_, params.spec, params.owners);
}

void NodeView::update(std::function<void()> function) const {
  if (!function) {
    throw Error(ErrorCode::invalidArgument, "update: a host node needs a function to call");
  }
  recordOfOne().update(node_, graph::HostSpec{std::make_shared<const graph::HostFunction>(std::move(function))});
}

void NodeView::updateEvent(std::shared_ptr<graph::NativeEvent> event) const {
  graph::Record& all = recordOfOne();
  all.update(node_, graph::EventSpec{std::move(event), kind() == NodeKind::eventWait});
}

void NodeView::resize(Index n) const {
  recordOfOne().resize(node_, n);
}

void NodeView::setArgument(std::size_t index, const graph::Argument& value) const {
  recordOfOne().setArgument(node_, index, value);
}

const void* NodeView::argument(std::size_t index, const std::type_info& type, std::size_t bytes) const {
  return recordOfOne().argument(node_, index, {&type, bytes, nullptr});
}

std::size_t NodeView::argumentIndex(const std::string& name) const {
  const graph::BuiltNode& node = recordOfOne().built()[node_];
  const auto found = std::find(node.argumentNames.begin(), node.argumentNames.end(), name);
  if (found == node.argumentNames.end()) {
    throw Error(ErrorCode::invalidArgument, "node '" + node.label + "' has no argument named '" + name +
                                                "': name them with setArgumentNames when the graph is made");
  }
  const auto* built = std::get_if<graph::KernelSpec>(&node.spec);
  const auto* now = std::get_if<graph::KernelSpec>(&record().nodes()[node_].work.spec);
  if (built != nullptr && now != nullptr && !built->kernel->isSameFunction(*now->kernel)) {
    throw Error(ErrorCode::invalidArgument, "node '" + node.label +
                                                "' was updated to another kernel than the one whose "
                                                "argument is named '" +
                                                name + "': give its index");
  }
  return static_cast<std::size_t>(found - node.argumentNames.begin());
}

void NodeView::enable() const {
  recordOfOne().setWanted(node_, true);
}

void NodeView::disable() const {
  recordOfOne().setWanted(node_, false);
}

bool NodeView::isEnabled() const {
  return recordOfOne().executable().isEnabled(node_);
}

const graph::NodeSpec& NodeView::parameters() const {
  return recordOfOne().nodes()[node_].work.spec;
}

NodeSize NodeView::size() const {
  const graph::Record& all = recordOfOne();
  const graph::BuiltNode& built = all.built()[node_];
  if (built.kind != NodeKind::kernel) {
    throw Error(ErrorCode::invalidArgument,
                std::string(nameOf(built.kind)) + " '" + built.label + "' has no size: only kernels have");
  }
  const graph::Record::Node& node = all.nodes()[node_];
  return {built.label, node.setting.dims, node.work.sizing.rule.follows(), node.setting.isEnabled()};
}

}  // namespace eagle
