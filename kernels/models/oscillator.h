// The damped harmonic oscillator with a fixed step.
#pragma once

#include <cstdint>

#include "eagle/base/config.h"
#include "eagle/batch/model.h"
#include "kernels/integrators/rk4.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// x'' + 2 zeta omega x' + omega^2 x = 0, by rk4. Units are the caller's. A sample finishes, for the only reason 0,
/// with its step `stopStep`.
struct Oscillator {
  /// Where a sample is.
  struct State {
    double x;  ///< displacement
    double v;  ///< its rate
  };
  /// What sets it apart from others.
  struct Params {
    double omega;           ///< angular frequency without damping, a rate
    double zeta;            ///< damping ratio: 1 is critical
    std::int64_t stopStep;  ///< number of steps; below 1 means 1
  };

  /// `dt` is the step in time.
  explicit constexpr Oscillator(double dt = 0.01) : dt_(dt) {}

  /// One step of dt.
  EAGLE_HD Outcome step(State& s, const Params& p, const SampleContext& context) const {
    const Equation equation{.stiffness = p.omega * p.omega, .damping = 2 * p.zeta * p.omega};
    const auto next = rk4(equation, 0.0, Vector<2>{s.x, s.v}, dt_);
    s = {.x = next[0], .v = next[1]};
    return context.step + 1 >= p.stopStep ? finished() : running();
  }

 private:
  struct Equation {
    double stiffness, damping;
    EAGLE_HD Vector<2> operator()(double, const Vector<2>& y) const {
      return {y[1], -stiffness * y[0] - damping * y[1]};
    }
  };
  Rk4Step<double> dt_;
};

}  // namespace eagle::kernels
