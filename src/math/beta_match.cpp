#include "allot/math/beta_match.hpp"

namespace allot::math {

BetaShape matched_after(const BetaShape& shape, double u, double v) {
  if (u == v) return shape;
  const auto [a, b] = shape;
  const double sum = a * u + b * v;
  if (sum == 0) return shape;  // an impossible label
  const double w = a * u / sum, not_w = b * v / sum;
  const double spread = a * not_w + b * w + a * b;
  const double r = spread / (a * not_w * (1 + w) + b * w * (1 + not_w) + 2 * w * not_w + a * b);
  return {(a + w) * r, (b + not_w) * r};
}

}  // namespace allot::math
