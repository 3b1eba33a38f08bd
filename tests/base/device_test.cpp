#include "eagle/base/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/base/error.h"

namespace {

using eagle::Buffer;
using eagle::Device;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Device, ParsesTheHost) {
  EXPECT_EQ(Device::parse("host"), Device::host());
  EXPECT_EQ(Device::host().name(), "host");
  EXPECT_THAT(Device::host().describe(), HasSubstr("threads"));
}

TEST(Device, RefusesUnknownNamesAndSaysWhatIsKnown) {
  for (const char* text : {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda: 1", "HOST"}) {
    EXPECT_THAT([&] { (void)Device::parse(text); }, ThrowsMessage<eagle::Error>(HasSubstr("use auto, host, cuda")))
        << text;
  }
}

TEST(Device, WithoutTheCudaBackendAutomaticIsTheHost) {
  EXPECT_EQ(Device::automatic(), Device::host());
  EXPECT_THAT([] { (void)Device::cuda(0); }, ThrowsMessage<eagle::Error>(HasSubstr("use device host")));
}

TEST(Buffer, CopiesInAndOut) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  Buffer<int> buffer(Device::host(), values);
  EXPECT_EQ(buffer.toHost(), values);
  Buffer<int> moved = std::move(buffer);
  EXPECT_EQ(moved.toHost(), values);
}

TEST(Buffer, TakesSizeZeroAndRefusesAbsurdSizes) {
  EXPECT_TRUE(Buffer<int>(Device::host(), 0).toHost().empty());
  EXPECT_THROW(Buffer<int>(Device::host(), -1), eagle::Error);
  EXPECT_THROW(Buffer<double>(Device::host(), INT64_MAX), eagle::Error);
  EXPECT_THAT([] { Buffer<char>(Device::host(), INT64_MAX / 2); }, ThrowsMessage<eagle::Error>(HasSubstr("bytes")));
}

TEST(Buffer, RefusesRangesOfAnotherSize) {
  Buffer<int> buffer(Device::host(), 3);
  const std::vector<int> two(2);
  EXPECT_THROW(buffer.copyFrom(two), eagle::Error);
}

}  // namespace
