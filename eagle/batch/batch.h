// Many samples of one model, on a device.
#pragma once

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/base/device.h"
#include "eagle/base/error.h"
#include "eagle/base/types.h"
#include "eagle/batch/columns.h"
#include "eagle/batch/model.h"

namespace eagle {

namespace detail {

// Calls `allocate`, which needs host memory for so many samples; says so where there is none.
template <class Allocate>
auto onHost(Index samples, std::size_t bytesEach, const Allocate& allocate) {
  try {
    return allocate();
  } catch (const std::exception&) {  // bad_alloc, or length_error
    throw Error(ErrorCode::outOfMemory, "the host has no memory for " + std::to_string(samples) + " samples of " +
                                            std::to_string(bytesEach) + " bytes, " +
                                            std::to_string(static_cast<std::size_t>(samples) * bytesEach) +
                                            " in all: use fewer samples, or run them in several batches");
  }
}

}  // namespace detail

/// `size` samples of model M on `device`, each with a State and Params; move-only. Kept as columns (see Columns).
/// Samples are numbered from 0; fill() comes before anything else. Copies return once they are done. Not for use by
/// several threads at once.
template <Model M>
class Batch {
 public:
  using State = typename M::State;
  using Params = typename M::Params;
  /// What the columns of states and parameters hold.
  using StateWord = typename Columns<State>::Word;
  using ParamsWord = typename Columns<Params>::Word;

  /// Throws Error: invalidArgument for a negative or absurd size, outOfMemory naming samples and bytes.
  Batch(const Device& device, Index size)
      : size_(checked(size)),
        states_(allocate<StateWord>(device, size, Columns<State>::kCount)),
        params_(allocate<ParamsWord>(device, size, Columns<Params>::kCount)) {}
  /// The other batch is empty afterwards.
  Batch(Batch&& other) noexcept
      : size_(std::exchange(other.size_, 0)),
        states_(std::move(other.states_)),
        params_(std::move(other.params_)),
        filled_(std::exchange(other.filled_, false)) {}
  /// Exchanges the two.
  Batch& operator=(Batch&& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(states_, other.states_);
    std::swap(params_, other.params_);
    std::swap(filled_, other.filled_);
    return *this;
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() = default;

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] const Device& device() const { return states_.device(); }

  /// Sets sample i to the `std::pair<Params, State>` that `make(i)` returns, for i from 0 in ascending order, on this
  /// thread. If `make` throws, the batch must be filled again.
  template <class Make>
  void fill(Make&& make) {
    filled_ = false;
    std::vector<StateWord> states(chunkWords(Columns<State>::kCount));
    std::vector<ParamsWord> params(chunkWords(Columns<Params>::kCount));
    for (Index begin = 0; begin < size_; begin += kChunk) {
      const Index count = std::min(kChunk, size_ - begin);
      for (Index i = 0; i < count; ++i) {
        const std::pair<Params, State> sample = make(begin + i);
        Columns<Params>::store(params.data() + i, count, sample.first);
        Columns<State>::store(states.data() + i, count, sample.second);
      }
      copyIn(states_, states, begin, count);
      copyIn(params_, params, begin, count);
    }
    filled_ = true;
  }

  /// All states, as a copy on the host in the order of the samples: those given to fill(), or those that a run ended
  /// with. Throws Error: invalidState before fill(), outOfMemory of the host.
  [[nodiscard]] std::vector<State> states() const { return toHost<State>(states_); }
  /// All parameters, as given to fill(). Throws likewise.
  [[nodiscard]] std::vector<Params> params() const { return toHost<Params>(params_); }
  /// All states into memory there is already, such as was set aside before a long run. Throws Error: invalidState
  /// before fill(), invalidArgument unless there is room for exactly size() states.
  void copyStates(std::span<State> states) const {
    requireFilled();
    if (static_cast<Index>(states.size()) != size_) {
      throw Error(ErrorCode::invalidArgument, "the batch has " + std::to_string(size_) + " samples, the range given " +
                                                  std::to_string(states.size()));
    }
    copyOut(states_, states);
  }

  /// Throws Error (invalidState) unless the samples have been filled.
  void requireFilled() const {
    if (!filled_ && size_ > 0) {
      throw Error(ErrorCode::invalidState, "the samples of this batch have no values yet: call fill() first");
    }
  }

  /// The columns of states in the device's memory, for engines and kernels: word k of sample i is at
  /// `[k * size() + i]`. The batch keeps them.
  [[nodiscard]] StateWord* stateColumns() const { return states_.data(); }
  /// The columns of parameters likewise.
  [[nodiscard]] const ParamsWord* paramsColumns() const { return params_.data(); }

 private:
  static constexpr Index kChunk = 1 << 16;
  static constexpr std::size_t kBytes =
      Columns<State>::kCount * sizeof(StateWord) + Columns<Params>::kCount * sizeof(ParamsWord);

  static Index checked(Index size) {
    if (size < 0) {
      throw Error(ErrorCode::invalidArgument,
                  "a batch cannot have " + std::to_string(size) + " samples: ask for 0 or more");
    }
    if (kBytes > 0 && size > INT64_MAX / static_cast<Index>(kBytes)) {
      throw Error(ErrorCode::invalidArgument, "a batch cannot have " + std::to_string(size) + " samples of " +
                                                  std::to_string(kBytes) + " bytes: no memory has so many bytes");
    }
    return size;
  }

  template <class Word>
  static Buffer<Word> allocate(const Device& device, Index size, int words) {
    try {
      return Buffer<Word>(device, size * words);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::outOfMemory) {
        throw;
      }
      throw Error(ErrorCode::outOfMemory, "a batch of " + std::to_string(size) + " samples needs " +
                                              std::to_string(static_cast<std::size_t>(size) * kBytes) + " bytes on " +
                                              device.name() + " (" + std::to_string(kBytes) + " a sample): " +
                                              error.what() + ". Use fewer samples, or run them in several batches");
    }
  }

  [[nodiscard]] std::size_t chunkWords(int words) const {
    return static_cast<std::size_t>(words * std::min(kChunk, size_));
  }

  template <class Word>
  void copyIn(Buffer<Word>& columns, const std::vector<Word>& chunk, Index begin, Index count) {
    for (Index k = 0; k * size_ < columns.size(); ++k) {
      device().platform().copyIn(device().ordinal(), columns.data() + k * size_ + begin, chunk.data() + k * count,
                                 static_cast<std::size_t>(count) * sizeof(Word));
    }
  }

  template <class T, class Word>
  std::vector<T> toHost(const Buffer<Word>& columns) const {
    requireFilled();
    std::vector<T> values =
        detail::onHost(size_, sizeof(T), [&] { return std::vector<T>(static_cast<std::size_t>(size_)); });
    copyOut(columns, std::span<T>(values));
    return values;
  }

  template <class T, class Word>
  void copyOut(const Buffer<Word>& columns, std::span<T> values) const {
    std::vector<Word> chunk(chunkWords(Columns<T>::kCount));
    for (Index begin = 0; begin < size_; begin += kChunk) {
      const Index count = std::min(kChunk, size_ - begin);
      for (Index k = 0; k < Columns<T>::kCount; ++k) {
        device().platform().copyOut(device().ordinal(), chunk.data() + k * count, columns.data() + k * size_ + begin,
                                    static_cast<std::size_t>(count) * sizeof(Word));
      }
      for (Index i = 0; i < count; ++i) {
        values[static_cast<std::size_t>(begin + i)] = Columns<T>::load(chunk.data() + i, count);
      }
    }
  }

  Index size_;
  Buffer<StateWord> states_;
  Buffer<ParamsWord> params_;
  bool filled_ = false;
};

}  // namespace eagle
