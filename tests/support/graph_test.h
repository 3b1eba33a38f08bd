// What the tests of graphs share: the backend's names and small kernels.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "eagle/base/buffer.h"
#include "eagle/base/config.h"
#include "eagle/graph/graph.h"
#include "tests/support/backend.h"

#if defined(EAGLE_TEST_CUDA)
#include "eagle/cuda/graph.h"
#include "eagle/cuda/launch.cuh"
namespace backend = eagle::cuda;
#else
#include "eagle/host/graph.h"
#include "eagle/host/launch.h"
namespace backend = eagle::host;
#endif

namespace eagle::test {

/// Adds 1 to a cell.
struct Increment {
  EAGLE_HD void operator()(Index i, int* cells) const { cells[i] += 1; }
};

/// cells[i] = 10 * cells[i] + digit: the digits of a cell tell which kernels ran, and in what order.
struct Append {
  EAGLE_HD void operator()(Index i, int* cells, int digit) const { cells[i] = 10 * cells[i] + digit; }
};

/// Cells on the device under test, all 0.
class Cells {
 public:
  explicit Cells(Index size) : buffer_(testDevice(), std::vector<int>(static_cast<std::size_t>(size), 0)) {}
  [[nodiscard]] int* data() const { return buffer_.data(); }
  [[nodiscard]] std::vector<int> values() const { return buffer_.toHost(); }

 private:
  Buffer<int> buffer_;
};

/// n cells of `value`, then 0 up to `size`.
inline std::vector<int> firstCells(Index n, Index size, int value) {
  std::vector<int> cells(static_cast<std::size_t>(size), 0);
  std::fill_n(cells.begin(), n, value);
  return cells;
}

/// Holds a launch in flight until it is opened.
class Gate {
 public:
  /// For a host node: returns once the gate is open.
  [[nodiscard]] std::function<void()> node() const {
    return [open = opened_] { open.wait(); };
  }
  void open() { open_.set_value(); }

 private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

inline void runOnce(Launcher& launcher) {
  launcher.launch();
  launcher.synchronize();
}

/// The message of the Error that `action` throws; fails if it throws none.
template <class F>
std::string errorOf(ErrorCode code, F&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace eagle::test
