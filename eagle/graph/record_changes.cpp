// The changes of a record, and how they are undone.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/graph/record.h"

namespace eagle::graph {
namespace {

[[noreturn]] void refuse(const BuiltNode& node, const std::string& reason) {
  throw Error(ErrorCode::invalidArgument, std::string(nameOf(node.kind)) + " '" + node.label + "' " + reason);
}

std::string text(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                    std::free);
  return std::string("of type '") + (name ? name.get() : type.name()) + "'";
}

}  // namespace

// Names the node in what the backend throws.
template <class Action>
void Record::guarded(std::size_t node, Action action) {
  struct Count {
    int& value;
    explicit Count(int& count) : value(count) { ++value; }
    ~Count() { --value; }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
  };
  try {
    const Count underWay(rulesUnderWay_);
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
        restore(node);
      }
      throw;
    }
  }
  if (isInTransaction()) {
    undo_.push_back({node, from, false});
  }
  target.setting = to;
}

// Raw addresses stay the caller's.
void Record::keep(std::size_t node, const NodeSpec& spec, const Owners& owners) {
  if (const auto* kernel = std::get_if<KernelSpec>(&spec)) {
    ledger_.push_back({node, kernel->kernel, kernel->kernel->argumentBytes()});
  } else if (const auto* host = std::get_if<HostSpec>(&spec)) {
    ledger_.push_back({node, host->function, sizeof(HostFunction)});
  } else if (const auto* event = std::get_if<EventSpec>(&spec)) {
    ledger_.push_back({node, event->event, 0});
  } else if (const auto* native = std::get_if<NativeNodeSpec>(&spec)) {
    ledger_.push_back({node, native->node, 0});
  }
  for (const auto& owner : owners) {
    if (owner) {
      ledger_.push_back({node, owner, 0});
    }
  }
}

void Record::replace(std::size_t node, NodeSpec&& spec, const KernelSizing& sizing, const Setting& to,
                     const Owners& owners) {
  Node& target = nodes_[node];
  const std::size_t ledger = ledger_.size();
  try {
    keep(node, spec, owners);
    executable_->set(node, spec, to.dims, to.samples);
    if (to.isEnabled() != target.setting.isEnabled()) {
      try {
        executable_->setEnabled(node, to.isEnabled());
      } catch (...) {
        restore(node);
        throw;
      }
    }
  } catch (...) {
    shrinkLedger(ledger);
    throw;
  }
  if (isInTransaction()) {
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

// Half of a change was accepted: back to what the record says.
void Record::restore(std::size_t node) noexcept {
  const Node& target = nodes_[node];
  try {
    executable_->set(node, target.work.spec, target.setting.dims, target.setting.samples);
  } catch (...) {
    isBroken_ = true;
  }
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

void Record::update(std::size_t node, NodeSpec&& spec, const Owners& owners) {
  update(node, std::move(spec), built_[node].fixed, owners);
}

void Record::update(std::size_t node, NodeSpec&& spec, bool isFixed, const Owners& owners) {
  const BuiltNode& built = built_[node];
  if (!canBeUpdated(built.kind)) {
    refuse(built, "has no parameters that can be updated");
  }
  if (const auto* event = std::get_if<EventSpec>(&spec); event && event->event->backend() != executable_->backend()) {
    refuse(built, "runs on " + std::string(executable_->backend()) + ", the event is of " +
                      std::string(event->event->backend()));
  }
  if (!isOfKind(spec, built.kind)) {
    refuse(built, "takes the parameters of a " + std::string(nameOf(built.kind)) + " only: the kind of a node stays");
  }
  guarded(node, [&] {
    const Node& target = nodes_[node];
    const auto* kernel = std::get_if<KernelSpec>(&spec);
    if (kernel == nullptr) {
      replace(node, std::move(spec), target.work.sizing, target.setting, owners);
      return;
    }
    if (kernel->kernel == nullptr) {
      throw Error(ErrorCode::invalidArgument, "the kernel given was moved from: make one for each update");
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
    replace(node, std::move(spec), sizing, to, owners);
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
  Transaction whole(*this);
  logicalSize_ = n;
  for (const std::size_t node : kernels_) {
    const KernelSizing& sizing = nodes_[node].work.sizing;
    if (!sizing.rule.follows()) {
      continue;
    }
    guarded(node, [&] {
      const Setting& now = nodes_[node].setting;
      set(node, n == 0 ? Setting{now.dims, now.samples, false, now.isWanted}
                       : Setting{sizing.rule.dims(n, sizing.shape), n, true, now.isWanted});
    });
  }
  whole.commit();
}

void Record::requireNoChangeUnderWay(const char* what) const {
  if (isInTransaction() || rulesUnderWay_ > 0) {
    throw Error(ErrorCode::invalidState,
                std::string(what) + ": an edit is under way: call it once edit() has returned");
  }
}

Record::Savepoint Record::begin() {
  ++transactions_;
  return {undo_.size(), ledger_.size(), counts_.updates, logicalSize_};
}

void Record::commit() noexcept {
  if (--transactions_ == 0) {
    undo_.clear();
    undoneWork_.clear();
  }
}

void Record::rollBack(const Savepoint& to) noexcept {
  try {
    while (undo_.size() > to.undo) {
      undo(undo_.back());
      undo_.pop_back();
    }
  } catch (...) {
    isBroken_ = true;
    undo_.clear();
    undoneWork_.clear();
  }
  --transactions_;
  shrinkLedger(to.ledger);
  logicalSize_ = to.logicalSize;
  counts_.updates = to.updates;
}

void Record::undo(const Undo& step) {
  Node& target = nodes_[step.node];
  Work* before = step.hasWork ? &undoneWork_.back() : nullptr;
  const Setting& now = target.setting;
  if (before != nullptr || step.setting.dims != now.dims || step.setting.samples != now.samples) {
    const NodeSpec& spec = before != nullptr ? before->spec : target.work.spec;
    executable_->set(step.node, spec, step.setting.dims, step.setting.samples);
  }
  if (step.setting.isEnabled() != now.isEnabled()) {
    executable_->setEnabled(step.node, step.setting.isEnabled());
  }
  target.setting = step.setting;
  if (before != nullptr) {
    target.work = std::move(*before);
    undoneWork_.pop_back();
  }
}

}  // namespace eagle::graph
