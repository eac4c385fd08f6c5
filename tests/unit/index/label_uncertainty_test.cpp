#include <gtest/gtest.h>

#include <cmath>

#include "allot/index/uncertainty.hpp"
#include "support/beliefs.hpp"

namespace allot::index::label_uncertainty_test {
namespace {

TEST(Lu, IsTheProbabilityOfAWrongAnswer) {
  EXPECT_EQ(lu(test::beta_belief(2, 2)), 0.5);
  EXPECT_DOUBLE_EQ(lu(test::beta_belief(3, 1)), 0.125);
  EXPECT_DOUBLE_EQ(lu(test::beta_belief(1, 3)), 0.125);
}

TEST(Nlu, OrdersByTheDifferenceOfLabelsUnderAnyPrior) {
  const model::Prior prior = model::Prior::beta(9, 1);
  EXPECT_EQ(nlu({&prior, {3, 5}}), -2);
  EXPECT_EQ(nlu({&prior, {5, 3}}), -2);
  EXPECT_GT(nlu({&prior, {10, 10}}), nlu({&prior, {1, 0}}));
}

/// The definition: class uncertainty averaged over the posterior of the common quality p > 1/2
/// given all items' labels.
std::vector<double> nlu_by_integration(const std::vector<model::Counts>& items) {
  constexpr int kNodes = 4000;
  std::vector<double> score(items.size());
  double total = 0;
  for (int k = 0; k < kNodes; ++k) {
    const double p = 0.5 + 0.5 * (k + 0.5) / kNodes;
    double likelihood = 1;
    for (const model::Counts& item : items) {
      likelihood *= std::pow(p, item.positive) * std::pow(1 - p, item.negative) +
                    std::pow(p, item.negative) * std::pow(1 - p, item.positive);
    }
    total += likelihood;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double margin =
          static_cast<double>(items[i].positive) - static_cast<double>(items[i].negative);
      const double positive = 1 / (1 + std::pow((1 - p) / p, margin));
      score[i] += likelihood * std::min(positive, 1 - positive);
    }
  }
  for (double& value : score) value /= total;
  return score;
}

TEST(Nlu, GivesTheOrderOfItsDefinition) {
  const std::vector<model::Counts> items{{0, 0}, {3, 1}, {7, 7}, {2, 9},  {1, 0},
                                         {6, 1}, {0, 3}, {4, 5}, {12, 11}};
  const std::vector<double> score = nlu_by_integration(items);
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (std::size_t j = 0; j < items.size(); ++j) {
      const double mine = nlu({&test::uniform_prior(), items[i]}),
                   other = nlu({&test::uniform_prior(), items[j]});
      if (mine > other) {
        EXPECT_GT(score[i], score[j]) << i << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace allot::index::label_uncertainty_test
