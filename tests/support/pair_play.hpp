// One choice of a chooser, compared with that of the double loop.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "support/pair_scan.hpp"

namespace allot::test {

/// A chooser and the double loop over the same crowd and offers, with equal random numbers.
struct PairPlay {
  policy::PairChooser& chooser;
  const PairScan& scan;
  Rng fast, slow;

  PairPlay(policy::PairChooser& tested, const PairScan& loop, std::uint64_t seed)
      : chooser(tested), scan(loop), fast(seed, Rng::Purpose::tie), slow(fast) {}

  std::optional<policy::Pair> push() {
    const auto pair = chooser.choose(fast);
    EXPECT_EQ(pair, scan.choose(slow));
    return pair;
  }
  /// Nothing if there is no item left for the worker.
  std::optional<policy::Pair> pull(WorkerId worker) {
    const auto item = chooser.choose(worker, fast);
    EXPECT_EQ(item, scan.choose(worker, slow));
    return item ? std::optional(policy::Pair{*item, worker}) : std::nullopt;
  }
};

}  // namespace allot::test
