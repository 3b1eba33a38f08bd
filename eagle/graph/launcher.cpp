#include "eagle/graph/launcher.h"

#include <utility>

#include "eagle/base/error.h"

namespace eagle {
namespace {

Error named(const Error& error, const std::string& label) {
  return {error.code(), "node '" + label + "': " + error.what(), error.where()};
}

}  // namespace

Launcher::Launcher(std::unique_ptr<graph::Executable> executable, std::uint64_t graph)
    : executable_(std::move(executable)), graph_(graph) {
  for (const graph::BuiltKernel& kernel : executable_->kernels()) {
    state_.push_back({kernel.shape.dims, kernel.samples, true});
  }
  next_ = state_;
}

void Launcher::launch() {
  if (!size_) {
    for (const graph::BuiltKernel& kernel : executable_->kernels()) {
      if (kernel.samples < 0) {
        throw Error(ErrorCode::invalidState, "node '" + kernel.label +
                                                 "' follows the logical size and none was set: call "
                                                 "setLogicalSize(n) or launcher(n) first");
      }
    }
  }
  executable_->launch();
}

void Launcher::synchronize() {
  executable_->synchronize();
}

void Launcher::upload() {
  executable_->upload();
}

void Launcher::setLogicalSize(Index n) {
  if (n < 0) {
    throw Error(ErrorCode::invalidArgument, "logical size " + std::to_string(n) + ": it must be 0 or more");
  }
  if (size_ == n) {
    return;
  }
  const auto& kernels = executable_->kernels();
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const graph::BuiltKernel& kernel = kernels[k];
    if (!kernel.rule.follows()) {
      continue;
    }
    if (n == 0) {
      next_[k].enabled = false;
      continue;
    }
    try {
      next_[k] = {kernel.rule.dims(n, kernel.shape), n, true};
    } catch (const Error& error) {
      next_ = state_;
      throw named(error, kernel.label);
    }
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    try {
      apply(k, state_[k], next_[k]);
    } catch (const Error& error) {
      rollBack(k);
      next_ = state_;
      throw named(error, kernels[k].label);
    }
  }
  state_ = next_;
  size_ = n;
}

void Launcher::apply(std::size_t kernel, const State& from, const State& to) {
  const bool resized = from.samples != to.samples || from.dims != to.dims;
  if (resized) {
    executable_->resize(kernel, to.dims, to.samples);
  }
  if (from.enabled != to.enabled) {
    try {
      executable_->setEnabled(kernel, to.enabled);
    } catch (...) {
      if (resized) {
        executable_->resize(kernel, from.dims, from.samples);
      }
      throw;
    }
  }
}

void Launcher::rollBack(std::size_t end) noexcept {
  for (std::size_t k = 0; k < end; ++k) {
    try {
      apply(k, next_[k], state_[k]);
    } catch (...) {  // NOLINT(bugprone-empty-catch): the first error is the one to report
    }
  }
}

NodeSize Launcher::describe(std::size_t kernel) const {
  const graph::BuiltKernel& built = executable_->kernels()[kernel];
  return {built.label, state_[kernel].dims, built.rule.follows(), state_[kernel].enabled};
}

std::vector<NodeSize> Launcher::sizes() const {
  std::vector<NodeSize> sizes;
  for (std::size_t k = 0; k < state_.size(); ++k) {
    sizes.push_back(describe(k));
  }
  return sizes;
}

std::vector<NodeSize> Launcher::sizes(NodeId node) const {
  if (node.graph() != graph_) {
    throw Error(ErrorCode::invalidArgument, "this launcher was built from another graph than the node given");
  }
  std::vector<NodeSize> sizes;
  for (std::size_t k = 0; k < state_.size(); ++k) {
    if (executable_->kernels()[k].owner == node.index()) {
      sizes.push_back(describe(k));
    }
  }
  return sizes;
}

}  // namespace eagle
