// The driver calls that the runtime library has no safe twin for. Only sources of the backend include this.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/graph/node.h"

// The runtime finds a kernel by the address of a host stub, which exists only in the module that holds it; the driver
// knows every kernel by its function, those of other libraries in a capture included.
namespace eagle::cuda::driver {

/// Throws CudaError unless `status` is success.
void check(CUresult status, std::string_view what, std::source_location where = std::source_location::current());

/// The parameters of a kernel node. Pointers in them stay valid while the node lives and is not changed.
[[nodiscard]] CUDA_KERNEL_NODE_PARAMS kernelParams(cudaGraphNode_t node);
/// Adds a kernel node with these parameters, and all attributes of another one unless that is null.
[[nodiscard]] cudaGraphNode_t addKernelLike(cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t afterCount,
                                            cudaGraphNode_t model, const CUDA_KERNEL_NODE_PARAMS& params);
/// One driver call. The arguments are copied.
[[nodiscard]] CUresult setKernel(cudaGraphExec_t graph, cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS& params);
/// What the driver knows of the parameters of a kernel: sizes alone, and nothing before CUDA 12.4. In memory that
/// stays.
[[nodiscard]] std::span<const graph::ArgumentType> parameterTypes(const CUDA_KERNEL_NODE_PARAMS& params);
[[nodiscard]] bool isCooperative(cudaGraphNode_t node);
/// The nodes a node waits for.
[[nodiscard]] std::vector<cudaGraphNode_t> dependenciesOf(cudaGraphNode_t node);
/// Ones for a kernel without clusters.
[[nodiscard]] Dim3 clusterOf(cudaGraphNode_t node);
[[nodiscard]] CUfunction functionOf(const CUDA_KERNEL_NODE_PARAMS& params);
/// Threads a block at which most threads of a kernel fit on the device.
[[nodiscard]] int bestBlock(CUfunction function, std::size_t sharedBytes);

/// The capture that a stream takes part in.
struct CaptureInfo {
  bool capturing = false;
  unsigned long long id = 0;                      ///< unique in the process
  cudaGraph_t graph = nullptr;                    ///< under construction: to look at only
  const cudaGraphNode_t* dependencies = nullptr;  ///< what the next node of the stream will follow
  std::size_t dependencyCount = 0;
};
[[nodiscard]] CaptureInfo captureInfo(cudaStream_t stream);

}  // namespace eagle::cuda::driver
