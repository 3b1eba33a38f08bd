#include "apps/cislunar/report.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "apps/common/program.h"
#include "apps/common/statistics.h"

namespace cislunar {
namespace {

using eagle::Index;
using eagle::Status;

// How a sample can end: the model's reasons, then what the runtime says. A run is never told to stop here.
constexpr std::size_t kOutcomes = Flight::kReasons.size() + 2;
constexpr std::array<std::string_view, kOutcomes> kOutcomeNames{
    Flight::kReasons[0], Flight::kReasons[1], Flight::kReasons[2], Flight::kReasons[3], "step limit", "non-finite"};

std::uint8_t outcome(const eagle::Result& result, Index sample) {
  switch (result.status(sample)) {
    case Status::finished:
      return static_cast<std::uint8_t>(result.reason(sample));
    case Status::stepLimit:
      return Flight::kReasons.size();
    case Status::cancelled:
    case Status::nonFinite:
      break;
  }
  return Flight::kReasons.size() + 1;
}

std::string outcomeLine(std::string_view name, std::int64_t total, std::vector<double> days) {
  const auto count = static_cast<std::int64_t>(days.size());
  const auto interval = apps::wilson95(count, total);
  std::string line = fmt::format("  {:<11}{:>13}{:>10.2f} %{:>9.2f} to {:5.2f} %", name, apps::grouped(count),
                                 100 * static_cast<double>(count) / static_cast<double>(total), 100 * interval.low,
                                 100 * interval.high);
  const auto times = apps::quantiles(std::move(days), {0.05, 0.5, 0.95});
  if (!times.empty()) {
    line += fmt::format("{:>12.1f}{:>8.1f}{:>8.1f}", times[0], times[1], times[2]);
  }
  return line + "\n";
}

// Positions or velocities of states, three numbers a row.
template <class StateOf>
std::vector<double> rows(Index samples, int first, const std::array<double, 3>& origin, double unit,
                         const StateOf& stateOf) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(3 * samples));
  for (Index i = 0; i < samples; ++i) {
    const Flight::State state = stateOf(i);
    for (int axis = 0; axis < 3; ++axis) {
      values.push_back((state.y[first + axis] - origin[static_cast<std::size_t>(axis)]) * unit);
    }
  }
  return values;
}

}  // namespace

std::string summary(const Run& run) {
  const Scenario& scenario = run.scenario;
  const Index total = run.result.size();
  std::array<std::vector<double>, kOutcomes> days;
  for (Index i = 0; i < total; ++i) {
    days[outcome(run.result, i)].push_back(run.ends[static_cast<std::size_t>(i)].t * scenario.units.timeDays);
  }
  std::string text =
      fmt::format("\n{}, with normal errors of {:g} m/s", apps::printable(scenario.title), scenario.sigmaVelocityMs);
  if (scenario.sigmaPositionKm > 0) {
    text += fmt::format(" and {:g} km", scenario.sigmaPositionKm);
  }
  text += " on each axis\n";
  text += std::isfinite(run.closure)
              ? fmt::format("without errors it closes to {:.1e} after {:.4f} days\n\n", run.closure,
                            scenario.period * scenario.units.timeDays)
              : fmt::format("without errors it does not reach its period of {:.4f} days in {} steps\n\n",
                            scenario.period * scenario.units.timeDays, scenario.maxSteps);
  text += "                                                               days to the stop\n";
  text += "  end              samples  probability   95 % interval        5 %     50 %    95 %\n";
  for (std::size_t k = 0; k < kOutcomes; ++k) {
    // What never should happen is shown when it does.
    if (k < static_cast<std::size_t>(Flight::Reason::stuck) || !days[k].empty()) {
      text += outcomeLine(kOutcomeNames[k], total, std::move(days[k]));
    }
  }
  if (run.result.count(Status::stepLimit) > 0) {
    text += fmt::format("{} samples made {} steps and were not done: raise integration.maxSteps, or the tolerance\n",
                        apps::grouped(run.result.count(Status::stepLimit)), scenario.maxSteps);
  }
  const double seconds = run.result.seconds();
  text += fmt::format("\n{} samples, {} steps in {:.2f} s on {}", apps::grouped(total),
                      apps::grouped(run.result.totalSteps()), seconds, run.device.describe());
  if (seconds > 0) {
    text += fmt::format(": {} samples a second", apps::grouped(std::llround(static_cast<double>(total) / seconds)));
  }
  return text + "\n";
}

void write(eagle::io::ResultsFile& file, const Run& run) {
  const Scenario& scenario = run.scenario;
  const Index total = run.result.size();
  const auto start = [&](Index i) { return scenario.start(i); };
  const auto end = [&](Index i) { return run.ends[static_cast<std::size_t>(i)]; };
  const std::array<double, 3> moon{1 - scenario.massRatio, 0, 0};
  const double km = scenario.units.lengthKm;
  const double kmS = scenario.units.velocityKmS();
  const std::string frame = "from the Moon's centre, turning with Earth and Moon: x away from the Earth, z north";
  const eagle::io::Attributes position{{"units", "km"}, {"frame", frame}};
  const eagle::io::Attributes velocity{{"units", "km/s"}, {"frame", frame}};

  file.write("start_position", rows(total, 0, moon, km, start), 3, position);
  file.write("start_velocity", rows(total, 3, {}, kmS, start), 3, velocity);
  file.write("end_position", rows(total, 0, moon, km, end), 3, position);
  file.write("end_velocity", rows(total, 3, {}, kmS, end), 3, velocity);
  std::vector<double> days;
  std::vector<std::uint8_t> outcomes;
  for (Index i = 0; i < total; ++i) {
    days.push_back(end(i).t * scenario.units.timeDays);
    outcomes.push_back(outcome(run.result, i));
  }
  file.writeNamed("end_reason", outcomes, kOutcomeNames, {{"description", "why the sample stopped"}});
  file.write("stop_time", days, 1, {{"units", "days"}, {"description", "from the start to the stop"}});
  file.write("steps", run.result.steps(), 1,
             {{"units", "1"}, {"description", "attempted steps of the integrator, accepted or not"}});

  file.describe({"title", scenario.title});
  file.describe({"device", run.device.describe()});
  file.describe({"seed", static_cast<std::int64_t>(scenario.seed)});
  file.describe({"moon_radius_km", scenario.moonRadiusKm});
  file.describe({"escape_radius_km", scenario.escapeRadiusKm});
  file.describe({"horizon_days", scenario.horizonDays});
  file.describe({"velocity_error_m_s", scenario.sigmaVelocityMs});
  file.describe({"position_error_km", scenario.sigmaPositionKm});
  file.describe({"nominal_closure", run.closure});
  file.describe({"input", scenario.source});
}

}  // namespace cislunar
