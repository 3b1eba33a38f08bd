#include "apps/common/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <new>

namespace apps {
namespace {

volatile std::sig_atomic_t interrupted = 0;

struct Interrupted {};

int complain(const std::string& program, std::string message, int status) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fflush(stdout);
  // A progress bar on the terminal leaves its line open.
  fmt::print(stderr, "{}{}: {}\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "", program, message);
  return status;
}

// A whole number, and nothing but that: CLI11 takes -1 for a large unsigned number, and clips what is too large.
template <class Number>
void addNumber(CLI::App& commandLine, const std::string& name, std::optional<Number>& value, const std::string& help) {
  const auto parse = [name, &value](const std::string& text) {
    Number parsed{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, parsed);
    if (error != std::errc{} || stopped != end) {
      throw CLI::ValidationError(
          name, fmt::format("expected a whole number up to {}, found '{}'", std::numeric_limits<Number>::max(), text));
    }
    value = parsed;
  };
  commandLine.add_option_function<std::string>(name, parse, help)->option_text("N");
}

}  // namespace

void addCommonOptions(CLI::App& commandLine, CommonOptions& options, const std::filesystem::path& defaultInput) {
  options.input = defaultInput;
  commandLine.add_option("input", options.input, "JSON file that says what to run")->option_text("FILE");
  commandLine
      .add_option("--device", options.device,
                  "auto (the first GPU, or the host where there is none), host, cuda or cuda:K  [auto]")
      ->option_text("NAME");
  addNumber(commandLine, "--samples", options.samples, "Number of samples, instead of the input file's");
  addNumber(commandLine, "--seed", options.seed,
            "Seed of the random numbers, instead of the input file's; the same seed gives the same samples");
  commandLine.add_option("--out", options.out, "Folder for the results; created if missing  [out]")
      ->check([](const std::string& folder) { return folder.empty() ? "name a folder" : ""; })
      ->option_text("FOLDER");
}

void stopIfInterrupted() {
  if (interrupted != 0) {
    throw Interrupted();
  }
}

int runProgram(CLI::App& commandLine, int argc, char** argv, const std::function<void()>& run) {
  const std::string name = commandLine.get_name();
  std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
  try {
    commandLine.parse(argc, argv);
    run();
    return 0;
  } catch (const Interrupted&) {
    return complain(name, "interrupted: no results were kept", 130);
  } catch (const CLI::CallForHelp& help) {
    return commandLine.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(name, fmt::format("{} (see {} --help)", error.what(), name), 2);
  } catch (const std::bad_alloc&) {
    return complain(name, "the host's memory is exhausted: use fewer samples", 1);
  } catch (const std::exception& error) {
    return complain(name, error.what(), 1);
  }
}

std::filesystem::path besideProgram(const std::string& name) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path() / name;
}

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

}  // namespace apps
