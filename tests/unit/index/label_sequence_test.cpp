#include "allot/index/label_sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/index/coin_price.hpp"

namespace allot::index::label_sequence_test {
namespace {

double probability(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

/// The best rule that may ask the workers of a set in any order, by going through all of them. The
/// n-th label costs prices[n].
double best_of_all_orders(double p, unsigned left, const std::vector<double>& reliabilities,
                          const std::vector<double>& prices) {
  double best = std::max(p, 1 - p);
  const std::size_t asked = reliabilities.size() - static_cast<std::size_t>(std::popcount(left));
  for (std::size_t j = 0; j < reliabilities.size(); ++j) {
    if ((left >> j & 1U) == 0) continue;
    const double q = reliabilities[j], yes = p * q + (1 - p) * (1 - q);
    const auto after = [&](double positive) {
      return best_of_all_orders(positive, left & ~(1U << j), reliabilities, prices);
    };
    best = std::max(best, yes * after(p * q / yes) + (1 - yes) * after(p * (1 - q) / (1 - yes)) -
                              prices[asked]);
  }
  return best;
}

double in_order(double log_odds, const std::vector<double>& reliabilities,
                const std::vector<double>& prices) {
  LabelSequence rest, next;
  for (std::size_t n = reliabilities.size(); n-- > 0;) {
    next.put_before(rest, reliabilities[n], prices[n]);
    std::swap(rest, next);
  }
  return rest.value(log_odds);
}

struct Case {
  double log_odds;
  std::vector<double> reliabilities, prices;  // best first, cheapest first
};

std::vector<Case> random_cases(std::uint64_t seed, std::size_t workers, int count) {
  Rng rng(seed);
  std::vector<Case> all;
  for (int n = 0; n < count; ++n) {
    Case one{4 * uniform(rng) - 2, {}, {}};
    const double scale = std::exp(-1 - 5 * uniform(rng));
    for (std::size_t j = 0; j < workers; ++j) {
      one.reliabilities.push_back(0.5 + 0.49 * uniform(rng));
      one.prices.push_back(n % 2 == 0 ? scale : scale * uniform(rng));
    }
    std::ranges::sort(one.reliabilities, std::ranges::greater());
    std::ranges::sort(one.prices);
    all.push_back(std::move(one));
  }
  return all;
}

TEST(LabelSequence, BestFirstIsTheBestOfAllOrders) {
  for (const std::size_t workers : {1U, 2U, 3U, 4U, 5U}) {
    for (const auto& [odds, q, prices] : random_cases(workers, workers, workers < 5 ? 200 : 40)) {
      const double exact = best_of_all_orders(probability(odds), (1U << workers) - 1, q, prices);
      const double value = in_order(odds, q, prices);
      EXPECT_GE(value, exact - 1e-12) << workers << " workers";
      EXPECT_LE(value, exact + 2e-3) << workers << " workers";
    }
  }
}

TEST(LabelSequence, WorstFirstFallsShort) {
  double most = 0;
  for (auto [odds, q, prices] : random_cases(7, 4, 100)) {
    const double best = in_order(odds, q, prices);
    std::ranges::reverse(q);
    most = std::max(most, best - in_order(odds, q, prices));
  }
  EXPECT_GT(most, 0.02) << "the order would not matter";
}

TEST(LabelSequence, OfManyEqualWorkersIsTheSequentialTest) {
  for (const double q : {0.6, 0.75, 0.9, 0.99}) {
    for (const double odds : {0.0, -0.7, 2.0}) {
      for (const double price : {0.05, 0.01, 0.002}) {
        const double unlimited = probability(std::abs(odds)) + coin_stopping(odds, q, price).gain;
        const double value =
            in_order(odds, std::vector<double>(500, q), std::vector<double>(500, price));
        EXPECT_GE(value, unlimited - 1e-6) << q << " " << odds << " " << price;
        EXPECT_LE(value, unlimited + 1e-3) << q << " " << odds << " " << price;
      }
    }
  }
}

TEST(LabelSequence, IsNeverAboveLabelsOfTheBestWithoutEnd) {
  for (const auto& [odds, q, prices] : random_cases(8, 12, 200)) {
    const double unlimited =
        probability(std::abs(odds)) + coin_stopping(odds, q.front(), prices.front()).gain;
    EXPECT_LE(in_order(odds, q, prices), unlimited + 2e-3);
  }
}

TEST(LabelSequence, WithoutWorkersIsTheAnswerNow) {
  const LabelSequence none;
  for (const double odds : {0.0, 0.012, -1.3, 5.0, 12.79, -13.0, 40.0, 800.0}) {
    EXPECT_NEAR(none.value(odds), probability(std::abs(odds)), 1e-15) << odds;
  }
}

TEST(LabelSequence, OfAPerfectWorkerIsCertaintyMinusThePrice) {
  EXPECT_NEAR(LabelSequence::perfect(0.1).value(0), 0.9, 1e-12);
  EXPECT_NEAR(LabelSequence::perfect(0.1).value(3), probability(3), 1e-12) << "sure enough";
  EXPECT_NEAR(in_order(0.4, {1, 0.7}, {0.02, 0.02}), 0.98, 1e-12);
}

TEST(LabelSequence, ReadsWrongLabelsTheOtherWayRound) {
  EXPECT_EQ(in_order(-0.3, {0.1, 0.35}, {0.01, 0.01}), in_order(0.3, {0.9, 0.65}, {0.01, 0.01}));
}

TEST(LabelSequence, SumsTheItemsOfAHistogram) {
  OddsHistogram items;
  LabelSequence rest, value;
  value.put_before(rest, 0.83, 0.01);
  double sum = 0, weight = 0;
  for (const double odds : {0.0, 0.3, -0.31, 2.2, -7.7, 12.9, 30.0}) {
    items.add(odds, 1 + weight);
    sum += (1 + weight) * value.value(odds);
    weight += 1 + weight;
  }
  EXPECT_NEAR(value.value(items), sum, 1e-12 * weight);
  EXPECT_NEAR(items.weight(), weight, 1e-12 * weight);
}

TEST(LabelSequence, RefusesNonsense) {
  LabelSequence one, other;
  EXPECT_THROW(one.put_before(other, 1.1, 0), std::invalid_argument);
  EXPECT_THROW(one.put_before(other, 0.7, -1), std::invalid_argument);
  EXPECT_THROW(one.value(std::nan("")), std::invalid_argument);
}

}  // namespace
}  // namespace allot::index::label_sequence_test
