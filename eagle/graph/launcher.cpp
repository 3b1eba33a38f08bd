#include "eagle/graph/launcher.h"

#include <cstring>

#include "eagle/base/error.h"
#include "eagle/graph/dot.h"
#include "eagle/graph/graph.h"

namespace eagle {
namespace {

NodeSize sizeOf(const graph::Record& record, std::size_t node) {
  const graph::Record::Node& now = record.nodes()[node];
  return {record.built()[node].label, now.setting.dims, now.work.sizing.rule.follows(), now.setting.isEnabled()};
}

void requireSameGraph(const graph::Record& record, NodeId node) {
  if (node.graph() != record.graph()) {
    throw Error(ErrorCode::invalidArgument, "this launcher was built from another graph than the node given");
  }
}

std::vector<std::string> changedArguments(const graph::Kernel& built, const graph::Kernel& now) {
  const std::vector<graph::Argument> before = built.arguments();
  const std::vector<graph::Argument> after = now.arguments();
  if (&built == &now) {
    return {};
  }
  if (!built.isSameFunction(now) || before.size() != after.size() || before.empty()) {
    return {"kernel"};
  }
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::memcmp(before[i].value, after[i].value, before[i].bytes) != 0) {
      changed.push_back("argument " + std::to_string(i));
    }
  }
  return changed;
}

}  // namespace

Launcher::Launcher(std::unique_ptr<graph::Executable> executable, std::uint64_t graph)
    : record_(std::make_shared<graph::Record>(std::move(executable), graph)) {}

graph::Record& Launcher::record() const {
  if (!record_) {
    throw Error(ErrorCode::invalidState, "this launcher was moved from: use the one it was moved to");
  }
  return *record_;
}

std::shared_ptr<graph::Record> Launcher::recordToEdit() {
  record().requireNoChangeUnderWay("edit");
  return record_;
}

void Launcher::launch() {
  record().launch();
}

void Launcher::synchronize() {
  record().synchronize();
}

void Launcher::upload() {
  record().upload();
}

void Launcher::setLogicalSize(Index n) {
  record().setLogicalSize(n);
}

std::vector<NodeSize> Launcher::sizes() const {
  std::vector<NodeSize> sizes;
  for (std::size_t i = 0; i < record().built().size(); ++i) {
    if (record().built()[i].kind == NodeKind::kernel) {
      sizes.push_back(sizeOf(record(), i));
    }
  }
  return sizes;
}

std::vector<NodeSize> Launcher::sizes(NodeId node) const {
  requireSameGraph(record(), node);
  (void)record().firstOf(node.index());
  std::vector<NodeSize> sizes;
  for (std::size_t i = 0; i < record().built().size(); ++i) {
    const graph::BuiltNode& built = record().built()[i];
    if (built.owner.index == node.index() && built.kind == NodeKind::kernel) {
      sizes.push_back(sizeOf(record(), i));
    }
  }
  return sizes;
}

NodeView Launcher::operator[](NodeId node) const {
  requireSameGraph(record(), node);
  const std::size_t first = record().firstOf(node.index());
  return {record_, first, record().built()[first].owner.isGroup};
}

NodeView Launcher::find(const std::string& label) const {
  return {record_, record().find(label)};
}

std::vector<NodeView> Launcher::nodes() const {
  std::vector<NodeView> views;
  for (std::size_t i = 0; i < record().built().size(); ++i) {
    views.emplace_back(record_, i);
  }
  return views;
}

UpdateResult Launcher::update(const graph::GraphBase& graph, UpdatePolicy policy) {
  const graph::Recipe& recipe = graph.recipe();
  if (recipe.nodes().empty()) {
    throw Error(ErrorCode::invalidState, "update: the other graph is empty: add nodes first");
  }
  return graph::updateWhole(record(), recipe, policy);
}

LauncherStatistics Launcher::statistics() const {
  const graph::Record::Counts counts = record().counts();
  return {counts.updates, counts.driverCalls, counts.rebuilds, record().bytesOwned()};
}

std::string Launcher::dot() const {
  std::vector<graph::Drawn> drawn;
  for (std::size_t i = 0; i < record().built().size(); ++i) {
    const graph::BuiltNode& built = record().built()[i];
    const graph::Record::Setting& setting = record().nodes()[i].setting;
    graph::Drawn node{built.label, "", built.dependencies, !setting.isEnabled()};
    if (built.parent && built.dependencies.empty()) {
      node.dependencies.push_back(*built.parent);
    }
    if (built.kind == NodeKind::kernel) {
      node.detail = setting.samples < 0 ? "no size yet"
                                        : (setting.hasWork ? std::to_string(setting.samples) : "0") + " samples in " +
                                              std::to_string(setting.dims.grid.volume()) + " x " +
                                              std::to_string(setting.dims.block.volume());
    }
    if (!setting.isWanted) {
      node.detail += (node.detail.empty() ? "" : ", ") + std::string("disabled");
    }
    drawn.push_back(std::move(node));
  }
  return graph::dot(drawn);
}

std::vector<NodeDifference> Launcher::diff() const {
  std::vector<NodeDifference> differences;
  for (std::size_t i = 0; i < record().built().size(); ++i) {
    const graph::BuiltNode& built = record().built()[i];
    const graph::Record::Node& now = record().nodes()[i];
    const auto add = [&](std::string what) { differences.push_back({built.label, std::move(what)}); };
    if (built.kind == NodeKind::kernel) {
      for (std::string& what : changedArguments(*std::get<graph::KernelSpec>(built.spec).kernel,
                                                *std::get<graph::KernelSpec>(now.work.spec).kernel)) {
        add(std::move(what));
      }
      const auto expected = record().settingAsBuilt(i);
      if (expected.hasWork != now.setting.hasWork ||
          (now.setting.hasWork && (expected.dims != now.setting.dims || expected.samples != now.setting.samples))) {
        add("size");
      }
    } else if (!graph::isSame(built.spec, now.work.spec)) {
      add(built.kind == NodeKind::host ? "function" : "parameters");
    }
    if (!now.setting.isWanted) {
      add("disabled");
    }
  }
  return differences;
}

}  // namespace eagle
