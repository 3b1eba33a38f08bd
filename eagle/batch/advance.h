// The steps of one sample, with the checks that follow every step; the same on every device.
#pragma once

#include <cstdint>

#include "eagle/base/config.h"
#include "eagle/base/types.h"
#include "eagle/batch/finite.h"
#include "eagle/batch/model.h"
#include "eagle/batch/status.h"

namespace eagle::detail {

// How a sample stands: a reason from 0 up once it is finished, else one of these.
inline constexpr std::int32_t kRunning = -1;
inline constexpr std::int32_t kStepLimit = -2;
inline constexpr std::int32_t kNonFinite = -3;
inline constexpr std::int32_t kCancelled = -4;

template <Model M>
EAGLE_HD bool isFinite(const M& model, const typename M::State& state) {
  if constexpr (requires { model.finite(state); }) {
    return model.finite(state);
  } else {
    return allFinite(state);
  }
}

// A cheaper question than isFinite() that settles nearly all cases.
template <Model M>
EAGLE_HD bool isSurelyFinite(const M& model, const typename M::State& state) {
  if constexpr (requires { model.finite(state); }) {
    return model.finite(state);
  } else {
    return !anyValue<MaybeNonFinite>(state);
  }
}

// How a sample stands after a step with this outcome, its `steps`-th.
template <Model M>
EAGLE_HD std::int32_t standingAfter(const M& model, const typename M::State& state, Outcome outcome, Index steps,
                                    Index maxSteps) {
  const std::int32_t limited = steps < maxSteps ? kRunning : kStepLimit;
  const std::int32_t standing = outcome.isRunning() ? limited : outcome.reason();
  return isFinite(model, state) ? standing : kNonFinite;
}

// One step.
template <Model M>
EAGLE_HD std::int32_t advance(const M& model, typename M::State& state, const typename M::Params& params,
                              SampleContext& context, Index maxSteps) {
  const Outcome outcome = model.step(state, params, static_cast<const SampleContext&>(context));
  ++context.step;
  return standingAfter(model, state, outcome, context.step, maxSteps);
}

// Steps until the sample has ended. The order of the conditions matters: with another one, or with one test of them
// all, a step of few operations takes up to a tenth longer on a GPU.
template <Model M>
EAGLE_HD std::int32_t advanceToEnd(const M& model, typename M::State& state, const typename M::Params& params,
                                   SampleContext& context, Index maxSteps) {
  Outcome outcome = running();
  do {
    outcome = model.step(state, params, static_cast<const SampleContext&>(context));
    ++context.step;
  } while (outcome.isRunning() && context.step < maxSteps && (isSurelyFinite(model, state) || isFinite(model, state)));
  return standingAfter(model, state, outcome, context.step, maxSteps);
}

// Where a sample at `step` ends a round of so many steps.
EAGLE_HD constexpr Index endOfRound(Index step, Index roundSteps, Index maxSteps) {
  return roundSteps < maxSteps - step ? step + roundSteps : maxSteps;
}

// Such a round: a sample that has only come to its end is cancelled unless it goes on.
template <Model M>
EAGLE_HD std::int32_t advanceRound(const M& model, typename M::State& state, const typename M::Params& params,
                                   SampleContext& context, Index roundSteps, Index maxSteps) {
  const std::int32_t standing =
      advanceToEnd(model, state, params, context, endOfRound(context.step, roundSteps, maxSteps));
  return standing == kStepLimit && context.step < maxSteps ? kCancelled : standing;
}

EAGLE_HD constexpr Status statusOf(std::int32_t standing) {
  switch (standing) {
    case kNonFinite:
      return Status::nonFinite;
    case kStepLimit:
      return Status::stepLimit;
    case kCancelled:
      return Status::cancelled;
    default:
      return Status::finished;
  }
}

EAGLE_HD constexpr std::int32_t reasonOf(std::int32_t standing) {
  return standing < 0 ? -1 : standing;
}

}  // namespace eagle::detail
