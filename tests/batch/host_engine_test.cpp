#include "eagle/batch/host_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"

namespace {

using eagle::Batch;
using eagle::Device;
using eagle::Index;
using testing::ThrowsMessage;

// Throws at step 3 of sample 77; says whether it was ever stepped past its end.
template <bool lockstep>
struct Fragile {
  static constexpr bool kLockstep = lockstep;
  struct State {
    std::int64_t steps;
  };
  struct Params {
    std::int64_t stop;
  };
  Index bad = 77;
  eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext& context) const {
    if (context.step >= params.stop) {
      throw std::logic_error("stepped past its end");
    }
    if (context.sample == bad && context.step == 3) {
      throw std::runtime_error("no data for sample 77");
    }
    ++state.steps;
    return context.step + 1 == params.stop ? eagle::finished() : eagle::running();
  }
};

template <class M>
Batch<M> fragile() {
  Batch<M> batch(Device::host(), 3000);
  batch.fill([](Index i) { return std::pair{typename M::Params{5 + i % 40}, typename M::State{0}}; });
  return batch;
}

template <class M>
class HostEngine : public testing::Test {};
using Models = testing::Types<Fragile<true>, Fragile<false>>;
TYPED_TEST_SUITE(HostEngine, Models);

TYPED_TEST(HostEngine, WhatAStepThrowsComesOutAndEachSampleIsAtItsStartOrItsEnd) {
  Batch<TypeParam> batch = fragile<TypeParam>();
  EXPECT_THAT([&] { (void)eagle::simulate(batch, TypeParam{}); },
              ThrowsMessage<std::runtime_error>("no data for sample 77"));
  const auto states = batch.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_TRUE(states[i].steps == 0 || states[i].steps == static_cast<Index>(5 + i % 40)) << i;
  }
  EXPECT_EQ(states[77].steps, 0);
}

TYPED_TEST(HostEngine, StepsNoSamplePastItsEnd) {
  Batch<TypeParam> batch = fragile<TypeParam>();
  const auto result = eagle::simulate(batch, TypeParam{.bad = -1});
  EXPECT_EQ(result.count(eagle::Status::finished), 3000);
}

// Steps of 2 milliseconds: a run is stopped within a few of them.
template <bool lockstep>
struct Slow {
  static constexpr bool kLockstep = lockstep;
  struct State {
    double unused;
  };
  struct Params {};
  eagle::Outcome step(State&, const Params&, const eagle::SampleContext&) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return eagle::running();
  }
};

template <class M>
class Slowly : public testing::Test {};
using SlowModels = testing::Types<Slow<true>, Slow<false>>;
TYPED_TEST_SUITE(Slowly, SlowModels);

TYPED_TEST(Slowly, StopsSoonThoughStepsTakeLong) {
  Batch<TypeParam> batch(Device::host(), 100);
  batch.fill([](Index) { return std::pair{typename TypeParam::Params{}, typename TypeParam::State{}}; });
  const auto start = std::chrono::steady_clock::now();
  const auto result = eagle::simulate(batch, TypeParam{}, {.maxSeconds = 0.02});
  EXPECT_EQ(result.count(eagle::Status::cancelled), 100);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 0.4);
}

}  // namespace
