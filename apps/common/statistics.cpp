#include "apps/common/statistics.h"

#include <algorithm>
#include <cmath>

namespace apps {

Interval wilson95(std::int64_t count, std::int64_t trials) {
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(count) / n;
  const double centre = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return {.low = count == 0 ? 0 : centre - half, .high = count == trials ? 1 : centre + half};
}

std::vector<double> quantiles(std::vector<double> values, const std::vector<double>& qs) {
  std::vector<double> result;
  if (values.empty()) {
    return result;
  }
  std::sort(values.begin(), values.end());
  for (const double q : qs) {
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    result.push_back(values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]));
  }
  return result;
}

}  // namespace apps
