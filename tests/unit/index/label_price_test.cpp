#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "allot/index/gittins.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/stopping.hpp"
#include "support/beliefs.hpp"

namespace allot::index::label_price_test {
namespace {

using model::Counts;
using model::Prior;
using test::beta_belief;

/// The best gain per label of all rules that buy at most four labels: each of the nine states after
/// the first label goes on or not, 512 rules.
double best_of_all_short_rules(const model::ItemBelief& start) {
  double best = 0;
  for (unsigned rule = 0; rule < 512; ++rule) {
    std::array<double, 5> gain{}, labels{};
    for (std::uint32_t depth = 4; depth-- > 0;) {
      for (std::uint32_t positive = 0; positive <= depth; ++positive) {
        const unsigned number = depth * (depth + 1) / 2 + positive;
        if (depth > 0 && !((rule >> (number - 1)) & 1U)) {
          gain[positive] = labels[positive] = 0;
          continue;
        }
        const Reward now = reward(model::ItemBelief{
            start.prior,
            {start.counts.positive + positive, start.counts.negative + depth - positive}});
        const double p = now.chance_positive;
        gain[positive] = now.expected + p * gain[positive + 1] + (1 - p) * gain[positive];
        labels[positive] = 1 + p * labels[positive + 1] + (1 - p) * labels[positive];
      }
    }
    best = std::max(best, gain[0] / labels[0]);
  }
  return best;
}

TEST(LabelPrice, IsTheBestGainPerLabelOfAllRules) {
  const Index index = label_price();
  for (std::uint32_t a = 1; a <= 5; ++a) {
    for (std::uint32_t b = 1; b <= 5; ++b) {
      const double best = best_of_all_short_rules(beta_belief(a, b));
      EXPECT_GE(index(beta_belief(a, b)), best - 1e-12) << a << " " << b;
      if (a <= b + 1 && b <= a + 1) {  // the best rule is short
        EXPECT_NEAR(index(beta_belief(a, b)), best, 1e-9) << a << " " << b;
      }
    }
  }
}

TEST(LabelPrice, IsThePriceAtWhichGoingOnStopsPaying) {
  const Index index = label_price();
  for (const Prior& prior : {Prior::uniform(), Prior::beta(4, 1), Prior::beta(0.5, 0.75),
                             Prior::beta(2.2, 1.9), test::skewed_mixture()}) {
    StoppingLattice lattice(prior);
    for (const Counts state : {Counts{0, 0}, {1, 0}, {0, 2}, {3, 1}, {5, 2}, {4, 7}}) {
      const double price = index({&prior, state});
      if (price < 1e-3) continue;
      EXPECT_EQ(lattice.values(price + 2e-9, std::array{state})[0].labels, 0);
      EXPECT_GE(lattice.values(price - 2e-9, std::array{state})[0].labels, 1)
          << state.positive << ":" << state.negative;
    }
  }
}

TEST(LabelPrice, IsNeverAboveItsBoundNorBelowTheNextReward) {
  const Index index = label_price();
  for (std::uint32_t a = 1; a <= 8; ++a) {
    for (std::uint32_t b = 1; b <= 8; ++b) {
      EXPECT_LE(index(beta_belief(a, b)), index.bound(beta_belief(a, b)) + 1e-12);
      EXPECT_GE(index(beta_belief(a, b)), kg(beta_belief(a, b)) - 1e-12);
    }
  }
}

}  // namespace
}  // namespace allot::index::label_price_test
