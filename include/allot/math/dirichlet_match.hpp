// The Dirichlet distribution nearest to a mixture in which one of several counts may have grown.
//
// A doubtful label turns Dirichlet(alpha), with sum S, into a mixture of Dirichlet(alpha + e_k)
// with weights w_k and, if it may have told nothing, of Dirichlet(alpha) itself with weight w_0.
// The match has the mixture's mean m, and its spread: the sum over classes of the variances [CLZ
// sec:multi]. Its pseudo-counts together are
//   s = sum_c E(theta_c (1 - theta_c)) / sum_c Var(theta_c).
// Two classes give math::matched_after of a Beta. Every term is a sum of what is not negative, so
// no digit is lost, and a label beyond doubt (w_k = 1) adds exactly one count.
#pragma once

#include <span>

namespace allot::math {

/// Replaces alpha (positive) by the match, no parameter of which is below 1e-8: a class that is all
/// but ruled out. The weights are not negative and sum to 1 with `none`.
/// Cost: a few passes over the classes.
void match_grown(std::span<double> alpha, std::span<const double> weights, double none = 0);

}  // namespace allot::math
