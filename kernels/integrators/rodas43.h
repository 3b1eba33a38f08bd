// A Rosenbrock pair of orders 4 and 3 for stiff systems.
#pragma once

#include "eagle/base/config.h"
#include "kernels/integrators/embedded.h"
#include "kernels/matrix.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// One step of the stiff system y' = f(t, y) from (t, y) over h, of either sign. `f` has `f(t, y)`, which returns a
/// Vector<n>, and `f.jacobian(t, y)`, which returns the Matrix<n> of the derivatives of element i by y[j]; if f depends
/// on t, `f.timeDerivative(t, y)` too. 6 evaluations of f, one of each derivative, and one elimination, no iteration:
/// every sample does the same work. L-stable: what decays within a step is gone after it. Goes on with order 4; the
/// error estimate is that of order 3. Where the system that a step solves is singular, the result is not finite, or
/// its error huge: attemptStep rejects such a step.
/// Source: RODAS; E. Hairer, G. Wanner, Solving Ordinary Differential Equations II (1996), section IV.10.
template <int n, class F>
EAGLE_HD EmbeddedStep<n> rodas43(const F& f, double t, const Vector<n>& y, double h) {
  using Y = Vector<n>;
  static_assert(
      requires { f.jacobian(t, y); }, "a stiff system needs f.jacobian(t, y), a Matrix<n>");
  Matrix<n> system = f.jacobian(t, y);
  for (int i = 0; i < n; ++i) {
    system[i] = -1.0 * system[i];
    system[i][i] += 4 / h;  // the method's gamma is 1/4
  }
  const LuFactors<n> factors(system);
  const double r = 1 / h;

  Y drift{};
  if constexpr (requires { f.timeDerivative(t, y); }) {
    drift = h * f.timeDerivative(t, y);
  }
  const Y k1 = factors.solve(f(t, y) + 0.25 * drift);
  const Y k2 = factors.solve(f(t + 0.386 * h, y + 1.544 * k1) + -0.1043 * drift + r * -5.6688 * k1);
  const Y k3 = factors.solve(f(t + 0.21 * h, y + 0.9466785280815826 * k1 + 0.2557011698983284 * k2) + 0.1035 * drift +
                             r * (-2.430093356833875 * k1 + -0.2063599157091915 * k2));
  const Y k4 =
      factors.solve(f(t + 0.63 * h, y + 3.314825187068521 * k1 + 2.896124015972201 * k2 + 0.9986419139977817 * k3) +
                    -0.03620000000000023 * drift +
                    r * (-0.1073529058151375 * k1 + -9.594562251023355 * k2 + -20.47028614809616 * k3));
  const Y inner =
      y + 1.221224509226641 * k1 + 6.019134481288629 * k2 + 12.53708332932087 * k3 + -0.6878860361058950 * k4;
  const Y k5 = factors.solve(f(t + h, inner) + r * (7.496443313967647 * k1 + -10.24680431464352 * k2 +
                                                    -33.99990352819905 * k3 + 11.70890893206160 * k4));
  const Y lower = inner + k5;
  const Y k6 =
      factors.solve(f(t + h, lower) + r * (8.083246795921522 * k1 + -7.981132988064893 * k2 + -31.52159432874371 * k3 +
                                           16.31930543123136 * k4 + -6.058818238834054 * k5));
  return {.y = lower + k6, .error = -1.0 * k6};
}

/// rodas43 for attemptStep.
struct Rodas43 {
  static constexpr int kOrder = 4;
  template <int n, class F>
  EAGLE_HD static EmbeddedStep<n> step(const F& f, double t, const Vector<n>& y, double h) {
    return rodas43(f, t, y, h);
  }
};

}  // namespace eagle::kernels
