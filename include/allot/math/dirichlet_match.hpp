// The Dirichlet distribution that matches the posterior after a doubtful label.
//
// A doubtful label turns Dirichlet(alpha), with sum S, into a mixture. Dirichlet(alpha + e_k) has
// weight w_k. If the label may carry no information, Dirichlet(alpha) itself has weight w_0. The
// match has the mean m of the mixture and its spread, the sum over classes of the variances [CLZ
// sec:multi]. Its pseudo-counts sum to
//   s = sum_c E(theta_c (1 - theta_c)) / sum_c Var(theta_c).
// Two classes give math::matched_after of a Beta. Every term is a sum of non-negative numbers, so
// no digit is lost, and a label beyond doubt (w_k = 1) adds exactly one count.
#pragma once

#include <span>

namespace allot::math {

/// Replaces alpha (positive) by the match. No parameter of the match is below 1e-8, the value for a
/// class that is all but ruled out. The weights are not negative; with `none` they sum to 1. Cost:
/// a few passes over the classes.
void match_grown(std::span<double> alpha, std::span<const double> weights, double none = 0);

}  // namespace allot::math
