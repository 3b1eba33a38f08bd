// The leapfrog, or velocity Verlet, method for motion in a field of force.
#pragma once

#include "eagle/base/config.h"

namespace eagle::kernels {

/// Where a body is and how it moves.
template <class Y>
struct Motion {
  Y position;
  Y velocity;
};

/// One step h, of either sign, of x'' = acceleration(x), which must not depend on the velocity: kick, drift, kick, with
/// a local error of order h^3. Symplectic and reversible: energy errors stay bounded over any number of steps of the
/// same size. Y is Real itself, a Vector or a fixed-size Eigen vector; 2 evaluations.
/// Source: L. Verlet, Phys. Rev. 159 (1967) 98-103.
template <class Y, class Real, class F>
EAGLE_HD Motion<Y> leapfrog(const F& acceleration, const Motion<Y>& from, Real h) {
  const Real half = h / 2;
  const Y kicked = from.velocity + half * acceleration(from.position);
  const Y position = from.position + h * kicked;
  return {position, kicked + half * acceleration(position)};
}

}  // namespace eagle::kernels
