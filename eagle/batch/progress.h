// What a run tells about itself while it goes on.
#pragma once

#include "eagle/base/types.h"

namespace eagle {

/// How far a run has come.
struct Progress {
  Index done = 0;      ///< samples that have ended
  Index total = 0;     ///< samples of the batch
  double seconds = 0;  ///< since the run began
};

}  // namespace eagle
