#include "eagle/graph/record.h"

#include <algorithm>
#include <iterator>

#include "eagle/base/error.h"

namespace eagle::graph {

Record::Record(std::unique_ptr<Executable> executable, std::uint64_t graph)
    : executable_(std::move(executable)), graph_(graph), built_(executable_->nodes()) {
  reset();
}

Record::~Record() {
  executable_.reset();  // waits for launches that use what the ledger keeps
  dropRetired();
}

void Record::dropRetired() noexcept {
  for (Retired& old : retired_) {
    old.executable.reset();  // likewise, and a later one may use an earlier ledger
  }
  retired_.clear();
}

void Record::reset() {
  for (std::size_t i = 0; i < built_.size(); ++i) {
    const BuiltNode& node = built_[i];
    nodes_.push_back({{node.spec, node.sizing}, {node.sizing.shape.dims, node.sizing.samples, true, true}});
    if (node.kind == NodeKind::kernel) {
      kernels_.push_back(i);
      nodes_[i].setting.hasWork = node.sizing.samples != 0;
    }
  }
  byLabel_ = byLabel(built_);
}

std::size_t Record::find(const std::string& label) const {
  const auto found = byLabel_.find(label);
  if (found == byLabel_.end()) {
    throw Error(ErrorCode::invalidArgument, "no node has the label '" + label +
                                                "': nodes() lists them, those of captures and child graphs by path");
  }
  if (found->second == kNoNode) {
    throw Error(ErrorCode::invalidArgument,
                "several nodes have the label '" + label + "': name them apart with setLabel, or use their ids");
  }
  return found->second;
}

std::size_t Record::firstOf(std::uint32_t owner) const {
  const auto found =
      std::find_if(built_.begin(), built_.end(), [owner](const BuiltNode& node) { return node.owner.index == owner; });
  if (found == built_.end()) {
    throw Error(ErrorCode::invalidArgument, "node " + std::to_string(owner) +
                                                " was added to the graph after this launcher was built, or holds none");
  }
  return static_cast<std::size_t>(found - built_.begin());
}

void Record::launch() {
  requireNoChangeUnderWay("launch");
  if (isBroken_) {
    throw Error(ErrorCode::invalidState,
                "launch: an edit failed and could not be undone: build a new launcher from the graph");
  }
  if (!logicalSize_) {
    for (const std::size_t node : kernels_) {
      if (nodes_[node].setting.samples < 0) {
        throw Error(ErrorCode::invalidState, "node '" + built_[node].label +
                                                 "' follows the logical size and none was set: call "
                                                 "setLogicalSize(n) or launcher(n) first");
      }
    }
  }
  executable_->launch();
}

void Record::synchronize() {
  executable_->synchronize();
  dropRetired();
}

void Record::upload() {
  executable_->upload();
}

void Record::adopt(const std::vector<BuiltNode>& other, const std::vector<std::size_t>& order,
                   const std::vector<bool>& isKept, std::uint64_t graph) {
  std::vector<BuiltNode> built = built_;
  std::vector<bool> stays(built.size());
  for (std::size_t i = 0; i < other.size(); ++i) {
    BuiltNode& node = built[order[i]];
    node.label = other[i].label;
    node.owner = other[i].owner;
    node.spec = other[i].spec;
    node.fixed = other[i].fixed;
    node.sizing = other[i].sizing;
    node.argumentNames = other[i].argumentNames;
    stays[order[i]] = isKept[i];
  }
  std::vector<Owned> ledger;
  std::copy_if(ledger_.begin(), ledger_.end(), std::back_inserter(ledger),
               [&](const Owned& owned) { return stays[owned.node]; });
  LabelMap labels = byLabel(built);
  retired_.reserve(retired_.size() + 1);
  retired_.push_back({nullptr, std::exchange(ledger_, std::move(ledger))});
  if (executable_->isIdle()) {
    dropRetired();
  }
  built_ = std::move(built);
  byLabel_ = std::move(labels);
  graph_ = graph;
  ++generation_;
}

void Record::rebuild(std::vector<BuiltNode> other, std::uint64_t graph) {
  Record fresh(executable_->rebuilt(std::move(other)), graph);
  if (logicalSize_) {
    fresh.setLogicalSize(*logicalSize_);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const auto same = fresh.byLabel_.find(built_[i].label);
    if (!nodes_[i].setting.isWanted && same != fresh.byLabel_.end() && same->second != kNoNode &&
        canBeDisabled(fresh.built_[same->second].kind)) {
      fresh.setWanted(same->second, false);
    }
  }
  retired_.reserve(retired_.size() + 1);
  Counts counts = counts_;
  counts.driverCalls += executable_->driverCalls();
  ++counts.rebuilds;
  const std::uint64_t generation = generation_ + 1;
  std::vector<Retired> retired = std::move(retired_);
  retired.push_back({std::move(executable_), std::move(ledger_)});
  *this = std::move(fresh);
  retired_ = std::move(retired);
  counts_ = counts;
  generation_ = generation;
  if (std::all_of(retired_.begin(), retired_.end(),
                  [](const Retired& old) { return !old.executable || old.executable->isIdle(); })) {
    dropRetired();
  }
}

std::uint64_t Record::bytesOwned() const {
  std::uint64_t bytes = 0;
  for (const Owned& owned : ledger_) {
    bytes += owned.bytes;
  }
  return bytes;
}

Record::Setting Record::settingAsBuilt(std::size_t node) const {
  return sized(built_[node].sizing, {});
}

Record::Counts Record::counts() const {
  Counts counts = counts_;
  counts.driverCalls += executable_->driverCalls();
  return counts;
}

}  // namespace eagle::graph
