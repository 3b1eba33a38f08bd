// Fehlberg's Runge-Kutta pair of orders 7 and 8.
#pragma once

#include "eagle/base/config.h"
#include "kernels/integrators/embedded.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// One step of y' = f(t, y) from (t, y) over h, of either sign: 13 evaluations of `f(t, y)`, which returns a Vector<n>.
/// Goes on with order 8; the error estimate is that of order 7, and zero where f depends on t alone.
/// Source: E. Fehlberg, NASA TR R-287 (1968), table X.
template <int n, class F>
EAGLE_HD EmbeddedStep<n> rkf78(const F& f, double t, const Vector<n>& y, double h) {
  using Y = Vector<n>;
  const Y k0 = f(t, y);
  const Y k1 = f(t + 2. / 27 * h, y + 2. / 27 * h * k0);
  const Y k2 = f(t + 1. / 9 * h, y + h * (1. / 36 * k0 + 1. / 12 * k1));
  const Y k3 = f(t + 1. / 6 * h, y + h * (1. / 24 * k0 + 1. / 8 * k2));
  const Y k4 = f(t + 5. / 12 * h, y + h * (5. / 12 * k0 + -25. / 16 * k2 + 25. / 16 * k3));
  const Y k5 = f(t + 1. / 2 * h, y + h * (1. / 20 * k0 + 1. / 4 * k3 + 1. / 5 * k4));
  const Y k6 = f(t + 5. / 6 * h, y + h * (-25. / 108 * k0 + 125. / 108 * k3 + -65. / 27 * k4 + 125. / 54 * k5));
  const Y k7 = f(t + 1. / 6 * h, y + h * (31. / 300 * k0 + 61. / 225 * k4 + -2. / 9 * k5 + 13. / 900 * k6));
  const Y k8 =
      f(t + 2. / 3 * h, y + h * (2. * k0 + -53. / 6 * k3 + 704. / 45 * k4 + -107. / 9 * k5 + 67. / 90 * k6 + 3. * k7));
  const Y k9 = f(t + 1. / 3 * h, y + h * (-91. / 108 * k0 + 23. / 108 * k3 + -976. / 135 * k4 + 311. / 54 * k5 +
                                          -19. / 60 * k6 + 17. / 6 * k7 + -1. / 12 * k8));
  const Y k10 = f(t + h, y + h * (2383. / 4100 * k0 + -341. / 164 * k3 + 4496. / 1025 * k4 + -301. / 82 * k5 +
                                  2133. / 4100 * k6 + 45. / 82 * k7 + 45. / 164 * k8 + 18. / 41 * k9));
  const Y k11 =
      f(t, y + h * (3. / 205 * k0 + -6. / 41 * k5 + -3. / 205 * k6 + -3. / 41 * k7 + 3. / 41 * k8 + 6. / 41 * k9));
  const Y k12 = f(t + h, y + h * (-1777. / 4100 * k0 + -341. / 164 * k3 + 4496. / 1025 * k4 + -289. / 82 * k5 +
                                  2193. / 4100 * k6 + 51. / 82 * k7 + 33. / 164 * k8 + 12. / 41 * k9 + k11));
  return {.y = y + h * (34. / 105 * k5 + 9. / 35 * (k6 + k7) + 9. / 280 * (k8 + k9) + 41. / 840 * (k11 + k12)),
          .error = 41. / 840 * h * (k0 + k10 - k11 - k12)};
}

/// rkf78 for attemptStep.
struct Rkf78 {
  static constexpr int kOrder = 8;
  template <int n, class F>
  EAGLE_HD static EmbeddedStep<n> step(const F& f, double t, const Vector<n>& y, double h) {
    return rkf78(f, t, y, h);
  }
};

}  // namespace eagle::kernels
