// What a person gets from a run: a summary, and a file with every sample.
#pragma once

#include <string>
#include <vector>

#include "apps/cislunar/scenario.h"
#include "eagle/base/device.h"
#include "eagle/batch/result.h"
#include "eagle/io/results_file.h"

namespace cislunar {

/// A finished run.
struct Run {
  const Scenario& scenario;
  const eagle::Device& device;
  const eagle::Result& result;
  const std::vector<Flight::State>& ends;  ///< in the order of the samples
  double closure;                          ///< of the nominal orbit, in length units
};

/// Counts and probabilities with intervals, times to the stop, speed: a few lines that end with a newline.
std::string summary(const Run& run);

/// Every sample's start, end, reason, time and steps, with units. Positions are from the Moon's centre, velocities
/// against the turning frame; x points away from the Earth, z to the orbit's north.
void write(eagle::io::ResultsFile& file, const Run& run);

}  // namespace cislunar
