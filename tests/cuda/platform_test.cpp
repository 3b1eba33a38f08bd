#include "eagle/cuda/platform.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/base/device.h"
#include "eagle/base/error.h"
#include "tests/support/backend.h"

namespace {

using eagle::Buffer;
using eagle::Device;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(CudaPlatform, IsTheDefaultAndHasAName) {
  EXPECT_EQ(Device::automatic(), Device::cuda(0));
  EXPECT_THAT(Device::cuda(0).describe(), StartsWith("cuda:0, "));
  EXPECT_THAT(Device::cuda(0).platform().whyUnavailable(), "");
}

TEST(CudaPlatform, RefusesADeviceThatIsNotThere) {
  EXPECT_THAT([] { (void)Device::cuda(1000); }, ThrowsMessage<eagle::Error>(HasSubstr("there is no device cuda:1000")));
}

TEST(CudaPlatform, WithoutMemorySaysWhatWasAskedAndWhatIsFree) {
  constexpr std::size_t kBytes = std::size_t{1} << 50;
  EXPECT_THAT([] { Buffer<std::byte> buffer(Device::cuda(0), kBytes); },
              ThrowsMessage<eagle::Error>(AllOf(HasSubstr("1125899906842624 bytes"), HasSubstr(" free"))));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(CudaPlatform, AllocatesAndCopiesDuringACaptureWithoutBreakingIt) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  const std::vector<int> values{1, 2, 3};
  {
    const Buffer<int> buffer(Device::cuda(0), values);
    EXPECT_EQ(buffer.toHost(), values);
  }
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
