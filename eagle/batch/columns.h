// How a value is split into words, and a batch of values into one column for each word.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "eagle/base/config.h"
#include "eagle/base/types.h"

namespace eagle {

/// T as `kCount` words of 8 bytes, or of T's alignment where that is less. Word k of sample i of n lies at
/// `columns[k * n + i]`: neighbouring samples are neighbours in memory, which GPUs and vector units want.
/// An empty T has no words.
template <class T>
class Columns {
  template <std::size_t bytes>
  static auto wordOf() {
    if constexpr (bytes >= 8) {
      return std::uint64_t{};
    } else if constexpr (bytes == 4) {
      return std::uint32_t{};
    } else if constexpr (bytes == 2) {
      return std::uint16_t{};
    } else {
      return std::uint8_t{};
    }
  }

 public:
  /// An unsigned integer of 1, 2, 4 or 8 bytes.
  using Word = decltype(wordOf<alignof(T)>());
  /// Words of one value.
  static constexpr int kCount = std::is_empty_v<T> ? 0 : static_cast<int>(sizeof(T) / sizeof(Word));

  /// The value whose word k is `first[k * stride]`.
  EAGLE_HD static T load(const Word* first, Index stride) {
    return load(first, stride, std::make_integer_sequence<int, kCount>{});
  }
  /// Puts the value where load() finds it.
  EAGLE_HD static void store(Word* first, Index stride, const T& value) {
    store(first, stride, value, std::make_integer_sequence<int, kCount>{});
  }

 private:
  // Word by word: a copy of the whole value would keep compilers from vectorising across samples.
  template <int... k>
  EAGLE_HD static T load([[maybe_unused]] const Word* first, [[maybe_unused]] Index stride,
                         std::integer_sequence<int, k...>) {
    T value;
    (putWord(value, k, first[k * stride]), ...);
    return value;
  }
  template <int... k>
  EAGLE_HD static void store([[maybe_unused]] Word* first, [[maybe_unused]] Index stride,
                             [[maybe_unused]] const T& value, std::integer_sequence<int, k...>) {
    ((first[k * stride] = getWord(value, k)), ...);
  }

  EAGLE_HD static void putWord(T& value, int k, Word word) {
    std::memcpy(reinterpret_cast<unsigned char*>(&value) + k * sizeof(Word), &word, sizeof(Word));
  }
  EAGLE_HD static Word getWord(const T& value, int k) {
    Word word;
    std::memcpy(&word, reinterpret_cast<const unsigned char*>(&value) + k * sizeof(Word), sizeof(Word));
    return word;
  }
};

}  // namespace eagle
