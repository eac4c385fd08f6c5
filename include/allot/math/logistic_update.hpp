// The effect of one label on a normal belief about a logit.
//
// A label is positive with probability sigma(u) = 1 / (1 + exp(-u)), and u ~ N(m, s2). The
// posterior is not normal; N(m + s2 t, s2 / (1 + k s2)) replaces it, in one of two ways:
//   laplace      m + s2 t is the mode, k the curvature of the log-likelihood there [CLZ
//                eq:post_mean]: t = 1(y=1) - sigma(m + s2 t), k = sigma'(m + s2 t);
//   variational  the best normal lower bound [JJ00]: k = 2 lambda(xi), lambda(xi) = tanh(xi/2) /
//                (4 xi), at the xi with xi^2 = E u^2.
// A belief about weights w ~ N(mu, Sigma), u = x'w, moves by the same two numbers in any dimension:
// mu' = mu + Sigma x t, Sigma' = Sigma - k / (1 + k s2) (Sigma x)(Sigma x)'.
//
// A doubtful label has likelihood a sigma(u) + b (1 - sigma(u)). With h = log(a/b) / 2 and w = u +
// h the slope of its logarithm is sinh h / (cosh h + cosh w), which is not monotone. A label
// against a firm belief can leave two modes: one where the worker is wrong, one where the belief
// is. The update takes the higher mode and keeps k at 0 or more, so a label never makes a belief
// less certain.
//
// Cost of an update: 0.13 us by Laplace, 0.5 us for a doubtful label, 1 us by the variational
// bound.
#pragma once

#include "allot/base/ids.hpp"

namespace allot::math {

/// The normal approximation to use.
enum class LogisticMethod { laplace, variational };

/// The logit's mean becomes m + s2 * step, its variance s2 / (1 + curvature * s2).
struct LogisticUpdate {
  double step;       ///< t
  double curvature;  ///< k, at least 0
};

/// Probability of the observed label if a perfect worker would say positive, and if negative.
struct LabelLikelihood {
  double positive;  ///< a
  double negative;  ///< b
};

/// sigma(x) = 1 / (1 + exp(-x)), precise where it is small.
double logistic(double x);

/// The Laplace update: Newton steps kept inside the bracket [m, m + s2] of the logit.
LogisticUpdate laplace_update(double mean, double variance, Label label);

/// The variational update. It searches the stationary point of the bound inside a bracket, because
/// the usual iteration slows down as the variance grows.
LogisticUpdate variational_update(double mean, double variance, Label label);

/// The Laplace update for a doubtful label. A label that is equally likely either way changes
/// nothing; with b = 0 (or a = 0) it is the label of a perfect worker. The likelihoods are 0 to 1
/// and not both 0.
LogisticUpdate laplace_update(double mean, double variance, const LabelLikelihood& label);

/// Probability of a positive label, E sigma(u), by the probit approximation [CLZ sec:contextual]:
///   sigma(kappa m),  kappa = (1 + pi s2 / 8)^(-1/2);  within 0.02 of the integral.
double predictive_logistic(double mean, double variance);

}  // namespace allot::math
