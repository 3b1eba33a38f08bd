// A kernel of the host backend: a loop over a range of indices.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "eagle/graph/kernel_traits.h"
#include "eagle/graph/node.h"

namespace eagle::host {

inline constexpr std::string_view kBackend = "the host";

/// Runs the indices of [begin, end). Called from several threads at once, each with a part of its own.
using RangeFunction = std::function<void(Index begin, Index end)>;

class Kernel : public graph::Kernel {
 public:
  explicit Kernel(graph::KernelShape shape) : shape_(shape) { shape_.takesSize = true; }
  [[nodiscard]] std::string_view backend() const override { return kBackend; }
  [[nodiscard]] graph::KernelShape shape() const override { return shape_; }
  /// Runs the indices of [begin, end) on this thread.
  virtual void run(Index begin, Index end) const = 0;

 private:
  graph::KernelShape shape_;
};

/// A function of a range, which keeps its arguments to itself.
class RangeKernel final : public Kernel {
 public:
  RangeKernel(RangeFunction range, graph::KernelShape shape) : Kernel(shape), range_(std::move(range)) {}
  void run(Index begin, Index end) const override { range_(begin, end); }
  [[nodiscard]] bool isSameFunction(const graph::Kernel& other) const override { return this == &other; }
  [[nodiscard]] std::vector<graph::Argument> arguments() const override { return {}; }
  [[nodiscard]] std::size_t argumentBytes() const override { return 0; }
  [[nodiscard]] std::shared_ptr<const graph::Kernel> withArgument(std::size_t, const void*) const override {
    return nullptr;  // never asked for: it has none
  }

 private:
  RangeFunction range_;
};

/// A functor with its arguments in its own types.
template <graph::KernelFunctor K, class Arguments = graph::KernelArguments<K>>
class TypedKernel;

template <graph::KernelFunctor K, class... P>
class TypedKernel<K, std::tuple<P...>> final : public Kernel {
 public:
  TypedKernel(graph::KernelShape shape, const K& kernel, std::tuple<P...> values)
      : Kernel(shape), kernel_(kernel), values_(std::move(values)) {}

  void run(Index begin, Index end) const override {
    std::apply(
        [&](const P&... value) {
          for (Index i = begin; i < end; ++i) {
            kernel_(i, value...);
          }
        },
        values_);
  }

  /// The members of the functor are its code's, not arguments.
  [[nodiscard]] bool isSameFunction(const graph::Kernel& other) const override {
    const auto* same = dynamic_cast<const TypedKernel*>(&other);
    return same != nullptr && graph::sameBytes(kernel_, same->kernel_);
  }

  [[nodiscard]] std::vector<graph::Argument> arguments() const override {
    return std::apply(
        [](const P&... value) {
          return std::vector<graph::Argument>{{&typeid(P), sizeof(P), &value}...};
        },
        values_);
  }

  [[nodiscard]] std::size_t argumentBytes() const override { return (sizeof(P) + ... + 0); }

  [[nodiscard]] std::shared_ptr<const graph::Kernel> withArgument(std::size_t index, const void* value) const override {
    auto changed = std::make_shared<TypedKernel>(*this);
    std::size_t at = 0;
    std::apply([&](P&... own) { ((at++ == index ? void(own = *static_cast<const P*>(value)) : void()), ...); },
               changed->values_);
    return changed;
  }

 private:
  K kernel_;
  std::tuple<P...> values_;
};

/// Runs indices 0 to samples-1, split over threads; returns when they are done.
void run(const Kernel& kernel, Index samples);

/// A typed kernel with its arguments, ready for `samples` indices, or for any number if that is -1.
template <graph::KernelFunctor K, class... A>
[[nodiscard]] graph::KernelSpec makeKernel(const LaunchRule& rule, Index samples, const K& kernel, A&&... arguments) {
  graph::KernelShape shape;
  shape.anyGrid = true;
  if (samples > 0) {
    shape.dims = (rule.follows() ? rule : fixed(samples)).dims(samples, shape);
  }
  auto values = graph::convertArguments<graph::KernelArguments<K>>(std::forward<A>(arguments)...);
  return {std::make_shared<const TypedKernel<K>>(shape, kernel, std::move(values)), rule, samples};
}

/// All parameters of a kernel node, to update the view of one: as `Graph::addKernel` takes them.
template <graph::KernelFunctor K, class... A>
[[nodiscard]] graph::KernelSpec kernel(const LaunchRule& rule, const K& functor, A&&... arguments) {
  return makeKernel(rule, graph::ownSize(rule), functor, std::forward<A>(arguments)...);
}

}  // namespace eagle::host
