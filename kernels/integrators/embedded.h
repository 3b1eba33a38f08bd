// What embedded pairs of one-step methods have in common.
#pragma once

#include "kernels/vector.h"

namespace eagle::kernels {

/// What one step of an embedded pair gives.
template <int n>
struct EmbeddedStep {
  Vector<n> y;      ///< the solution after the step, of the higher order
  Vector<n> error;  ///< the solution of the lower order, less that of the higher
};

}  // namespace eagle::kernels
