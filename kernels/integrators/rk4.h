// The classical Runge-Kutta method of order 4.
#pragma once

#include "eagle/base/config.h"

namespace eagle::kernels {

/// The solution of y' = f(t, y) a step h after (t, y), with a local error of order h^5.
///
/// `f(t, y)` returns the derivative as a Y; Y has `Y + Y` and `Real * Y`, as Real itself, Vector and Eigen's fixed-size
/// vectors have. h may be negative.
/// Source: W. Kutta, Z. Math. Phys. 46 (1901) 435-453.
template <class Y, class Real, class F>
EAGLE_HD Y rk4(const F& f, Real t, const Y& y, Real h) {
  const Real half = h / 2;
  const Y k1 = f(t, y);
  const Y k2 = f(t + half, Y(y + half * k1));
  const Y k3 = f(t + half, Y(y + half * k2));
  const Y k4 = f(t + h, Y(y + h * k3));
  return y + h / 6 * (k1 + Real(2) * k2 + Real(2) * k3 + k4);
}

}  // namespace eagle::kernels
