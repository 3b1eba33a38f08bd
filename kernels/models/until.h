// What the models with steps of adaptive size have in common.
#pragma once

#include <array>
#include <string_view>

#include "eagle/base/config.h"
#include "eagle/batch/model.h"
#include "kernels/integrators/adaptive.h"

namespace eagle::kernels {

/// Params of a model that runs each sample until a time of its own.
struct UntilParams {
  double endTime;  ///< later than the state's t
};

/// Why its samples finish.
enum class UntilReason {
  endTime,
  stuck,  ///< the step size fell to nothing, as in a collision
};
inline constexpr std::array<std::string_view, 2> kUntilReasons{"end time", "stuck"};

/// The step of such a model: one attempt at y' = f(t, y) with attemptStep<Method>.
template <class Method = Rkf78, int n, class F>
EAGLE_HD Outcome stepUntil(const F& f, AdaptiveState<n>& state, const UntilParams& params, const Tolerance& tolerance) {
  const Attempt attempt = attemptStep<Method>(f, state, params.endTime, tolerance);
  const Outcome unlessStuck = state.t >= params.endTime ? finished(UntilReason::endTime) : running();
  return attempt == Attempt::stuck ? finished(UntilReason::stuck) : unlessStuck;
}

}  // namespace eagle::kernels
