// What oneTBB orders, told to ThreadSanitizer, which does not see into that library.
#pragma once

#if defined(__SANITIZE_THREAD__)
#include <atomic>
#endif

namespace eagle::detail {

/// Called right before tasks are forked and right after they were joined, and by `Task`: what comes before one call in
/// time comes before what follows a later one. Does nothing in builds without ThreadSanitizer.
inline void forkOrJoin() {
#if defined(__SANITIZE_THREAD__)
  static std::atomic<unsigned> calls{0};
  calls.fetch_add(1, std::memory_order_acq_rel);
#endif
}

/// Lives as long as one task runs.
struct Task {
  Task() { forkOrJoin(); }
  ~Task() { forkOrJoin(); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
};

}  // namespace eagle::detail
