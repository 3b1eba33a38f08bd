// The circular restricted three-body problem.
#pragma once

#include <cmath>

#include "eagle/base/config.h"
#include "eagle/batch/model.h"
#include "kernels/integrators/adaptive.h"
#include "kernels/models/until.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// A small body near two that circle each other, in the frame that turns with them, steps of adaptive size, each sample
/// until its own end time. Lengths in distances between the two, times in their period / (2 pi). The larger is at
/// (-mu, 0, 0), the smaller at (1 - mu, 0, 0).
/// Source: V. Szebehely, Theory of Orbits (1967), chapter 1.
struct Cr3bp {
  /// y = position and velocity (x, y, z, vx, vy, vz).
  using State = AdaptiveState<6>;
  using Params = UntilParams;
  using Reason = UntilReason;
  static constexpr auto kReasons = kUntilReasons;

  double mu;              ///< mass of the smaller body in those of both together; from 0 to 1/2
  Tolerance tolerance{};  ///< of a step

  /// The derivative of y.
  EAGLE_HD Vector<6> operator()(double, const Vector<6>& y) const {
    const double dx1 = y[0] + mu;
    const double dx2 = y[0] - (1 - mu);
    const double yz = y[1] * y[1] + y[2] * y[2];
    const double r1 = dx1 * dx1 + yz;
    const double r2 = dx2 * dx2 + yz;
    const double pull1 = (1 - mu) / (r1 * std::sqrt(r1));
    const double pull2 = mu / (r2 * std::sqrt(r2));
    const double pull = pull1 + pull2;
    return {y[3], y[4], y[5], y[0] + 2 * y[4] - pull1 * dx1 - pull2 * dx2, y[1] - 2 * y[3] - pull * y[1], -pull * y[2]};
  }

  /// One attempt at a step.
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext&) const {
    return stepUntil(*this, s, p, tolerance);
  }

  /// The Jacobi constant x^2 + y^2 + 2 (1 - mu) / r1 + 2 mu / r2 - v^2, which no orbit changes. (Some authors add
  /// mu (1 - mu).)
  [[nodiscard]] EAGLE_HD double jacobi(const Vector<6>& y) const {
    const double yz = y[1] * y[1] + y[2] * y[2];
    const double r1 = std::sqrt((y[0] + mu) * (y[0] + mu) + yz);
    const double r2 = std::sqrt((y[0] - 1 + mu) * (y[0] - 1 + mu) + yz);
    return y[0] * y[0] + y[1] * y[1] + 2 * (1 - mu) / r1 + 2 * mu / r2 - (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
  }

  /// Lagrange point 1 (between the two), 2 (beyond the smaller), 3 (beyond the larger), 4 (60 degrees ahead of the
  /// smaller) or 5 (behind). Any other number gives NaN.
  [[nodiscard]] EAGLE_HD Vector<3> lagrangePoint(int number) const {
    switch (number) {
      case 1:
        return {balance(-mu, 1 - mu), 0, 0};
      case 2:
        return {balance(1 - mu, 2), 0, 0};
      case 3:
        return {balance(-2, -mu), 0, 0};
      case 4:
        return {0.5 - mu, std::sqrt(0.75), 0};
      case 5:
        return {0.5 - mu, -std::sqrt(0.75), 0};
      default:
        return {std::nan(""), std::nan(""), std::nan("")};
    }
  }

 private:
  // Where on the x axis nothing pulls a body at rest: its acceleration rises with x from minus to plus infinity between
  // the bodies, and through zero beyond them. Bisected to the last bit.
  [[nodiscard]] EAGLE_HD double balance(double low, double high) const {
    for (;;) {
      const double middle = low + (high - low) / 2;
      if (middle == low || middle == high) {
        return middle;
      }
      ((*this)(0, {middle, 0, 0, 0, 0, 0})[3] < 0 ? low : high) = middle;
    }
  }
};

}  // namespace eagle::kernels
