// The classical Runge-Kutta method of order 4.
#pragma once

#include "eagle/base/config.h"

namespace eagle::kernels {

/// A step for rk4 with the fractions of it that the method needs. A model with a fixed step keeps one as a member, made
/// on the host: a GPU then reads the fractions from its constant memory instead of from registers, which is about a
/// tenth faster where a step is little more than the method itself.
template <class Real>
struct Rk4Step {
  /// A step of that size, in the unit of t.
  constexpr EAGLE_HD explicit Rk4Step(Real step) : whole(step), half(step / 2), sixth(step / 6) {}

  Real whole;  ///< h
  Real half;   ///< h / 2
  Real sixth;  ///< h / 6
};

/// The solution of y' = f(t, y) a step h after (t, y), with a local error of order h^5.
///
/// `f(t, y)` returns the derivative as a Y; Y has `Y + Y` and `Real * Y`, as Real itself, Vector and Eigen's fixed-size
/// vectors have. h may be negative.
/// Source: W. Kutta, Z. Math. Phys. 46 (1901) 435-453.
template <class Y, class Real, class F>
EAGLE_HD Y rk4(const F& f, Real t, const Y& y, const Rk4Step<Real>& h) {
  const Y k1 = f(t, y);
  const Y k2 = f(t + h.half, Y(y + h.half * k1));
  const Y k3 = f(t + h.half, Y(y + h.half * k2));
  const Y k4 = f(t + h.whole, Y(y + h.whole * k3));
  return y + h.sixth * (k1 + Real(2) * k2 + Real(2) * k3 + k4);
}

/// The same with a step of which the fractions are computed now.
template <class Y, class Real, class F>
EAGLE_HD Y rk4(const F& f, Real t, const Y& y, Real h) {
  return rk4(f, t, y, Rk4Step<Real>(h));
}

}  // namespace eagle::kernels
