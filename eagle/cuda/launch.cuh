// Launches a typed kernel on a CUDA stream.
#pragma once

#include "eagle/cuda/kernel.cuh"
#include "eagle/cuda/stream.h"

namespace eagle::cuda {

/// Queues `kernel(i, arguments...)` for i = 0 to n-1, or records it if the stream is captured; there the rule says how
/// it follows the logical size. Does not wait. Arguments are converted to the kernel's own types and copied now. Throws
/// Error (invalidArgument) if n is negative, CudaError if the launch is refused.
template <graph::KernelFunctor K, class... A>
void launch(const StreamRef& stream, const LaunchRule& rule, Index n, const K& kernel, A&&... arguments) {
  using Typed = TypedKernel<K>;
  Typed typed(graph::launchSize(rule, n), kernel, std::forward<A>(arguments)...);
  auto pointers = typed.pointers();
  launchKernel(stream.cuda(), Typed::function(), rule, n, pointers.data(), Typed::parameters());
}

}  // namespace eagle::cuda
