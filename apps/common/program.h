// What every app does the same way: its command line, its errors, its numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace apps {

/// Options that every app has. Values not given come from the input file.
struct CommonOptions {
  std::filesystem::path input;
  std::string device = "auto";
  std::optional<std::int64_t> samples;
  std::optional<std::uint64_t> seed;
  std::filesystem::path out = "out";
};

/// Adds them to a command line. `defaultInput` is used where no file is named.
void addCommonOptions(CLI::App& commandLine, CommonOptions& options, const std::filesystem::path& defaultInput);

/// Throws, for runProgram, once the user has asked to stop (Ctrl-C): call it from time to time in a long run.
void stopIfInterrupted();

/// Parses the command line and calls `run`. Whatever goes wrong, by an exception, becomes one line on stderr that
/// begins with the program's name. Returns the exit status: 0, 1 after an error, 2 for a command line that makes no
/// sense, 130 if it was interrupted; a second Ctrl-C ends the program at once.
int runProgram(CLI::App& commandLine, int argc, char** argv, const std::function<void()>& run);

/// A file that lies beside this program.
std::filesystem::path besideProgram(const std::string& name);

/// A text of somebody else's, fit for a terminal: '?' for control characters.
std::string printable(std::string text);

/// 1234567 as 1,234,567.
std::string grouped(std::int64_t number);

}  // namespace apps
