#include "eagle/cuda/driver.h"

#include <map>
#include <mutex>
#include <string>

#include "eagle/cuda/check.h"

namespace eagle::cuda::driver {
namespace {

constexpr unsigned kOldest = 12030;

// Null if the driver has none.
void* findEntryPoint(const char* name, [[maybe_unused]] unsigned version) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  // The form of the symbol as of CUDA 12.3, whose signature the types below have.
#if CUDART_VERSION >= 12050
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  cuda::check(status, std::string("looking up ") + name);
  return found == cudaDriverEntryPointSuccess ? function : nullptr;
}

void* entryPoint(const char* name) {
  void* function = findEntryPoint(name, kOldest);
  if (function == nullptr) {
    throw Error(ErrorCode::unavailable, std::string("this driver has no ") + name + ": CUDA 12.3 or newer is needed");
  }
  return function;
}

/// The entry points, looked up together at first use.
struct Table {
  template <class F>
  static F* find(const char* name, F*) {
    return reinterpret_cast<F*>(entryPoint(name));
  }

  decltype(&cuGraphKernelNodeGetParams) getParams =
      find("cuGraphKernelNodeGetParams", decltype(&cuGraphKernelNodeGetParams){});
  decltype(&cuGraphAddKernelNode) addKernel = find("cuGraphAddKernelNode", decltype(&cuGraphAddKernelNode){});
  decltype(&cuGraphKernelNodeCopyAttributes) copyAttributes =
      find("cuGraphKernelNodeCopyAttributes", decltype(&cuGraphKernelNodeCopyAttributes){});
  decltype(&cuGraphExecNodeSetParams) setParams =
      find("cuGraphExecNodeSetParams", decltype(&cuGraphExecNodeSetParams){});
  decltype(&cuOccupancyMaxPotentialBlockSize) blockSize =
      find("cuOccupancyMaxPotentialBlockSize", decltype(&cuOccupancyMaxPotentialBlockSize){});
  decltype(&cuFuncGetAttribute) attribute = find("cuFuncGetAttribute", decltype(&cuFuncGetAttribute){});
  decltype(&cuKernelGetFunction) kernelFunction = find("cuKernelGetFunction", decltype(&cuKernelGetFunction){});
#if CUDART_VERSION >= 12040
  decltype(&cuFuncGetParamInfo) parameterInfo =
      reinterpret_cast<decltype(&cuFuncGetParamInfo)>(findEntryPoint("cuFuncGetParamInfo", 12040));
#endif
};

const Table& table() {
  static const Table kEntries;
  return kEntries;
}

}  // namespace

void check(CUresult status, std::string_view what, std::source_location where) {
  if (status == CUDA_SUCCESS) [[likely]] {
    return;
  }
  // The runtime's codes are the driver's; its words name both.
  throwCudaError(static_cast<cudaError_t>(status), what, where);
}

CUDA_KERNEL_NODE_PARAMS kernelParams(cudaGraphNode_t node) {
  CUDA_KERNEL_NODE_PARAMS params{};
  check(table().getParams(node, &params), "reading the parameters of a kernel node");
  return params;
}

cudaGraphNode_t addKernelLike(cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t afterCount,
                              cudaGraphNode_t model, const CUDA_KERNEL_NODE_PARAMS& params) {
  cudaGraphNode_t node = nullptr;
  check(table().addKernel(&node, graph, after, afterCount, &params), "adding a kernel node");
  if (model != nullptr) {
    check(table().copyAttributes(node, model), "copying the attributes of a kernel node");
  }
  return node;
}

CUresult setKernel(cudaGraphExec_t graph, cudaGraphNode_t node, const CUDA_KERNEL_NODE_PARAMS& params) {
  CUgraphNodeParams all{};
  all.type = CU_GRAPH_NODE_TYPE_KERNEL;
  all.kernel.func = params.func;
  all.kernel.gridDimX = params.gridDimX;
  all.kernel.gridDimY = params.gridDimY;
  all.kernel.gridDimZ = params.gridDimZ;
  all.kernel.blockDimX = params.blockDimX;
  all.kernel.blockDimY = params.blockDimY;
  all.kernel.blockDimZ = params.blockDimZ;
  all.kernel.sharedMemBytes = params.sharedMemBytes;
  all.kernel.kernelParams = params.kernelParams;
  all.kernel.extra = params.extra;
  all.kernel.kern = params.kern;
  all.kernel.ctx = params.ctx;
  return table().setParams(graph, node, &all);
}

std::span<const graph::ArgumentType> parameterTypes([[maybe_unused]] const CUDA_KERNEL_NODE_PARAMS& params) {
#if CUDART_VERSION >= 12040
  if (table().parameterInfo == nullptr || params.kernelParams == nullptr) {
    return {};
  }
  static std::mutex mutex;
  static auto* const kKnown = new std::map<CUfunction, std::vector<graph::ArgumentType>>;  // outlives static objects
  CUfunction function = functionOf(params);
  const std::scoped_lock lock(mutex);
  const auto [known, isNew] = kKnown->try_emplace(function);
  std::size_t offset = 0;
  std::size_t bytes = 0;
  while (isNew && table().parameterInfo(function, known->second.size(), &offset, &bytes) == CUDA_SUCCESS) {
    known->second.push_back({nullptr, bytes});
  }
  return known->second;
#else
  return {};
#endif
}

bool isCooperative(cudaGraphNode_t node) {
  cudaLaunchAttributeValue value{};
  cuda::check(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeCooperative, &value),
              "reading whether a kernel node is cooperative");
  return value.cooperative != 0;
}

Dim3 clusterOf(cudaGraphNode_t node) {
  cudaLaunchAttributeValue value{};
  cuda::check(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &value),
              "reading the cluster of a kernel node");
  if (value.clusterDim.x > 0) {
    return {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
  }
  // A kernel compiled for a cluster has it without being told at launch.
  CUfunction function = functionOf(kernelParams(node));
  const auto extent = [function](CUfunction_attribute attribute) {
    int result = 0;
    check(table().attribute(&result, attribute, function), "reading the cluster of a kernel");
    return static_cast<std::uint32_t>(result > 0 ? result : 1);
  };
  return {extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH), extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT),
          extent(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH)};
}

std::vector<cudaGraphNode_t> dependenciesOf(cudaGraphNode_t node) {
  const auto get = [node](cudaGraphNode_t* nodes, std::size_t* count) {
#if CUDART_VERSION >= 13000
    const cudaError_t status = cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
#else
    const cudaError_t status = cudaGraphNodeGetDependencies(node, nodes, count);
#endif
    cuda::check(status, "reading what a node waits for");
  };
  std::size_t count = 0;
  get(nullptr, &count);
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) {
    get(nodes.data(), &count);
  }
  return nodes;
}

CUfunction functionOf(const CUDA_KERNEL_NODE_PARAMS& params) {
  CUfunction function = params.func;
  if (function == nullptr) {
    check(table().kernelFunction(&function, params.kern), "finding the function of a kernel");
  }
  return function;
}

int bestBlock(CUfunction function, std::size_t sharedBytes) {
  int grid = 0;
  int block = 0;
  check(table().blockSize(&grid, &block, function, nullptr, sharedBytes, 0), "reading a kernel's occupancy");
  return block;
}

CaptureInfo captureInfo(cudaStream_t stream) {
  CaptureInfo info;
  cudaStreamCaptureStatus status{};
  const cudaGraphEdgeData* edges = nullptr;
#if CUDART_VERSION >= 13000
  const cudaError_t result = cudaStreamGetCaptureInfo(stream, &status, &info.id, &info.graph, &info.dependencies,
                                                      &edges, &info.dependencyCount);
#else
  const cudaError_t result = cudaStreamGetCaptureInfo_v3(stream, &status, &info.id, &info.graph, &info.dependencies,
                                                         &edges, &info.dependencyCount);
#endif
  cuda::check(result, "asking whether a stream is captured");
  info.capturing = status == cudaStreamCaptureStatusActive;
  return info;
}

}  // namespace eagle::cuda::driver
