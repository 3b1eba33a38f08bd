// Runs that are told to stop, or whose time is up, and go on later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "eagle/batch/batch.h"
#include "eagle/batch/simulate.h"
#include "tests/support/backend.h"

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::Progress;
using eagle::Result;
using eagle::Status;
using eagle::test::testDevice;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A random walk with many roundings, keyed by sample and step, of a number of steps of its own.
template <bool lockstep>
struct Walk {
  static constexpr bool kLockstep = lockstep;
  struct State {
    double x;
    std::int64_t steps;
  };
  struct Params {
    std::int64_t stop;
  };
  EAGLE_HD eagle::Outcome step(State& s, const Params& p, const eagle::SampleContext& context) const {
    const auto bits = static_cast<std::uint64_t>(context.sample * 7919 + context.step) * 0x9e3779b97f4a7c15;
    constexpr double kDt = 0.01;
    const double t = static_cast<double>(context.step) * kDt;
    s.x = 0.999 * s.x + 0.1 * (static_cast<double>(bits >> 11) * 0x1p-53 - 0.5) * s.x + kDt * (0.7 + 0.2 * t);
    ++s.steps;
    return context.step + 1 >= p.stop ? eagle::finished() : eagle::running();
  }
};
using Together = Walk<true>;
using Alone = Walk<false>;

EAGLE_TEST_MODEL(Together);
EAGLE_TEST_MODEL(Alone);

constexpr Index kSamples = 3000;
Index stopOf(Index i) {
  return i % 97 == 0 ? 5000 : 1 + i * 37 % 2000;
}

template <class M>
Batch<M> walks() {
  Batch<M> batch(testDevice(), kSamples);
  batch.fill([](Index i) {
    return std::pair{typename M::Params{stopOf(i)}, typename M::State{1 + 1e-3 * static_cast<double>(i), 0}};
  });
  return batch;
}

template <class M>
void expectSame(const Batch<M>& batch, const Result& result, const Batch<M>& other, const Result& expected) {
  const auto states = batch.states();
  const auto others = other.states();
  for (Index i = 0; i < kSamples; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ASSERT_EQ(result.status(i), expected.status(i)) << i;
    ASSERT_EQ(result.reason(i), expected.reason(i)) << i;
    ASSERT_EQ(result.steps(i), expected.steps(i)) << i;
    ASSERT_EQ(states[k].steps, others[k].steps) << i;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(states[k].x), std::bit_cast<std::uint64_t>(others[k].x)) << i;
  }
}

template <class M>
class Stop : public testing::Test {};
using Models = testing::Types<Together, Alone>;
TYPED_TEST_SUITE(Stop, Models);

TYPED_TEST(Stop, ThatNeverComesChangesNothing) {
  Batch<TypeParam> whole = walks<TypeParam>();
  const Result expected = eagle::simulate(whole, TypeParam{});
  Batch<TypeParam> batch = walks<TypeParam>();
  const std::stop_source source;
  const Result result = eagle::simulate(batch, TypeParam{}, {.stop = source.get_token(), .maxSeconds = 3600});
  expectSame(batch, result, whole, expected);
  EXPECT_EQ(result.count(Status::finished), kSamples);
}

TYPED_TEST(Stop, ThatWasAskedForBeforehandRunsNothing) {
  Batch<TypeParam> batch = walks<TypeParam>();
  std::stop_source source;
  source.request_stop();
  std::vector<Index> done;
  const Result result = eagle::simulate(
      batch, TypeParam{}, {.progress = [&](const Progress& p) { done.push_back(p.done); }, .stop = source.get_token()});
  EXPECT_EQ(result.count(Status::cancelled), kSamples);
  EXPECT_EQ(result.totalSteps(), 0);
  EXPECT_EQ(done.back(), 0);
  EXPECT_EQ(batch.states()[5].steps, 0);
  EXPECT_EQ(eagle::simulate(batch, TypeParam{}, {.maxSeconds = 0}).count(Status::cancelled), kSamples);
}

TYPED_TEST(Stop, LeavesSamplesThatResumeAsIfNothingHadHappened) {
  Batch<TypeParam> whole = walks<TypeParam>();
  const Result expected = eagle::simulate(whole, TypeParam{}, {.maxSteps = 4000, .seed = 3});
  Batch<TypeParam> batch = walks<TypeParam>();
  // By steps: every sample that is not done has made as many as it may.
  Result result = eagle::simulate(batch, TypeParam{}, {.maxSteps = 100, .seed = 3});
  EXPECT_GT(result.count(Status::stepLimit), 0);
  result = eagle::resume(batch, TypeParam{}, result, {.maxSteps = 777, .seed = 3});
  // By time, over and over: each goes on from where it was.
  int runs = 0;
  do {
    result = eagle::resume(batch, TypeParam{}, result, {.maxSteps = 4000, .seed = 3, .maxSeconds = 1e-4});
    for (Index i = 0; i < kSamples; ++i) {
      ASSERT_LE(result.steps(i), expected.steps(i));
    }
  } while (result.count(Status::cancelled) > 0 && ++runs < 100'000);
  expectSame(batch, result, whole, expected);
  EXPECT_EQ(result.count(Status::stepLimit), expected.count(Status::stepLimit));
  EXPECT_GT(result.seconds(), 0);
}

TYPED_TEST(Stop, FromAnotherThreadEndsTheRun) {
  Batch<TypeParam> batch(testDevice(), 10);
  batch.fill([](Index) { return std::pair{typename TypeParam::Params{INT64_MAX}, typename TypeParam::State{1, 0}}; });
  std::stop_source source;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    source.request_stop();
  });
  const Result result =
      eagle::simulate(batch, TypeParam{}, {.maxSteps = INT64_MAX, .stop = source.get_token(), .maxSeconds = 60});
  EXPECT_EQ(result.count(Status::cancelled), 10);
  const auto states = batch.states();
  for (Index i = 0; i < 10; ++i) {
    EXPECT_EQ(states[static_cast<std::size_t>(i)].steps, result.steps(i));
  }
}

TEST(Resume, StepsNoSampleThatEnded) {
  Batch<Together> batch = walks<Together>();
  const Result first = eagle::simulate(batch, Together{});
  const Result second = eagle::resume(batch, Together{}, first);
  EXPECT_EQ(second.totalSteps(), first.totalSteps());
  EXPECT_EQ(second.count(Status::finished), kSamples);
  EXPECT_EQ(batch.states()[10].steps, stopOf(10));
}

TEST(Resume, RefusesAnotherBatchsResultAndBadTimes) {
  Batch<Together> batch = walks<Together>();
  Batch<Together> small(testDevice(), 1);
  small.fill([](Index) { return std::pair{Together::Params{1}, Together::State{}}; });
  const Result result = eagle::simulate(small, Together{});
  EXPECT_THAT([&] { (void)eagle::resume(batch, Together{}, result); },
              ThrowsMessage<eagle::Error>(HasSubstr("has 3000 samples, the result given 1")));
  EXPECT_THROW((void)eagle::simulate(batch, Together{}, {.maxSeconds = -1}), eagle::Error);
  EXPECT_THROW((void)eagle::simulate(batch, Together{}, {.maxSeconds = std::nan("")}), eagle::Error);
}

}  // namespace
