#include "model/feature_strength.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "allot/base/rng.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model::feature_strength_test {
namespace {

/// Items, their features and the likelihoods of their labels.
struct World {
  Design design;
  std::vector<std::uint32_t> classes;
  std::vector<double> log_likelihoods;
  std::vector<std::uint32_t> labelled;
};

/// Features are normal, and move by `effect` from class to class. Every item has one to three
/// labels of workers who are right with the given chance.
World world(std::uint64_t seed, std::uint32_t items, std::uint32_t features, bool intercept,
            std::uint32_t classes, double effect, double reliability = 0.75) {
  Rng rng(seed);
  World made{{items, features + (intercept ? 1 : 0), {}, {}, {}, intercept}, {}, {}, {}};
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto truth = static_cast<std::uint32_t>(below(rng, classes));
    made.classes.push_back(truth);
    made.labelled.push_back(i);
    if (intercept) made.design.values.push_back(1);
    for (std::uint32_t f = 0; f < features; ++f) {
      made.design.values.push_back(effect * (truth - (classes - 1) / 2.0) + normal(rng));
    }
    std::vector<double> logs(classes);
    for (std::uint64_t n = 0; n < 1 + i % 3; ++n) {
      const bool right = uniform(rng) < reliability;
      const auto label =
          right ? truth
                : (truth + 1 + static_cast<std::uint32_t>(below(rng, classes - 1))) % classes;
      for (std::uint32_t c = 0; c < classes; ++c) {
        logs[c] += std::log(c == label ? reliability : (1 - reliability) / (classes - 1));
      }
    }
    made.log_likelihoods.insert(made.log_likelihoods.end(), logs.begin(), logs.end());
  }
  return made;
}

/// Probability of all labels and of the pseudo-items, for weights by class and column; in
/// logarithms.
double log_likelihood(const World& of, const HeldShares& prior,
                      const std::vector<std::vector<double>>& weights) {
  const std::size_t classes = weights.size(), columns = of.design.column_count;
  double result = 0;
  for (std::uint32_t i = 0; i < of.design.item_count; ++i) {
    double all = 0, with_labels = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      double logit = 0;
      for (std::size_t k = 0; k < columns; ++k)
        logit += weights[c][k] * of.design.values[i * columns + k];
      const double share = prior.shares[c] * std::exp(logit);
      all += share;
      with_labels += share * std::exp(of.log_likelihoods[i * classes + c]);
    }
    result += std::log(with_labels / all);
  }
  if (!of.design.intercept) return result;
  double all = 0;
  for (std::size_t c = 0; c < classes; ++c) all += prior.shares[c] * std::exp(weights[c][0]);
  for (std::size_t c = 0; c < classes; ++c) {
    const double share = prior.shares[c] * std::exp(weights[c][0]) / all;
    result += prior.pseudo_items * prior.shares[c] * std::log(share);
  }
  return result;
}

/// Logarithm of the integral of exp(f) over a square around 0, by the midpoint rule.
double log_integral(double side, const std::function<double(double, double)>& f) {
  constexpr int kCells = 100;
  const double width = side / kCells, start = -side / 2 + width / 2;
  std::vector<double> values;
  for (int a = 0; a < kCells; ++a) {
    for (int b = 0; b < kCells; ++b) values.push_back(f(start + a * width, start + b * width));
  }
  const double most = *std::ranges::max_element(values);
  double sum = 0;
  for (const double one : values) sum += std::exp(one - most);
  return most + std::log(sum * width * width);
}

double log_normal(double x, double variance) {
  return -x * x / (2 * variance) - std::log(2 * std::numbers::pi * variance) / 2;
}

const double kHalf = 1 / std::numbers::sqrt2;

double climbed(const FeatureEvidence& evidence, double variance) {
  return evidence.log_evidence(evidence.climb(evidence.shares(), variance), variance);
}

/// Weights of two classes differ along (1, -1) / sqrt(2) only; the other direction integrates out.
TEST(FeatureEvidence, IsTheIntegralOverTwoWeightsOfTwoClasses) {
  const HeldShares prior{{0.6, 0.4}, 20};
  for (const double effect : {0.0, 0.5, 1.0}) {
    const World made = world(1, 90, 2, false, 2, effect);
    const FeatureEvidence evidence(made.design, prior, made.labelled, made.log_likelihoods);
    EXPECT_NEAR(evidence.without_features(), log_likelihood(made, prior, {{0, 0}, {0, 0}}), 1e-9);
    for (const double variance : {0.1, 1.0}) {
      const double wanted = log_integral(8, [&](double a, double b) {
        return log_likelihood(made, prior, {{-kHalf * a, -kHalf * b}, {kHalf * a, kHalf * b}}) +
               log_normal(a, variance) + log_normal(b, variance);
      });
      const double found = climbed(evidence, variance);
      EXPECT_NEAR(found, wanted, 0.15) << "effect " << effect << ", variance " << variance;
    }
  }
}

TEST(FeatureEvidence, ComparesAnInterceptAndAWeightWithAnInterceptAlone) {
  const HeldShares prior{{0.7, 0.3}, 12};
  for (const double effect : {0.0, 0.8}) {
    const World made = world(2, 90, 1, true, 2, effect);
    const FeatureEvidence evidence(made.design, prior, made.labelled, made.log_likelihoods);
    const double alone = log_integral(6, [&](double a, double b) {  // b integrates to 1
      return log_likelihood(made, prior, {{-kHalf * a, 0}, {kHalf * a, 0}}) + log_normal(b, 0.2);
    });
    for (const double variance : {0.1, 1.0}) {
      const double both = log_integral(8, [&](double a, double b) {
        return log_likelihood(made, prior, {{-kHalf * a, -kHalf * b}, {kHalf * a, kHalf * b}}) +
               log_normal(b, variance);
      });
      const double found = climbed(evidence, variance);
      EXPECT_NEAR(found - evidence.without_features(), both - alone, 0.15)
          << "effect " << effect << ", variance " << variance;
    }
  }
}

TEST(FeatureEvidence, IsNearTheIntegralOverAWeightOfThreeClasses) {
  const HeldShares prior{{0.5, 0.3, 0.2}, 12};
  const double third = 1 / std::sqrt(6.0);
  for (const double effect : {0.0, 0.7}) {
    const World made = world(3, 120, 1, false, 3, effect);
    const FeatureEvidence evidence(made.design, prior, made.labelled, made.log_likelihoods);
    for (const double variance : {0.1, 1.0}) {
      const double wanted = log_integral(10, [&](double a, double b) {
        return log_likelihood(
                   made, prior,
                   {{kHalf * a + third * b}, {-2 * third * b}, {third * b - kHalf * a}}) +
               log_normal(a, variance) + log_normal(b, variance);
      });
      const double found = climbed(evidence, variance);
      EXPECT_NEAR(found, wanted, 0.4) << "effect " << effect << ", variance " << variance;
    }
  }
}

TEST(FeatureEvidence, OfWeakFeaturesIsThatNearTheShares) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const World made = world(seed, 200, 20, true, 2, 0.02);
    const FeatureEvidence evidence(made.design, {{0.5, 0.5}, 40}, made.labelled,
                                   made.log_likelihoods);
    for (const double variance : {0.01, 0.05}) {
      EXPECT_NEAR(evidence.log_evidence(evidence.shares(), variance), climbed(evidence, variance),
                  1.5);
    }
  }
}

/// A strength can be left out that looks worse by more than 3 from the weights of the one below.
TEST(FeatureEvidence, OfABetterStrengthShowsBeforeTheClimb) {
  int better = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double effect : {0.0, 0.3, 1.0, 2.0}) {
      const std::uint32_t classes = seed % 2 == 0 ? 2 : 4;
      const World made = world(seed, 150, 8, true, classes, effect);
      const HeldShares prior{std::vector<double>(classes, 1.0 / classes), 36};
      const FeatureEvidence evidence(made.design, prior, made.labelled, made.log_likelihoods);
      for (const double variance : {0.03, 0.125, 0.5, 2.0}) {
        const auto here = evidence.climb(evidence.shares(), variance);
        const double now = evidence.log_evidence(here, variance);
        const auto there = evidence.climb(here, 4 * variance);
        if (!(evidence.log_evidence(there, 4 * variance) > now)) continue;
        ++better;
        missed += !(evidence.log_evidence(here, 4 * variance) > now - 3);
      }
    }
  }
  EXPECT_GT(better, 50);
  EXPECT_EQ(missed, 0);
}

TEST(LearnedRegression, LeavesUselessFeaturesOut) {
  int taken = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::uint32_t classes = seed % 2 == 0 ? 2 : 4, features = seed % 3 == 0 ? 30 : 3;
    const World made = world(seed, 150, features, true, classes, 0);
    const HeldShares prior{std::vector<double>(classes, 1.0 / classes), 36};
    taken +=
        learned_regression(made.design, prior, made.labelled, made.log_likelihoods).has_value();
  }
  EXPECT_LE(taken, 4) << "of 200; the chance of one is below 1/20";
}

TEST(LearnedRegression, TakesUsefulFeatures) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::uint32_t classes = seed % 2 == 0 ? 2 : 4;
    const World made = world(seed, 150, 4, true, classes, 1);
    const HeldShares prior{std::vector<double>(classes, 1.0 / classes), 36};
    auto learned = learned_regression(made.design, prior, made.labelled, made.log_likelihoods);
    ASSERT_TRUE(learned.has_value()) << seed;
    learned->climb(std::vector<double>(150 * classes, 1.0 / classes), 0);
    const std::vector<double> predictions = learned->log_predictions();
    int right = 0;
    for (std::size_t i = 0; i < made.classes.size(); ++i) {
      const auto first = predictions.begin() + static_cast<std::ptrdiff_t>(i * classes);
      right += std::max_element(first, first + classes) - first == made.classes[i];
    }
    EXPECT_GT(right, classes == 2 ? 105 : 85) << seed;
  }
}

/// Labels of workers who are right with a chance of 0.6 to 0.9, one per item.
MulticlassLabelsByWorker labels_of(const World& made, std::uint32_t classes) {
  Rng rng(99);
  MulticlassLabelsByWorker labels(10);
  for (std::uint32_t i = 0; i < made.classes.size(); ++i) {
    const std::uint32_t worker = i % 10;
    const bool right = uniform(rng) < 0.6 + 0.03 * worker;
    labels[worker].push_back(
        {i, right ? made.classes[i] : static_cast<std::uint32_t>(below(rng, classes))});
  }
  return labels;
}

struct Answers {
  MulticlassFit fit;
  double right;
};

Answers answers(const World& made, std::uint32_t classes, bool features,
                std::optional<double> variance) {
  const MulticlassFitOptions options{
      made.design.item_count,
      {classes, Coins::two, {3, 0.9}},
      std::vector<double>(classes, 1.0 / classes),
      features ? std::make_shared<const Design>(made.design) : nullptr,
      variance};
  Answers result{multiclass_fit(labels_of(made, classes), options, 8), 0};
  for (std::size_t i = 0; i < made.classes.size(); ++i) {
    const auto first = result.fit.probabilities.begin() + static_cast<std::ptrdiff_t>(i * classes);
    result.right += std::max_element(first, first + classes) - first == made.classes[i];
  }
  result.right /= static_cast<double>(made.classes.size());
  return result;
}

TEST(LearnedFeatures, ThatAreUselessChangeNoBit) {
  double hurt = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::uint32_t classes : {2U, 3U}) {
      const World made = world(seed, 200, 50, true, classes, 0);
      const Answers without = answers(made, classes, false, {});
      const Answers with = answers(made, classes, true, {});
      EXPECT_EQ(with.fit.probabilities, without.fit.probabilities);
      EXPECT_EQ(with.fit.counts, without.fit.counts);
      EXPECT_EQ(with.fit.rounds, without.fit.rounds);
      hurt += without.right - answers(made, classes, true, 1.0).right;
    }
  }
  EXPECT_GT(hurt / 20, 0.01) << "a fixed large variance does harm";
}

TEST(LearnedFeatures, ThatAreUsefulHelp) {
  double gain = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const std::uint32_t classes : {2U, 3U}) {
      const World made = world(seed, 200, 5, true, classes, 0.8);
      gain += answers(made, classes, true, {}).right - answers(made, classes, false, {}).right;
    }
  }
  EXPECT_GT(gain / 20, 0.02);
}

}  // namespace
}  // namespace allot::model::feature_strength_test
