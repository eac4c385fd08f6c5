#include "allot/model/soft_labels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

namespace allot::model::soft_labels_test {
namespace {

TEST(SoftLabels, GivenOnesAreTakenAsTheyAre) {
  const std::vector<double> given{0.1, 0.9};
  EXPECT_EQ(soft_labels(given, 2, 1, 0), given);
  EXPECT_THROW(soft_labels(given, 3, 1, 0), std::invalid_argument);
}

TEST(SoftLabels, OfAnItemDoNotDependOnTheNumberOfItems) {
  const auto few = soft_labels(Prior::uniform(), 5, 7, 2),
             many = soft_labels(Prior::uniform(), 50, 7, 2);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, soft_labels(Prior::uniform(), 5, 7, 3));
  EXPECT_NE(few, soft_labels(Prior::uniform(), 5, 8, 2));
}

TEST(SoftLabels,
     OfAMixtureComeFromItsComponents) {  // share of positives within four standard errors
  const Prior prior = Prior::mixture({{0.8, 50, 1}, {0.2, 1, 50}});
  double positive = 0;
  for (const double theta : soft_labels(prior, 20000, 1, 0)) positive += theta >= 0.5;
  EXPECT_NEAR(positive / 20000, 0.8, 4 * std::sqrt(0.16 / 20000));
}

TEST(SoftLabels, CannotBeDrawnFromHaldanesPrior) {
  EXPECT_THROW(soft_labels(Prior::haldane(), 1, 1, 0), std::invalid_argument);
}

/// E(theta_c) = alpha_c / s, E(theta_c theta_d) = alpha_c (alpha_d + [c = d]) / (s (s + 1)); within
/// four standard errors, those of a number between 0 and 1 of mean m being at most
/// sqrt(m (1 - m) / n).
TEST(MulticlassSoftLabels, HaveTheMomentsOfTheDirichletDistribution) {
  constexpr std::uint32_t kCount = 40000;
  for (const std::vector<double>& alpha :
       {std::vector<double>{1, 1, 1}, {0.01, 0.01, 0.02}, {4, 0.5, 1.5, 0.05}, {30, 50}}) {
    const std::vector<double> theta = soft_labels(DirichletPrior::dirichlet(alpha), kCount, 3, 1);
    const std::size_t classes = alpha.size();
    ASSERT_EQ(theta.size(), kCount * classes);
    const auto expect_mean = [&](double exact, auto&& of_item) {
      double sum = 0;
      for (std::size_t i = 0; i < kCount; ++i) sum += of_item(&theta[i * classes]);
      EXPECT_NEAR(sum / kCount, exact, 4 * std::sqrt(exact * (1 - exact) / kCount));
    };
    const double total = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    for (std::size_t c = 0; c < classes; ++c) {
      expect_mean(alpha[c] / total, [&](const double* shares) { return shares[c]; });
      for (std::size_t d = 0; d < classes; ++d) {
        expect_mean(alpha[c] * (alpha[d] + (c == d)) / (total * (total + 1)),
                    [&](const double* shares) { return shares[c] * shares[d]; });
      }
    }
  }
}

TEST(MulticlassSoftLabels,
     SumToOneForTinyParameters) {  // the largest falls evenly: four standard errors
  constexpr std::uint32_t kCount = 3000;
  const std::vector<double> theta = soft_labels(DirichletPrior::symmetric(3, 1e-8), kCount, 1, 0);
  std::array<double, 3> largest{};
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto shares = std::span(theta).subspan(3 * i, 3);
    ASSERT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-15);
    ++largest[static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin())];
  }
  for (const double count : largest) EXPECT_NEAR(count, 1000, 4 * std::sqrt(kCount * 2.0 / 9));
}

TEST(MulticlassSoftLabels, OfAnItemDoNotDependOnTheNumberOfItems) {
  const DirichletPrior prior = DirichletPrior::dirichlet({1, 2, 0.5});
  const auto few = soft_labels(prior, 5, 7, 2), many = soft_labels(prior, 50, 7, 2);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, soft_labels(prior, 5, 7, 3));
}

}  // namespace
}  // namespace allot::model::soft_labels_test
