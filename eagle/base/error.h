// The one exception type of the library.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace eagle {

/// What kind of problem an Error reports.
enum class ErrorCode {
  invalidArgument,  ///< a value the call cannot work with
  invalidState,     ///< the object is not in a state that allows the call
  outOfMemory,      ///< memory of a host or a device is exhausted
  unavailable,      ///< a device, driver or feature is not there
  backend,          ///< a backend call failed
  io,               ///< a file could not be read or written
};

/// An error that says the problem, its reason and what to do. `where()` is the line of eagle that threw it.
class Error : public std::runtime_error {
 public:
  /// `where` is the line that found the problem, in general one of the library.
  Error(ErrorCode code, const std::string& message, std::source_location where = std::source_location::current())
      : std::runtime_error(message), code_(code), where_(where) {}

  /// What kind of problem it is.
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  /// The line that found the problem.
  [[nodiscard]] const std::source_location& where() const noexcept { return where_; }

 private:
  ErrorCode code_;
  std::source_location where_;
};

}  // namespace eagle
