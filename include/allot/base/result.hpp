// An ordinary refusal is a value: the return type tells the caller that the call can fail.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace allot {

/// Kind of an error. Each edge (HTTP, CLI, Python) maps it to its own status.
enum class ErrorCode {
  invalid_argument,  ///< the request makes no sense
  too_large,         ///< the request exceeds a limit
  not_found,         ///< the thing named does not exist
  conflict,          ///< the request contradicts what is already recorded
  key_reused,        ///< the idempotency key belongs to another request
  forbidden,         ///< not allowed now or to this caller: paused, closed, another's lease
  budget_exhausted,  ///< the budget cannot pay for it
  write_failure,     ///< a file cannot be written: missing folder, no permission, disk full
  store_failure,     ///< the store cannot be read or written: damaged file, disk full
  internal,          ///< allot itself is at fault: an unexpected exception
  outcome_unknown,   ///< the store was lost during a commit, which happened or did not
};

/// An error that the caller can handle or show.
struct Error {
  /// Kind of the error.
  ErrorCode code;
  /// One line: the problem, the value seen and the accepted values.
  std::string message;
};

/// A value or an Error.
template <typename T>
using Result = tl::expected<T, Error>;

/// Makes an error to return from a function with a Result.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected(Error{code, std::move(message)});
}

}  // namespace allot
