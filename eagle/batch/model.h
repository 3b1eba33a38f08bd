// What a model is: plain State and Params, and one step that says whether the sample goes on.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "eagle/base/config.h"
#include "eagle/base/types.h"

namespace eagle {

/// What a step says of its sample: it runs on, or it is finished for a reason the model names.
class Outcome {
 public:
  /// The sample runs on.
  EAGLE_HD static constexpr Outcome running() { return Outcome(-1); }
  /// The sample is done. `reason` is 0 to kMaxReason, usually an enumerator of the model; with another one, the run
  /// ends with an Error that names the sample.
  EAGLE_HD static constexpr Outcome finished(std::int64_t reason) {
    return Outcome(reason >= 0 && reason <= kMaxReason ? static_cast<std::int32_t>(reason) : kBadReason);
  }
  /// The largest reason a model may give.
  static constexpr std::int32_t kMaxReason = 32766;
  /// Stands for a reason that is none.
  static constexpr std::int32_t kBadReason = 32767;

  /// Whether the sample runs on.
  [[nodiscard]] EAGLE_HD constexpr bool isRunning() const { return reason_ < 0; }
  /// The reason; negative while running.
  [[nodiscard]] EAGLE_HD constexpr std::int32_t reason() const { return reason_; }

 private:
  EAGLE_HD explicit constexpr Outcome(std::int32_t reason) : reason_(reason) {}
  std::int32_t reason_;
};

/// The sample runs on.
EAGLE_HD constexpr Outcome running() {
  return Outcome::running();
}

/// The sample is done, for reason 0 or for an enumerator (or number from 0 to Outcome::kMaxReason) of the model's.
template <class Reason = std::int32_t>
  requires std::is_enum_v<Reason> || std::integral<Reason>
EAGLE_HD constexpr Outcome finished(Reason reason = Reason{}) {
  return Outcome::finished(static_cast<std::int64_t>(reason));
}

/// What a step may know of its sample beyond State and Params.
struct SampleContext {
  Index sample = 0;        ///< global id of the sample: random numbers are keyed by it
  Index step = 0;          ///< steps this sample has made before this one
  std::uint64_t seed = 0;  ///< seed of the run
};

/// State and Params are copied bytewise, into registers and between host and device.
/// (Fixed-size Eigen vectors qualify; anything that owns memory does not.)
template <class T>
concept PlainData = std::is_trivially_destructible_v<T> && std::is_copy_constructible_v<T> &&
                    std::is_default_constructible_v<T> && !std::is_pointer_v<T>;

/// A model: trivially copyable, with plain `State` and `Params` and
/// `EAGLE_HD Outcome step(State&, const Params&, const SampleContext&) const`, which many threads call at once, each
/// for samples of its own, in no order of samples.
///
/// Optional members:
///   `static constexpr std::array<std::string_view, k> kReasons` names the reasons 0 to k-1;
///   `EAGLE_HD bool finite(const State&) const` replaces the check that every floating-point value of the state is
///   finite, made after each step;
///   `static constexpr bool kLockstep = false` has the host run each sample alone instead of groups of samples in step
///   with each other. Together pays where a step has no branches and loops of its own (fixed steps, attemptStep), not
///   where steps of different samples take different paths (located events, reactions).
template <class M>
concept Model =
    std::is_trivially_copyable_v<M> && PlainData<typename M::State> && PlainData<typename M::Params> &&
    requires(const M& model, typename M::State& state, const typename M::Params& params, const SampleContext& context) {
      { model.step(state, params, context) } -> std::same_as<Outcome>;
    };

}  // namespace eagle
