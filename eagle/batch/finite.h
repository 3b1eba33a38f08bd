// Tells whether every floating-point value of a plain value is finite.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "eagle/base/config.h"

namespace eagle {
namespace detail {

struct Anything {
  template <class T>
  constexpr operator T() const noexcept;
};
template <std::size_t>
using AnythingAt = Anything;

// A function: as a partial specialisation of kTakes, nvcc 13 sometimes answers for another T.
template <class T, std::size_t... b, std::size_t... i, std::size_t... a>
constexpr bool takes(std::index_sequence<b...>, std::index_sequence<i...>, std::index_sequence<a...>) {
  return requires { T{AnythingAt<b>{}..., {AnythingAt<i>{}...}, AnythingAt<a>{}...}; };
}
template <class T, class Before, class Inside, class After>
inline constexpr bool kTakes = takes<T>(Before{}, Inside{}, After{});

template <class T, class Values>
inline constexpr bool kTakesFlat = false;
template <class T, std::size_t... v>
  requires requires { T{AnythingAt<v>{}...}; }
inline constexpr bool kTakesFlat<T, std::index_sequence<v...>> = true;

// The largest number of values that aggregate T can be initialised from; a field that is an array takes several.
template <class T, std::size_t n = 0>
constexpr std::size_t valueCount() {
  if constexpr (kTakesFlat<T, std::make_index_sequence<n + 1>>) {
    return valueCount<T, n + 1>();
  } else {
    return n;
  }
}

// How many of the `values` the field that begins at value `at` takes: more than one only for an array.
template <class T, std::size_t values, std::size_t at, std::size_t width>
constexpr std::size_t widthAt() {
  if constexpr (width <= 1) {
    return 1;
  } else {
    using Before = std::make_index_sequence<at>;
    using Inside = std::make_index_sequence<width>;
    constexpr std::size_t kLeft = values - at - width;
    // A nested aggregate takes several values too, but leaves room for more after it than an array does.
    if constexpr (kTakes<T, Before, Inside, std::make_index_sequence<kLeft>> &&
                  !kTakes<T, Before, Inside, std::make_index_sequence<kLeft + 1>>) {
      return width;
    } else {
      return widthAt<T, values, at, width - 1>();
    }
  }
}

template <class T, std::size_t values, std::size_t at = 0>
constexpr std::size_t fieldCountFrom() {
  if constexpr (at >= values) {
    return 0;
  } else {
    return 1 + fieldCountFrom<T, values, at + widthAt<T, values, at, values - at>()>();
  }
}

// A variable, which device code may read where it may not call a constexpr function of the host.
template <class T>
inline constexpr std::size_t kFieldCount = fieldCountFrom<T, valueCount<T>()>();

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsStdArray<std::array<T, n>> = true;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

// Applies Test to every floating-point value of a plain value; the answers are or-ed.
template <class Test, class T>
EAGLE_HD auto anyValue(const T& value) -> typename Test::Answer;

template <class Test, class... Fields>
EAGLE_HD auto anyOf(const Fields&... fields) {
  return (typename Test::Answer{} | ... | anyValue<Test>(fields));
}

template <class Test, class T>
EAGLE_HD auto anyInRange(const T* values, std::size_t count) {
  typename Test::Answer answer{};
  for (std::size_t k = 0; k < count; ++k) {
    answer = answer | anyValue<Test>(values[k]);
  }
  return answer;
}

template <class Test, class T>
EAGLE_HD auto anyField(const T& value) {
  constexpr std::size_t kFields = kFieldCount<T>;
  static_assert(kFields <= 16,
                "a State with more than 16 fields: put them into arrays or nested structs, or give the model "
                "`EAGLE_HD bool finite(const State&) const`");
  if constexpr (kFields == 0) {
    return typename Test::Answer{};
  } else if constexpr (kFields == 1) {
    const auto& [a] = value;
    return anyOf<Test>(a);
  } else if constexpr (kFields == 2) {
    const auto& [a, b] = value;
    return anyOf<Test>(a, b);
  } else if constexpr (kFields == 3) {
    const auto& [a, b, c] = value;
    return anyOf<Test>(a, b, c);
  } else if constexpr (kFields == 4) {
    const auto& [a, b, c, d] = value;
    return anyOf<Test>(a, b, c, d);
  } else if constexpr (kFields == 5) {
    const auto& [a, b, c, d, e] = value;
    return anyOf<Test>(a, b, c, d, e);
  } else if constexpr (kFields == 6) {
    const auto& [a, b, c, d, e, f] = value;
    return anyOf<Test>(a, b, c, d, e, f);
  } else if constexpr (kFields == 7) {
    const auto& [a, b, c, d, e, f, g] = value;
    return anyOf<Test>(a, b, c, d, e, f, g);
  } else if constexpr (kFields == 8) {
    const auto& [a, b, c, d, e, f, g, h] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h);
  } else if constexpr (kFields == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kFields == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (kFields == 11) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (kFields == 12) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (kFields == 13) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (kFields == 14) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (kFields == 15) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (kFields == 16) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = value;
    return anyOf<Test>(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

template <class Test, class T>
EAGLE_HD auto anyValue(const T& value) -> typename Test::Answer {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return Test::of(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    static_assert(!std::is_floating_point_v<T>, "a State holds float and double, not long double");
    return {};
  } else if constexpr (std::is_array_v<T>) {
    return anyInRange<Test>(value, std::extent_v<T>);
  } else if constexpr (kIsStdArray<T>) {
    return anyInRange<Test>(reinterpret_cast<const typename T::value_type*>(&value), std::tuple_size_v<T>);
  } else if constexpr (kIsComplex<T>) {
    return anyInRange<Test>(reinterpret_cast<const typename T::value_type*>(&value), 2);
  } else if constexpr (requires {
                         T::SizeAtCompileTime;
                         value.data();
                       }) {  // Eigen's fixed-size matrices
    static_assert(T::SizeAtCompileTime > 0, "a State holds Eigen types of fixed size only");
    return anyInRange<Test>(value.data(), static_cast<std::size_t>(T::SizeAtCompileTime));
  } else if constexpr (requires { value.coeffs().data(); }) {  // and its quaternions
    return anyValue<Test>(value.coeffs());
  } else {
    static_assert(std::is_aggregate_v<T>,
                  "a State with a class that is no aggregate: give the model `EAGLE_HD bool finite(const State&) "
                  "const`, which says whether all values are finite");
    return anyField<Test>(value);
  }
}

// Bit 63 tells; the other bits mean nothing. Integer arithmetic on the exponent, which vectorises.
struct NonFinite {
  using Answer = std::uint64_t;
  EAGLE_HD static Answer of(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7ff0'0000'0000'0000) + 0x0010'0000'0000'0000;
  }
  EAGLE_HD static Answer of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return std::uint64_t{(bits & 0x7f80'0000) + 0x0080'0000} << 32;
  }
};

// Holds for every value that is not finite, and for doubles from 2^1017 up. Read as a float, the upper half of such a
// double is infinite or NaN: one comparison, where the exact test takes three instructions.
struct MaybeNonFinite {
  using Answer = bool;
  EAGLE_HD static Answer of(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const auto upper = static_cast<std::uint32_t>(bits >> 32);
    float read = 0;
    std::memcpy(&read, &upper, sizeof read);
    return of(read);
  }
  EAGLE_HD static Answer of(float value) { return !(std::fabs(value) < kInfinity); }

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
};

}  // namespace detail

/// Whether every float and double in `value` is finite. Looks into arrays, aggregates without base classes (at most 16
/// fields each), std::array, std::complex, and Eigen's fixed-size matrices and quaternions.
template <class T>
EAGLE_HD bool allFinite(const T& value) {
  return (detail::anyValue<detail::NonFinite>(value) >> 63) == 0;
}

}  // namespace eagle
