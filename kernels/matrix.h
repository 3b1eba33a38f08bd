// Small square matrices and the solution of linear systems with them.
#pragma once

#include <cmath>

#include "eagle/base/config.h"
#include "kernels/vector.h"

namespace eagle::kernels {

/// n x n numbers, by rows: an aggregate. Indices are from 0 to n-1 and not checked.
template <int n>
struct Matrix {
  Vector<n> rows[n];

  EAGLE_HD constexpr Vector<n>& operator[](int row) { return rows[row]; }
  EAGLE_HD constexpr const Vector<n>& operator[](int row) const { return rows[row]; }
};

/// The factors of a matrix by Gauss's elimination with row pivoting. For a singular matrix solutions are not finite, or
/// huge where rounding hides it.
template <int n>
class LuFactors {
 public:
  EAGLE_HD explicit LuFactors(const Matrix<n>& matrix) : factors_(matrix) {
    for (int k = 0; k < n; ++k) {
      int pivot = k;
      for (int i = k + 1; i < n; ++i) {
        pivot = std::fabs(factors_[i][k]) > std::fabs(factors_[pivot][k]) ? i : pivot;
      }
      pivots_[k] = pivot;
      const Vector<n> swapped = factors_[pivot];
      factors_[pivot] = factors_[k];
      factors_[k] = swapped;
      for (int i = k + 1; i < n; ++i) {
        factors_[i][k] /= factors_[k][k];
        for (int j = k + 1; j < n; ++j) {
          factors_[i][j] -= factors_[i][k] * factors_[k][j];
        }
      }
    }
  }

  /// The x for which the matrix times x is `right`.
  [[nodiscard]] EAGLE_HD Vector<n> solve(Vector<n> right) const {
    for (int k = 0; k < n; ++k) {
      const double swapped = right[pivots_[k]];
      right[pivots_[k]] = right[k];
      right[k] = swapped;
    }
    for (int k = 0; k < n; ++k) {
      for (int i = k + 1; i < n; ++i) {
        right[i] -= factors_[i][k] * right[k];
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int j = k + 1; j < n; ++j) {
        right[k] -= factors_[k][j] * right[j];
      }
      right[k] /= factors_[k][k];
    }
    return right;
  }

 private:
  Matrix<n> factors_;
  int pivots_[n];
};

}  // namespace eagle::kernels
