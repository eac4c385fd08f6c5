// What must hold whatever bytes come from outside; a fuzzer sees the abort.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace allot::test {

inline void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace allot::test
