#include "apps/cislunar/scenario.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/common/json_input.h"
#include "eagle/base/error.h"
#include "kernels/random/philox.h"

namespace cislunar {

using eagle::kernels::Vector;

Scenario Scenario::read(const std::filesystem::path& path) {
  const auto input = apps::JsonInput::read(path);
  constexpr std::size_t kMostBytes = 60'000;  // it is kept as an attribute of the results, of at most 64 KB
  if (input.text().size() > kMostBytes) {
    throw eagle::Error(eagle::ErrorCode::invalidArgument,
                       path.string() + " has " + std::to_string(input.text().size()) +
                           " bytes: an input file has at most " + std::to_string(kMostBytes));
  }
  input.allowOnly({"title", "system", "orbit", "dispersion", "stop", "integration", "samples", "seed"});
  const auto system = input.object("system");
  system.allowOnly({"massRatio", "lengthUnitKm", "timeUnitDays"});
  const auto orbit = input.object("orbit");
  orbit.allowOnly({"position", "velocity", "period"});
  const auto dispersion = input.object("dispersion");
  dispersion.allowOnly({"positionKm", "velocityMetresPerSecond"});
  const auto stop = input.object("stop");
  stop.allowOnly({"moonRadiusKm", "escapeRadiusKm", "horizonDays"});
  const auto integration = input.object("integration");
  integration.allowOnly({"tolerance", "maxSteps"});

  const auto position = orbit.vector3("position");
  const auto velocity = orbit.vector3("velocity");
  const double moonRadiusKm = stop.numberAbove("moonRadiusKm", 0);
  return {
      .title = input.string("title"),
      .source = input.text(),
      .units = {.lengthKm = system.numberAbove("lengthUnitKm", 0), .timeDays = system.numberAbove("timeUnitDays", 0)},
      .nominal = {position[0], position[1], position[2], velocity[0], velocity[1], velocity[2]},
      .period = orbit.numberAbove("period", 0),
      .sigmaPositionKm = dispersion.numberFrom("positionKm", 0),
      .sigmaVelocityMs = dispersion.numberFrom("velocityMetresPerSecond", 0),
      .moonRadiusKm = moonRadiusKm,
      .escapeRadiusKm = stop.numberAbove("escapeRadiusKm", moonRadiusKm),
      .horizonDays = stop.numberAbove("horizonDays", 0),
      .massRatio = system.numberBetween("massRatio", 0, 0.5),
      .tolerance = integration.numberBetween("tolerance", 0, 1e-3),
      .maxSteps = integration.count("maxSteps", 1),
      .samples = input.count("samples", 1),
      .seed = static_cast<std::uint64_t>(input.count("seed", 0)),
  };
}

Flight Scenario::flight() const {
  return {.dynamics = {.mu = massRatio, .tolerance = {.absolute = tolerance, .relative = tolerance}},
          .moonRadius = moonRadiusKm / units.lengthKm,
          .escapeRadius = escapeRadiusKm / units.lengthKm,
          .horizon = horizonDays / units.timeDays};
}

Flight::State Scenario::start(eagle::Index sample) const {
  const eagle::kernels::Philox random(seed, sample);
  const double position = sigmaPositionKm / units.lengthKm;
  const double velocity = sigmaVelocityMs * 1e-3 / units.velocityKmS();
  Flight::State state{.y = nominal};
  state.h = 1e-3;  // about six minutes; the steps find their own size from there
  for (int axis = 0; axis < 3; ++axis) {
    state.y[axis] += position * random.normal(static_cast<std::uint64_t>(axis));
    state.y[3 + axis] += velocity * random.normal(static_cast<std::uint64_t>(3 + axis));
  }
  return state;
}

double Scenario::closure() const {
  const auto dynamics = flight().dynamics;
  Flight::State state{.y = nominal};
  state.h = 1e-3;
  for (eagle::Index k = 0; state.t < period; ++k) {
    if (k == maxSteps || attemptStep(dynamics, state, period, dynamics.tolerance) == eagle::kernels::Attempt::stuck) {
      return HUGE_VAL;
    }
  }
  double largest = 0;
  for (int d = 0; d < 6; ++d) {
    largest = std::max(largest, std::fabs(state.y[d] - nominal[d]));
  }
  return largest;
}

}  // namespace cislunar
