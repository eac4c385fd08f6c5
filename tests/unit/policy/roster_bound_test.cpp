#include "allot/policy/roster_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace allot::policy::roster_bound_test {
namespace {

using model::Channel;

/// Items that are positive with their own probability, and crowds that are equally likely.
struct World {
  std::vector<double> prob_positive;
  std::vector<std::vector<Channel>> crowds;  // one channel per worker each
  std::vector<double> prices;                // by worker
};

/// The best of all policies, by going through everything that can happen. The weight of a hidden
/// state (the crowd, and which items are positive) is its probability with the labels so far.
class Everything {
 public:
  explicit Everything(const World& world) : world_(world) {}

  /// The largest expected share of right answers.
  double best(double money) const {
    std::vector<double> weights;
    for (std::size_t crowd = 0; crowd < world_.crowds.size(); ++crowd) {
      for (std::size_t truth = 0; truth < truths(); ++truth) {
        double weight = 1 / static_cast<double>(world_.crowds.size());
        for (std::size_t i = 0; i < items(); ++i) {
          weight *= is_positive(truth, i) ? world_.prob_positive[i] : 1 - world_.prob_positive[i];
        }
        weights.push_back(weight);
      }
    }
    return best(weights, 0, money) / static_cast<double>(items());
  }

 private:
  std::size_t items() const { return world_.prob_positive.size(); }
  std::size_t truths() const { return std::size_t{1} << items(); }
  static bool is_positive(std::size_t truth, std::size_t item) { return (truth >> item & 1) != 0; }

  double answers(const std::vector<double>& weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < items(); ++i) {
      std::array<double, 2> side{};
      for (std::size_t n = 0; n < weights.size(); ++n)
        side[is_positive(n % truths(), i)] += weights[n];
      sum += std::max(side[0], side[1]);
    }
    return sum;
  }

  double best(const std::vector<double>& weights, unsigned asked, double money) const {
    double most = answers(weights);
    const std::size_t workers = world_.prices.size();
    for (std::size_t pair = 0; pair < items() * workers; ++pair) {
      const std::size_t item = pair / workers, worker = pair % workers;
      if ((asked >> pair & 1U) != 0 || world_.prices[worker] > money + 1e-9) continue;
      double sum = 0;
      for (const Label label : {Label::negative, Label::positive}) {
        std::vector<double> after = weights;
        for (std::size_t n = 0; n < after.size(); ++n) {
          const auto chance = world_.crowds[n / truths()][worker].likelihood(label);
          after[n] *= is_positive(n % truths(), item) ? chance.positive : chance.negative;
        }
        sum += best(after, asked | 1U << pair, money - world_.prices[worker]);
      }
      most = std::max(most, sum);
    }
    return most;
  }

  const World& world_;
};

/// The bound from `times` draws of every crowd.
RosterBound bound_of(const World& world, int times = 1) {
  std::vector<RosterDraw> draws;
  Rng rng(5);
  for (int n = 0; n < times; ++n) {
    for (const auto& crowd : world.crowds) {
      Roster roster;
      for (const Channel& worker : crowd) roster.reliabilities.push_back(draw_label(worker, rng));
      for (const double p : world.prob_positive) roster.items.add(std::log(p / (1 - p)), 1);
      draws.push_back({roster});
    }
  }
  return {world.prices, draws};
}

std::vector<Channel> coins(const std::vector<double>& reliabilities) {
  std::vector<Channel> all;
  for (const double one : reliabilities) all.push_back(Channel::one_coin(one));
  return all;
}

/// Compares with all policies. Returns the largest distance.
double expect_above_all(const World& world, const std::vector<double>& budgets, int times = 1) {
  RosterBound bound = bound_of(world, times);
  const Everything everything(world);
  double most = 0;
  for (const double money : budgets) {
    const double items = static_cast<double>(world.prob_positive.size());
    const double exact = everything.best(money);
    const double limit = bound.accuracy_for_budget(money / items).accuracy;
    EXPECT_GE(limit, exact - 1e-9) << "with " << money;
    most = std::max(most, limit - exact);
  }
  return most;
}

TEST(RosterBound, IsKeptByThePolicyThatKnowsEveryWorker) {
  const std::vector<double> budgets{0, 1, 2, 3, 4};
  const double far = expect_above_all({{0.5, 0.6}, {coins({0.9, 0.7})}, {1, 1}}, budgets);
  EXPECT_LE(far, 0.06) << "two items share the budget less evenly than the bound lets them";
  expect_above_all({{0.5, 0.8}, {coins({0.75, 0.7, 0.3})}, {1, 1, 1}}, budgets);
  expect_above_all({{0.3, 0.5, 0.55}, {coins({0.95, 0.6})}, {1, 1}}, budgets);
}

TEST(RosterBound, IsExactOnceEverybodyHasBeenAsked) {
  const World world{{0.4, 0.7}, {coins({0.9, 0.8, 0.65})}, {1, 1, 1}};
  RosterBound bound = bound_of(world);
  double all = 0;  // of both items: the best answers after all labels
  for (const double p : world.prob_positive) {
    for (unsigned labels = 0; labels < 8; ++labels) {
      double yes = p, no = 1 - p;
      for (std::size_t j = 0; j < 3; ++j) {
        const double q = world.crowds[0][j].sensitivity;
        yes *= (labels >> j & 1U) != 0 ? q : 1 - q;
        no *= (labels >> j & 1U) != 0 ? 1 - q : q;
      }
      all += std::max(yes, no) / 2;
    }
  }
  EXPECT_NEAR(bound.accuracy_for_budget(3).accuracy, all, 1e-3);
  EXPECT_NEAR(bound.accuracy_for_budget(300).accuracy, all, 1e-3) << "nobody answers twice";
}

TEST(RosterBound, IsKeptWhereWorkersAreUnknown) {
  // Every worker is an expert or a guesser.
  World world{{0.5, 0.5}, {}, {1, 1}};
  for (const double first : {0.95, 0.55}) {
    for (const double second : {0.95, 0.55}) world.crowds.push_back(coins({first, second}));
  }
  expect_above_all(world, {0, 1, 2, 3, 4});
  world.prob_positive = {0.5, 0.7, 0.9};
  expect_above_all(world, {1, 2, 3});
}

TEST(RosterBound, IsKeptWherePricesDiffer) {
  expect_above_all({{0.5, 0.6}, {coins({0.9, 0.7, 0.65})}, {3, 1, 2}}, {1, 2, 3, 4, 5, 6});
  expect_above_all({{0.5, 0.6}, {coins({0.9, 0.8})}, {1, 2}}, {1, 2, 3, 4, 5, 6});
}

TEST(RosterBound, IsKeptByWorkersWithTwoCoins) {
  const std::vector<Channel> biased{{0.99, 0.6}, {0.7, 0.95}};
  expect_above_all({{0.5, 0.5}, {biased}, {1, 1}}, {1, 2, 3, 4}, 400);
  expect_above_all({{0.2, 0.6}, {{{0.4, 0.95}, {0.9, 0.3}}}, {1, 1}}, {1, 2, 3, 4}, 400);
}

TEST(RosterBound, OfMeanReliabilitiesWouldBeExceeded) {
  // With one label per item to spend, nobody need ask the guesser once the expert is known.
  World known{{0.5}, {coins({0.99, 0.51}), coins({0.51, 0.99})}, {1, 1}};
  const World mean{{0.5}, {coins({0.75, 0.75})}, {1, 1}};
  EXPECT_LT(bound_of(mean).accuracy_for_budget(1).accuracy, 0.76);
  EXPECT_GT(bound_of(known).accuracy_for_budget(1).accuracy, 0.98);
}

TEST(RosterBound, IsNotAboveLabelsOfTheBestWithoutEnd) {
  const World world{{0.5, 0.3, 0.9}, {coins({0.9, 0.85, 0.7, 0.6})}, {1, 1, 1, 1}};
  const std::array odds{0.0, std::log(0.3 / 0.7), std::log(9.0)};
  BudgetCurve endless = coin_budget_curve(odds, 0.9);
  RosterBound bound = bound_of(world);
  for (const double labels : {0.0, 0.5, 1.0, 2.0, 3.0, 5.0}) {
    EXPECT_LE(bound.accuracy_for_budget(labels).accuracy,
              endless.accuracy_for_budget(labels).accuracy + 1e-3)
        << labels;
  }
  EXPECT_LT(bound.accuracy_for_budget(20).accuracy, 0.97);
  EXPECT_GT(endless.accuracy_for_budget(20).accuracy, 0.9999);
}

TEST(RosterBound, WithoutMoneyIsTheAccuracyNow) {
  const World world{{0.5, 0.3, 0.97}, {coins({0.9})}, {2}};
  EXPECT_NEAR(bound_of(world).accuracy_for_budget(0).accuracy, (0.5 + 0.7 + 0.97) / 3, 1e-12);
}

TEST(RosterBound, CountsManyWorkersAsOneWhoIsAlwaysRight) {
  const World many{{0.5}, {coins(std::vector<double>(300, 0.55))}, std::vector<double>(300, 1.0)};
  const std::array<double, 1> even{0.0};
  BudgetCurve endless = coin_budget_curve(even, 0.55);
  for (const double labels : {10.0, 40.0}) {
    const double limit = bound_of(many).accuracy_for_budget(labels).accuracy;
    EXPECT_GE(limit, endless.accuracy_for_budget(labels).accuracy - 1e-6);
    EXPECT_LE(limit, endless.accuracy_for_budget(labels).accuracy + 0.06);
  }
}

/// The mean accuracy of one label at prior odds is at least that of the worker, whatever the odds.
TEST(DrawLabel, SaysNoLessThanTheWorker) {
  Rng rng(3);
  for (const Channel& worker :
       {Channel{0.99, 0.6}, {0.4, 0.95}, {0.2, 0.3}, {0.8, 0.8}, {1, 0.5}}) {
    double reliability = 0.5, says = 0;
    for (int n = 0; n < 20'000; ++n) {
      const double drawn = draw_label(worker, rng);
      says += drawn != 0.5;
      if (drawn != 0.5) reliability = drawn;
    }
    says /= 20'000;
    const auto [s, t] = worker;
    for (double p = 0.02; p < 1; p += 0.02) {
      const double exact = std::max(p * s, (1 - p) * (1 - t)) + std::max(p * (1 - s), (1 - p) * t);
      const double one = std::max(p, 1 - p);
      const double coin = std::max({p, 1 - p, reliability});
      EXPECT_GE(says * coin + (1 - says) * one, exact - 0.01) << s << " " << t << " " << p;
    }
    EXPECT_NEAR(says * reliability + (1 - says) / 2, 0.5 + std::abs(s + t - 1) / 2, 0.01);
  }
  EXPECT_EQ(draw_label({0.7, 0.3}, rng), 0.5) << "a guesser says nothing";
}

TEST(DrawChannel, HasTheMomentsOfTheBelief) {
  Rng rng(4);
  const model::WorkerState two{{0.8, 0.6}, 0.8 * 0.8 + 0.01, 0.48, 0.36 + 0.02};
  const model::WorkerState one{{0.7, 0.7}, 0.5, 0.5, 0.5};
  double first = 0, second = 0, square = 0;
  constexpr int kTimes = 40'000;
  for (int n = 0; n < kTimes; ++n) {
    const Channel drawn = draw_channel(two, rng);
    first += drawn.sensitivity / kTimes;
    second += drawn.specificity / kTimes;
    square += drawn.sensitivity * drawn.sensitivity / kTimes;
    const Channel coin = draw_channel(one, rng);
    ASSERT_EQ(coin.sensitivity, coin.specificity);
  }
  EXPECT_NEAR(first, 0.8, 0.003);
  EXPECT_NEAR(second, 0.6, 0.003);
  EXPECT_NEAR(square, 0.65, 0.004);
  const model::WorkerState known{{0.8, 0.6}, 0.64, 0.48, 0.36};
  EXPECT_EQ(draw_channel(known, rng), (Channel{0.8, 0.6}));
}

}  // namespace
}  // namespace allot::policy::roster_bound_test
