// Launches a typed kernel on a host stream.
#pragma once

#include "eagle/host/kernel.h"
#include "eagle/host/stream.h"
#include "eagle/host/stream_state.h"

namespace eagle::host {

/// Queues `kernel(i, arguments...)` for i = 0 to n-1, or records it if the stream is captured; there the rule says how
/// it follows the logical size. Does not wait. Arguments are converted to the kernel's own types and copied now. Throws
/// Error (invalidArgument) if n is negative.
template <graph::KernelFunctor K, class... A>
void launch(const StreamRef& stream, const LaunchRule& rule, Index n, const K& kernel, A&&... arguments) {
  stream.lock()->submit(makeKernel(rule, graph::launchSize(rule, n), kernel, std::forward<A>(arguments)...));
}

}  // namespace eagle::host
