// The Beta distribution nearest to what a doubtful label leaves of one.
//
// A label whose likelihood is u theta + v (1 - theta) turns Beta(a,b) into the mixture
//   w Beta(a+1, b) + (1-w) Beta(a, b+1),   w = a u / (a u + b v),
// and the Beta with its first two moments [CLZ eq:a_worker, eq:b_worker] is
//   Beta((a + w) r, (b + 1 - w) r),
//   r = (ab + a(1-w) + b w) / (ab + a(1-w)(1+w) + b w(2-w) + 2 w(1-w)).
// This is the paper's formula with the differences of moments worked out: no term is negative, so
// no digit is lost, and r = 1 exactly where the label is beyond doubt (w = 0 or 1).
#pragma once

namespace allot::math {

/// Pseudo-counts of a Beta distribution; not negative, not both 0.
struct BetaShape {
  double a = 1;
  double b = 1;

  double mean() const { return a / (a + b); }
  bool operator==(const BetaShape&) const = default;
};

/// The matched posterior after a label with likelihood u theta + v (1 - theta); u and v are not
/// negative and not both 0. Where u = v the label says nothing, and where it cannot come (a u + b v
/// is 0) there is nothing to learn from it; the shape is returned as it is.
BetaShape matched_after(const BetaShape& shape, double u, double v);

}  // namespace allot::math
