// What a typed kernel is: a trivially copyable functor with one operator()(Index, arguments...).
#pragma once

#include <concepts>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eagle/base/types.h"
#include "eagle/graph/launch_rule.h"

namespace eagle::graph {

template <class Member>
struct CallOperator;

template <class K, class R, class I, class... P>
struct CallOperator<R (K::*)(I, P...) const> {
  static_assert(std::is_same_v<std::decay_t<I>, Index>,
                "a kernel's first parameter is the index of the sample, of 64 bits: eagle::Index");
  using Arguments = std::tuple<std::decay_t<P>...>;
};
template <class K, class R, class I, class... P>
struct CallOperator<R (K::*)(I, P...) const noexcept> : CallOperator<R (K::*)(I, P...) const> {};

/// A functor that runs one sample: `void operator()(Index sample, arguments...) const`, EAGLE_HD where it shall run on
/// a GPU too. One that is not a template and not overloaded.
template <class K>
concept KernelFunctor = std::is_class_v<K> && std::is_trivially_copyable_v<K> && requires { &K::operator(); };

/// The parameter types of a kernel after the index: arguments are converted to these and copied when a node is made.
template <KernelFunctor K>
using KernelArguments = typename CallOperator<decltype(&K::operator())>::Arguments;

/// Converts arguments to a kernel's own types; a mismatch is a compile error at the call.
template <class Tuple, class... A>
[[nodiscard]] Tuple convertArguments(A&&... arguments) {
  static_assert(sizeof...(A) == std::tuple_size_v<Tuple>, "as many arguments as the kernel has after its index");
  static_assert(std::is_constructible_v<Tuple, A...>, "each argument converts to the kernel's parameter in its place");
  if constexpr (sizeof...(A) == std::tuple_size_v<Tuple> && std::is_constructible_v<Tuple, A...>) {
    return Tuple(std::forward<A>(arguments)...);
  } else {
    return {};  // the assertion has said all
  }
}

/// Whether two functors do the same, as far as their bytes tell; those without members always do.
template <class K>
[[nodiscard]] bool sameBytes(const K& a, const K& b) {
  return std::is_empty_v<K> || std::memcmp(&a, &b, sizeof(K)) == 0;
}

/// The number of indices of a launch outside any graph: n, or the count a fixed rule has, if they do not differ.
[[nodiscard]] Index launchSize(const LaunchRule& rule, Index n);

/// The number of indices a kernel of a graph has of its own: the count of fixed(count), else -1. Throws Error
/// (invalidArgument) for fixed() without a count, which means something for launches only.
[[nodiscard]] Index ownSize(const LaunchRule& rule);

}  // namespace eagle::graph
