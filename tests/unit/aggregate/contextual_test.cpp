#include "allot/aggregate/contextual.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/model/crowd.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::contextual_test {
namespace {

using model::Design;
using model::LabelSet;

/// Items whose classes mostly follow two features. The last `twins` items have no labels and the
/// features of the first ones.
struct World {
  LabelSet labels;
  std::shared_ptr<const Design> design;
  std::vector<ClassId> truth;
};

World world(std::uint64_t seed, std::uint32_t items, std::uint32_t twins, std::uint32_t classes) {
  Rng rng(seed);
  World made{{items + twins, 8, classes, {}}, nullptr, {}};
  model::Features features{items + twins, {"x", "y"}, {}};
  for (std::uint32_t i = 0; i < items + twins; ++i) {
    const std::uint32_t k = i < items ? static_cast<std::uint32_t>(below(rng, classes)) : 0;
    made.truth.push_back(i < items ? ClassId{k} : made.truth[i - items]);
    const double angle = 2 * std::acos(-1.0) * k / classes;
    for (const double centre : {std::cos(angle), std::sin(angle)}) {
      const std::size_t twin = features.values.size() - 2 * std::size_t{items};
      features.values.push_back(i < items ? 2 * centre + uniform(rng) - 0.5
                                          : features.values[twin]);
    }
  }
  for (std::uint32_t j = 0; j < 7; ++j) {  // the eighth worker gives no label
    for (std::uint32_t i = 0; i < items; ++i) {
      if (uniform(rng) < 0.6) continue;
      const bool right = uniform(rng) < 0.4 + 0.07 * j;
      made.labels.labels.push_back(
          {ItemId{i}, WorkerId{j},
           right ? made.truth[i] : ClassId{static_cast<std::uint32_t>(below(rng, classes))}});
    }
  }
  made.design = std::make_shared<const Design>(model::prepare(features).value());
  return made;
}

double right_answers(const World& planted, const Aggregation& result, std::size_t first) {
  double right = 0;
  for (std::size_t i = first; i < planted.truth.size(); ++i)
    right += result.answers.answers[i] == planted.truth[i];
  return right / static_cast<double>(planted.truth.size() - first);
}

/// A twin has no labels, so its probabilities come from the features alone. Multiplied by the
/// labels they must give the probabilities of the item, and the probability of all labels.
TEST(Contextual, MultipliesTheEvidenceOfFeaturesAndLabels) {
  for (const std::uint32_t classes : {2U, 3U, 5U}) {
    const World planted = world(classes, 40, 40, classes);
    const Aggregation result =
        contextual(planted.labels, planted.design, {.tolerance = 1e-12}).value();
    ASSERT_TRUE(result.fit->converged) << result.fit->iterations;
    double log_likelihood = 0;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto features = result.answers.of(ItemId{i + 40});
      std::vector<double> joint(features.begin(), features.end());
      for (const auto& [item, worker, label] : planted.labels.labels) {
        if (item != ItemId{i}) continue;
        for (std::uint32_t k = 0; k < classes; ++k)
          joint[k] *= result.workers.given(worker, ClassId{k}, label, classes);
      }
      double sum = 0;
      for (const double p : joint) sum += p;
      for (std::uint32_t k = 0; k < classes; ++k)
        EXPECT_NEAR(result.answers.of(ItemId{i})[k], joint[k] / sum, 1e-9);
      log_likelihood += std::log(sum);
    }
    EXPECT_NEAR(*result.fit->log_likelihood, log_likelihood, 1e-7);
  }
}

TEST(Contextual, AnswersItemsWithoutLabels) {
  const World planted = world(3, 60, 60, 3);
  const Aggregation result = contextual(planted.labels, planted.design).value();
  EXPECT_EQ(result.answers.answers.size(), 120U);
  EXPECT_GE(right_answers(planted, result, 60), 0.95) << "of those without labels";
}

TEST(Contextual, MatchesTheFinalFitOfTheCrowd) {
  const World planted = world(4, 30, 5, 4);
  model::CrowdOptions options;
  options.item_prior = model::DirichletPrior::symmetric(4);
  options.design = planted.design;
  options.refit = model::Refit::em;
  options.weight_variance = 0;
  const auto crowd = model::make_crowd(options, 35, 8);
  for (const auto& [item, worker, label] : planted.labels.labels)
    crowd->record(item, worker, label);
  const std::vector<double> wanted = crowd->final_probabilities();  // 50 rounds
  const Aggregation result =
      contextual(planted.labels, planted.design, {.most_iterations = 50, .tolerance = 0}).value();
  EXPECT_EQ(result.fit->iterations, 50U);
  ASSERT_EQ(result.answers.probabilities.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n)
    EXPECT_NEAR(result.answers.probabilities[n], wanted[n], 1e-9);
}

TEST(Contextual, StopsWhenNothingMoves) {
  const World planted = world(5, 30, 0, 2);
  const Aggregation result = contextual(planted.labels, planted.design).value();
  ASSERT_TRUE(result.fit->converged);
  const std::uint32_t enough = result.fit->iterations;
  ASSERT_GT(enough, 2U);
  EXPECT_LT(enough, 500U);
  const Aggregation less =
      contextual(planted.labels, planted.design, {.most_iterations = enough - 1}).value();
  EXPECT_FALSE(less.fit->converged);
  for (std::size_t n = 0; n < less.answers.probabilities.size(); ++n)
    EXPECT_NEAR(less.answers.probabilities[n], result.answers.probabilities[n], 1e-7);
}

TEST(Contextual, DescribesWorkers) {
  const World planted = world(6, 60, 0, 3);
  const Aggregation result = contextual(planted.labels, planted.design).value();
  for (std::uint32_t j = 0; j < 8; ++j) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      double row = 0;
      for (std::uint32_t y = 0; y < 3; ++y)
        row += result.workers.given(WorkerId{j}, ClassId{k}, ClassId{y}, 3);
      EXPECT_NEAR(row, 1, 1e-12);
    }
  }
  EXPECT_GT(result.workers.reliability[6], result.workers.reliability[0]);
  EXPECT_TRUE(std::isnan(result.workers.reliability[7])) << "who gave no label";
}

TEST(Contextual, TrustsFeaturesLessWhereTheirWeightsAreHeld) {
  const World planted = world(7, 20, 20, 2);
  const auto doubt = [&](double variance) {
    const auto result = contextual(planted.labels, planted.design,
                                   {.worker_prior = {}, .weight_variance = variance});
    double sum = 0;
    for (std::uint32_t i = 20; i < 40; ++i) sum += std::abs(result->answers.of(ItemId{i})[0] - 0.5);
    return sum;
  };
  EXPECT_LT(doubt(1e-6), doubt(1));
}

TEST(Contextual, RefusesInvalidInput) {
  const World planted = world(8, 10, 0, 2);
  EXPECT_THROW(contextual(planted.labels, nullptr), std::invalid_argument);
  LabelSet more = planted.labels;
  ++more.item_count;
  EXPECT_THROW(contextual(more, planted.design), std::invalid_argument);
  EXPECT_THROW(contextual(planted.labels, planted.design, {.most_iterations = 0}),
               std::invalid_argument);
  EXPECT_THROW(contextual(planted.labels, planted.design, {.tolerance = -1}),
               std::invalid_argument);
  Design huge = *planted.design;
  for (double& x : huge.values) x *= 1e200;
  const auto overflown = contextual(planted.labels, std::make_shared<const Design>(huge));
  ASSERT_FALSE(overflown);
  EXPECT_NE(overflown.error().message.find("expected standardised features"), std::string::npos);
  LabelSet alone{10, 1, 1, {{ItemId{0}, WorkerId{0}, ClassId{0}}}};
  const auto result = contextual(alone, planted.design);
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().message,
      "method 'contextual' needs two or more classes, but the labels have 1; use --classes to "
      "name classes without labels");
}

}  // namespace
}  // namespace allot::aggregate::contextual_test
