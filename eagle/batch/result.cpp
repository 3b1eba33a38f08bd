#include "eagle/batch/result.h"

#include <algorithm>

#include "eagle/base/error.h"
#include "eagle/batch/model.h"

namespace eagle {

Result::Result(Endings endings, std::span<const std::string_view> reasonNames, double seconds)
    : endings_(std::move(endings)), names_(reasonNames), seconds_(seconds) {
  for (const Status status : endings_.statuses) {
    ++counts_[static_cast<std::size_t>(status)];
  }
  const auto bad = std::find(endings_.reasons.begin(), endings_.reasons.end(), Outcome::kBadReason);
  if (bad != endings_.reasons.end()) {
    throw Error(ErrorCode::invalidState, "sample " + std::to_string(bad - endings_.reasons.begin()) +
                                             " finished for a reason that is not from 0 to " +
                                             std::to_string(Outcome::kMaxReason) +
                                             ": number the model's reasons from 0");
  }
  for (const Index steps : endings_.steps) {
    totalSteps_ += steps;
  }
}

Index detail::settle(Endings& endings, Index maxSteps) {
  Index ended = 0;
  for (std::size_t i = 0; i < endings.statuses.size(); ++i) {
    Status& status = endings.statuses[i];
    if (status == Status::cancelled || status == Status::stepLimit) {
      status = endings.steps[i] < maxSteps ? Status::cancelled : Status::stepLimit;
    }
    ended += status == Status::cancelled ? 0 : 1;
  }
  return ended;
}

std::size_t Result::checked(Index i) const {
  if (i < 0 || i >= size()) {
    throw Error(ErrorCode::invalidArgument, "there is no sample " + std::to_string(i) + ": the run had " +
                                                std::to_string(size()) + ", numbered from 0");
  }
  return static_cast<std::size_t>(i);
}

Index Result::countOf(std::int32_t reason) const {
  return reason < 0 ? 0 : std::count(endings_.reasons.begin(), endings_.reasons.end(), reason);
}

std::string Result::nameOf(std::int32_t reason) const {
  if (reason >= 0 && static_cast<std::size_t>(reason) < names_.size()) {
    return std::string(names_[static_cast<std::size_t>(reason)]);
  }
  return "reason " + std::to_string(reason);
}

}  // namespace eagle
