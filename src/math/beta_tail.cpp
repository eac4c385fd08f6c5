// How the numbers are computed, for A >= B after the swap that the symmetry I(a,b) = 1 - I(b,a)
// allows.
//
// The kernel. Parameters below 8 are lifted by 8 through Gamma(x+1) = x Gamma(x). Then, with S = A
// + B and delta the remainder of Stirling's series,
//   c(A,B) = sqrt(A B / (2 pi S)) exp(-D + delta(S) - delta(A) - delta(B)),
//   D = (A-B)/2 log(A/B) + S/2 log(4 A B / S^2)     the binomial deviance.
// At most half of the terms of D cancel. D may reach 700 and its error is a relative error of c, so
// D is a double-double.
//
// The tail. DiDonato and Morris's continued fraction [DM92 sec. 3] at x = 1/2, evaluated from the
// back. Its depth depends on the state alone. Trials over A from 1e-3 to 2e7 and all B <= A found a
// depth that is enough for 3e-17.
//
// The loops over lanes are written for the vectoriser; this file is compiled with -O3.
#include "allot/math/beta_tail.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "allot/base/check.hpp"
#include "base/every_processor.hpp"
#include "math/double_double.hpp"
#include "math/lane_exp.hpp"

namespace allot::math {
namespace {

constexpr std::size_t kLanes = 16;
constexpr double kLargestParameter = 1e15;
constexpr int kLift = 8;
constexpr DoubleDouble kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

struct KernelParts {
  double factor;  // c = factor * exp(-deviance)
  DoubleDouble deviance;
};

/// The integer n with x / 2^n in [sqrt(1/2), sqrt(2)), as a double.
[[gnu::always_inline]] inline double binary_exponent(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  const std::uint64_t biased = (std::bit_cast<std::uint64_t>(x) + (kOne - kSqrtHalf)) >> 52;
  return std::bit_cast<double>(biased | 0x4330000000000000) - (0x1.0p52 + 1023);
}

/// exp(-(x.hi + x.lo)) for x >= 0; underflows gradually to 0.
[[gnu::always_inline]] inline double exp_minus(DoubleDouble x) {
  const double hi = x.hi < 1400 ? x.hi : 1400.0;
  const double n = nearest(hi * -std::numbers::log2e);
  const double r = ((-hi - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33) - x.lo;
  constexpr std::array<double, 12> kTaylor{
      0.5,         1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
      1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const double p = (polynomial(kTaylor, r) * r) * r + r + 1.0;
  const double half = nearest(n * 0.5);
  return p * power_of_two(half) * power_of_two(n - half);
}

/// 2 atanh(f) for |f| <= 0.172: the logarithm of (1+f)/(1-f). Relative error about 1e-18.
[[gnu::always_inline]] inline DoubleDouble log_ratio(DoubleDouble f) {
  const double u = f.hi * f.hi;
  constexpr std::array<double, 11> kFromFifth{1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                              1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19,
                                              1.0 / 21, 1.0 / 23, 1.0 / 25};
  const double p = polynomial(kFromFifth, u) * u;
  // u/3 is the only correction large enough to need its own rounding error.
  const DoubleDouble square = f * f;
  const DoubleDouble third = square * DoubleDouble{1.0 / 3, 0x1.5555555555555p-56};
  const DoubleDouble series = quick_two_sum(third.hi, third.lo + p * u);
  const DoubleDouble tail = f * series;
  return (f + tail) * 2.0;
}

/// log(x/y) for positive double-doubles of similar or very different size.
[[gnu::always_inline]] inline DoubleDouble log_quotient(DoubleDouble x, DoubleDouble y) {
  const double n = binary_exponent(x.hi / y.hi);
  const DoubleDouble scaled = y * power_of_two(n);
  const DoubleDouble logarithm = log_ratio((x - scaled) / (x + scaled));
  return logarithm + DoubleDouble{n, 0.0} * kLog2;
}

/// log Gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2) for x >= 8.
[[gnu::always_inline]] inline double stirling_remainder(double x) {
  const double r = 1 / x, u = r * r;
  constexpr std::array<double, 8> kSeries{1.0 / 12,    -1.0 / 360,      1.0 / 1260,
                                          -1.0 / 1680, 1.0 / 1188,      -691.0 / 360360,
                                          1.0 / 156,   -3617.0 / 122400};
  return polynomial(kSeries, u) * r;
}

[[gnu::always_inline]] inline KernelParts kernel_parts(double a, double b) {
  const bool lift_a = a < kLift, lift_b = b < kLift;
  const double big_a = lift_a ? a + kLift : a, big_b = lift_b ? b + kLift : b;
  // c(a,b) = prod 2 (a+k) prod 2 (b+k) / prod (a+b+k) c(A,B). The first factors are kept apart, as
  // they may be tiny.
  const double sum = a + b, middle = lift_a ? sum + kLift : sum;
  double above = 1, below = 1;
#pragma GCC unroll 8
  for (int k = 1; k < kLift; ++k) {
    above *= (lift_a ? 2 * (a + k) : 1.0) * (lift_b ? 2 * (b + k) : 1.0);
    below *= (lift_a ? sum + k : 1.0) * (lift_b ? middle + k : 1.0);
  }
  const double lift =
      above / below * (lift_a ? 2 * a / sum : 1.0) * (lift_b ? 2 * b / middle : 1.0);
  const DoubleDouble wide_a = lift_a ? two_sum(a, kLift) : DoubleDouble{a, 0.0};
  const DoubleDouble wide_b = lift_b ? two_sum(b, kLift) : DoubleDouble{b, 0.0};
  const DoubleDouble wide_sum = wide_a + wide_b;
  const DoubleDouble balance = log_quotient(wide_a, wide_b);
  const DoubleDouble shape = log_quotient(wide_a * wide_b * 4.0, wide_sum * wide_sum);
  const DoubleDouble deviance = ((wide_a - wide_b) * balance + wide_sum * shape) * 0.5;
  const double s = big_a + big_b;
  const double remainder =
      stirling_remainder(big_a) + stirling_remainder(big_b) - stirling_remainder(s);
  const double normal = std::sqrt(big_a / s * big_b * (0.5 * std::numbers::inv_pi));
  return {lift * normal * exp_minus({remainder, 0.0}), deviance};
}

[[gnu::always_inline]] inline double kernel(double a, double b) {
  const KernelParts parts = kernel_parts(a, b);
  return parts.factor * exp_minus(parts.deviance);
}

/// Steps of the fraction that are enough for every a below 2^(i+1) and b near a, at position i: 6
/// a^(1/3) + 2.
constexpr std::array<double, 51> kDeepFraction = [] {
  std::array<double, 51> depth{};
  double cube_root = 1.2599210498948732;  // of 2^(i+1)
  for (double& steps : depth) {
    steps = std::max(12.0, static_cast<double>(static_cast<int>(6 * cube_root)) + 2);
    cube_root *= 1.2599210498948732;
  }
  return depth;
}();

/// Steps of the fraction that are enough for a relative error of 3e-17; a >= b.
inline double fraction_depth(double a, double b) {
  if (b < 0.5 * a || a < 8) return 12;
  const double depth = kDeepFraction[(std::bit_cast<std::uint64_t>(a) >> 52) - 1023];
  return b < 0.75 * a ? std::min(depth, 20.0) : depth;
}

/// The fraction below step m, evaluated from the back; a >= b.
struct Fraction {
  double value;         // term that step m adds to the denominator of step m - 1
  double inverse_high;  // 1 / (a + 2 m + 1) of the next step
};

[[gnu::always_inline]] inline Fraction fraction_end(double a, double depth) {
  return {0.0, 1 / (a + 2 * (depth + 1) - 1)};
}

[[gnu::always_inline]] inline Fraction fraction_step(double a, double b, double m, Fraction below) {
  const double inverse_low = 1 / (a + 2 * m - 1);
  const double weight = m * (b - m) * 0.5 * inverse_low;
  const double denominator =
      m + weight + (a + m) * ((a - b) * 0.5 + 1 + m * 1.5) * below.inverse_high;
  const double numerator = (a + m - 1) * (a + b + m - 1) * 0.5 * inverse_low * weight;
  return {numerator / (denominator + below.value), inverse_low};
}

/// I_1/2(a,b) from the kernel and the fraction below its head; a >= b.
[[gnu::always_inline]] inline double lower_tail(double a, double b, double fraction) {
  return kernel(a, b) / (a * ((a - b) * 0.5 + 1) / (a + 1) + fraction);
}

struct Block {
  alignas(64) std::array<double, kLanes> a, b, depth, tail;
};

/// Fills `tail` with I_1/2(a,b), a >= b > 0.
ALLOT_EVERY_PROCESSOR void fill_tails(Block& block) {
  const double deepest = *std::max_element(block.depth.begin(), block.depth.end());
  alignas(64) std::array<double, kLanes> fraction{}, inverse_high;
  for (std::size_t i = 0; i < kLanes; ++i) {
    inverse_high[i] = fraction_end(block.a[i], deepest).inverse_high;
  }
  for (double m = deepest; m > 0; --m) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      const Fraction next =
          fraction_step(block.a[i], block.b[i], m, {fraction[i], inverse_high[i]});
      fraction[i] = m <= block.depth[i] ? next.value : 0.0;
      inverse_high[i] = next.inverse_high;
    }
  }
  for (std::size_t i = 0; i < kLanes; ++i) {
    block.tail[i] = lower_tail(block.a[i], block.b[i], fraction[i]);
  }
}

void check(double x, std::string_view function, std::string_view name) {
  require(x >= 0 && x <= kLargestParameter, function, name, x, "expected 0 to 1e15");
}

void check_positive(double a, double b, std::string_view function) {
  require(a > 0 && a <= kLargestParameter, function, "a", a, "expected more than 0, up to 1e15");
  require(b > 0 && b <= kLargestParameter, function, "b", b, "expected more than 0, up to 1e15");
}

}  // namespace

void error_probability(std::span<const double> a, std::span<const double> b,
                       std::span<double> error) {
  constexpr std::string_view kName = "error_probability";
  require(a.size() == b.size(), kName, "size of b", static_cast<double>(b.size()),
          "expected the size of a");
  require(a.size() == error.size(), kName, "size of error", static_cast<double>(error.size()),
          "expected the size of a");
  Block block;
  for (std::size_t start = 0; start < a.size(); start += kLanes) {
    const std::size_t count = std::min(kLanes, a.size() - start);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const std::size_t at = start + std::min(i, count - 1);
      check(a[at], kName, "a");
      check(b[at], kName, "b");
      const bool improper = a[at] == 0 || b[at] == 0;
      block.a[i] = improper ? 1.0 : std::max(a[at], b[at]);
      block.b[i] = improper ? 1.0 : std::min(a[at], b[at]);
      block.depth[i] = fraction_depth(block.a[i], block.b[i]);
    }
    fill_tails(block);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = a[start + i], y = b[start + i];
      error[start + i] = x == y ? 0.5 : x == 0 || y == 0 ? 0.0 : block.tail[i];
    }
  }
}

double error_probability(double a, double b) {
  check(a, "error_probability", "a");
  check(b, "error_probability", "b");
  if (a == b) return 0.5;
  const auto [fewer, more] = std::minmax(a, b);
  if (fewer == 0) return 0;
  const double depth = fraction_depth(more, fewer);
  Fraction fraction = fraction_end(more, depth);
  for (double m = depth; m > 0; --m) fraction = fraction_step(more, fewer, m, fraction);
  return lower_tail(more, fewer, fraction.value);
}

double prob_above_half(double a, double b) {
  const double error = error_probability(a, b);
  return a >= b ? 1 - error : error;
}

double kernel_at_half(double a, double b) {
  check_positive(a, b, "kernel_at_half");
  return kernel(std::max(a, b), std::min(a, b));
}

double log_kernel_ratio(double a, double b, double c, double d) {
  check_positive(a, b, "log_kernel_ratio");
  check_positive(c, d, "log_kernel_ratio");
  const KernelParts above = kernel_parts(std::max(a, b), std::min(a, b));
  const KernelParts below = kernel_parts(std::max(c, d), std::min(c, d));
  const DoubleDouble deviance = below.deviance - above.deviance;
  return std::log(above.factor / below.factor) + deviance.hi;
}

}  // namespace allot::math
