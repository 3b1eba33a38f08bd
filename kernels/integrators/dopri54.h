// Dormand's and Prince's Runge-Kutta pair of orders 5 and 4, with the solution all along the step.
#pragma once

#include "eagle/base/config.h"
#include "kernels/integrators/embedded.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// A step that knows the solution between its ends, to order 4: from 0 to h, `dense(s)` is the state at s after the
/// beginning. `locateEvent` takes it for its `step`, and then costs no evaluation of the derivative.
template <int n>
struct DenseStep : EmbeddedStep<n> {
  /// A sum that starts with y at the beginning of the step and goes on with these.
  Vector<n> start, difference, bend, skew, last;
  double h;

  EAGLE_HD Vector<n> operator()(double s) const {
    const double u = s / h;
    const double v = 1 - u;
    return start + u * (difference + v * (bend + u * (skew + v * last)));
  }
};

namespace detail {

// `use(k0, k2, k3, k4, k5, k6, next)` of the stages and the solution of order 5. (In a struct, GCC would keep them in
// memory and not vectorise.)
template <int n, class F, class Use>
EAGLE_HD auto withDopri54(const F& f, double t, const Vector<n>& y, double h, const Use& use) {
  using Y = Vector<n>;
  const Y k0 = f(t, y);
  const Y k1 = f(t + 1. / 5 * h, y + 1. / 5 * h * k0);
  const Y k2 = f(t + 3. / 10 * h, y + h * (3. / 40 * k0 + 9. / 40 * k1));
  const Y k3 = f(t + 4. / 5 * h, y + h * (44. / 45 * k0 + -56. / 15 * k1 + 32. / 9 * k2));
  const Y k4 =
      f(t + 8. / 9 * h, y + h * (19372. / 6561 * k0 + -25360. / 2187 * k1 + 64448. / 6561 * k2 + -212. / 729 * k3));
  const Y k5 = f(
      t + h, y + h * (9017. / 3168 * k0 + -355. / 33 * k1 + 46732. / 5247 * k2 + 49. / 176 * k3 + -5103. / 18656 * k4));
  const Y next = y + h * (35. / 384 * k0 + 500. / 1113 * k2 + 125. / 192 * k3 + -2187. / 6784 * k4 + 11. / 84 * k5);
  return use(k0, k2, k3, k4, k5, f(t + h, next), next);
}

struct Dopri54Error {
  double h;
  template <class Y>
  EAGLE_HD Y operator()(const Y& k0, const Y& k2, const Y& k3, const Y& k4, const Y& k5, const Y& k6) const {
    return h * (-71. / 57600 * k0 + 71. / 16695 * k2 + -71. / 1920 * k3 + 17253. / 339200 * k4 + -22. / 525 * k5 +
                1. / 40 * k6);
  }
};

}  // namespace detail

/// One step of y' = f(t, y) from (t, y) over h, of either sign: 7 evaluations of `f(t, y)`, which returns a Vector<n>.
/// Goes on with order 5; the error estimate is that of order 4.
/// Source: J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26.
template <int n, class F>
EAGLE_HD EmbeddedStep<n> dopri54(const F& f, double t, const Vector<n>& y, double h) {
  using Y = Vector<n>;
  return detail::withDopri54(f, t, y, h,
                             [h](const Y& k0, const Y& k2, const Y& k3, const Y& k4, const Y& k5, const Y& k6,
                                 const Y& next) -> EmbeddedStep<n> {
                               // 1.0 * next: element by element, since GCC does not vectorise a copy of the whole.
                               return {.y = 1.0 * next, .error = detail::Dopri54Error{h}(k0, k2, k3, k4, k5, k6)};
                             });
}

/// The same step with the solution along it, to order 4, from the same evaluations.
/// Source: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I (1993), section II.6.
template <int n, class F>
EAGLE_HD DenseStep<n> dopri54Dense(const F& f, double t, const Vector<n>& y, double h) {
  using Y = Vector<n>;
  return detail::withDopri54(
      f, t, y, h, [h, &y](const Y& k0, const Y& k2, const Y& k3, const Y& k4, const Y& k5, const Y& k6, const Y& next) {
        DenseStep<n> step{};
        step.y = next;
        step.error = detail::Dopri54Error{h}(k0, k2, k3, k4, k5, k6);
        step.start = y;
        step.difference = next - y;
        step.bend = h * k0 - step.difference;
        step.skew = step.difference - h * k6 - step.bend;
        step.last =
            h * (-12715105075. / 11282082432 * k0 + 87487479700. / 32700410799 * k2 + -10690763975. / 1880347072 * k3 +
                 701980252875. / 199316789632 * k4 + -1453857185. / 822651844 * k5 + 69997945. / 29380423 * k6);
        step.h = h;
        return step;
      });
}

/// dopri54 for attemptStep.
struct Dopri54 {
  static constexpr int kOrder = 5;
  template <int n, class F>
  EAGLE_HD static EmbeddedStep<n> step(const F& f, double t, const Vector<n>& y, double h) {
    return dopri54(f, t, y, h);
  }
};

}  // namespace eagle::kernels
