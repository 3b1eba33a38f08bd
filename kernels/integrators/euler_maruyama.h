// The Euler-Maruyama method for stochastic differential equations.
#pragma once

#include <cmath>

#include "eagle/base/config.h"

namespace eagle::kernels {

/// One step h > 0 of dy = drift(t, y) dt + noise(t, y, dw), in Ito's sense, where `noise` is linear in dw. `normal` is
/// a random number of mean 0 and variance 1, or a vector of independent ones; dw is the square root of h times that. Of
/// weak order 1 and strong order 1/2, strong order 1 where the noise does not depend on y.
/// Source: P. E. Kloeden, E. Platen, Numerical Solution of Stochastic Differential Equations (1992), section 10.2.
template <class Y, class Real, class Drift, class Noise, class W>
EAGLE_HD Y eulerMaruyama(const Drift& drift, const Noise& noise, Real t, const Y& y, Real h, const W& normal) {
  return y + h * drift(t, y) + noise(t, y, W(std::sqrt(h) * normal));
}

}  // namespace eagle::kernels
