// Typed kernels on the device: from a functor to a native kernel.
#pragma once

#include <array>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "eagle/cuda/kernel.h"
#include "eagle/graph/kernel_traits.h"

namespace eagle::cuda {

/// Runs `kernel(i, arguments...)` for i = 0 to samples-1, whatever the grid.
template <class K, class... P>
__global__ void kernelEntry(Index samples, K kernel, P... arguments) {
  const Index stride = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < samples; i += stride) {
    kernel(i, arguments...);
  }
}

/// A native kernel for a functor, and room for its arguments in the kernel's own types.
template <graph::KernelFunctor K, class Arguments = graph::KernelArguments<K>>
class TypedKernel;

template <graph::KernelFunctor K, class... P>
class TypedKernel<K, std::tuple<P...>> {
 public:
  static_assert((std::is_trivially_copyable_v<P> && ...),
                "the arguments of a kernel are copied to the device bytewise: each must be trivially copyable");
  static constexpr std::size_t kParameters = 2 + sizeof...(P);

  template <class... A>
  TypedKernel(Index samples, const K& kernel, A&&... arguments)
      : samples_(samples),
        kernel_(kernel),
        arguments_(graph::convertArguments<std::tuple<P...>>(std::forward<A>(arguments)...)) {}

  [[nodiscard]] static const void* function() { return reinterpret_cast<const void*>(&kernelEntry<K, P...>); }
  [[nodiscard]] static Parameters parameters() {
    static const std::array<graph::ArgumentType, kParameters> kTypes{{{&typeid(Index), sizeof(Index)},
                                                                      {&typeid(K), std::is_empty_v<K> ? 0 : sizeof(K)},
                                                                      {&typeid(P), sizeof(P)}...}};
    return {kTypes, 2};
  }
  [[nodiscard]] std::array<void*, kParameters> pointers() {
    return std::apply(
        [&](P&... values) {
          return std::array<void*, kParameters>{&samples_, &kernel_, &values...};
        },
        arguments_);
  }

 private:
  Index samples_;
  K kernel_;
  std::tuple<P...> arguments_;
};

/// All parameters of a kernel node, to update the view of one: as `Graph::addKernel` takes them.
template <graph::KernelFunctor K, class... A>
[[nodiscard]] graph::KernelSpec kernel(const LaunchRule& rule, const K& functor, A&&... arguments) {
  using Typed = TypedKernel<K>;
  const Index samples = graph::ownSize(rule);
  Typed typed(samples, functor, std::forward<A>(arguments)...);
  auto pointers = typed.pointers();
  return kernelSpec(Typed::function(), rule, samples, pointers.data(), Typed::parameters());
}

}  // namespace eagle::cuda
