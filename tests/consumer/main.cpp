#include <cstdio>

#include "eagle/base/buffer.h"
#include "eagle/base/device.h"

int main() {
  const eagle::Buffer<double> buffer(eagle::Device::automatic(), 1000);
  std::printf("%s: %zu bytes\n", buffer.device().describe().c_str(), buffer.bytes());
  return buffer.size() == 1000 ? 0 : 1;
}
