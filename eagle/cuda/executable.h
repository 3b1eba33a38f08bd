// A built CUDA graph. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "eagle/cuda/stream.h"
#include "eagle/graph/executable.h"
#include "eagle/graph/first_error.h"

namespace eagle::cuda {

struct EventState;

/// One native graph of its own, built from described nodes, and its instance.
class Executable final : public graph::Executable {
 public:
  /// Runs on `stream`, or on a stream of its own.
  Executable(std::vector<graph::BuiltNode> nodes, const std::optional<StreamRef>& stream);
  ~Executable() override;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  [[nodiscard]] std::string_view backend() const override;
  [[nodiscard]] const std::vector<graph::BuiltNode>& nodes() const override { return nodes_; }
  void set(std::size_t node, const graph::NodeSpec& spec, const LaunchDims& dims, Index samples) override;
  void setEnabled(std::size_t node, bool enabled) override;
  [[nodiscard]] bool isEnabled(std::size_t node) const override;
  [[nodiscard]] std::uint64_t driverCalls() const override { return calls_; }
  [[nodiscard]] std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) const override;
  [[nodiscard]] std::unique_ptr<graph::Executable> rebuilt(std::vector<graph::BuiltNode> nodes) const override;
  void launch() override;
  void upload() override;
  [[nodiscard]] bool isIdle() const noexcept override;
  void synchronize() override;

 private:
  struct HostCall;

  Executable(std::vector<graph::BuiltNode> nodes, std::shared_ptr<Stream> own, const std::optional<StreamRef>& stream,
             std::shared_ptr<graph::FirstError> errors);
  [[nodiscard]] cudaGraphNode_t add(const graph::BuiltNode& node);
  void findInside(cudaGraph_t graph);
  void setKernel(cudaGraphNode_t node, const graph::KernelSpec& spec, const LaunchDims& dims, Index samples);
  void setOther(cudaGraphNode_t node, const graph::NodeSpec& spec);
  [[nodiscard]] HostCall* newHostCall(const graph::HostSpec& spec);
  void destroy() noexcept;
  /// Waits for the launches of this graph; false if nobody can say when they are done.
  [[nodiscard]] bool waitForLaunches() noexcept;

  std::shared_ptr<Stream> own_;  // unless it was given one
  StreamRef stream_;
  cudaGraph_t graph_ = nullptr;  // kept: its nodes name those of the instance
  cudaGraphExec_t instance_ = nullptr;
  std::vector<graph::BuiltNode> nodes_;   // own what the native graph refers to
  std::vector<cudaGraphNode_t> handles_;  // of nodes_
  std::vector<std::unique_ptr<HostCall>> hostCalls_;
  std::vector<std::pair<cudaGraphNode_t, EventState*>> recorded_;  // by nodes of ours; kept by their specifications
  std::vector<void*> pointers_;                                    // scratch of setKernel, kept to spare an allocation
  std::shared_ptr<graph::FirstError> errors_;
  std::uint64_t calls_ = 0;
  bool launched_ = false;  // since the last time we waited
};

}  // namespace eagle::cuda
