// The Beta distribution that matches the posterior after a doubtful label.
//
// A label with likelihood u theta + v (1 - theta) turns Beta(a,b) into the mixture
//   w Beta(a+1, b) + (1-w) Beta(a, b+1),   w = a u / (a u + b v).
// The Beta with the first two moments of the mixture [CLZ eq:a_worker, eq:b_worker] is
//   Beta((a + w) r, (b + 1 - w) r),
//   r = (ab + a(1-w) + b w) / (ab + a(1-w)(1+w) + b w(2-w) + 2 w(1-w)).
// This is the paper's formula with the differences of moments worked out. No term is negative, so
// no digit is lost, and r = 1 exactly for a label beyond doubt (w = 0 or 1).
#pragma once

namespace allot::math {

/// Pseudo-counts of a Beta distribution; not negative, not both 0.
struct BetaShape {
  /// Positive pseudo-count.
  double a = 1;
  /// Negative pseudo-count.
  double b = 1;

  /// Mean of the distribution, a / (a + b).
  double mean() const { return a / (a + b); }
  /// Shapes are equal if both counts are.
  bool operator==(const BetaShape&) const = default;
};

/// The matched posterior after a label with likelihood u theta + v (1 - theta); u and v are not
/// negative and not both 0. A label with u = v, or an impossible one (a u + b v = 0), carries no
/// information: the shape is returned unchanged.
BetaShape matched_after(const BetaShape& shape, double u, double v);

}  // namespace allot::math
