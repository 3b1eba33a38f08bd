// A root of a scalar function inside a bracket.
#pragma once

#include <cmath>

#include "eagle/base/config.h"

namespace eagle::kernels {

/// Two arguments between which a function changes sign, and its values there.
struct Bracket {
  double a, b;    ///< in any order
  double fa, fb;  ///< f(a) and f(b)
};

/// Narrows the bracket of `f(x)` until it is at most `tolerance` wide, or as narrow as doubles allow; fa and fb differ
/// in sign, or one is 0. Returns its end on the side of b: an argument that was evaluated, where f has the sign of fb
/// or is 0.
/// Regula falsi with the weights of Anderson and Bjoerck (BIT 13 (1973) 253-264), and every fifth round
/// a bisection, so that no function takes long.
template <class F>
EAGLE_HD double findRoot(const F& f, Bracket bracket, double tolerance) {
  double a = bracket.a;
  double b = bracket.b;
  double fa = bracket.fa;
  double fb = bracket.fb;
  const bool positive = fb > 0;
  int moved = 0;  // the end that moved last: -1 for a, 1 for b
  for (int round = 1; fb != 0 && std::fabs(b - a) > tolerance; ++round) {
    const double middle = a + (b - a) / 2;
    if (middle == a || middle == b) {
      break;
    }
    const double now = std::fabs(b - a);
    double x = round % 5 == 0 ? middle : (a * fb - b * fa) / (fb - fa);
    // Half a tolerance from the ends at least: the two ends close in, not one of them alone.
    const double margin = std::fmin(tolerance, now) / 2;
    const double low = std::fmin(a, b) + margin;
    const double high = std::fmax(a, b) - margin;
    x = x > low ? (x < high ? x : high) : low;
    x = x == a || x == b ? middle : x;
    const double fx = f(x);
    if (fx == 0 || (fx > 0) == positive) {
      const double weight = 1 - fx / fb;
      fa *= moved == 1 ? (weight > 0 ? weight : 0.5) : 1;
      b = x;
      fb = fx;
      moved = 1;
    } else {
      const double weight = 1 - fx / fa;
      fb *= moved == -1 ? (weight > 0 ? weight : 0.5) : 1;
      a = x;
      fa = fx;
      moved = -1;
    }
  }
  return b;
}

}  // namespace eagle::kernels
