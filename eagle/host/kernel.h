// A kernel of the host backend: a loop over a range of indices.
#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "eagle/graph/kernel_traits.h"
#include "eagle/graph/node.h"

namespace eagle::host {

/// Runs the indices of [begin, end). Called from several threads at once, each with a part of its own.
using RangeFunction = std::function<void(Index begin, Index end)>;

class Kernel final : public graph::Kernel {
 public:
  Kernel(RangeFunction range, graph::KernelShape shape) : range_(std::move(range)), shape_(shape) {}
  [[nodiscard]] graph::KernelShape shape() const override { return shape_; }
  [[nodiscard]] const RangeFunction& range() const { return range_; }

 private:
  RangeFunction range_;
  graph::KernelShape shape_;
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
  auto range = [kernel, values = std::move(values)](Index begin, Index end) {
    std::apply(
        [&](const auto&... value) {
          for (Index i = begin; i < end; ++i) {
            kernel(i, value...);
          }
        },
        values);
  };
  return {std::make_shared<const Kernel>(std::move(range), shape), rule, samples};
}

}  // namespace eagle::host
