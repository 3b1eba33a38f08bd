// Steps of a size that each sample chooses for itself, from the error of an embedded pair.
#pragma once

#include <cmath>
#include <cstdint>

#include "eagle/base/config.h"
#include "kernels/integrators/rkf78.h"
#include "kernels/power.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// The error that a step may make in component d: `absolute + relative * max(|y_d| before, |y_d| after)`. Not both 0.
struct Tolerance {
  double absolute = 1e-10;  ///< in the unit of y
  double relative = 1e-10;
};

/// Where a sample is on its way, and how far it will try to go next: a model's State, or a part of it.
template <int n>
struct AdaptiveState {
  Vector<n> y;                ///< the solution at t
  double t = 0;               ///< time
  double h = 1;               ///< size of the next attempt; positive. The first one is corrected in a few attempts
  std::int64_t accepted = 0;  ///< steps accepted so far
};

/// What an attempt to step came to.
enum class Attempt {
  accepted,  ///< t and y went on
  rejected,  ///< the error was too large: t and y stay, and h is smaller
  stuck,     ///< it was too large, and h is so small that t + h is t: the sample cannot go on
};

/// Largest ratio of error to tolerance over the components; NaN if any of them is not finite.
template <int n>
EAGLE_HD double errorRatio(const Vector<n>& before, const EmbeddedStep<n>& step, const Tolerance& tolerance) {
  double largest = 0;
  double sum = 0;
  for (int d = 0; d < n; ++d) {
    const double one = std::fabs(before[d]);
    const double other = std::fabs(step.y[d]);
    const double scale = one > other ? one : other;
    const double ratio = std::fabs(step.error[d]) / (tolerance.absolute + tolerance.relative * scale);
    largest = ratio > largest ? ratio : largest;
    sum += ratio;
  }
  return largest + 0 * sum;  // comparisons overlook a NaN, the sum does not
}

/// Attempts one step of y' = f(t, y) towards tEnd, which is after t, with state.h, which is positive: nobody checks.
/// The step that would pass tEnd ends exactly there. Afterwards state.h is the size of the next attempt; whoever needs
/// the step just made, to locate an event in it, keeps a copy of the state from before. `Method` is Rkf78, Dopri54, or
/// Rodas43 for stiff systems. The error ratio r decides: below 1 the step is accepted, and h is multiplied by 0.9
/// r^(-1/(p+1)), else by 0.9 r^(-1/p), p being the method's order, each kept from 0.2 to 5. One attempt, not a loop to
/// acceptance, and no branch but those of the method (the pivoting of Rodas43: say kLockstep = false there): samples
/// that run side by side stay together, in the lanes of a vector unit too.
template <class Method = Rkf78, int n, class F>
EAGLE_HD Attempt attemptStep(const F& f, AdaptiveState<n>& state, double tEnd, const Tolerance& tolerance) {
  const bool isLast = !(state.t + state.h < tEnd);
  const double h = isLast ? tEnd - state.t : state.h;
  const EmbeddedStep<n> step = Method::step(f, state.t, state.y, h);
  const double ratio = errorRatio(state.y, step, tolerance);
  const bool isAccepted = ratio < 1;  // not a NaN
  const double factor = 0.9 * roughPower(ratio, isAccepted ? -1. / (Method::kOrder + 1) : -1. / Method::kOrder);
  const double bounded = factor > 0.2 ? factor : 0.2;
  state.h = h * (bounded < 5 ? bounded : 5);
  for (int d = 0; d < n; ++d) {
    state.y[d] = isAccepted ? step.y[d] : state.y[d];
  }
  const Attempt otherwise = state.t + state.h > state.t ? Attempt::rejected : Attempt::stuck;
  const double reached = isLast ? tEnd : state.t + h;
  state.t = isAccepted ? reached : state.t;
  state.accepted += isAccepted ? 1 : 0;
  return isAccepted ? Attempt::accepted : otherwise;
}

}  // namespace eagle::kernels
