#include "eagle/host/capture.h"

#include <string>
#include <vector>

#include "eagle/base/error.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {
namespace {

/// Whether every node comes before one of `tails`, or is one.
bool allJoined(const graph::Recipe& recipe, const std::vector<NodeId>& tails) {
  const auto& nodes = recipe.nodes();
  std::vector<bool> joined(nodes.size(), false);
  for (const NodeId& tail : tails) {
    joined[tail.index()] = true;
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!joined[i]) {
      return false;
    }
    for (const std::uint32_t dependency : nodes[i].dependencies) {
      joined[dependency] = true;
    }
  }
  return true;
}

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalidState, message);
}

}  // namespace

const std::shared_ptr<const graph::Recipe>& CapturedGraph::recipe() const {
  if (!recipe_) {
    refuse("this captured graph was moved from, as addNode does: capture anew to add it again");
  }
  return recipe_;
}

StreamCapturer::~StreamCapturer() {
  if (capture_) {
    capture_->ended = true;
  }
}

void StreamCapturer::begin(CaptureMode mode) {
  const auto stream = stream_.lock();
  if (capture_ || stream->capture() != nullptr) {
    refuse("begin: the stream is being captured already: end that capture first");
  }
  mode_ = mode;
  capture_ = std::make_shared<CaptureState>();
  stream->capturing = capture_;
  stream->tails.clear();
}

CapturedGraph StreamCapturer::end(EmptyCapture empty) {
  if (!capture_) {
    refuse("end: no capture was begun: call begin() first");
  }
  if (mode_ != CaptureMode::relaxed && capture_->thread != std::this_thread::get_id()) {
    refuse("end: a capture must end on the thread that began it, unless its mode is relaxed");
  }
  const auto capture = std::exchange(capture_, nullptr);
  capture->ended = true;
  if (!capture->broken.empty()) {
    refuse("end: the capture is broken: " + capture->broken);
  }
  if (capture->recipe.nodes().empty()) {
    if (empty == EmptyCapture::refuse) {
      refuse("end: nothing was captured: launch on the captured stream, or allow it with EmptyCapture::allow");
    }
  } else if (!allJoined(capture->recipe, stream_.lock()->tails)) {
    refuse("end: a stream that took part was not joined: let the captured stream wait for an event recorded on it");
  }
  return CapturedGraph(std::make_shared<const graph::Recipe>(std::move(capture->recipe)));
}

StreamCapturer::FixedScope::FixedScope(StreamCapturer& capturer) : capture_(capturer.capture_) {
  if (!capture_) {
    refuse("fixed: no capture was begun: call begin() first");
  }
  ++capture_->fixedDepth;
}

StreamCapturer::FixedScope::~FixedScope() {
  --capture_->fixedDepth;
}

}  // namespace eagle::host
