// A vector of fixed size that integrators and models compute with, on hosts and devices.
#pragma once

#include <cmath>

#include "eagle/base/config.h"

namespace eagle::kernels {

/// n numbers: an aggregate, so that `Vector<3>{x, y, z}` sets them. Sums, differences and multiples go element by
/// element. An index is from 0 to n-1 and not checked.
template <int n, class Real = double>
struct Vector {
  static_assert(n > 0, "a vector has at least one element");
  static constexpr int kSize = n;

  Real values[n];

  EAGLE_HD constexpr Real& operator[](int i) { return values[i]; }
  EAGLE_HD constexpr const Real& operator[](int i) const { return values[i]; }

  EAGLE_HD friend constexpr Vector operator+(const Vector& a, const Vector& b) {
    Vector sum{};
    for (int i = 0; i < n; ++i) {
      sum[i] = a[i] + b[i];
    }
    return sum;
  }
  EAGLE_HD friend constexpr Vector operator-(const Vector& a, const Vector& b) {
    Vector difference{};
    for (int i = 0; i < n; ++i) {
      difference[i] = a[i] - b[i];
    }
    return difference;
  }
  EAGLE_HD friend constexpr Vector operator*(Real factor, const Vector& a) {
    Vector product{};
    for (int i = 0; i < n; ++i) {
      product[i] = factor * a[i];
    }
    return product;
  }
  EAGLE_HD friend constexpr Vector operator*(const Vector& a, Real factor) { return factor * a; }
  EAGLE_HD friend constexpr Vector operator-(const Vector& a) { return Real(-1) * a; }
  EAGLE_HD constexpr Vector& operator+=(const Vector& other) { return *this = *this + other; }
  EAGLE_HD constexpr Vector& operator-=(const Vector& other) { return *this = *this - other; }
};

/// Sum of the products of the elements.
template <int n, class Real>
EAGLE_HD constexpr Real dot(const Vector<n, Real>& a, const Vector<n, Real>& b) {
  Real sum = a[0] * b[0];
  for (int i = 1; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

/// Euclidean length.
template <int n, class Real>
EAGLE_HD Real norm(const Vector<n, Real>& a) {
  return std::sqrt(dot(a, a));
}

}  // namespace eagle::kernels
