// What a run of the main job is about: the contents of its input file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "apps/cislunar/flight.h"
#include "eagle/base/types.h"
#include "kernels/vector.h"

namespace cislunar {

/// Scales between the units of the three-body problem and everyday ones.
struct Units {
  double lengthKm;  ///< mean distance of Earth and Moon
  double timeDays;  ///< period of their motion / (2 pi)

  [[nodiscard]] double velocityKmS() const { return lengthKm / (timeDays * 86400); }
};

/// An orbit around the Moon and errors of injection onto it. States are those of the three-body problem, in its units
/// and its turning frame; everything else is in the units that the names say.
struct Scenario {
  std::string title;
  std::string source;  ///< text of the input file
  Units units;
  eagle::kernels::Vector<6> nominal;
  double period;  ///< of the nominal orbit, in time units
  double sigmaPositionKm;
  double sigmaVelocityMs;
  double moonRadiusKm;
  double escapeRadiusKm;
  double horizonDays;
  double massRatio;
  double tolerance;
  eagle::Index maxSteps;
  eagle::Index samples;
  std::uint64_t seed;

  /// Throws eagle::Error, with file, line and key, if the file is not as it should be.
  static Scenario read(const std::filesystem::path& path);

  [[nodiscard]] Flight flight() const;

  /// Start of a sample: the nominal state plus normal errors on each axis, drawn for (seed, sample).
  [[nodiscard]] Flight::State start(eagle::Index sample) const;

  /// How far from its start the nominal orbit ends after one period: the largest difference in any component.
  [[nodiscard]] double closure() const;
};

}  // namespace cislunar
