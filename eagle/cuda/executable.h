// A built CUDA graph. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <vector>

#include "eagle/cuda/stream.h"
#include "eagle/graph/executable.h"
#include "eagle/graph/first_error.h"

namespace eagle::cuda {

/// One native graph of its own, built from a plan, and its instance.
class Executable final : public graph::Executable {
 public:
  /// Runs on `stream`, or on a stream of its own.
  Executable(std::vector<graph::PlanNode> plan, const std::optional<StreamRef>& stream);
  ~Executable() override;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  [[nodiscard]] const std::vector<graph::BuiltKernel>& kernels() const override { return kernels_; }
  void resize(std::size_t kernel, const LaunchDims& dims, Index samples) override;
  void setEnabled(std::size_t kernel, bool enabled) override;
  void launch() override;
  void upload() override;
  void synchronize() override;

 private:
  struct KernelNode;
  struct HostCall;

  void addNode(const graph::PlanNode& node);
  void addRegion(const graph::PlanNode& node, const graph::NativeSpec& spec, cudaGraphNode_t* added,
                 const std::vector<cudaGraphNode_t>& after);
  void addKernel(graph::BuiltKernel built, cudaGraphNode_t node, std::size_t parameterCount);
  void destroy() noexcept;
  /// Waits for the launches of this graph; false if nobody can say when they are done.
  [[nodiscard]] bool waitForLaunches() noexcept;

  std::unique_ptr<Stream> own_;  // unless it was given one
  StreamRef stream_;
  cudaGraph_t graph_ = nullptr;  // kept: its nodes name those of the instance
  cudaGraphExec_t instance_ = nullptr;
  std::vector<graph::PlanNode> plan_;  // owns what the native graph refers to
  std::vector<cudaGraphNode_t> nodes_;
  std::vector<graph::BuiltKernel> kernels_;
  std::vector<KernelNode> kernelNodes_;
  std::vector<std::unique_ptr<HostCall>> hostCalls_;
  graph::FirstError errors_;
  bool launched_ = false;  // since the last time we waited
};

}  // namespace eagle::cuda
