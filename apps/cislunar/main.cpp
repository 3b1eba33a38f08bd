// The main job: Monte Carlo of injection errors on an orbit around the Moon.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "apps/cislunar/flight.h"
#include "apps/cislunar/report.h"
#include "apps/cislunar/scenario.h"
#include "apps/common/program.h"
#include "eagle/base/error.h"
#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "eagle/io/progress_display.h"
#include "eagle/io/results_file.h"

namespace {

void run(const apps::CommonOptions& options) {
  const auto device = eagle::Device::parse(options.device);
  auto scenario = cislunar::Scenario::read(options.input);
  scenario.samples = options.samples.value_or(scenario.samples);
  scenario.seed = options.seed.value_or(scenario.seed);
  if (scenario.samples < 1) {
    throw eagle::Error(eagle::ErrorCode::invalidArgument,
                       fmt::format("--samples is {}: ask for 1 or more", scenario.samples));
  }
  eagle::Batch<cislunar::Flight> batch(device, scenario.samples);
  eagle::io::ResultsFile file(options.out / "cislunar.h5");

  batch.fill([&](eagle::Index i) {
    apps::stopIfInterrupted();
    return std::pair{cislunar::Flight::Params{}, scenario.start(i)};
  });
  std::vector<cislunar::Flight::State> ends(static_cast<std::size_t>(scenario.samples));  // before the long run
  eagle::io::ProgressDisplay display;
  const auto result = eagle::simulate(
      batch, scenario.flight(),
      {.maxSteps = scenario.maxSteps, .seed = scenario.seed, .progress = [&](const eagle::Progress& progress) {
         apps::stopIfInterrupted();
         display.show(progress);
       }});
  batch.copyStates(ends);
  const cislunar::Run finished{scenario, device, result, ends, scenario.closure()};
  cislunar::write(file, finished);
  file.commit();
  fmt::print("{}results are in {}\n", cislunar::summary(finished), file.path().string());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App commandLine(
      "Monte Carlo of injection errors on an orbit around the Moon. Each sample flies until it hits the Moon, leaves "
      "its\n"
      "neighbourhood or reaches the horizon. Prints how many did what, and writes every sample to FOLDER/cislunar.h5;\n"
      "apps/cislunar/plot.py draws that file.",
      "cislunar");
  commandLine.footer(
      "Example:\n"
      "  cislunar --samples 10000 --device host --out results\n"
      "Without FILE it runs gateway.json beside the program: the 9:2 orbit planned for the Gateway, with errors of\n"
      "30 m/s. Copy that file to run an orbit of your own; its keys say their units.");
  apps::CommonOptions options;
  apps::addCommonOptions(commandLine, options, apps::besideProgram("gateway.json"));
  return apps::runProgram(commandLine, argc, argv, [&] { run(options); });
}
