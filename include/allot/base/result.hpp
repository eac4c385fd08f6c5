// An ordinary refusal is a value: the caller meets it in the type.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace allot {

enum class ErrorCode {
  invalid_argument,  // what was asked for makes no sense
  too_large,         // it makes sense, but does not fit the limits
  not_found,         // what was named is not there
  conflict,          // it contradicts what is already there
  key_reused,        // its key is that of another request
  forbidden,         // not now, or not by this one: paused, closed, another's lease
  budget_exhausted,  // there is no money for it
  write_failure,     // a file cannot be written: no such folder, no permission, a full disk
  store_failure,     // what is kept cannot be read or added to: a damaged file, a full disk
};

struct Error {
  ErrorCode code;
  /// What was wrong, the value seen and what would have been accepted, in one line.
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected(Error{code, std::move(message)});
}

}  // namespace allot
