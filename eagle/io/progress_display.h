// Shows a person how far a run has come.
#pragma once

#include <cstdio>

#include "eagle/batch/progress.h"

namespace eagle::io {

/// Writes samples done, their rate and the time that remains to `stream`: on a terminal one line with a bar, redrawn at
/// each call; elsewhere a plain line every few seconds. The last call, with all samples done, ends the line.
/// For SimulateOptions::progress:
///
///     io::ProgressDisplay display;
///     simulate(batch, model, {.progress = [&](const Progress& progress) { display.show(progress); }});
///
/// Calls must not overlap. Does not own the stream.
class ProgressDisplay {
 public:
  /// How it is shown.
  enum class Style {
    bar,    ///< one line, redrawn
    lines,  ///< a line every few seconds
  };

  /// A bar where `stream` is a terminal, else lines.
  explicit ProgressDisplay(std::FILE* stream = stderr);
  /// In that style, whatever the stream.
  ProgressDisplay(std::FILE* stream, Style style) : stream_(stream), style_(style) {}

  /// Shows it now, if it is time.
  void show(const Progress& progress);

 private:
  std::FILE* stream_;
  Style style_;
  double nextLine_ = 2;  // seconds: a short run has one line, its last
};

}  // namespace eagle::io
