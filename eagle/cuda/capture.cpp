#include "eagle/cuda/capture.h"

#include <unordered_set>

#include "eagle/base/error.h"
#include "eagle/cuda/capture_session.h"
#include "eagle/cuda/region.h"

namespace eagle::cuda {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalidState, message);
}

}  // namespace

CapturedGraph CapturedGraph::adopt(cudaGraph_t graph) {
  if (graph == nullptr) {
    throw Error(ErrorCode::invalidArgument, "adopt: the graph is null");
  }
  auto region = std::make_shared<Region>(graph);
  region->setKernels(std::vector<CapturedKernel>(kernelNodes(graph).size()));
  return CapturedGraph(std::move(region));
}

std::size_t CapturedGraph::nodeCount() const {
  return nodesOf(cuda()).size();
}

graph::NodeSpec CapturedGraph::spec() const {
  return graph::NativeSpec{region()};
}

cudaGraph_t CapturedGraph::cuda() const {
  return region()->graph();
}

const std::shared_ptr<const Region>& CapturedGraph::region() const {
  if (!region_) {
    refuse("this captured graph was moved from, as addNode does: capture anew to add it again");
  }
  return region_;
}

void StreamCapturer::begin(CaptureMode mode) {
  if (session_) {
    refuse("begin: the stream is being captured already: end that capture first");
  }
  session_ = CaptureSession::begin(stream_, mode);
}

CapturedGraph StreamCapturer::end(EmptyCapture empty) {
  if (!session_) {
    refuse("end: no capture was begun: call begin() first");
  }
  if (!session_->mayEndHere()) {
    refuse("end: a capture must end on the thread that began it, unless its mode is relaxed");
  }
  const auto session = std::exchange(session_, nullptr);
  return CapturedGraph(session->end(empty));
}

struct StreamCapturer::FixedScope::Before {
  std::unordered_set<cudaGraphNode_t> nodes;
};

StreamCapturer::FixedScope::FixedScope(std::shared_ptr<CaptureSession> session) : session_(std::move(session)) {
  if (!session_) {
    refuse("fixed: no capture was begun: call begin() first");
  }
  before_ = std::make_unique<Before>(Before{session_->nodes()});
}

StreamCapturer::FixedScope::~FixedScope() {
  try {
    session_->fixSince(before_->nodes);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a broken capture, which end() reports
  }
}

}  // namespace eagle::cuda
