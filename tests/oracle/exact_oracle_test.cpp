// Exact values against recursions written straight from the paper: items in order, nothing shared,
// Boost for I(a,b).
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <map>

#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "support/beliefs.hpp"
#include "support/scan.hpp"

namespace allot::test::exact_oracle_test {
namespace {

using model::Beliefs;
using model::Counts;
using model::Prior;

using Labels = std::vector<Counts>;

struct Plain {
  double a, b;  // Beta prior of all items

  double confidence(Counts c) const {
    const double upper = boost::math::ibetac(a + c.positive, b + c.negative, 0.5);
    return std::max(upper, 1 - upper);
  }
  double chance(Counts c) const { return (a + c.positive) / (a + b + c.total()); }

  static Labels after(Labels labels, std::size_t item, Label label) {
    labels[item] = labels[item].after(label);
    return labels;
  }

  /// V_t(S) = max_i E V_t+1, V_T(S) = sum h(P_i) [CLZ eq:value_func].
  double optimum(const Labels& labels, int left) {
    if (left == 0) {
      double sum = 0;
      for (const Counts c : labels) sum += confidence(c);
      return sum;
    }
    auto [known, is_new] = optimum_.try_emplace({labels, left}, 0.0);
    if (!is_new) return known->second;
    double best = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double p = chance(labels[i]);
      best = std::max(best, p * optimum(after(labels, i, Label::positive), left - 1) +
                                (1 - p) * optimum(after(labels, i, Label::negative), left - 1));
    }
    return optimum_[{labels, left}] = best;
  }

  /// sup E sum R(S^t, i_t) by its own recursion [CLZ eq:decomp_value].
  double optimal_rewards(const Labels& labels, int left) {
    if (left == 0) return 0;
    auto [known, is_new] = rewards_.try_emplace({labels, left}, 0.0);
    if (!is_new) return known->second;
    double best = -1;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double p = chance(labels[i]);
      const Counts up = labels[i].after(Label::positive), down = labels[i].after(Label::negative);
      const double reward = p * confidence(up) + (1 - p) * confidence(down) - confidence(labels[i]);
      best = std::max(best,
                      reward + p * optimal_rewards(after(labels, i, Label::positive), left - 1) +
                          (1 - p) * optimal_rewards(after(labels, i, Label::negative), left - 1));
    }
    return rewards_[{labels, left}] = best;
  }

  /// Value of a policy that scans; tied items with equal chances, or the first.
  double value(const policy::Ranking& ranking, const Labels& labels, int left) {
    if (left == 0) return optimum(labels, 0);
    const Prior prior = Prior::beta(a, b);
    std::vector<double> index;
    for (const Counts c : labels) index.push_back(policy::quantised(ranking.index({&prior, c})));
    auto tied = policy::best_candidates(index);
    if (ranking.ties == policy::TieBreak::first) tied.resize(1);
    double sum = 0;
    for (const std::uint32_t i : tied) {
      const double p = chance(labels[i]);
      sum += p * value(ranking, after(labels, i, Label::positive), left - 1) +
             (1 - p) * value(ranking, after(labels, i, Label::negative), left - 1);
    }
    return sum / static_cast<double>(tied.size());
  }

  std::map<std::pair<Labels, int>, double> optimum_, rewards_;
};

TEST(ExactOracle, OptimumMatchesPlainBackwardInduction) {
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {4.0, 1.0}, {0.5, 0.5}, {1.5, 2.25}}) {
    for (std::uint32_t items = 1; items <= 3; ++items) {
      Plain plain{a, b, {}, {}};
      for (int budget = 1; budget <= (items == 3 ? 8 : 10); ++budget) {
        const Beliefs beliefs(items, Prior::beta(a, b));
        const double value =
            policy::optimal_accuracy(beliefs, static_cast<std::uint64_t>(budget)).value();
        EXPECT_NEAR(value * items, plain.optimum(Labels(items), budget), 1e-13)
            << items << " " << budget;
      }
    }
  }
}

TEST(ExactOracle, ValueIsTheStartPlusTheRewards) {  // [CLZ prop:reward]
  Plain plain{1, 1, {}, {}};
  for (int budget = 1; budget <= 8; ++budget) {
    const double value =
        policy::optimal_accuracy(Beliefs(3, Prior::uniform()), static_cast<std::uint64_t>(budget))
            .value();
    EXPECT_NEAR(3 * value, 3 * 0.5 + plain.optimal_rewards(Labels(3), budget), 1e-13);
  }
}

TEST(ExactOracle, PolicyValuesMatchPlainEnumeration) {
  for (const char* name :
       {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.75", "lu", "nlu", "gittins"}) {
    for (const auto ties : {policy::TieBreak::random, policy::TieBreak::first}) {
      for (const auto& [a, b] : {std::pair{1.0, 1.0}, {2.0, 1.0}}) {
        const auto policy = policy::make_policy(name, ties).value();
        Plain plain{a, b, {}, {}};
        const Beliefs beliefs(3, Prior::beta(a, b));
        EXPECT_NEAR(policy::policy_accuracy(beliefs, 5, *policy).value() * 3,
                    plain.value(*policy->ranking(5), Labels(3), 5), 1e-13)
            << name;
      }
    }
  }
}

TEST(ExactOracle, StartsFromAnyState) {
  const Labels labels{{2, 0}, {1, 1}, {0, 0}};
  Plain plain{1, 1, {}, {}};
  Beliefs beliefs(3, Prior::uniform());
  for (std::uint32_t i = 0; i < 3; ++i) record(beliefs, i, labels[i]);
  EXPECT_NEAR(policy::optimal_accuracy(beliefs, 7).value() * 3, plain.optimum(labels, 7), 1e-13);
  const auto choices = policy::accuracy_by_choice(beliefs, 7).value();
  for (std::size_t i = 0; i < 3; ++i) {
    const double p = plain.chance(labels[i]);
    EXPECT_NEAR(choices[i] * 3,
                p * plain.optimum(Plain::after(labels, i, Label::positive), 6) +
                    (1 - p) * plain.optimum(Plain::after(labels, i, Label::negative), 6),
                1e-13);
  }
}

}  // namespace
}  // namespace allot::test::exact_oracle_test
