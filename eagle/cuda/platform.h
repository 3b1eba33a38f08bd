// Puts CUDA devices at the disposal of eagle::Device in every program that includes this.
#pragma once

namespace eagle::cuda {

/// Makes Device::cuda and Device::automatic see the CUDA devices of this machine; done before main by the variable
/// below. Touches no device. Always true.
bool registerPlatform() noexcept;

namespace detail {
inline const bool kPlatformRegistered = registerPlatform();
}

}  // namespace eagle::cuda
