// Laws of I(a,b) from the appendix of the paper, for real parameters.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "allot/math/beta_tail.hpp"

namespace allot::math::beta_laws_test {
namespace {

/// A positive parameter between 0.001 and 300, a third of them integers.
double parameter() {
  const int kind = *rc::gen::inRange(0, 3);
  if (kind == 0) return *rc::gen::inRange(1, 300);
  return *rc::gen::inRange(1, 300000) / 1000.0;
}

RC_GTEST_PROP(BetaLaws, MirroredParametersAddUpToOne, ()) {  // [CLZ eq:sym_I]
  const double a = parameter(), b = parameter();
  // The second road takes the other tail: Pr(theta < 1/2 | Beta(a,b)).
  RC_ASSERT(std::abs(prob_above_half(b, a) - boost::math::ibeta(a, b, 0.5)) < 1e-13);
  RC_ASSERT(std::abs(prob_above_half(a, b) + prob_above_half(b, a) - 1) < 1e-15);
}

RC_GTEST_PROP(BetaLaws, APositiveLabelLiftsIByTheKernelOverA, ()) {  // [CLZ eq:I_a_1]
  const double a = parameter(), b = parameter();
  const double step = prob_above_half(a + 1, b) - prob_above_half(a, b);
  RC_ASSERT(std::abs(step - kernel_at_half(a, b) / a) < 1e-14);
}

RC_GTEST_PROP(BetaLaws, ANegativeLabelLowersIByTheKernelOverB, ()) {  // [CLZ eq:I_b_1]
  const double a = parameter(), b = parameter();
  const double step = prob_above_half(a, b + 1) - prob_above_half(a, b);
  RC_ASSERT(std::abs(step + kernel_at_half(a, b) / b) < 1e-14);
}

RC_GTEST_PROP(BetaLaws, TheKernelFollowsTheBetaFunction,
              ()) {  // [CLZ eq:sym_B, eq:B_a_1, eq:B_b_1]
  const double a = parameter(), b = parameter(), c = kernel_at_half(a, b);
  RC_ASSERT(kernel_at_half(b, a) == c);
  RC_ASSERT(std::abs(kernel_at_half(a + 1, b) / (c * (a + b) / (2 * a)) - 1) < 1e-13);
  RC_ASSERT(std::abs(kernel_at_half(a, b + 1) / (c * (a + b) / (2 * b)) - 1) < 1e-13);
}

RC_GTEST_PROP(BetaLaws, TheLargerParameterWins, ()) {  // [CLZ cor:majority_vote]
  const double a = parameter(), b = parameter();
  RC_ASSERT((prob_above_half(a, b) >= 0.5) == (a >= b));
  RC_ASSERT((prob_above_half(a, b) == 0.5) == (a == b));
}

}  // namespace
}  // namespace allot::math::beta_laws_test
