// Runs a plan on the host's threads.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "eagle/graph/executable.h"
#include "eagle/graph/first_error.h"
#include "eagle/graph/recipe.h"
#include "eagle/host/stream.h"

namespace eagle::host {

/// One built graph of the host backend. Nodes run on oneTBB as soon as those they wait for are done.
class Engine final : public graph::Executable {
 public:
  /// Runs on `stream`, or on a stream of its own.
  Engine(std::vector<graph::PlanNode> plan, const std::optional<StreamRef>& stream);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] const std::vector<graph::BuiltKernel>& kernels() const override;
  void resize(std::size_t kernel, const LaunchDims& dims, Index samples) override;
  void setEnabled(std::size_t kernel, bool enabled) override;
  void launch() override;
  void upload() override {}
  void synchronize() override;

 private:
  struct KernelState {
    Index samples;
    bool enabled;
  };
  using Sizes = std::vector<KernelState>;
  struct Program;

  Sizes& change();

  std::unique_ptr<Stream> own_;  // unless it was given one
  StreamRef stream_;
  std::shared_ptr<const Program> program_;  // shared with the runs still queued
  std::shared_ptr<graph::FirstError> errors_;
  std::shared_ptr<Sizes> sizes_;  // copied before a change that a queued run must not see
  Event lastRun_;
};

}  // namespace eagle::host
