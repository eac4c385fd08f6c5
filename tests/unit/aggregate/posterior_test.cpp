#include "allot/aggregate/posterior.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/label_sets.hpp"

namespace allot::aggregate::posterior_test {
namespace {

using test::label_set;

TEST(Posterior, IsTheMajorityWithThePriorCounted) {  // [CLZ cor:majority_vote]
  const auto set = label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}}, 3);
  const auto result = posterior(set).value();
  EXPECT_EQ(result.answers.answers, (std::vector<ClassId>{ClassId{1}, ClassId{0}, ClassId{0}}));
  EXPECT_DOUBLE_EQ(result.answers.of(ItemId{0})[1], 0.875);
  EXPECT_DOUBLE_EQ(result.answers.of(ItemId{1})[0], 0.9375);
  EXPECT_EQ(result.answers.of(ItemId{2})[1], 0.5);
  EXPECT_EQ(posterior(set, model::Prior::beta(5, 1)).value().answers.answers[1], ClassId{1});
}

/// Compared with draws: the shares of a Dirichlet are in the order of gamma variables.
TEST(Posterior, GivesTheProbabilityOfEveryClass) {  // [CLZ eq:P_T_c]
  const auto set = label_set({{0, 0, 2}, {0, 1, 2}, {0, 2, 0}, {1, 0, 1}}, 3);
  const auto result = posterior(set, model::DirichletPrior::dirichlet({2, 1, 1})).value();
  EXPECT_EQ(result.answers.answers, (std::vector<ClassId>{ClassId{0}, ClassId{0}, ClassId{0}}));
  const std::vector<std::vector<double>> beliefs{{3, 1, 3}, {2, 2, 1}, {2, 1, 1}};
  constexpr int kDraws = 40'000;
  Rng rng(1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    std::vector<double> wins(3);
    for (int n = 0; n < kDraws; ++n) {
      std::vector<double> gamma;
      for (const double alpha : beliefs[i]) {  // a sum of exponentials
        double sum = 0;
        for (double part = 0; part < alpha; ++part) sum -= std::log(1 - uniform(rng));
        gamma.push_back(sum);
      }
      ++wins[static_cast<std::size_t>(std::ranges::max_element(gamma) - gamma.begin())];
    }
    // Five standard deviations: fails once in 200,000 seeds.
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(result.answers.of(ItemId{i})[c], wins[c] / kDraws, 5 * 0.5 / std::sqrt(kDraws));
  }
  EXPECT_DOUBLE_EQ(result.workers.reliability[2], 1) << "agrees with the answer";
  EXPECT_DOUBLE_EQ(result.workers.reliability[0], 0);
}

TEST(Posterior, IsTheSameForTwoClassesUnderEitherPrior) {
  const auto set = test::random_crowd(2, 30, 6, 2);
  const auto beta = posterior(set, model::Prior::beta(1, 2)).value();
  const auto dirichlet = posterior(set, model::DirichletPrior::dirichlet({2, 1})).value();
  EXPECT_EQ(beta.answers.answers, dirichlet.answers.answers) << "ties too";
  EXPECT_EQ(beta.answers.probabilities, dirichlet.answers.probabilities);
}

TEST(Posterior, RefusesAPriorWithAnotherNumberOfClasses) {
  const auto three = label_set({{0, 0, 2}});
  EXPECT_EQ(posterior(three, model::Prior::jeffreys()).error().message,
            "the prior has two classes, but the labels have 3; expected uniform, jeffreys or "
            "dirichlet");
  EXPECT_EQ(posterior(three, model::DirichletPrior::symmetric(4)).error().message,
            "the prior has 4 classes, but the labels have 3; expected the same number");
  EXPECT_EQ(posterior(label_set({{0, 0, 0}})).error().message,
            "method 'posterior' needs two or more classes, but the labels have 1; use --classes to "
            "name classes without labels");
}

}  // namespace
}  // namespace allot::aggregate::posterior_test
