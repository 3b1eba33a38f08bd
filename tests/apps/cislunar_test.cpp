// Runs the built program, with good input and with bad.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include "apps/cislunar/scenario.h"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kProgram = EAGLE_TEST_CISLUNAR;
const std::string kShipped = EAGLE_TEST_SOURCE "/apps/cislunar/gateway.json";

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Without what a sanitizer says, when the program is run under one, of memory that is not there.
std::string withoutSanitizer(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    kept += line.starts_with("==") ? "" : line + "\n";
  }
  return kept;
}

struct Ran {
  int status;
  std::string out, err;
};

class Cislunar : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("cislunar_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] Ran run(const std::string& arguments) const {
    const std::string command = kProgram + " " + arguments + " >" + (folder_ / "out.txt").string() + " 2>" +
                                (folder_ / "err.txt").string() + " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "out.txt"),
            withoutSanitizer(contents(folder_ / "err.txt"))};
  }
  // Runs it expecting that it ends with one clear line and without results.
  [[nodiscard]] std::string complaint(const std::string& arguments, int status = 1) const {
    const Ran ran = run(arguments + " --out " + results().string());
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.err, StartsWith("cislunar: "));
    EXPECT_EQ(ran.out, "");
    EXPECT_TRUE(!fs::exists(results()) || fs::is_empty(results())) << arguments;
    return ran.err;
  }
  // The shipped input with one piece of text changed.
  [[nodiscard]] std::string changed(const std::string& from, const std::string& to) const {
    std::string text = contents(kShipped);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const fs::path path = folder_ / "input.json";
    std::ofstream(path) << text;
    return path.string();
  }
  [[nodiscard]] fs::path results() const { return folder_ / "results"; }

  fs::path folder_;
};

TEST_F(Cislunar, RunsTheShippedInput) {
  const Ran ran = run("--device host --samples 2000 --out " + results().string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("Gateway"), HasSubstr("impact"), HasSubstr("95 % interval"), HasSubstr("2,000 samples"),
                    HasSubstr("samples a second"), HasSubstr("host"), HasSubstr("cislunar.h5")));
  EXPECT_THAT(ran.err, HasSubstr("100 %  2000 of 2000 samples"));  // a plain line: this is no terminal
  EXPECT_EQ(ran.err.find('\r'), std::string::npos);
  const hid_t file = H5Fopen((results() / "cislunar.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  for (const char* name : {"start_position", "start_velocity", "end_position", "end_velocity", "stop_time", "steps"}) {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    ASSERT_GE(dataset, 0) << name;
    const hid_t space = H5Dget_space(dataset);
    EXPECT_EQ(H5Sget_simple_extent_npoints(space) % 2000, 0) << name;
    EXPECT_GT(H5Aexists(dataset, "units"), 0) << name;
    H5Sclose(space);
    H5Dclose(dataset);
  }
  EXPECT_GT(H5Lexists(file, "end_reason", H5P_DEFAULT), 0);
  H5Fclose(file);
  // Nothing else is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(results()), fs::directory_iterator()), 1);
}

TEST_F(Cislunar, TheSameSeedGivesTheSameSamples) {
  for (const std::string name : {"a", "b"}) {
    ASSERT_EQ(run("--device host --samples 200 --seed 5 --out " + (folder_ / name).string()).status, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // past the resolution of times in HDF5
  }
  ASSERT_EQ(run("--device host --samples 200 --seed 6 --out " + (folder_ / "c").string()).status, 0);
  const std::string first = contents(folder_ / "a" / "cislunar.h5");
  EXPECT_TRUE(first == contents(folder_ / "b" / "cislunar.h5"));
  EXPECT_FALSE(first == contents(folder_ / "c" / "cislunar.h5"));
}

TEST_F(Cislunar, HelpIsForPeople) {
  const Ran ran = run("--help");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("--device"), HasSubstr("--samples"), HasSubstr("--seed"), HasSubstr("--out"),
                             HasSubstr("Example")));
}

TEST_F(Cislunar, RefusesDevicesThatAreNotThere) {
  EXPECT_THAT(complaint("--device tpu"), HasSubstr("unknown device 'tpu': use auto, host, cuda or cuda:K"));
  EXPECT_THAT(complaint("--device cuda:4096"), HasSubstr("device"));
  EXPECT_THAT(complaint("--device cuda:x"), HasSubstr("unknown device"));
}

TEST_F(Cislunar, RefusesBadCounts) {
  EXPECT_THAT(complaint("--samples -5 --device host"), HasSubstr("--samples is -5: ask for 1 or more"));
  EXPECT_THAT(complaint("--samples 0 --device host"), HasSubstr("--samples is 0"));
  EXPECT_THAT(complaint("--samples many", 2), HasSubstr("--samples"));
  EXPECT_THAT(complaint("--samples 99999999999999999999", 2), HasSubstr("--samples"));
  EXPECT_THAT(complaint("--samples 9000000000000000000 --device host"), HasSubstr("9000000000000000000 samples"));
  EXPECT_THAT(complaint("--samples 10000000000000 --device host"),
              AllOf(HasSubstr("10000000000000 samples"), HasSubstr("bytes")));
  EXPECT_THAT(complaint("--seed -1", 2), HasSubstr("--seed"));
  EXPECT_THAT(complaint("--speed 1", 2), HasSubstr("--speed"));
}

TEST_F(Cislunar, RefusesBadInputFiles) {
  EXPECT_THAT(complaint("/no/such.json"), HasSubstr("/no/such.json: No such file"));
  EXPECT_THAT(complaint(changed("\"mass", "mass")), HasSubstr("input.json:4: not valid JSON"));
  EXPECT_THAT(complaint(changed("\"period\": 1.5111986", "\"perod\": 1")),
              HasSubstr("input.json:11: orbit.perod: unknown key; expected position, velocity, period"));
  EXPECT_THAT(complaint(changed(",\n    \"period\": 1.5111986", "")),
              HasSubstr("input.json:8: key orbit.period is missing: expected a number above 0"));
  EXPECT_THAT(complaint(changed("1737.4", "-1")),
              HasSubstr("input.json:18: stop.moonRadiusKm: expected a number above 0, found -1"));
  EXPECT_THAT(complaint(changed("192200", "1000")), HasSubstr("expected a number above 1737.4, found 1000"));
  EXPECT_THAT(complaint(changed("\"samples\": 100000", "\"samples\": -3")),
              HasSubstr("samples: expected a whole number, 1 or more, found -3"));
}

TEST_F(Cislunar, RefusesAnInputFileThatItCouldNotKeep) {
  EXPECT_THAT(complaint(changed("\"title\": \"", "\"title\": \"" + std::string(70'000, 'x'))),
              HasSubstr("an input file has at most 60000"));
}

TEST_F(Cislunar, LeavesNothingBehindWhenItIsInterrupted) {
  const std::string command = "timeout --foreground --preserve-status -s INT 1 " + kProgram +
                              " --device host --samples 3000000 --out " + results().string() + " 2>" +
                              (folder_ / "err.txt").string();
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(contents(folder_ / "err.txt"), HasSubstr("cislunar: interrupted: no results were kept"));
  EXPECT_TRUE(fs::is_empty(results()));
}

TEST_F(Cislunar, RefusesAPlaceThatCannotBeWrittenBeforeItRuns) {
  const Ran ran = run("--device host --out /dev/null/results");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err,
              AllOf(StartsWith("cislunar: cannot write /dev/null/results/cislunar.h5: "), HasSubstr("folder")));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Scenario, ShippedOrbitClosesWithoutErrors) {
  const auto scenario = cislunar::Scenario::read(kShipped);
  EXPECT_LT(scenario.closure(), 1e-12);
  auto off = scenario;
  off.nominal[4] += 1e-9;
  EXPECT_GT(off.closure(), 1e-10);  // the measure measures
  EXPECT_NEAR(scenario.units.velocityKmS(), 1.02455, 1e-5);
}

TEST(Scenario, StartsHaveTheErrorsAskedFor) {
  auto scenario = cislunar::Scenario::read(kShipped);
  scenario.sigmaPositionKm = 10;
  constexpr eagle::Index kSamples = 20'000;
  double position = 0;
  double velocity = 0;
  for (eagle::Index i = 0; i < kSamples; ++i) {
    const auto state = scenario.start(i);
    for (int axis = 0; axis < 3; ++axis) {
      position += std::pow(state.y[axis] - scenario.nominal[axis], 2);
      velocity += std::pow(state.y[3 + axis] - scenario.nominal[3 + axis], 2);
    }
  }
  EXPECT_NEAR(std::sqrt(position / (3 * kSamples)) * scenario.units.lengthKm, 10, 0.1);
  EXPECT_NEAR(std::sqrt(velocity / (3 * kSamples)) * scenario.units.velocityKmS() * 1e3, 30, 0.3);
}

}  // namespace
