// Passes an error on to the caller in one word:
//
//   const Money price = TRY(parse_money(text));
//
// TRY gives the value of the Result, or returns its error from the enclosing function, which must
// return a Result too. It is a statement expression (GCC and Clang), so it stays out of public
// headers. Coroutines, and lambdas that do not return a Result, cannot use it. In braces it may
// stand in the first place only: if it returns later, GCC does not destroy what stands before it.
#pragma once

#include <utility>

#include "allot/base/result.hpp"

namespace allot {

template <typename T>
T take_value(Result<T>&& result) {
  return *std::move(result);
}
inline void take_value(Result<void>&&) {}

}  // namespace allot

#define TRY(...) ALLOT_TRY_NAMED(ALLOT_TRY_JOIN(try_result_, __COUNTER__), __VA_ARGS__)
#define ALLOT_TRY_JOIN(a, b) ALLOT_TRY_JOIN_EXPANDED(a, b)
#define ALLOT_TRY_JOIN_EXPANDED(a, b) a##b
#define ALLOT_TRY_NAMED(name, ...)                               \
  __extension__({                                                \
    auto name = (__VA_ARGS__);                                   \
    if (!name) return ::tl::unexpected(std::move(name).error()); \
    ::allot::take_value(std::move(name));                        \
  })
