#include "eagle/graph/launch_rule.h"

#include <gtest/gtest.h>

#include "eagle/base/error.h"

namespace eagle {
namespace {

graph::KernelShape shapeWith(Dim3 block, Dim3 cluster = {}) {
  graph::KernelShape shape;
  shape.dims.block = block;
  shape.cluster = cluster;
  return shape;
}

TEST(LaunchRule, OneThreadASample) {
  const auto shape = shapeWith({128});
  EXPECT_EQ(perSample().dims(1, shape), (LaunchDims{{1}, {128}}));
  EXPECT_EQ(perSample().dims(127, shape), (LaunchDims{{1}, {128}}));
  EXPECT_EQ(perSample().dims(128, shape), (LaunchDims{{1}, {128}}));
  EXPECT_EQ(perSample().dims(129, shape), (LaunchDims{{2}, {128}}));
  EXPECT_EQ(perSample(64).dims(129, shape), (LaunchDims{{3}, {64}}));
}

TEST(LaunchRule, CountsAreExactIn64Bits) {
  const auto shape = shapeWith({128});
  EXPECT_EQ(perSample().dims(2147483647, shape).grid.x, 16777216u);
  EXPECT_EQ(perSample().dims(2147483648, shape).grid.x, 16777216u);
  EXPECT_EQ(perSample().dims(4294967296 - 128, shape).grid.x, 33554431u);
  EXPECT_EQ(perSample().dims(4294967296, shape).grid.x, 33554432u);
  EXPECT_EQ(perSample().dims(4294967297, shape).grid.x, 33554433u);
}

TEST(LaunchRule, NoGridWraps) {
  auto shape = shapeWith({1});
  EXPECT_EQ(perSample().dims(2147483647, shape).grid.x, 2147483647u);
  EXPECT_THROW((void)perSample().dims(2147483648, shape), Error);
  EXPECT_THROW((void)perSample().dims(INT64_MAX, shape), Error);
  shape.anyGrid = true;  // its threads take several samples each
  EXPECT_EQ(perSample(1).dims(INT64_MAX, shape).grid.x, 2147483647u);
}

TEST(LaunchRule, OtherDimensionsStay) {
  graph::KernelShape shape = shapeWith({32, 4, 2});
  shape.dims.grid = {7, 5, 3};
  EXPECT_EQ(perSample().dims(65, shape), (LaunchDims{{3, 5, 3}, {32, 4, 2}}));
}

TEST(LaunchRule, RoundsUpToTheCluster) {
  EXPECT_EQ(perSample().dims(129, shapeWith({128}, {4})).grid.x, 4u);
  auto shape = shapeWith({1}, {4});
  shape.anyGrid = true;
  EXPECT_EQ(perSample(1).dims(INT64_MAX, shape).grid.x, 2147483644u);
  const auto odd = computed([](Index) { return LaunchDims{{3}, {128}}; });
  EXPECT_THROW((void)odd.dims(5, shapeWith({128}, {2})), Error);
}

TEST(LaunchRule, TunedFillsTheDeviceFirst) {
  graph::KernelShape shape;
  shape.bestBlock = 768;
  shape.multiprocessors = 100;
  EXPECT_EQ(tuned().dims(1'000'000, shape), (LaunchDims{{1303}, {768}}));
  EXPECT_EQ(tuned(256).dims(1'000'000, shape), (LaunchDims{{3907}, {256}}));
  EXPECT_EQ(tuned().dims(6'400, shape), (LaunchDims{{100}, {64}}));
  EXPECT_EQ(tuned().dims(1, shape), (LaunchDims{{1}, {32}}));
}

TEST(LaunchRule, FixedAndComputed) {
  EXPECT_EQ(fixed(1000, 128).dims(5, {}), (LaunchDims{{8}, {128}}));
  graph::KernelShape shape = shapeWith({64});
  shape.dims.grid = {9};
  EXPECT_EQ(fixed().dims(5, shape), shape.dims);
  const auto rule = computed([](Index n) { return LaunchDims{{static_cast<std::uint32_t>(n)}, {32}}; });
  EXPECT_EQ(rule.dims(5, {}), (LaunchDims{{5}, {32}}));
}

TEST(LaunchRule, RefusesWhatNoDeviceTakes) {
  EXPECT_THROW((void)perSample(1025), Error);
  EXPECT_THROW((void)tuned(0), Error);
  EXPECT_THROW((void)fixed(0), Error);
  EXPECT_THROW((void)fixed(-1), Error);
  EXPECT_THROW((void)computed(nullptr), Error);
  const auto refused = [](Dim3 grid, Dim3 block) {
    return [=] { (void)computed([=](Index) { return LaunchDims{grid, block}; }).dims(1, {}); };
  };
  EXPECT_THROW(refused({1, 65536}, {1})(), Error);
  EXPECT_THROW(refused({1, 1, 65536}, {1})(), Error);
  EXPECT_THROW(refused({0}, {1})(), Error);
  EXPECT_THROW(refused({2147483648u}, {1})(), Error);
  EXPECT_THROW(refused({1}, {0})(), Error);
  EXPECT_THROW(refused({1}, {32, 64})(), Error);
  EXPECT_THROW(refused({1}, {1, 1, 65})(), Error);
  EXPECT_NO_THROW(refused({1, 65535, 65535}, {16, 16, 4})());
}

TEST(LaunchRule, AComputedGridOfATypedKernelRunsAlongX) {
  graph::KernelShape shape;
  const LaunchRule plane = computed([](Index) { return LaunchDims{{2, 2, 1}, {8}}; });
  EXPECT_EQ(plane.dims(4, shape), (LaunchDims{{2, 2, 1}, {8}}));
  shape.anyGrid = true;  // every sample would run twice
  EXPECT_THROW((void)plane.dims(4, shape), Error);
  EXPECT_THROW((void)computed([](Index) { return LaunchDims{{2}, {4, 2, 1}}; }).dims(4, shape), Error);
}

TEST(LaunchRule, ThreadsAreCountedExactlyOrRefused) {
  EXPECT_EQ(graph::threadCount({{2147483647, 65535, 1}, {1024}}), Index{2147483647} * 65535 * 1024);
  EXPECT_THROW((void)graph::threadCount({{1U << 30U, 1U << 15U, 1U << 9U}, {1024}}), Error);
  EXPECT_THROW((void)graph::threadCount({{1}, {1U << 31U, 1U << 31U, 4}}), Error);
}

}  // namespace
}  // namespace eagle
