// What is behind an event of the CUDA backend. Only the backend includes this.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>

#include "eagle/graph/node.h"

namespace eagle::cuda {

/// A native event, shared by an event and the graphs that record it or wait for it.
struct EventState final : graph::NativeEvent {
  EventState();
  ~EventState() override;
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;
  [[nodiscard]] std::string_view backend() const override;

  cudaEvent_t event = nullptr;
  std::atomic<bool> isRecorded = false;
  std::atomic<unsigned long long> capture = 0;  ///< the driver's id of the capture it was recorded in; 0 for none
};

}  // namespace eagle::cuda
