// Numbers of twice the working precision: the unevaluated sum hi + lo of two doubles, |lo| at most
// half an ulp of hi. Branch-free and without fused operations, so that a loop over lanes vectorises
// and every processor rounds alike. Sums and products carry about 104 bits. Dekker 1971; Knuth,
// TAOCP vol. 2, 4.2.2.
#pragma once

namespace allot::math {

struct DoubleDouble {
  double hi;
  double lo;
};

[[gnu::always_inline]] inline DoubleDouble quick_two_sum(double large, double small) {
  const double sum = large + small;
  return {sum, small - (sum - large)};
}

[[gnu::always_inline]] inline DoubleDouble two_sum(double x, double y) {
  const double sum = x + y;
  const double y_part = sum - x;
  return {sum, (x - (sum - y_part)) + (y - y_part)};
}

[[gnu::always_inline]] inline DoubleDouble two_product(double x, double y) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double xs = kSplit * x, ys = kSplit * y;
  const double xh = xs - (xs - x), yh = ys - (ys - y);
  const double xl = x - xh, yl = y - yh;
  const double product = x * y;
  return {product, ((xh * yh - product) + xh * yl + xl * yh) + xl * yl};
}

[[gnu::always_inline]] inline DoubleDouble operator+(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble sum = two_sum(x.hi, y.hi);
  return quick_two_sum(sum.hi, sum.lo + (x.lo + y.lo));
}

[[gnu::always_inline]] inline DoubleDouble operator-(DoubleDouble x, DoubleDouble y) {
  return x + DoubleDouble{-y.hi, -y.lo};
}

[[gnu::always_inline]] inline DoubleDouble operator*(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble product = two_product(x.hi, y.hi);
  return quick_two_sum(product.hi, product.lo + (x.hi * y.lo + x.lo * y.hi));
}

[[gnu::always_inline]] inline DoubleDouble operator*(DoubleDouble x, double power_of_two) {
  return {x.hi * power_of_two, x.lo * power_of_two};
}

[[gnu::always_inline]] inline DoubleDouble operator/(DoubleDouble x, DoubleDouble y) {
  const double first = x.hi / y.hi;
  const DoubleDouble product = two_product(first, y.hi);
  const double rest = ((x.hi - product.hi) - product.lo) + (x.lo - first * y.lo);
  return quick_two_sum(first, rest / y.hi);
}

}  // namespace allot::math
