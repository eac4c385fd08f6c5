// What the checks of a fixed design prove.
//
// The right answers of a stratum have the posterior Beta(k, n - k), n checks, k of them right. A
// lower bound is the quantile of the sum over strata after one more wrong check where that hurts
// most [FF97], an upper bound the mirror image. The sum counts as many answers as there are: an
// answer that was checked is known. With one stratum the bounds are exact: Clopper and Pearson's
// for draws without replacement. Only one look is valid.
//
// A drawn answer without a verdict counts as wrong for lower bounds and as right for upper ones. So
// the bounds hold whatever the reason is, such as an expert who skips difficult items.
//
// tests/unit/audit/coverage_test.cpp measures the coverage of 95 % lower bounds: at least .94 in
// 1,000 audits of every world. With two strata, no pattern of errors has less than .94
// (count_bound_test.cpp, without sampling); with more strata it is measured, not proven,
// and rare errors in all of them can make it a little lower.
// Cost: O(answers + 2048^2) per stratum and share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/audit/fixed_design.hpp"
#include "allot/audit/verdict.hpp"

namespace allot::audit {

/// Accuracy and class shares, estimated from the verdicts on a fixed design. The design must
/// outlive it.
class FixedEstimate {
 public:
  /// At most one verdict per drawn item, in any order. Confidence is between 1/2 and 1.
  FixedEstimate(const FixedDesign& design, std::span<const Verdict> verdicts, double confidence);

  /// Number of answers that were checked.
  std::uint64_t checked() const;
  /// Number of checked answers that were right.
  std::uint64_t right() const;
  /// Number of drawn answers without a verdict.
  std::uint64_t missing() const;

  /// The share of right answers.
  Bounds accuracy() const;
  /// The accuracy of each stratum of the design.
  std::vector<StratumEstimate> strata() const;
  /// The share of items of each class.
  std::vector<Bounds> shares(std::uint32_t class_count) const;

  /// The checks that a new audit needs to prove the target, if answers turn out right as often as
  /// the verdicts say. Nothing if no number is expected to.
  std::optional<std::uint64_t> checks_to_prove(double target) const;

 private:
  /// Verdicts of one stratum that agree with a property.
  struct Count {
    std::uint64_t checked = 0, positive = 0;
  };
  template <typename Property>
  std::vector<Count> count(Property property) const;
  Bounds bounds(std::span<const Count> counts, std::size_t from, std::size_t to) const;
  double expected_bound(std::uint64_t checks) const;

  const FixedDesign& design_;
  double risk_;
  std::vector<std::optional<Verdict>> verdicts_;  // per draw
};

}  // namespace allot::audit
