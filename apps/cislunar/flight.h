// A spacecraft near the Moon, until it hits it, leaves, or time is up.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include "eagle/base/config.h"
#include "eagle/batch/model.h"
#include "kernels/events/event.h"
#include "kernels/integrators/adaptive.h"
#include "kernels/integrators/rkf78.h"
#include "kernels/models/cr3bp.h"
#include "kernels/vector.h"

namespace cislunar {

/// Distance from the Moon's centre, less a radius; in lengths of the three-body problem.
struct BeyondRadius {
  double moonX;
  double radius;

  EAGLE_HD double operator()(double, const eagle::kernels::Vector<6>& y) const { return distance(y) - radius; }
  EAGLE_HD double rate(double, const eagle::kernels::Vector<6>& y) const {
    return ((y[0] - moonX) * y[3] + y[1] * y[4] + y[2] * y[5]) / distance(y);
  }

 private:
  EAGLE_HD double distance(const eagle::kernels::Vector<6>& y) const {
    const double x = y[0] - moonX;
    return std::sqrt(x * x + y[1] * y[1] + y[2] * y[2]);
  }
};

/// The model: a flight in the circular restricted three-body problem of Earth and Moon, in its units, one attempt at an
/// adaptive step after the other. Impact and escape are located within the step to the integrator's accuracy; the
/// horizon is the end of the last step.
struct Flight {
  using State = eagle::kernels::AdaptiveState<6>;
  struct Params {};
  enum class Reason {
    impact,   ///< on the Moon's surface
    escape,   ///< at the escape radius around the Moon
    horizon,  ///< neither, up to the horizon
    stuck,    ///< the step size fell to nothing, as at the Earth's centre
  };
  static constexpr std::array<std::string_view, 4> kReasons{"impact", "escape", "horizon", "stuck"};
  static constexpr bool kLockstep = false;

  eagle::kernels::Cr3bp dynamics;
  double moonRadius;
  double escapeRadius;
  double horizon;

  EAGLE_HD eagle::Outcome step(State& s, const Params&, const eagle::SampleContext& context) const {
    using eagle::kernels::Attempt;
    using eagle::kernels::Direction;
    const BeyondRadius surface{.moonX = 1 - dynamics.mu, .radius = moonRadius};
    const BeyondRadius border{.moonX = 1 - dynamics.mu, .radius = escapeRadius};
    if (context.step == 0 && !(surface(s.t, s.y) > 0 && border(s.t, s.y) < 0)) {
      return eagle::finished(surface(s.t, s.y) > 0 ? Reason::escape : Reason::impact);  // it began there
    }
    const State before = s;
    const Attempt attempt = eagle::kernels::attemptStep(dynamics, s, horizon, dynamics.tolerance);
    if (attempt != Attempt::accepted) {
      return attempt == Attempt::stuck ? eagle::finished(Reason::stuck) : eagle::running();
    }
    const StepAgain again{dynamics, before};
    const double h = s.t - before.t;
    const auto impact = eagle::kernels::locateEvent(surface, again, before.t, h, before.y, s.y,
                                                    {.direction = Direction::falling, .tolerance = kEventTolerance});
    const auto escape = eagle::kernels::locateEvent(border, again, before.t, h, before.y, s.y,
                                                    {.direction = Direction::rising, .tolerance = kEventTolerance});
    if (impact.found && !(escape.found && escape.h < impact.h)) {
      return end(s, before.t, impact, Reason::impact);
    }
    if (escape.found) {
      return end(s, before.t, escape, Reason::escape);
    }
    return s.t >= horizon ? eagle::finished(Reason::horizon) : eagle::running();
  }

 private:
  static constexpr double kEventTolerance = 1e-14;  // 4 nanoseconds

  struct StepAgain {
    const eagle::kernels::Cr3bp& dynamics;
    const State& before;
    EAGLE_HD eagle::kernels::Vector<6> operator()(double h) const {
      return eagle::kernels::rkf78(dynamics, before.t, before.y, h).y;
    }
  };

  EAGLE_HD static eagle::Outcome end(State& s, double t,
                                     const eagle::kernels::EventPoint<eagle::kernels::Vector<6>>& at, Reason reason) {
    s.t = t + at.h;
    s.y = at.y;
    return eagle::finished(reason);
  }
};

}  // namespace cislunar
