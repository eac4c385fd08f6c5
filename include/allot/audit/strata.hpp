// Strata of answers by stated probability: .99 and more, .95 to .99, .8 to .95, and below.
//
// Answers stated at similar probabilities are wrong at similar rates, so checks say more if each
// stratum gets its share of them. The bounds hold whatever the stated probabilities are worth.
// Strata without answers are left out. Cost: O(answers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace allot::audit {

/// Answers stated at a probability from `from` up to but not including `to`; at 1 it is included.
struct Stratum {
  /// Smallest stated probability.
  double from;
  /// Upper end.
  double to;
  /// Number of answers.
  std::uint64_t answers = 0;
  /// Sum of the stated probabilities p.
  double stated = 0;
  /// Sum of sqrt(p (1-p)), the expected spread of the verdicts.
  double spread = 0;
};

/// The strata of some answers, from the highest probability down.
class Strata {
 public:
  /// At least one stated probability, each from 0 to 1.
  explicit Strata(std::span<const double> stated);

  /// Merges a stratum, not the last, with the one below it.
  void merge(std::uint32_t stratum);

  /// The strata, each with at least one answer.
  std::span<const Stratum> all() const { return strata_; }
  /// Number of the stratum of answers stated at this probability.
  std::uint32_t of(double probability) const;

 private:
  std::vector<Stratum> strata_;
};

}  // namespace allot::audit
