#include "eagle/batch/gpu_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <typeinfo>

#include "eagle/base/error.h"

namespace {

using eagle::detail::findGpuModel;
using eagle::detail::GpuModelSizes;
using eagle::detail::GpuRun;
using eagle::detail::registerGpuModel;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Known {};
struct Forgotten {};

constexpr GpuModelSizes kSizes{.model = 8, .state = 16, .params = 24};

TEST(GpuModels, FindsWhatWasRegistered) {
  registerGpuModel(typeid(Known), kSizes, [](const GpuRun&) { return 1.0; });
  EXPECT_NE(findGpuModel(typeid(Known), kSizes), nullptr);
}

TEST(GpuModels, SaysHowToCompileAModelThatWasNot) {
  EXPECT_THAT([] { (void)findGpuModel(typeid(Forgotten), kSizes); },
              ThrowsMessage<eagle::Error>(AllOf(HasSubstr("Forgotten"), HasSubstr("EAGLE_GPU_MODEL("),
                                                HasSubstr("gpu_model.cuh"), HasSubstr("device host"))));
}

TEST(GpuModels, RefusesAModelThatTheTwoCompilersLayOutDifferently) {
  registerGpuModel(typeid(Known), kSizes, [](const GpuRun&) { return 1.0; });
  EXPECT_THAT([] { (void)findGpuModel(typeid(Known), {.model = 8, .state = 32, .params = 24}); },
              ThrowsMessage<eagle::Error>(HasSubstr("another size")));
}

}  // namespace
