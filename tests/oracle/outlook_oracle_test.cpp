// Outlooks and rewards against their definitions at 60 digits: posterior weights by beta functions,
// P and h after each label, differences taken only then.
#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "support/beliefs.hpp"
#include "support/wide_number.hpp"

namespace allot::test::outlook_oracle_test {
namespace {

using model::Counts;
using model::Prior;

struct WideBelief {
  Wide chance, upper;
};

WideBelief wide_belief(const Prior& prior, Counts counts) {
  Wide total = 0, chance = 0, upper = 0;
  for (const model::BetaComponent& component : prior.components()) {
    const double a = component.a + counts.positive, b = component.b + counts.negative;
    const Wide weight = Wide(component.weight) * boost::math::beta(Wide(a), Wide(b)) /
                        boost::math::beta(Wide(component.a), Wide(component.b));
    total += weight;
    chance += weight * a / (Wide(a) + b);
    upper += weight * upper_tail(a, b);
  }
  return {chance / total, upper / total};
}

Wide confidence(const Wide& upper) { return upper > 1 - upper ? upper : Wide(1 - upper); }

void expect_near(double value, const Wide& truth, const Wide& scale, const char* what) {
  EXPECT_LT(abs(Wide(value) - truth), 1e-12 * scale) << what << " " << value << " " << truth;
}

void expect_agreement(const Prior& prior, Counts counts) {
  const WideBelief now = wide_belief(prior, counts);
  const WideBelief up = wide_belief(prior, counts.after(Label::positive));
  const WideBelief down = wide_belief(prior, counts.after(Label::negative));
  const model::Outlook outlook = model::outlook({&prior, counts});
  const index::Reward reward = index::reward(outlook);
  const Wide r1 = confidence(up.upper) - confidence(now.upper),
             r2 = confidence(down.upper) - confidence(now.upper);
  const Wide rise = up.upper - now.upper, fall = now.upper - down.upper;
  expect_near(outlook.chance_positive, now.chance, 1, "chance");
  expect_near(outlook.rise, rise, rise, "rise");
  expect_near(outlook.fall, fall, fall, "fall");
  expect_near(reward.if_positive, r1, rise, "R_1");
  expect_near(reward.if_negative, r2, fall, "R_2");
  expect_near(reward.expected, now.chance * r1 + (1 - now.chance) * r2, rise > fall ? rise : fall,
              "R");
  const Wide error = 1 - confidence(now.upper);
  expect_near(model::error_probability({&prior, counts}), error, error, "error");
}

TEST(OutlookOracle, AgreesForBetaPriors) {
  Rng rng(1);
  const std::vector<Prior> priors{Prior::uniform(), Prior::jeffreys(), Prior::beta(4, 1),
                                  Prior::beta(0.3, 0.9), Prior::beta(2.25, 1.5)};
  for (int i = 0; i < 200; ++i) {
    const Counts counts{static_cast<std::uint32_t>(below(rng, 30)),
                        static_cast<std::uint32_t>(below(rng, 30))};
    expect_agreement(priors[static_cast<std::size_t>(i) % priors.size()], counts);
  }
}

TEST(OutlookOracle, AgreesForMixtures) {
  Rng rng(2);
  const std::vector<Prior> priors{
      symmetric_mixture(), skewed_mixture(),
      Prior::mixture({{1, 0.5, 0.5}, {2, 3.25, 8}, {0.5, 20, 1}, {1, 2, 2}, {1, 1, 9}})};
  for (int i = 0; i < 200; ++i) {
    const Counts counts{static_cast<std::uint32_t>(below(rng, 25)),
                        static_cast<std::uint32_t>(below(rng, 25))};
    expect_agreement(priors[static_cast<std::size_t>(i) % priors.size()], counts);
  }
}

TEST(OutlookOracle, AgreesForMixturesOfExtremesAndManyLabels) {
  const Prior extremes = Prior::mixture({{0.5, 1e6, 1e3}, {0.5, 1, 1}});
  const Prior opposed = Prior::mixture({{0.5, 1e8, 1}, {0.5, 1, 1e8}});
  for (const Counts counts : {Counts{0, 0}, {3, 0}, {1, 2}}) {
    expect_agreement(extremes, counts);
    expect_agreement(opposed, counts);
  }
  for (const Counts counts : {Counts{100, 60}, {300, 280}, {40, 200}})
    expect_agreement(skewed_mixture(), counts);
}

}  // namespace
}  // namespace allot::test::outlook_oracle_test
