// How the run of a sample ended.
#pragma once

#include <cstdint>

namespace eagle {

/// Why a sample was stepped no further.
enum class Status : std::uint8_t {
  finished,   ///< the model said so, and for which reason
  stepLimit,  ///< still running after maxSteps steps
  cancelled,  ///< still running when the run was told to stop, or its time was up
  nonFinite,  ///< a step left an infinity or a NaN in the state; the sample was not stepped further
};

}  // namespace eagle
