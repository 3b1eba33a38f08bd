// One step of one sample, with the checks that follow every step; the same on every device.
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

template <Model M>
EAGLE_HD bool isFinite(const M& model, const typename M::State& state) {
  if constexpr (requires { model.finite(state); }) {
    return model.finite(state);
  } else {
    return allFinite(state);
  }
}

template <Model M>
EAGLE_HD std::int32_t advance(const M& model, typename M::State& state, const typename M::Params& params,
                              SampleContext& context, Index maxSteps) {
  const Outcome outcome = model.step(state, params, static_cast<const SampleContext&>(context));
  ++context.step;
  const std::int32_t limited = context.step < maxSteps ? kRunning : kStepLimit;
  const std::int32_t standing = outcome.isRunning() ? limited : outcome.reason();
  return isFinite(model, state) ? standing : kNonFinite;
}

EAGLE_HD constexpr Status statusOf(std::int32_t standing) {
  if (standing == kNonFinite) {
    return Status::nonFinite;
  }
  return standing == kStepLimit ? Status::stepLimit : Status::finished;
}

EAGLE_HD constexpr std::int32_t reasonOf(std::int32_t standing) {
  return standing < 0 ? -1 : standing;
}

}  // namespace eagle::detail
