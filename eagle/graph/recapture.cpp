#include "eagle/graph/recapture.h"

#include <algorithm>

#include "eagle/graph/whole_update.h"

namespace eagle {

RecaptureResult::operator bool() const {
  return std::none_of(nodes.begin(), nodes.end(),
                      [](const RecapturedNode& node) { return node.status == RecapturedNode::Status::notUpdatable; });
}

namespace graph {
namespace {

using Status = RecapturedNode::Status;

// What differs between two nodes in the same place, and what that means.
RecapturedNode compare(const BuiltNode& before, const BuiltNode& after) {
  RecapturedNode node{before.label, before.kind, Status::notUpdatable, {}};
  if (before.kind != after.kind) {
    node.reason = "was a " + std::string(nameOf(before.kind)) + " and is a " + std::string(nameOf(after.kind)) + " now";
  } else if (before.dependencies != after.dependencies || before.parent != after.parent) {
    node.reason = "waits for other nodes than before";
  } else if (before.kind == NodeKind::allocation || before.kind == NodeKind::release ||
             before.kind == NodeKind::conditional) {
    node.reason = "a " + std::string(nameOf(before.kind)) + " cannot be recorded again: add the capture anew";
  } else if (!isSame(before.spec, after.spec) && !canBeUpdated(before.kind)) {
    node.reason = "has other parameters, and a " + std::string(nameOf(before.kind)) + " cannot be updated";
  } else if (!isSame(before.spec, after.spec)) {
    node.status = Status::updated;
    node.reason = "other parameters";
  } else if (before.kind == NodeKind::kernel && before.sizing != after.sizing) {
    node.status = Status::updated;
    node.reason = "another size or launch rule";
  } else {
    node.status = Status::unchanged;
  }
  return node;
}

}  // namespace

RecaptureResult compareRecording(const std::vector<BuiltNode>& region, const std::vector<BuiltNode>& recording) {
  RecaptureResult result;
  const std::size_t both = std::min(region.size(), recording.size());
  for (std::size_t i = 0; i < both; ++i) {
    result.nodes.push_back(compare(region[i], recording[i]));
  }
  for (std::size_t i = both; i < region.size(); ++i) {
    result.nodes.push_back({region[i].label, region[i].kind, Status::notUpdatable, "was not recorded again"});
  }
  for (std::size_t i = both; i < recording.size(); ++i) {
    result.nodes.push_back({recording[i].label, recording[i].kind, Status::notUpdatable, "is new"});
  }
  return result;
}

}  // namespace graph
}  // namespace eagle
