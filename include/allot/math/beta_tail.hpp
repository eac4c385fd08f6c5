// The Beta distribution seen from 1/2.
//
// An item is positive when its soft label theta is at least 1/2, so every belief Beta(a,b) is asked
// the same two questions: how much of it lies above 1/2, and how fast that changes with one more
// label. Both have a form at 1/2 that is faster and more exact than a general incomplete beta
// function:
//
//   c(a,b) = 2^-(a+b) / B(a,b)                     a quarter of the density at 1/2
//   I(a,b) = Pr(theta >= 1/2)                      [CLZ Iab]
//   min(I, 1-I) = c / F(max(a,b), min(a,b))        F a continued fraction, positive where it
//   matters
//
// c comes from Stirling's series and from the binomial deviance in twice the working precision, so
// that nothing is lost in the tails. Plain IEEE operations only, the same ones in the same order
// for one state and for many: the batch returns the very bits of the single call, on every
// processor.
//
// Accuracy, measured in tests/oracle against 60 digits: relative error of c and of the error
// probability below 1e-14 for parameters from 1e-8 to 1e6, down to the smallest normal double.
// Domain: finite, from 0 (see each function) to 1e15. Cost: 12 steps of the fraction for most
// states, about 6 max(a,b)^(1/3) where a and b are large and close.
#pragma once

#include <span>

namespace allot::math {

/// I(a,b) = Pr(theta >= 1/2 | Beta(a,b)). Limits: I(a,0) = 1, I(0,b) = 0, I(0,0) = 1/2.
double prob_above_half(double a, double b);

/// min(I, 1-I): the chance that the better-supported side of Beta(a,b) is the wrong one. Exact
/// where I is near 1. 1/2 exactly if a = b; 0 if just one of them is 0.
double error_probability(double a, double b);

/// The same for many states; all spans have one length. Several times faster than single calls.
void error_probability(std::span<const double> a, std::span<const double> b,
                       std::span<double> error);

/// c(a,b) = 2^-(a+b) / B(a,b). With it a label moves I by [CLZ eq:I_a_1, eq:I_b_1]
///   I(a+1,b) - I(a,b) =  c/a,    I(a,b+1) - I(a,b) = -c/b.
/// Positive parameters only.
double kernel_at_half(double a, double b);

/// log (c(a,b) / c(c,d)), also where the kernels themselves are too small for a double.
double log_kernel_ratio(double a, double b, double c, double d);

}  // namespace allot::math
