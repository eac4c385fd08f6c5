// Every parser of bytes from outside, as a function that takes any bytes.
//
// scripts/fuzz runs them under libFuzzer; corpus_test.cpp runs them on the seeds in fuzz/corpus and
// on random changes of these.
#pragma once

#include <span>
#include <string_view>

namespace allot::test {

struct FuzzTarget {
  std::string_view name;  ///< also that of its folder in fuzz/corpus
  /// Parses the bytes. Aborts if something that must always hold does not.
  void (*check)(std::string_view bytes);
};

std::span<const FuzzTarget> fuzz_targets();

}  // namespace allot::test
