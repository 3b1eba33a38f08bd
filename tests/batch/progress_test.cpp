#include "eagle/batch/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "tests/support/backend.h"

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::Progress;
using eagle::test::testDevice;
using testing::ThrowsMessage;

// Mixes bits for `stop` steps.
struct Mixer {
  struct State {
    std::uint32_t bits;
  };
  struct Params {
    std::int32_t stop;
  };
  EAGLE_HD eagle::Outcome step(State& state, const Params& params, const eagle::SampleContext& context) const {
    state.bits = state.bits * 1664525u + 1013904223u;
    return context.step + 1 >= params.stop ? eagle::finished() : eagle::running();
  }
};
EAGLE_TEST_MODEL(Mixer);

Batch<Mixer> mixers(Index n, std::int32_t stop) {
  Batch<Mixer> batch(testDevice(), n);
  batch.fill([=](Index i) { return std::pair{Mixer::Params{stop}, Mixer::State{static_cast<std::uint32_t>(i)}}; });
  return batch;
}

TEST(Progress, RisesAndEndsWithAllSamples) {
  constexpr Index kSamples = 20'000;
  Batch<Mixer> batch = mixers(kSamples, 10'000);
  std::vector<Progress> seen;
  (void)eagle::simulate(batch, Mixer{},
                        {.maxSteps = 20'000, .progress = [&](const Progress& progress) { seen.push_back(progress); }});
  ASSERT_FALSE(seen.empty());
  Index before = 0;
  for (const Progress& progress : seen) {
    EXPECT_GE(progress.done, before);
    EXPECT_EQ(progress.total, kSamples);
    before = progress.done;
  }
  EXPECT_EQ(seen.back().done, kSamples);
  EXPECT_EQ(std::count_if(seen.begin(), seen.end(), [](const Progress& p) { return p.done == p.total; }), 1);
}

TEST(Progress, OfNoSamplesIsToldOnce) {
  Batch<Mixer> batch = mixers(0, 1);
  int calls = 0;
  (void)eagle::simulate(batch, Mixer{}, {.progress = [&](const Progress&) { ++calls; }});
  EXPECT_EQ(calls, 1);
}

TEST(Progress, DoesNotChangeTheResult) {
  Batch<Mixer> watched = mixers(5000, 1000);
  Batch<Mixer> unwatched = mixers(5000, 1000);
  (void)eagle::simulate(watched, Mixer{}, {.progress = [](const Progress&) {}});
  (void)eagle::simulate(unwatched, Mixer{});
  const auto expected = unwatched.states();
  const auto states = watched.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_EQ(states[i].bits, expected[i].bits) << i;
  }
}

TEST(Progress, WhatTheCallbackThrowsComesOutAndEachSampleIsAtItsStartOrItsEnd) {
  constexpr Index kSamples = 5000;
  Batch<Mixer> reference = mixers(kSamples, 10'000);
  const auto starts = reference.states();
  (void)eagle::simulate(reference, Mixer{});
  const auto ends = reference.states();

  Batch<Mixer> batch = mixers(kSamples, 10'000);
  const auto stop = [](const Progress&) { throw std::runtime_error("the user has seen enough"); };
  EXPECT_THAT([&] { (void)eagle::simulate(batch, Mixer{}, {.progress = stop}); },
              ThrowsMessage<std::runtime_error>("the user has seen enough"));
  const auto states = batch.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    ASSERT_TRUE(states[i].bits == starts[i].bits || states[i].bits == ends[i].bits) << i;
  }
  // The batch and the device are still good.
  EXPECT_EQ(eagle::simulate(batch, Mixer{}).count(eagle::Status::finished), kSamples);
}

}  // namespace
