// A number of checks, fixed before the first, that is drawn at random within strata.
//
// Three quarters of the checks go to the strata (audit/strata.hpp) by their number of answers, one
// quarter by their sum of sqrt(p (1-p)), p the stated probability. A stratum that would get fewer
// than 15 is merged with the smaller of its neighbours. No answer is drawn twice, and each has the
// same chance within its stratum. The order of the draws is random, so that an expert cannot tell
// the strata apart.
//
// More checks by spread would leave fewer to the large strata, where a wrong answer weighs most.
//
// The checks prove something once, when all are done. To look after every check, use
// audit/sequential_design.hpp. Cost: O(answers) in time and memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/audit/strata.hpp"
#include "allot/audit/verdict.hpp"

namespace allot::audit {

/// The answers to check; a function of its arguments alone.
class FixedDesign {
 public:
  /// From one stated probability per item. At least one check, at most one per item.
  FixedDesign(std::span<const double> stated, std::uint64_t checks, std::uint64_t seed);

  /// The strata, merged.
  std::span<const Stratum> strata() const { return strata_.all(); }
  /// The strata before merging, to plan an audit of another size.
  const Strata& unmerged() const { return unmerged_; }
  /// Number of checks of each stratum.
  std::span<const std::uint64_t> checks() const { return checks_; }
  /// The answers to check; q is the chance that the item is among them.
  std::span<const Draw> draws() const { return draws_; }

 private:
  Strata unmerged_, strata_;
  std::vector<std::uint64_t> checks_;
  std::vector<Draw> draws_;
};

/// Merges strata that would get too few of the checks, and returns the number of each stratum.
std::vector<std::uint64_t> allocate(Strata& strata, std::uint64_t checks);

}  // namespace allot::audit
