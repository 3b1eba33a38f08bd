// Finds where, within a step, a scalar function of the state passes zero.
#pragma once

#include "eagle/base/config.h"
#include "kernels/events/root.h"

namespace eagle::kernels {

/// Which passages through zero count as the event.
enum class Direction {
  rising,   ///< from below zero
  falling,  ///< from above zero
  both,
};

/// What is asked of an event.
struct EventOptions {
  Direction direction = Direction::both;  ///< of g
  /// Width in time to which the passage is bracketed; with 0, as far as doubles go.
  double tolerance = 0;
};

/// The event that `locateEvent` found, if any.
template <class Y>
struct EventPoint {
  bool found = false;  ///< if not, the rest means nothing
  double h = 0;        ///< from the beginning of the step to the event
  Y y{};               ///< the state there
};

namespace detail {

// g on the way: each evaluation integrates from the beginning of the step, so that the event is as exact as the steps.
template <class G, class Step>
struct AlongStep {
  const G& g;
  const Step& step;
  double t;
  EAGLE_HD double operator()(double h) const { return g(t + h, step(h)); }
};

template <class G, class Step>
struct RateAlongStep {
  const G& g;
  const Step& step;
  double t;
  EAGLE_HD double operator()(double h) const { return g.rate(t + h, step(h)); }
};

EAGLE_HD inline bool passes(double before, double after, Direction direction) {
  const bool rises = before < 0 && after >= 0;
  const bool falls = before > 0 && after <= 0;
  return (rises && direction != Direction::falling) || (falls && direction != Direction::rising);
}

}  // namespace detail

/// Looks for the first passage of `g(t, y)` through zero in a step already made from (t, y0) over h > 0 to y1.
/// `step(s)` makes a step from (t, y0) over s instead, from 0 to h, and returns the state: with the method of the step
/// itself the event is as exact as the solution.
///
/// The point found is at, or within the tolerance after, the passage: there g is zero or has the sign it changes to. A
/// step that begins where g is zero has no event there, so that a sample that goes on from an event does not meet it
/// again.
///
/// A g that also has `rate(t, y)`, its derivative along the solution, is not overlooked when it passes zero and comes
/// back within the step, if its rate changes sign once there.
template <class G, class Step, class Y>
EAGLE_HD EventPoint<Y> locateEvent(const G& g, const Step& step, double t, double h, const Y& y0, const Y& y1,
                                   const EventOptions& options = {}) {
  const detail::AlongStep<G, Step> along{g, step, t};
  Bracket bracket{.a = 0, .b = h, .fa = g(t, y0), .fb = g(t + h, y1)};
  bool found = detail::passes(bracket.fa, bracket.fb, options.direction);
  if constexpr (requires { g.rate(t, y0); }) {
    // There and back: g turns towards zero and away from it again.
    const bool sameSide = bracket.fa * bracket.fb > 0;
    const double side = bracket.fa > 0 ? 1 : -1;
    const double rate0 = sameSide ? side * g.rate(t, y0) : 0;
    const double rate1 = sameSide ? side * g.rate(t + h, y1) : 0;
    if (rate0 < 0 && rate1 > 0) {
      const detail::RateAlongStep<G, Step> rate{g, step, t};
      const double turn = findRoot(rate, {.a = 0, .b = h, .fa = side * rate0, .fb = side * rate1}, options.tolerance);
      const double extreme = along(turn);
      if (detail::passes(bracket.fa, extreme, options.direction)) {
        bracket = {.a = 0, .b = turn, .fa = bracket.fa, .fb = extreme};
        found = true;
      } else if (detail::passes(extreme, bracket.fb, options.direction)) {
        bracket = {.a = turn, .b = h, .fa = extreme, .fb = bracket.fb};
        found = true;
      }
    }
  }
  if (!found) {
    return {};
  }
  const double at = findRoot(along, bracket, options.tolerance);
  return {.found = true, .h = at, .y = at == h ? y1 : step(at)};
}

}  // namespace eagle::kernels
