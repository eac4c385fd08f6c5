// The lemmas of the paper about rewards, as properties of every state.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/math/beta_tail.hpp"
#include "support/beliefs.hpp"

namespace allot::index::reward_laws_test {
namespace {

using test::beta_belief;

std::uint32_t parameter() { return *rc::gen::inRange(1U, 200U); }

RC_GTEST_PROP(ExpectedReward, IsTheKernelAtATieAndExactlyZeroElsewhere, ()) {  // [CLZ lem:reward]
  const std::uint32_t a = parameter(), b = *rc::gen::element(a, parameter());
  const double expected = a == b ? math::kernel_at_half(a, a) / a : 0.0;
  RC_ASSERT(kg(beta_belief(a, b)) == expected);
}

RC_GTEST_PROP(ExpectedReward, IsTheMeanOfBothOutcomes, ()) {  // [CLZ eq:exp_reward_R]
  const std::vector<double> shapes{0.5, 1.0, 2.25, 0.1};
  const model::Prior prior =
      model::Prior::beta(*rc::gen::elementOf(shapes), *rc::gen::elementOf(shapes));
  const Reward r = reward(model::ItemBelief{&prior, {parameter(), parameter()}});
  const double mean = r.chance_positive * r.if_positive + (1 - r.chance_positive) * r.if_negative;
  RC_ASSERT(std::abs(mean - r.expected) < 1e-14);
  RC_ASSERT(r.expected >= 0);
}

RC_GTEST_PROP(OptimisticReward, IsPositiveInEveryIntegerState, ()) {  // [CLZ thm:opt_KG]
  RC_ASSERT(opt_kg(beta_belief(parameter(), parameter())) > 0);
}

RC_GTEST_PROP(OptimisticReward, IsSymmetric, ()) {  // [CLZ lem:R+, property 1]
  const std::uint32_t a = parameter(), b = parameter();
  RC_ASSERT(opt_kg(beta_belief(a, b)) == opt_kg(beta_belief(b, a)));
}

TEST(OptimisticReward, GoesToZeroAlongTies) {  // [CLZ lem:R+, property 2, eq:lim_R+]
  double last = 1;
  for (std::uint32_t a = 1; a < 3000; ++a) {
    const double here = opt_kg(beta_belief(a, a));
    ASSERT_LT(here, last);
    ASSERT_LT(here, 0.29 / std::sqrt(a));
    last = here;
  }
}

RC_GTEST_PROP(OptimisticReward, FallsAsTheMarginGrows, ()) {  // [CLZ lem:R+, property 3]
  const std::uint32_t a = *rc::gen::inRange(2U, 200U), k = *rc::gen::inRange(0U, a - 1);
  RC_ASSERT(opt_kg(beta_belief(a + k, a - k)) > opt_kg(beta_belief(a + k + 1, a - k - 1)));
}

RC_GTEST_PROP(OptimisticReward, FallsAsTheLargerCountGrows, ()) {  // [CLZ lem:R+, property 4]
  const std::uint32_t b = parameter(), a = b + *rc::gen::inRange(0U, 100U);
  RC_ASSERT(opt_kg(beta_belief(a + 1, b)) < opt_kg(beta_belief(a, b)));
}

RC_GTEST_PROP(OptimisticReward, IsBoundedByTheTieOfTheSameSize, ()) {  // [CLZ eq:lim_R+]
  const std::uint32_t a = parameter(), b = parameter(), half = std::max(1U, (a + b) / 2);
  RC_ASSERT(opt_kg(beta_belief(a, b)) <= opt_kg(beta_belief(half, half)));
}

RC_GTEST_PROP(PessimisticReward, IsPositiveAtTiesOnlyAndSymmetric,
              ()) {  // [CLZ lem:cvar_left, 1 and 2]
  const std::uint32_t a = parameter(), b = *rc::gen::element(a, parameter());
  const double here = pessimistic_kg(beta_belief(a, b));
  RC_ASSERT((here > 0) == (a == b));
  RC_ASSERT(here == pessimistic_kg(beta_belief(b, a)));
}

RC_GTEST_PROP(PessimisticReward, RisesAwayFromItsLowestStates,
              ()) {  // [CLZ lem:cvar_left, 3 and 4; eq:cvar_1_2]
  const std::uint32_t b = parameter(), a = b + *rc::gen::inRange(1U, 100U);
  RC_ASSERT(pessimistic_kg(beta_belief(b + 2, b + 1)) > pessimistic_kg(beta_belief(b + 1, b)));
  RC_ASSERT(pessimistic_kg(beta_belief(a + 1, b)) > pessimistic_kg(beta_belief(a, b)));
  if (a + b != 3) RC_ASSERT(pessimistic_kg(beta_belief(a, b)) > pessimistic_kg(beta_belief(2, 1)));
}

RC_GTEST_PROP(Cvar, FallsFromOptKgToKgAsAlphaGrows, ()) {  // [CLZ linear program after fig:cvar]
  const model::ItemBelief belief = beta_belief(parameter(), parameter());
  const int low = *rc::gen::inRange(0, 1001), high = *rc::gen::inRange(low, 1001);
  RC_ASSERT(cvar_kg(belief, low / 1000.0) >= cvar_kg(belief, high / 1000.0));
  RC_ASSERT(cvar_kg(belief, 0) == opt_kg(belief));
  RC_ASSERT(cvar_kg(belief, 1) == kg(belief));
  RC_ASSERT(cvar_kg(belief, 0.5) ==
            opt_kg(belief));  // integer states: alpha matters above 1/2 only
}

RC_GTEST_PROP(Cvar, SolvesItsLinearProgram, ()) {
  const model::ItemBelief belief = beta_belief(parameter(), parameter());
  const double alpha = *rc::gen::inRange(1, 1001) / 1000.0;
  const Reward r = reward(belief);
  // The program has one free variable q_1 between its bounds; a linear function is largest at an
  // end.
  const double p1 = r.chance_positive, p2 = 1 - p1;
  const double low = std::max(0.0, 1 - p2 / alpha), high = std::min(1.0, p1 / alpha);
  const auto objective = [&](double q1) { return q1 * r.if_positive + (1 - q1) * r.if_negative; };
  RC_ASSERT(std::abs(cvar_kg(belief, alpha) - std::max(objective(low), objective(high))) < 1e-15);
}

}  // namespace
}  // namespace allot::index::reward_laws_test
