// Exponentials and normal tails without branches, for loops that the compiler turns into vectors.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace allot::math {

/// The polynomial with these coefficients, lowest first.
template <std::size_t from = 0, std::size_t count>
[[gnu::always_inline]] inline double polynomial(const std::array<double, count>& coefficients,
                                                double x) {
  if constexpr (from + 1 == count) {
    return coefficients[from];
  } else {
    return polynomial<from + 1>(coefficients, x) * x + coefficients[from];
  }
}

/// x rounded to the nearest integer, for |x| < 2^51.
[[gnu::always_inline]] inline double nearest(double x) {
  constexpr double kMagic = 0x1.8p52;
  return (x + kMagic) - kMagic;
}

/// 2^n for an integer -1022 <= n <= 1023 held in a double.
[[gnu::always_inline]] inline double power_of_two(double n) {
  const auto biased = std::bit_cast<std::uint64_t>(n + (0x1.0p52 + 1023));
  return std::bit_cast<double>(biased << 52);
}

/// exp(-y) for 0 <= y <= 708, within 2e-16 relative: 2^n times a polynomial on |r| <= log(2)/2.
[[gnu::always_inline]] inline double lane_exp_minus(double y) {
  constexpr std::array<double, 12> kExp{
      0x1.0000000000000p+0,  0x1.0000000000000p+0,  0x1.0000000000011p-1,  0x1.5555555555562p-3,
      0x1.555555554f0b8p-5,  0x1.111111110db6ap-7,  0x1.6c16c18800884p-10, 0x1.a01a01b80612dp-13,
      0x1.a01991a02d38fp-16, 0x1.71dde761afc1bp-19, 0x1.28b410d73d492p-22, 0x1.af786c30b3c3cp-26};
  const double n = nearest(y * -0x1.71547652b82fep0);
  const double r = (-y - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;
  return polynomial(kExp, r) * power_of_two(n);
}

/// Phi(-z) for z >= 0; beyond 37.5 it stays at the value there, 5e-308.
///   Phi(-z) = exp(-z^2/2) w f(u),   w = 1 / (z + 5.5),   u = 1.29 - 12.6 w in [-1, 1],
/// f by its Chebyshev interpolant of degree 19, which is within 3e-16 of it.
[[gnu::always_inline]] inline double lane_normal_tail(double z) {
  constexpr std::array<double, 20> kTail{
      0x1.bd51e7fc7f14fp-1,  -0x1.77c3437c9d037p-1,  0x1.10c3d42447328p-1,   -0x1.531426f2f3523p-2,
      0x1.64ad46e39c4aep-3,  -0x1.362a5671b203bp-4,  0x1.a991d3dbc59b6p-6,   -0x1.9b028178a9a6cp-8,
      0x1.4e85e35f33185p-11, 0x1.c78a5ee75304dp-13,  -0x1.b1cd387521f9cp-14, 0x1.e1c50afd4db35p-18,
      0x1.d59d40071688cp-18, -0x1.d97a64feaa7b4p-20, -0x1.a4dcf9b3fde08p-22, 0x1.ba4e7e1e1e93cp-23,
      0x1.621879c196c9bp-26, -0x1.5d609963544c3p-26, -0x1.fbaf1e06af8b2p-31, 0x1.805441fee26b7p-30};
  const double near = z < 37.5 ? z : 37.5;
  const double w = 1 / (near + 5.5);
  const double f = polynomial(kTail, 0x1.4a1af286bca1bp+0 - 0x1.92f286bca1af3p+3 * w);
  return lane_exp_minus(0.5 * near * near) * (f * w);
}

/// sigma(x) = 1 / (1 + exp(-x)).
[[gnu::always_inline]] inline double lane_logistic(double x) {
  const double size = x < 0 ? -x : x;
  const double e = lane_exp_minus(size < 708 ? size : 708.0);
  return (x < 0 ? e : 1.0) / (1 + e);
}

}  // namespace allot::math
