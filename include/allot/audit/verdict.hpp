// Verdicts of an expert on answers, and what they prove about all answers.
#pragma once

#include <cstdint>

#include "allot/base/ids.hpp"

namespace allot::audit {

/// The smallest confidence of bounds that audits take.
inline constexpr double kLeastConfidence = 0.500001;
/// The largest confidence of bounds that audits take.
inline constexpr double kMostConfidence = 0.999999;

/// An answer to check, as a design draws it.
struct Draw {
  /// Item whose answer is checked.
  ItemId item;
  /// Stratum of the item, by stated probability (audit/strata.hpp).
  std::uint32_t stratum;
  /// Probability of this draw; see the design that made it.
  double q;
};

/// What an expert found about the answer of an item.
struct Verdict {
  /// Item that was drawn.
  ItemId item;
  /// The answer as it was when the item was drawn. It must not have used this verdict.
  ClassId answer;
  /// The class that the expert gave the item.
  ClassId truth;

  /// Whether the answer is right.
  bool right() const { return answer == truth; }
};

/// A share of all answers, such as the accuracy, and what is proven about it.
struct Bounds {
  /// The share, estimated from the checks.
  double estimate;
  /// One-sided lower bound: the share is at least this, with the given confidence.
  double lower;
  /// Lower end of the two-sided interval; each side has half of the risk.
  double low;
  /// Upper end of the two-sided interval.
  double high;
};

/// What the checks of one stratum tell.
struct StratumEstimate {
  /// Number of its answers that were checked.
  std::uint64_t checked;
  /// Number of its checked answers that were right.
  std::uint64_t right;
  /// Accuracy of its answers. Bounds of several strata do not hold all at once.
  Bounds accuracy;
};

}  // namespace allot::audit
