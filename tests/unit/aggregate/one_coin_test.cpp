#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/aggregate/em.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::one_coin_test {
namespace {

TEST(OneCoin, BelievesAWorkerWhoIsAlwaysWrongInReverse) {
  model::LabelSet set{40, 4, 2, {}};
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      // Worker 3 says the opposite of the others; item 39 has no other.
      if (i == 39 && j < 3) continue;
      set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{(i % 2) ^ (j == 3)}});
    }
  }
  const auto result = one_coin(set).value();
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(result.answers.answers[i], ClassId{i % 2}) << i;
  EXPECT_GT(result.workers.reliability[0], 0.99);
  EXPECT_LT(result.workers.reliability[3], 0.01);
}

TEST(OneCoin, ObjectiveNeverFalls) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto climbed = one_coin(test::random_crowd(seed, 30, 8, 4)).value().fit->objective;
    for (std::size_t i = 1; i < climbed.size(); ++i)
      EXPECT_GE(climbed[i], climbed[i - 1] - 1e-9 * std::abs(climbed[i])) << seed << " " << i;
  }
}

TEST(OneCoin, GivesItemsWithoutLabelsTheClassShares) {
  const auto set = test::label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}, {2, 0, 0}}, 4);
  const auto result = one_coin(set).value();
  double labelled = 0;
  for (std::uint32_t i = 0; i < 3; ++i) labelled += result.answers.of(ItemId{i})[1] / 3;
  EXPECT_NEAR(result.answers.of(ItemId{3})[1], labelled, 1e-5);
}

TEST(OneCoin, IsSureIfThereIsOnlyOneClass) {
  const auto result = one_coin(test::label_set({{0, 0, 0}, {1, 0, 0}})).value();
  EXPECT_EQ(result.answers.probabilities, (std::vector<double>{1, 1}));
}

TEST(OneCoin, StopsAfterTheGivenIterations) {
  const auto set = test::random_crowd(1, 30, 8, 3);
  const auto fit = one_coin(set, {.most_iterations = 2, .tolerance = 0}).value().fit.value();
  EXPECT_EQ(fit.iterations, 2U);
  EXPECT_FALSE(fit.converged);
  EXPECT_THROW((void)one_coin(set, {.most_iterations = 0}), std::invalid_argument);
  EXPECT_THROW((void)one_coin(set, {.tolerance = -1}), std::invalid_argument);
  EXPECT_THROW((void)one_coin(set, {.smoothing = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace allot::aggregate::one_coin_test
