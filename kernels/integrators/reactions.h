// Exact stochastic simulation of reactions.
#pragma once

#include <cmath>

#include "eagle/base/config.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// Which of several reactions happens next, and when.
struct NextReaction {
  int reaction;  ///< its number; -1 if none can happen any more
  double delay;  ///< from now; infinite if none can, or beyond what a double holds
};

/// Draws the next of r reactions by their rates, which hold until it happens: not negative, in 1 / time. If their sum
/// is not finite, the delay is NaN and the reaction -1: a sample that adds the delay to its time ends as non-finite.
/// `first` and `second` are independent random numbers, uniform in (0, 1).
/// Source: the direct method of D. T. Gillespie, J. Comput. Phys. 22 (1976) 403-434.
template <int r>
EAGLE_HD NextReaction nextReaction(const Vector<r>& rates, double first, double second) {
  double total = 0;
  for (int k = 0; k < r; ++k) {
    total += rates[k];
  }
  if (!(total > 0 && total < HUGE_VAL)) {
    return {-1, total == 0 ? HUGE_VAL : std::nan("")};
  }
  const double chosen = second * total;
  int reaction = -1;
  double sum = 0;
  for (int k = 0; k < r; ++k) {
    sum += rates[k];
    // The last that can happen takes what rounding leaves.
    reaction = rates[k] > 0 && (reaction < 0 || sum - rates[k] <= chosen) ? k : reaction;
  }
  return {reaction, -std::log(first) / total};
}

}  // namespace eagle::kernels
