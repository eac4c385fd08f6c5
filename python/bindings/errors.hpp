// Refusals of the library as Python exceptions that keep their sentence.
//
//   invalid_argument, too_large                   ValueError
//   not_found, conflict, forbidden, ...           allot.Refused, a ValueError with a `code`
//   write_failure, store_failure, ...             OSError
// Sentences call an option by its name in Python: `--refit-by` becomes `refit_by`.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "allot/base/result.hpp"

namespace allot::python {

/// A refusal on its way to the interpreter.
class Refusal : public std::exception {
 public:
  explicit Refusal(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// The value; throws a Refusal if there is none.
template <typename T>
T checked(Result<T> result) {
  if (!result) throw Refusal(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// The sentence with the options' names in Python: "--refit-by" becomes "refit_by".
std::string in_python(const std::string& sentence);

/// The error with "row 3" for "line 3", for tables whose rows have no lines.
Error in_rows(Error error);

}  // namespace allot::python
