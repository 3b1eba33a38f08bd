// Keeps the first exception of many threads until somebody asks for it.
#pragma once

#include <exception>
#include <mutex>
#include <utility>

namespace eagle::graph {

/// Thread-safe.
class FirstError {
 public:
  /// Calls `function`; keeps what it throws if nothing was kept yet. Lets nothing out.
  template <class F>
  void guard(const F& function) noexcept {
    try {
      function();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!error_) {
        error_ = std::current_exception();
      }
    }
  }

  /// Throws the kept exception, once.
  void rethrow() {
    std::exception_ptr error;
    {
      const std::scoped_lock lock(mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) {
      std::rethrow_exception(error);
    }
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace eagle::graph
