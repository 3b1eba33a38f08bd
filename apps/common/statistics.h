// The few statistics that summaries of runs need.
#pragma once

#include <cstdint>
#include <vector>

namespace apps {

/// An interval that holds the true value with 95 % confidence.
struct Interval {
  double low, high;
};

/// For the probability of something that happened `count` times in `trials`, at least one. Good for counts near 0 or
/// `trials` too.
/// Source: E. B. Wilson, J. Am. Stat. Assoc. 22 (1927) 209-212.
Interval wilson95(std::int64_t count, std::int64_t trials);

/// The q-quantiles of `values`, in any order, for each q from 0 to 1: linear between the sorted values. Empty values
/// give none.
std::vector<double> quantiles(std::vector<double> values, const std::vector<double>& qs);

}  // namespace apps
