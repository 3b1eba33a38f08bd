#include "eagle/graph/record.h"

#include <algorithm>

#include "eagle/base/error.h"

namespace eagle::graph {
namespace {

[[noreturn]] void refuse(const BuiltNode& node, const std::string& reason) {
  throw Error(ErrorCode::invalidArgument, std::string(nameOf(node.kind)) + " '" + node.label + "' " + reason);
}

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
    default:
      return std::holds_alternative<NativeNodeSpec>(spec);
  }
}

bool canBeUpdated(NodeKind kind) {
  switch (kind) {
    case NodeKind::empty:
    case NodeKind::childGraph:  // by the nodes in it
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

// Raw addresses stay the caller's.
bool ownsAnything(const NodeSpec& spec, const Owners& owners) {
  return !owners.empty() || !(std::holds_alternative<MemsetSpec>(spec) || std::holds_alternative<MemcpySpec>(spec));
}

std::string text(const std::type_info& type) {
  return std::string("of C++ type '") + type.name() + "'";
}

}  // namespace

LabelMap byLabel(const std::vector<BuiltNode>& nodes) {
  LabelMap map;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto [place, isNew] = map.try_emplace(nodes[i].label, i);
    if (!isNew) {
      place->second.reset();
    }
  }
  return map;
}

Record::Record(std::unique_ptr<Executable> executable, std::uint64_t graph)
    : executable_(std::move(executable)), graph_(graph), built_(executable_->nodes()) {
  reset();
}

Record::~Record() {
  executable_.reset();  // waits for launches that use what the ledger keeps
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
  if (!found->second) {
    throw Error(ErrorCode::invalidArgument,
                "several nodes have the label '" + label + "': name them apart with setLabel, or use their ids");
  }
  return *found->second;
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

// Names the node in what the backend throws.
template <class Action>
void Record::guarded(std::size_t node, Action action) {
  try {
    action();
  } catch (const Error& error) {
    throw Error(error.code(), "node '" + built_[node].label + "': " + error.what(), error.where());
  } catch (const std::exception& error) {  // of a computed launch rule
    throw Error(ErrorCode::invalidArgument, "node '" + built_[node].label + "': " + error.what());
  }
}

void Record::set(std::size_t node, const Setting& to) {
  Node& target = nodes_[node];
  const Setting from = target.setting;
  if (to == from) {
    return;
  }
  const bool resized = to.dims != from.dims || (target.work.sizing.shape.takesSize && to.samples != from.samples);
  if (resized) {
    executable_->set(node, target.work.spec, to.dims, to.samples);
  }
  if (to.isEnabled() != from.isEnabled()) {
    try {
      executable_->setEnabled(node, to.isEnabled());
    } catch (...) {
      if (resized) {
        executable_->set(node, target.work.spec, from.dims, from.samples);
      }
      throw;
    }
  }
  if (inTransaction_) {
    undo_.push_back({node, from, false});
  }
  target.setting = to;
}

void Record::replace(std::size_t node, NodeSpec spec, const KernelSizing& sizing, const Setting& to, Owners owners) {
  Node& target = nodes_[node];
  const std::size_t ledger = ledger_.size();
  if (ownsAnything(spec, owners)) {
    ledger_.push_back({spec, std::move(owners)});
  }
  try {
    executable_->set(node, spec, to.dims, to.samples);
    if (to.isEnabled() != target.setting.isEnabled()) {
      try {
        executable_->setEnabled(node, to.isEnabled());
      } catch (...) {
        executable_->set(node, target.work.spec, target.setting.dims, target.setting.samples);
        throw;
      }
    }
  } catch (...) {
    shrinkLedger(ledger);
    throw;
  }
  if (inTransaction_) {
    undo_.push_back({node, target.setting, true});
    undoneWork_.push_back(target.work);
  }
  target.work.spec = std::move(spec);
  if (&sizing != &target.work.sizing) {
    target.work.sizing = sizing;
  }
  target.setting = to;
  ++counts_.updates;
}

void Record::shrinkLedger(std::size_t size) noexcept {
  ledger_.erase(ledger_.begin() + static_cast<std::ptrdiff_t>(size), ledger_.end());
}

// The setting of a kernel at the logical size there is, or as it is by itself.
Record::Setting Record::sized(const KernelSizing& sizing, const Setting& from) const {
  Setting to{sizing.shape.dims, sizing.samples, true, from.isWanted};
  if (sizing.rule.follows() && logicalSize_) {
    to.samples = *logicalSize_;
    if (to.samples > 0) {
      to.dims = sizing.rule.dims(to.samples, sizing.shape);
    }
  }
  to.hasWork = to.samples != 0;
  return to;
}

void Record::update(std::size_t node, NodeSpec spec, Owners owners) {
  update(node, std::move(spec), built_[node].fixed, std::move(owners));
}

void Record::update(std::size_t node, NodeSpec spec, bool isFixed, Owners owners) {
  const BuiltNode& built = built_[node];
  if (!canBeUpdated(built.kind)) {
    refuse(built, "has no parameters that can be updated");
  }
  if (!isOfKind(spec, built.kind)) {
    refuse(built, "takes the parameters of a " + std::string(nameOf(built.kind)) + " only: the kind of a node stays");
  }
  guarded(node, [&] {
    const Node& target = nodes_[node];
    const auto* kernel = std::get_if<KernelSpec>(&spec);
    if (kernel == nullptr) {
      replace(node, std::move(spec), target.work.sizing, target.setting, std::move(owners));
      return;
    }
    const auto& old = *std::get<KernelSpec>(target.work.spec).kernel;
    if (kernel->kernel->backend() != old.backend()) {
      throw Error(ErrorCode::invalidArgument, "this node runs on " + std::string(old.backend()) + ", the kernel on " +
                                                  std::string(kernel->kernel->backend()));
    }
    const KernelSizing sizing = sizingOf(*kernel, isFixed, built.label);
    const KernelShape& shape = target.work.sizing.shape;
    if (sizing.shape.cluster != shape.cluster || sizing.shape.isCooperative != shape.isCooperative) {
      throw Error(ErrorCode::invalidArgument,
                  "a built node keeps its cluster and whether it is cooperative, and the new kernel differs in them");
    }
    const Setting to = sized(sizing, target.setting);
    replace(node, std::move(spec), sizing, to, std::move(owners));
  });
}

const void* Record::argument(std::size_t node, std::size_t index, const Argument& like) const {
  const BuiltNode& built = built_[node];
  const auto* kernel = std::get_if<KernelSpec>(&nodes_[node].work.spec);
  if (kernel == nullptr) {
    refuse(built, "has no arguments: only kernels have");
  }
  const std::vector<Argument> arguments = kernel->kernel->arguments();
  if (arguments.empty()) {
    refuse(built, "does not say what arguments it takes: update it as a whole");
  }
  if (index >= arguments.size()) {
    refuse(built, "has " + std::to_string(arguments.size()) + " arguments, counted from 0: there is no number " +
                      std::to_string(index));
  }
  const Argument& own = arguments[index];
  if (own.type != nullptr && *own.type != *like.type) {
    refuse(built, "takes argument " + std::to_string(index) + " " + text(*own.type) + ", not " + text(*like.type) +
                      ": convert it first");
  }
  if (own.bytes != like.bytes) {
    refuse(built, "takes argument " + std::to_string(index) + " of " + std::to_string(own.bytes) + " bytes, not " +
                      std::to_string(like.bytes));
  }
  return own.value;
}

void Record::setArgument(std::size_t node, std::size_t index, const Argument& value) {
  (void)argument(node, index, value);
  guarded(node, [&] {
    const Node& target = nodes_[node];
    KernelSpec changed = std::get<KernelSpec>(target.work.spec);
    changed.kernel = changed.kernel->withArgument(index, value.value);
    replace(node, std::move(changed), target.work.sizing, target.setting, {});
  });
}

void Record::resize(std::size_t node, Index n) {
  const BuiltNode& built = built_[node];
  if (built.kind != NodeKind::kernel) {
    refuse(built, "has no size: only kernels have");
  }
  if (n < 0) {
    refuse(built, "cannot run over " + std::to_string(n) + " indices: use 0 or more");
  }
  guarded(node, [&] {
    Setting to = nodes_[node].setting;
    to.hasWork = n != 0;
    if (n > 0) {
      KernelShape shape = nodes_[node].work.sizing.shape;
      shape.dims = to.dims;
      to.dims = perSample().dims(n, shape);
      to.samples = n;
    }
    set(node, to);
  });
}

void Record::setWanted(std::size_t node, bool wanted) {
  const BuiltNode& built = built_[node];
  if (!canBeDisabled(built.kind)) {
    refuse(built, "cannot be enabled or disabled: kernels, memory copies and memsets can");
  }
  guarded(node, [&] {
    Setting to = nodes_[node].setting;
    to.isWanted = wanted;
    set(node, to);
  });
}

void Record::setLogicalSize(Index n) {
  if (n < 0) {
    throw Error(ErrorCode::invalidArgument, "logical size " + std::to_string(n) + ": it must be 0 or more");
  }
  std::optional<Transaction> whole;
  if (!inTransaction_) {
    whole.emplace(*this);
  }
  const std::optional<Index> before = std::exchange(logicalSize_, n);
  try {
    for (const std::size_t node : kernels_) {
      const KernelSizing& sizing = nodes_[node].work.sizing;
      if (!sizing.rule.follows()) {
        continue;
      }
      guarded(node, [&] {
        Setting to = nodes_[node].setting;
        to.hasWork = n != 0;
        if (n > 0) {
          to.dims = sizing.rule.dims(n, sizing.shape);
          to.samples = n;
        }
        set(node, to);
      });
    }
  } catch (...) {
    logicalSize_ = before;
    throw;
  }
  if (whole) {
    whole->commit();
  }
}

void Record::begin() {
  if (inTransaction_) {
    throw Error(ErrorCode::invalidState, "an edit is under way already: end it first");
  }
  undo_.clear();
  undoneWork_.clear();
  inTransaction_ = true;
  logicalSizeBefore_ = logicalSize_;
  ledgerBefore_ = ledger_.size();
  updatesBefore_ = counts_.updates;
}

void Record::commit() noexcept {
  inTransaction_ = false;
  undoneWork_.clear();
}

void Record::rollBack() noexcept {
  inTransaction_ = false;
  try {
    for (auto step = undo_.rbegin(); step != undo_.rend(); ++step) {
      undo(*step);
    }
  } catch (...) {
    isBroken_ = true;
  }
  undo_.clear();
  shrinkLedger(ledgerBefore_);
  logicalSize_ = logicalSizeBefore_;
  counts_.updates = updatesBefore_;
}

void Record::undo(const Undo& step) {
  if (!step.hasWork) {
    set(step.node, step.setting);
    return;
  }
  Node& target = nodes_[step.node];
  Work& work = undoneWork_.back();
  executable_->set(step.node, work.spec, step.setting.dims, step.setting.samples);
  if (step.setting.isEnabled() != target.setting.isEnabled()) {
    executable_->setEnabled(step.node, step.setting.isEnabled());
  }
  target = {std::move(work), step.setting};
  undoneWork_.pop_back();
}

void Record::launch() {
  if (inTransaction_) {
    throw Error(ErrorCode::invalidState, "launch: an edit is under way: launch when it has ended");
  }
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
  // What a retired executable's host nodes threw is told like the rest.
  std::vector<Retired> done = std::move(retired_);
  retired_.clear();
  for (const Retired& old : done) {
    if (old.executable) {
      old.executable->synchronize();
    }
  }
  executable_->synchronize();
}

void Record::upload() {
  executable_->upload();
}

void Record::adopt(const std::vector<BuiltNode>& other, const std::vector<std::size_t>& order, std::uint64_t graph) {
  std::vector<BuiltNode> built = built_;
  for (std::size_t i = 0; i < other.size(); ++i) {
    BuiltNode& node = built[order[i]];
    node.label = other[i].label;
    node.owner = other[i].owner;
    node.spec = other[i].spec;
    node.fixed = other[i].fixed;
    node.sizing = other[i].sizing;
    node.argumentNames = other[i].argumentNames;
  }
  LabelMap labels = byLabel(built);
  retired_.push_back({nullptr, std::exchange(ledger_, {})});
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
    if (!nodes_[i].setting.isWanted && same != fresh.byLabel_.end() && same->second &&
        canBeDisabled(fresh.built_[*same->second].kind)) {
      fresh.setWanted(*same->second, false);
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
}

std::uint64_t Record::bytesOwned() const {
  std::uint64_t bytes = 0;
  for (const Owned& owned : ledger_) {
    if (const auto* kernel = std::get_if<KernelSpec>(&owned.spec)) {
      for (const Argument& argument : kernel->kernel->arguments()) {
        bytes += argument.bytes;
      }
    } else if (std::holds_alternative<HostSpec>(owned.spec)) {
      bytes += sizeof(HostFunction);
    }
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
