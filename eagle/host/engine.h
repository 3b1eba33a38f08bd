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

struct EventMark;

/// The nodes that are built from a plan.
[[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan);

/// One built graph of the host backend. Nodes run on oneTBB as soon as those they wait for are done.
class Engine final : public graph::Executable {
 public:
  /// Runs on `stream`, or on a stream of its own.
  Engine(std::vector<graph::BuiltNode> nodes, const std::optional<StreamRef>& stream);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] std::string_view backend() const override;
  [[nodiscard]] const std::vector<graph::BuiltNode>& nodes() const override;
  void set(std::size_t node, const graph::NodeSpec& spec, const LaunchDims& dims, Index samples) override;
  void setEnabled(std::size_t node, bool enabled) override;
  [[nodiscard]] bool isEnabled(std::size_t node) const override;
  [[nodiscard]] std::uint64_t driverCalls() const override { return calls_; }
  [[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) const override;
  [[nodiscard]] std::unique_ptr<graph::Executable> rebuilt(std::vector<graph::BuiltNode> nodes) const override;
  void launch() override;
  void upload() override {}
  [[nodiscard]] bool isIdle() const noexcept override;
  void synchronize() override;

 private:
  struct Program;
  struct Setting {
    graph::NodeSpec spec;
    Index samples;
    bool enabled;
  };
  using Settings = std::vector<Setting>;
  using Marks = std::vector<std::shared_ptr<EventMark>>;  // of nodes that use events; empty if none does

  Engine(std::vector<graph::BuiltNode> nodes, std::shared_ptr<Stream> own, const std::optional<StreamRef>& stream,
         std::shared_ptr<graph::FirstError> errors);
  Setting& change(std::size_t node);

  std::shared_ptr<Stream> own_;  // unless it was given one
  StreamRef stream_;
  std::shared_ptr<const Program> program_;  // shared with the runs still queued
  std::shared_ptr<graph::FirstError> errors_;
  std::shared_ptr<Settings> settings_;  // copied before a change that a queued run must not see
  bool isHandedOver_ = false;           // to runs that may not be done
  Event lastRun_;
  std::uint64_t calls_ = 0;
};

}  // namespace eagle::host
