// Whether a run is to end before its samples do.
#pragma once

#include <chrono>
#include <limits>
#include <stop_token>
#include <utility>

namespace eagle::detail {

// Any thread may ask. The clock starts when this is made, or made anew by startingNow().
class StopCondition {
 public:
  StopCondition(std::stop_token token, double maxSeconds) : token_(std::move(token)), maxSeconds_(maxSeconds) {}

  [[nodiscard]] StopCondition startingNow() const { return {token_, maxSeconds_}; }
  [[nodiscard]] bool canHappen() const { return token_.stop_possible() || isTimed(); }
  [[nodiscard]] bool hasHappened() const {
    return token_.stop_requested() ||
           (isTimed() &&
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() >= maxSeconds_);
  }

 private:
  [[nodiscard]] bool isTimed() const { return maxSeconds_ < std::numeric_limits<double>::infinity(); }

  std::stop_token token_;
  double maxSeconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace eagle::detail
