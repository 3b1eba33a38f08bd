// Motion about one attracting centre.
#pragma once

#include <cmath>

#include "eagle/base/config.h"
#include "eagle/batch/model.h"
#include "kernels/integrators/adaptive.h"
#include "kernels/models/until.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// r'' = -mu r / |r|^3 with steps of adaptive size, each sample until its own end time.
/// Units are the caller's: mu has those of length^3 / time^2.
struct Kepler {
  /// y = position and velocity (x, y, z, vx, vy, vz).
  using State = AdaptiveState<6>;
  using Params = UntilParams;
  using Reason = UntilReason;
  static constexpr auto kReasons = kUntilReasons;

  double mu = 1;          ///< gravitational parameter of the centre
  Tolerance tolerance{};  ///< of a step

  /// The derivative of y.
  EAGLE_HD Vector<6> operator()(double, const Vector<6>& y) const {
    const double r2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    const double pull = -mu / (r2 * std::sqrt(r2));
    return {y[3], y[4], y[5], pull * y[0], pull * y[1], pull * y[2]};
  }

  /// One attempt at a step.
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext&) const {
    return stepUntil(*this, s, p, tolerance);
  }
};

}  // namespace eagle::kernels
