#include "eagle/io/progress_display.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace eagle::io {
namespace {

constexpr double kSecondsBetweenLines = 5;
constexpr int kBarWidth = 30;

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  char text[64];
  if (whole < 60) {
    std::snprintf(text, sizeof text, "%lld s", whole);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
  }
  return text;
}

std::string line(const Progress& progress) {
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total) : 1;
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.done) / progress.seconds : 0;
  char text[160];
  std::snprintf(text, sizeof text, "%3.0f %%  %lld of %lld samples", std::floor(100 * share),
                static_cast<long long>(progress.done), static_cast<long long>(progress.total));
  std::string result = text;
  if (rate > 0) {
    std::snprintf(text, sizeof text, ", %.0f a second", rate);
    result += text;
  }
  if (progress.done < progress.total && rate > 0) {
    result += ", " + duration(static_cast<double>(progress.total - progress.done) / rate) + " left";
  } else if (progress.done == progress.total) {
    std::snprintf(text, sizeof text, ", %.1f s", progress.seconds);
    result += text;
  }
  return result;
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::FILE* stream)
    : ProgressDisplay(stream, isatty(fileno(stream)) != 0 ? Style::bar : Style::lines) {}

void ProgressDisplay::show(const Progress& progress) {
  const bool last = progress.done == progress.total;
  if (style_ == Style::bar) {
    const auto full = progress.total > 0 ? static_cast<int>(progress.done * kBarWidth / progress.total) : kBarWidth;
    const std::string bar =
        std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(kBarWidth - full), '.');
    // Back to the line's start, and clear what a longer line left.
    std::fprintf(stream_, "\r[%s] %s\033[K%s", bar.c_str(), line(progress).c_str(), last ? "\n" : "");
  } else if (last || progress.seconds >= nextLine_) {
    nextLine_ = progress.seconds + kSecondsBetweenLines;
    std::fprintf(stream_, "%s\n", line(progress).c_str());
  }
  std::fflush(stream_);
}

}  // namespace eagle::io
