#include "eagle/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "tests/support/backend.h"

namespace {

using eagle::Batch;
using eagle::Index;
using eagle::test::testDevice;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A model whose State and Params have words of several sizes, padding, and Eigen vectors.
struct Odd {
  struct State {
    std::uint8_t tag;
    Eigen::Vector3d position;
    float speed;
  };
  struct Params {
    std::uint16_t level;
    std::uint8_t bytes[3];
  };
  EAGLE_HD eagle::Outcome step(State&, const Params&, const eagle::SampleContext&) const { return eagle::finished(); }
};

struct Stateless {
  struct State {};
  struct Params {
    float value;
  };
  EAGLE_HD eagle::Outcome step(State&, const Params&, const eagle::SampleContext&) const { return eagle::finished(); }
};

std::pair<Odd::Params, Odd::State> oddSample(Index i) {
  const auto byte = static_cast<std::uint8_t>(i);
  const auto value = static_cast<double>(i);
  return {{.level = static_cast<std::uint16_t>(i),
           .bytes = {byte, static_cast<std::uint8_t>(i + 1), static_cast<std::uint8_t>(i + 2)}},
          {.tag = byte, .position = {value, -value, 1 / (value + 1)}, .speed = static_cast<float>(i) / 2}};
}

TEST(Batch, AMovedBatchTakesItsSamplesAlong) {
  Batch<Odd> batch(testDevice(), 3);
  batch.fill(oddSample);
  Batch<Odd> moved = std::move(batch);
  EXPECT_EQ(batch.size(), 0);  // NOLINT(bugprone-use-after-move): empty by now
  EXPECT_TRUE(batch.states().empty());
  EXPECT_EQ(moved.states()[2].speed, 1);
  batch = std::move(moved);
  EXPECT_EQ(batch.states().size(), 3U);
}

TEST(Batch, CopiesStatesIntoMemoryThatIsThere) {
  Batch<Odd> batch(testDevice(), 3);
  batch.fill(oddSample);
  std::vector<Odd::State> states(3);
  batch.copyStates(states);
  EXPECT_EQ(states[2].tag, 2);
  states.resize(4);
  EXPECT_THAT([&] { batch.copyStates(states); },
              ThrowsMessage<eagle::Error>(HasSubstr("the batch has 3 samples, the range given 4")));
}

TEST(Batch, GivesBackWhatItWasFilledWithInOrder) {
  constexpr Index kSamples = 200'001;  // more than one chunk of the transfer
  Batch<Odd> batch(testDevice(), kSamples);
  batch.fill(oddSample);
  const auto states = batch.states();
  const auto params = batch.params();
  ASSERT_EQ(states.size(), std::size_t{kSamples});
  ASSERT_EQ(params.size(), std::size_t{kSamples});
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto [p, s] = oddSample(static_cast<Index>(i));
    ASSERT_EQ(states[i].tag, s.tag) << i;
    ASSERT_EQ(states[i].position, s.position) << i;
    ASSERT_EQ(states[i].speed, s.speed) << i;
    ASSERT_EQ(params[i].level, p.level) << i;
    ASSERT_EQ(params[i].bytes[2], p.bytes[2]) << i;
  }
}

TEST(Batch, KeepsOneColumnForEachWord) {
  Batch<Stateless> batch(testDevice(), 3);
  batch.fill([](Index i) { return std::pair{Stateless::Params{static_cast<float>(i)}, Stateless::State{}}; });
  EXPECT_EQ(eagle::Columns<Stateless::State>::kCount, 0);
  EXPECT_EQ(eagle::Columns<Stateless::Params>::kCount, 1);
  EXPECT_EQ(batch.states().size(), 3u);
  EXPECT_EQ(batch.params()[2].value, 2.0f);
}

TEST(Batch, MayBeEmpty) {
  Batch<Odd> batch(testDevice(), 0);
  EXPECT_TRUE(batch.states().empty());
  batch.fill([](Index) -> std::pair<Odd::Params, Odd::State> { throw std::logic_error("there is no sample"); });
  EXPECT_EQ(batch.size(), 0);
}

TEST(Batch, RefusesToShowSamplesThatWereNotFilled) {
  Batch<Odd> batch(testDevice(), 5);
  EXPECT_THAT([&] { (void)batch.states(); }, ThrowsMessage<eagle::Error>(HasSubstr("call fill() first")));
  const auto failing = [](Index i) { return i < 3 ? oddSample(i) : throw std::runtime_error("bad input"); };
  EXPECT_THAT([&] { batch.fill(failing); }, ThrowsMessage<std::runtime_error>("bad input"));
  EXPECT_THROW((void)batch.params(), eagle::Error);
  batch.fill(oddSample);
  EXPECT_EQ(batch.states()[4].tag, 4);
}

TEST(Batch, RefusesNegativeAndAbsurdSizes) {
  EXPECT_THAT([] { Batch<Odd>(testDevice(), -1); }, ThrowsMessage<eagle::Error>(HasSubstr("-1 samples")));
  EXPECT_THAT([] { Batch<Odd>(testDevice(), INT64_MAX); }, ThrowsMessage<eagle::Error>(HasSubstr("no memory has")));
}

TEST(Batch, WithoutMemorySaysHowManyBytesForHowManySamples) {
  // 4 bytes a sample, 4e15 in all: no machine has them.
  constexpr Index kSamples = 1'000'000'000'000'000;
  try {
    Batch<Stateless> batch(testDevice(), kSamples);
    FAIL() << "got the memory";
  } catch (const eagle::Error& error) {
    EXPECT_EQ(error.code(), eagle::ErrorCode::outOfMemory);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("1000000000000000 samples"), HasSubstr("4000000000000000 bytes"),
                                    HasSubstr("4 a sample"), HasSubstr("fewer samples")));
  }
}

TEST(Batch, Moves) {
  Batch<Odd> batch(testDevice(), 10);
  batch.fill(oddSample);
  Batch<Odd> moved = std::move(batch);
  EXPECT_EQ(moved.states()[9].tag, 9);
}

}  // namespace
