// How the samples of a run ended.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eagle/base/types.h"
#include "eagle/batch/status.h"

namespace eagle {

/// One ending a sample, as arrays on the host in the order of the samples.
struct Endings {
  /// Of that many samples that have not begun.
  explicit Endings(Index samples)
      : statuses(static_cast<std::size_t>(samples), Status::cancelled),
        reasons(static_cast<std::size_t>(samples), -1),
        steps(static_cast<std::size_t>(samples)) {}

  std::vector<Status> statuses;
  std::vector<std::int32_t> reasons;  ///< as the model numbers them; -1 unless finished
  std::vector<Index> steps;           ///< made, the last one included
};

namespace detail {

// Makes `cancelled` of the samples that are to run, with up to maxSteps steps in all, and of no others; returns how
// many those others are.
Index settle(Endings& endings, Index maxSteps);

}  // namespace detail

/// How each sample of a run ended. Owns its arrays; the batch may go. Functions of a sample i throw Error
/// (invalidArgument) for one that was not in the batch.
class Result {
 public:
  /// `reasonNames` must live as long as the program, as a model's kReasons does. `seconds` as seconds() has it. Throws
  /// Error (invalidState) for a reason that no model may give.
  Result(Endings endings, std::span<const std::string_view> reasonNames, double seconds);

  /// Number of samples.
  [[nodiscard]] Index size() const { return static_cast<Index>(endings_.statuses.size()); }

  /// How sample i ended; i counts from 0 in the batch.
  [[nodiscard]] Status status(Index i) const { return endings_.statuses[checked(i)]; }
  /// Why sample i finished, as the model numbers it; -1 unless its status is `finished`.
  [[nodiscard]] std::int32_t reason(Index i) const { return endings_.reasons[checked(i)]; }
  /// Steps that sample i made, the one it ended with included.
  [[nodiscard]] Index steps(Index i) const { return endings_.steps[checked(i)]; }

  /// All of that together; this object keeps it.
  [[nodiscard]] const Endings& endings() const { return endings_; }
  /// Likewise of all samples, one entry each.
  [[nodiscard]] std::span<const Status> statuses() const { return endings_.statuses; }
  [[nodiscard]] std::span<const std::int32_t> reasons() const { return endings_.reasons; }
  [[nodiscard]] std::span<const Index> steps() const { return endings_.steps; }

  /// Number of samples that ended so.
  [[nodiscard]] Index count(Status status) const { return counts_[static_cast<std::size_t>(status)]; }
  /// Number of samples that finished for `reason`, an enumerator or a number of the model's.
  template <class Reason>
  [[nodiscard]] Index countReason(Reason reason) const {
    return countOf(static_cast<std::int32_t>(reason));
  }
  /// The model's name of a reason; "reason K" where it gives none.
  template <class Reason>
  [[nodiscard]] std::string reasonName(Reason reason) const {
    return nameOf(static_cast<std::int32_t>(reason));
  }
  /// The names that the model gives, from reason 0.
  [[nodiscard]] std::span<const std::string_view> reasonNames() const { return names_; }

  /// Steps of all samples together.
  [[nodiscard]] Index totalSteps() const { return totalSteps_; }
  /// Time of the samples' run on the device, in seconds, without copies to and from it; of all runs together after
  /// resume().
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] std::size_t checked(Index i) const;
  [[nodiscard]] Index countOf(std::int32_t reason) const;
  [[nodiscard]] std::string nameOf(std::int32_t reason) const;

  Endings endings_;
  std::span<const std::string_view> names_;
  double seconds_;
  Index counts_[4] = {};
  Index totalSteps_ = 0;
};

}  // namespace eagle
