// Runs a batch on the host: all cores, and where the model allows it all lanes of their vector units.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>

#include "eagle/base/config.h"
#include "eagle/base/types.h"
#include "eagle/batch/advance.h"
#include "eagle/batch/batch.h"
#include "eagle/batch/columns.h"
#include "eagle/batch/model.h"
#include "eagle/batch/result.h"
#include "eagle/batch/sample_queue.h"

namespace eagle::detail {

template <class M>
constexpr bool isLockstep() {
  if constexpr (requires { M::kLockstep; }) {
    return M::kLockstep;
  } else {
    return true;
  }
}

// A run of one batch on the host, seen by all of its threads.
template <Model M>
struct HostRun {
  using State = typename M::State;
  using Params = typename M::Params;

  [[nodiscard]] State loadState(Index i) const { return Columns<State>::load(batch.stateColumns() + i, batch.size()); }
  [[nodiscard]] Params loadParams(Index i) const {
    return Columns<Params>::load(batch.paramsColumns() + i, batch.size());
  }
  void end(Index i, const State& state, Index steps, std::int32_t standing) const {
    Columns<State>::store(batch.stateColumns() + i, batch.size(), state);
    endings.statuses[static_cast<std::size_t>(i)] = statusOf(standing);
    endings.reasons[static_cast<std::size_t>(i)] = reasonOf(standing);
    endings.steps[static_cast<std::size_t>(i)] = steps;
  }
  // Steps that a sample has made so far, and whether it is to go on.
  [[nodiscard]] Index stepsOf(Index i) const { return endings.steps[static_cast<std::size_t>(i)]; }
  [[nodiscard]] bool isLeft(Index i) const {
    return endings.statuses[static_cast<std::size_t>(i)] == Status::cancelled;
  }

  const Batch<M>& batch;
  const M& model;
  Index maxSteps;
  std::uint64_t seed;
  Index firstSample;
  Endings& endings;  // `cancelled`, with the steps made so far, for those that are to run
  SampleQueue& queue;
};

// Tells one thread when to look whether the run is to end early: often enough where steps take long.
class Lookout {
 public:
  explicit Lookout(const SampleQueue& queue) : queue_(queue), canStop_(queue.canStop()) {}

  // Steps until the next look.
  [[nodiscard]] Index distance() const { return canStop_ ? distance_ : std::numeric_limits<Index>::max(); }
  // Looks, `distance()` steps after the last time.
  bool isOver() {
    if (!canStop_) {
      return false;
    }
    const auto now = Clock::now();
    if (now - last_ < kSeldom / 2 && distance_ < kFarthest) {
      distance_ *= 2;
    } else if (now - last_ > kSeldom && distance_ > 1) {
      distance_ /= 2;
    }
    last_ = now;
    return queue_.isStopped();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kSeldom{200};
  static constexpr Index kFarthest = 1024;

  const SampleQueue& queue_;
  bool canStop_;
  Index distance_ = 1;
  Clock::time_point last_ = Clock::now();
};

// One sample after the other, each to its end.
template <Model M>
void runAlone(const HostRun<M>& run) {
  Lookout lookout(run.queue);
  for (SampleRange range = run.queue.take(); range.begin < range.end; range = run.queue.take()) {
    for (Index i = range.begin; i < range.end; ++i) {
      if (!run.isLeft(i)) {
        continue;
      }
      typename M::State state = run.loadState(i);
      const typename M::Params params = run.loadParams(i);
      SampleContext context{.sample = run.firstSample + i, .step = run.stepsOf(i), .seed = run.seed};
      std::int32_t standing = kCancelled;
      while (standing == kCancelled && !lookout.isOver()) {
        standing = advanceRound(run.model, state, params, context, lookout.distance(), run.maxSteps);
      }
      run.end(i, state, context.step, standing);
      if (standing == kCancelled) {
        return;
      }
      run.queue.ended(1);
    }
  }
}

// A group of samples that step together, one in each lane, so that the compiler can put neighbours into one vector
// register. A lane whose sample has ended goes on with the next one; when there is none, it repeats what another lane
// does, so that no sample is ever stepped past its end and every sample takes the same path through the same code.
template <Model M>
class LaneGroup {
 public:
  explicit LaneGroup(const HostRun<M>& run) : run_(run) {}

  void run() {
    std::fill_n(owners_, kLanes, kNobody);
    std::fill_n(standing_, kLanes, kStepLimit);  // ended, so that refill() places a sample
    Lookout lookout(run_.queue);
    Index untilLook = 0;
    while (refill()) {
      do {
        if (untilLook == 0) {
          if (lookout.isOver()) {
            cancel();
            return;
          }
          untilLook = lookout.distance();
        }
        --untilLook;
      } while (!step());
    }
  }

 private:
  using StateColumns = Columns<typename M::State>;
  using ParamsColumns = Columns<typename M::Params>;
  static constexpr int kLanes = 32;
  static constexpr Index kNobody = -1;

  // Steps every lane once; true if any sample ended.
  EAGLE_FLATTEN bool step() {
    const M model = run_.model;
    const Index maxSteps = run_.maxSteps;
    const Index first = run_.firstSample;
    const std::uint64_t seed = run_.seed;
    std::int64_t ended = 0;
    EAGLE_SIMD
    for (int lane = 0; lane < kLanes; ++lane) {
      typename M::State state = StateColumns::load(&states_[0][lane], kLanes);
      const typename M::Params params = ParamsColumns::load(&params_[0][lane], kLanes);
      SampleContext context{.sample = first + samples_[lane], .step = steps_[lane], .seed = seed};
      const std::int64_t standing = advance(model, state, params, context, maxSteps);
      StateColumns::store(&states_[0][lane], kLanes, state);
      steps_[lane] = context.step;
      standing_[lane] = standing;
      ended |= standing ^ kRunning;
    }
    return ended != 0;
  }

  // One bit for each lane that does not run.
  [[nodiscard]] std::uint64_t ended() const {
    std::uint64_t lanes = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes |= std::uint64_t{standing_[lane] != kRunning} << lane;
    }
    return lanes;
  }

  // Writes back the samples that ended and gives their lanes new work; false if there is none for any lane.
  bool refill() {
    Index count = 0;
    std::uint64_t idle = 0;
    for (std::uint64_t lanes = ended(); lanes != 0; lanes &= lanes - 1) {
      const int lane = std::countr_zero(lanes);
      if (owners_[lane] != kNobody) {
        run_.end(owners_[lane], StateColumns::load(&states_[0][lane], kLanes), steps_[lane],
                 static_cast<std::int32_t>(standing_[lane]));
        ++count;
      }
      owners_[lane] = next();
      if (owners_[lane] != kNobody) {
        place(lane, owners_[lane]);
      } else {
        idle |= std::uint64_t{1} << lane;
      }
    }
    if (count > 0) {
      run_.queue.ended(count);
    }
    return idle == 0 || occupy(idle);
  }

  // Lets lanes without work repeat what another one does; false if no lane has any.
  bool occupy(std::uint64_t idle) {
    const Index* live = std::find_if(owners_, owners_ + kLanes, [](Index owner) { return owner != kNobody; });
    if (live == owners_ + kLanes) {
      return false;
    }
    for (; idle != 0; idle &= idle - 1) {
      repeat(std::countr_zero(idle), static_cast<int>(live - owners_));
    }
    return true;
  }

  // Writes back the samples that run.
  void cancel() {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (owners_[lane] != kNobody) {
        run_.end(owners_[lane], StateColumns::load(&states_[0][lane], kLanes), steps_[lane], kCancelled);
      }
    }
  }

  Index next() {
    for (;;) {
      if (range_.begin == range_.end) {
        range_ = run_.queue.take();
        if (range_.begin == range_.end) {
          return kNobody;
        }
      }
      const Index sample = range_.begin++;
      if (run_.isLeft(sample)) {
        return sample;
      }
    }
  }

  void place(int lane, Index sample) {
    StateColumns::store(&states_[0][lane], kLanes, run_.loadState(sample));
    ParamsColumns::store(&params_[0][lane], kLanes, run_.loadParams(sample));
    samples_[lane] = sample;
    steps_[lane] = run_.stepsOf(sample);
    standing_[lane] = kRunning;
  }

  void repeat(int lane, int live) {
    for (auto& words : states_) {
      words[lane] = words[live];
    }
    for (auto& words : params_) {
      words[lane] = words[live];
    }
    samples_[lane] = samples_[live];
    steps_[lane] = steps_[live];
    standing_[lane] = kRunning;
  }

  const HostRun<M>& run_;
  SampleRange range_;
  alignas(64) typename StateColumns::Word states_[std::max(StateColumns::kCount, 1)][kLanes] = {};
  alignas(64) typename ParamsColumns::Word params_[std::max(ParamsColumns::kCount, 1)][kLanes] = {};
  alignas(64) Index samples_[kLanes] = {};
  alignas(64) Index steps_[kLanes] = {};
  alignas(64) std::int64_t standing_[kLanes];
  Index owners_[kLanes];
};

template <Model M>
void runOnHost(const HostRun<M>& run) {
  run.queue.run([&run] {
    if constexpr (isLockstep<M>()) {
      LaneGroup<M>(run).run();
    } else {
      runAlone(run);
    }
  });
}

}  // namespace eagle::detail
