// Gittins indices against their definition: the fee at which the value of going on is zero, found
// by bisection. Each value comes from plain backward induction over every state, down to a depth
// beyond which the discount leaves less than 1e-11.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allot/index/gittins.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "support/beliefs.hpp"

namespace allot::test::gittins_oracle_test {
namespace {

using model::Counts;
using model::Prior;

/// Chances and rewards of all states that come after `start`, layer by layer.
struct Tree {
  std::vector<std::vector<double>> chance, reward;

  Tree(const Prior& prior, Counts start, std::size_t depth) : chance(depth + 1), reward(depth + 1) {
    for (std::uint32_t labels = 0; labels <= depth; ++labels) {
      for (std::uint32_t positive = 0; positive <= labels; ++positive) {
        const index::Reward r = index::reward(
            {&prior, {start.positive + positive, start.negative + labels - positive}});
        chance[labels].push_back(r.chance_positive);
        reward[labels].push_back(r.expected);
      }
    }
  }

  /// Value of buying one label at the root and going on while it pays.
  double value(double fee, double discount) const {
    std::vector<double> later(chance.size() + 1, 0.0), now(chance.size() + 1, 0.0);
    for (std::size_t labels = chance.size(); labels-- > 0;) {
      for (std::size_t positive = 0; positive <= labels; ++positive) {
        const double p = chance[labels][positive];
        const double on = reward[labels][positive] - fee +
                          discount * (p * later[positive + 1] + (1 - p) * later[positive]);
        now[positive] = labels == 0 ? on : std::max(0.0, on);
      }
      std::swap(now, later);
    }
    return later[0];
  }

  double gittins(double discount) const {
    double low = 0, high = 0.6;
    for (int i = 0; i < 45; ++i) {
      const double middle = 0.5 * (low + high);
      (value(middle, discount) > 0 ? low : high) = middle;
    }
    return low;
  }
};

void expect_agreement(const Prior& prior, double discount, std::size_t depth,
                      std::vector<Counts> states) {
  const index::Index index = index::gittins(discount);
  for (const Counts state : states) {
    const Tree tree(prior, state, depth);
    EXPECT_NEAR(index({&prior, state}), tree.gittins(discount), 1e-9)
        << state.positive << ":" << state.negative;
  }
}

TEST(GittinsOracle, AgreesUnderTheUniformPrior) {
  expect_agreement(Prior::uniform(), 0.95, 450,
                   {{0, 0},
                    {1, 0},
                    {2, 0},
                    {3, 0},
                    {5, 0},
                    {3, 1},
                    {4, 1},
                    {10, 6},
                    {20, 12},
                    {6, 13},
                    {30, 30}});
}

TEST(GittinsOracle, AgreesForAPatientDiscount) {
  expect_agreement(Prior::uniform(), 0.995, 2500, {{3, 0}, {9, 4}, {30, 16}});
}

TEST(GittinsOracle, IsAtLeastWhatAnyShortenedRuleEarns) {
  // Going on for at most 1,500 labels is a rule too; for wide margins it is within a few per cent
  // of the index.
  const index::Index index = index::gittins(0.999);
  const Prior uniform = Prior::uniform(), skewed = Prior::beta(100, 65);
  const auto expect_at_least = [&](const Prior& prior, Counts state) {
    const double shortened = Tree(prior, state, 1500).gittins(0.999);
    const double found = index({&prior, state});
    EXPECT_GE(found, shortened - 1e-9) << state.positive << ":" << state.negative;
    EXPECT_LE(found, 1.1 * shortened + 1e-9) << state.positive << ":" << state.negative;
  };
  for (const Counts state : {Counts{12, 0}, {18, 2}, {27, 13}, {60, 40}})
    expect_at_least(uniform, state);
  expect_at_least(skewed, {0, 0});
}

TEST(GittinsOracle, AgreesForOtherPriors) {
  expect_agreement(Prior::beta(4, 1), 0.9, 200, {{0, 0}, {0, 2}, {0, 3}, {1, 6}, {3, 1}});
  expect_agreement(Prior::beta(0.5, 0.75), 0.9, 200, {{0, 0}, {1, 0}, {2, 2}, {3, 5}});
  expect_agreement(Prior::haldane(), 0.9, 200, {{0, 0}, {1, 1}, {2, 1}, {4, 2}});
}

TEST(GittinsOracle, AgreesForMixtures) {
  expect_agreement(symmetric_mixture(), 0.8, 100, {{0, 0}, {1, 0}, {2, 1}, {4, 1}});
  expect_agreement(skewed_mixture(), 0.8, 100, {{0, 0}, {0, 1}, {0, 2}, {1, 3}, {2, 7}});
}

}  // namespace
}  // namespace allot::test::gittins_oracle_test
