#include "eagle/cuda/describe.h"

#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "eagle/base/error.h"
#include "eagle/cuda/check.h"
#include "eagle/cuda/driver.h"
#include "eagle/cuda/kernel.h"
#include "eagle/cuda/region.h"

namespace eagle::cuda {
namespace {

using graph::BuiltNode;

bool isLinear(const cudaMemcpy3DParms& copy) {
  return copy.srcArray == nullptr && copy.dstArray == nullptr && copy.extent.height == 1 && copy.extent.depth == 1 &&
         copy.srcPos.y == 0 && copy.srcPos.z == 0 && copy.dstPos.y == 0 && copy.dstPos.z == 0;
}

/// Lists the nodes of one capture.
class RegionLister {
 public:
  RegionLister(std::vector<BuiltNode>& list, const graph::PlanNode& node, std::shared_ptr<const Region> region)
      : list_(list), plan_(node), region_(std::move(region)) {}

  void append(cudaGraph_t graph, std::uint32_t parent, const std::string& prefix) {
    const std::vector<cudaGraphNode_t> nodes = nodesOf(graph);
    std::unordered_map<cudaGraphNode_t, std::uint32_t> places;
    std::vector<std::pair<std::uint32_t, cudaGraphNode_t>> own;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeKind kind = kindOf(nodes[i]);
      const auto place = static_cast<std::uint32_t>(list_.size());
      const std::string label = prefix + "/" + std::string(shortNameOf(kind)) + "#" + std::to_string(i);
      places.emplace(nodes[i], place);
      own.emplace_back(place, nodes[i]);
      list_.push_back(nodeOf(nodes[i], kind, label, parent));
      if (kind == NodeKind::childGraph) {
        cudaGraph_t child = nullptr;
        check(cudaGraphChildGraphNodeGetGraph(nodes[i], &child), "reading a child graph");
        append(child, place, label);
      }
    }
    for (const auto& [place, node] : own) {
      for (const cudaGraphNode_t dependency : driver::dependenciesOf(node)) {
        list_[place].dependencies.push_back(places.at(dependency));
      }
    }
  }

 private:
  BuiltNode nodeOf(cudaGraphNode_t node, NodeKind kind, const std::string& label, std::uint32_t parent) {
    BuiltNode built{.label = label,
                    .kind = kind,
                    .spec = graph::EmptySpec{},
                    .dependencies = {},
                    .owner = plan_.owner,
                    .parent = parent,
                    .fixed = plan_.fixed,
                    .sizing = {},
                    .argumentNames = {}};
    switch (kind) {
      case NodeKind::kernel:
        describeKernel(built, node);
        break;
      case NodeKind::memset:
        built.spec = memsetOf(node);
        break;
      case NodeKind::memcpy:
        built.spec = memcpyOf(node);
        break;
      case NodeKind::host:
      case NodeKind::eventRecord:
      case NodeKind::eventWait:
      case NodeKind::semaphoreSignal:
      case NodeKind::semaphoreWait:
        built.spec = native(node);
        break;
      default:
        break;
    }
    return built;
  }

  void describeKernel(BuiltNode& built, cudaGraphNode_t node) {
    const CapturedKernel& captured = region_->kernels().at(nextKernel_++);
    auto kernel =
        std::make_shared<const Kernel>(region_, node, captured.typed ? captured.typed->parameters : Parameters{});
    const graph::KernelShape shape = kernel->shape();
    const Index samples = captured.typed ? captured.typed->samples : graph::threadCount(shape.dims);
    const LaunchRule rule = captured.typed ? captured.typed->rule : perSample();
    built.fixed = built.fixed || captured.fixed;
    graph::KernelSpec spec{std::move(kernel), rule, samples};
    built.sizing = graph::sizingOf(spec, built.fixed, built.label);
    built.spec = std::move(spec);
  }

  graph::NodeSpec memsetOf(cudaGraphNode_t node) {
    cudaMemsetParams set{};
    check(cudaGraphMemsetNodeGetParams(node, &set), "reading a memset");
    if (set.elementSize != 1 || set.height != 1) {
      return native(node);
    }
    return graph::MemsetSpec{set.dst, static_cast<unsigned char>(set.value), set.width};
  }

  graph::NodeSpec memcpyOf(cudaGraphNode_t node) {
    cudaMemcpy3DParms copy{};
    check(cudaGraphMemcpyNodeGetParams(node, &copy), "reading a memory copy");
    if (!isLinear(copy)) {
      return native(node);
    }
    return graph::MemcpySpec{static_cast<char*>(copy.dstPtr.ptr) + copy.dstPos.x,
                             static_cast<const char*>(copy.srcPtr.ptr) + copy.srcPos.x, copy.extent.width};
  }

  graph::NodeSpec native(cudaGraphNode_t node) {
    return graph::NativeNodeSpec{std::make_shared<const CapturedNode>(region_, node)};
  }

  std::vector<BuiltNode>& list_;
  const graph::PlanNode& plan_;
  std::shared_ptr<const Region> region_;
  std::size_t nextKernel_ = 0;
};

}  // namespace

NodeKind kindOf(cudaGraphNode_t node) {
  cudaGraphNodeType type{};
  check(cudaGraphNodeGetType(node, &type), "asking for the type of a node");
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return NodeKind::kernel;
    case cudaGraphNodeTypeMemcpy:
      return NodeKind::memcpy;
    case cudaGraphNodeTypeMemset:
      return NodeKind::memset;
    case cudaGraphNodeTypeHost:
      return NodeKind::host;
    case cudaGraphNodeTypeGraph:
      return NodeKind::childGraph;
    case cudaGraphNodeTypeWaitEvent:
      return NodeKind::eventWait;
    case cudaGraphNodeTypeEventRecord:
      return NodeKind::eventRecord;
    case cudaGraphNodeTypeExtSemaphoreSignal:
      return NodeKind::semaphoreSignal;
    case cudaGraphNodeTypeExtSemaphoreWait:
      return NodeKind::semaphoreWait;
    case cudaGraphNodeTypeMemAlloc:
      return NodeKind::allocation;
    case cudaGraphNodeTypeMemFree:
      return NodeKind::release;
    case cudaGraphNodeTypeConditional:
      return NodeKind::conditional;
    default:
      return NodeKind::empty;
  }
}

cudaGraphNodeParams paramsOf(cudaGraphNode_t node) {
  cudaGraphNodeParams params{};  // all zeros: parameters are compared bytewise
  check(cudaGraphNodeGetType(node, &params.type), "asking for the type of a node");
  cudaError_t status = cudaErrorNotSupported;
  if (params.type == cudaGraphNodeTypeMemcpy) {
    status = cudaGraphMemcpyNodeGetParams(node, &params.memcpy.copyParams);
  } else if (params.type == cudaGraphNodeTypeMemset) {
    cudaMemsetParams set{};
    status = cudaGraphMemsetNodeGetParams(node, &set);
    params.memset.dst = set.dst;
    params.memset.pitch = set.pitch;
    params.memset.value = set.value;
    params.memset.elementSize = set.elementSize;
    params.memset.width = set.width;
    params.memset.height = set.height;
  } else if (params.type == cudaGraphNodeTypeHost) {
    cudaHostNodeParams host{};
    status = cudaGraphHostNodeGetParams(node, &host);
    params.host.fn = host.fn;
    params.host.userData = host.userData;
  } else if (params.type == cudaGraphNodeTypeEventRecord) {
    status = cudaGraphEventRecordNodeGetEvent(node, &params.eventRecord.event);
  } else if (params.type == cudaGraphNodeTypeWaitEvent) {
    status = cudaGraphEventWaitNodeGetEvent(node, &params.eventWait.event);
  }
  check(status, "reading a captured node");
  return params;
}

bool CapturedNode::isSame(const graph::NativeNode& other) const {
  const cudaGraphNode_t theirs = static_cast<const CapturedNode&>(other).node_;
  if (node_ == theirs) {
    return true;
  }
  const NodeKind kind = kindOf(node_);
  if (kind != kindOf(theirs) || !graph::canBeUpdated(kind)) {
    return false;  // nobody reads the parameters of semaphores here
  }
  const cudaGraphNodeParams a = paramsOf(node_);
  const cudaGraphNodeParams b = paramsOf(theirs);
  // All zeros where nothing is set, padding included.
  return std::memcmp(&a, &b, sizeof a) == 0;  // NOLINT(bugprone-suspicious-memory-comparison)
}

std::vector<graph::BuiltNode> describe(const std::vector<graph::PlanNode>& plan) {
  std::vector<graph::BuiltNode> list;
  std::vector<std::uint32_t> places;
  for (const graph::PlanNode& node : plan) {
    const auto place = static_cast<std::uint32_t>(list.size());
    places.push_back(place);
    graph::BuiltNode built = graph::builtNode(node);
    for (std::uint32_t& dependency : built.dependencies) {
      dependency = places[dependency];
    }
    list.push_back(std::move(built));
    if (const auto* native = std::get_if<graph::NativeSpec>(&node.spec)) {
      const auto region = std::static_pointer_cast<const Region>(native->region);
      RegionLister(list, node, region).append(region->graph(), place, node.label);
    }
  }
  return list;
}

}  // namespace eagle::cuda
