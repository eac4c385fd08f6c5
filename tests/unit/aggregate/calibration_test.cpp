#include "allot/aggregate/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "allot/aggregate/posterior.hpp"
#include "allot/base/rng.hpp"

namespace allot::aggregate::calibration_test {
namespace {

using Truth = std::vector<std::optional<ClassId>>;

/// Answers of two classes: class 1 with these probabilities.
ClassAnswers with(const std::vector<double>& probabilities) {
  ClassAnswers answers{2, {}, {}};
  for (const double p : probabilities) {
    answers.answers.push_back(ClassId{1});
    answers.probabilities.insert(answers.probabilities.end(), {1 - p, p});
  }
  return answers;
}

const CalibrationBin& bin_from(const Calibration& calibration, double from) {
  for (const CalibrationBin& bin : calibration.bins())
    if (bin.from == from) return bin;
  throw std::logic_error("no such bin");
}

TEST(Calibration, ComparesExpectedWithObserved) {
  Calibration calibration;
  calibration.add(with({.92, .94, .9, .65, .7}),
                  Truth{ClassId{1}, ClassId{0}, ClassId{1}, ClassId{1}, std::nullopt});
  const CalibrationBin& sure = bin_from(calibration, .9);
  EXPECT_EQ(sure.to, .95);
  EXPECT_EQ(sure.answers, 3U);
  EXPECT_EQ(sure.right, 2U);
  EXPECT_NEAR(sure.expected(), .92, 1e-9);
  EXPECT_DOUBLE_EQ(sure.observed(), 2 / 3.0);
  EXPECT_EQ(bin_from(calibration, .6).answers, 1U);
  EXPECT_EQ(bin_from(calibration, .7).answers, 0U) << "its truth is not known";
  EXPECT_TRUE(std::isnan(bin_from(calibration, .7).observed()));
  EXPECT_EQ(calibration.total().answers, 4U);
  EXPECT_NEAR(calibration.expected_error().value(), (3 * (.92 - 2 / 3.0) + 1 - .65) / 4, 1e-9);
}

TEST(Calibration, AnEdgeBelongsToTheBinAbove) {
  Calibration calibration;
  calibration.add(with({0, .5, .6, .7, .8, .9, .95, .99, 1, 1 + 1e-15}), Truth(10, ClassId{1}));
  std::vector<std::uint64_t> answers;
  for (const CalibrationBin& bin : calibration.bins()) answers.push_back(bin.answers);
  EXPECT_EQ(answers, (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 1, 1, 3}));
}

TEST(Calibration, AddsUpRuns) {
  Calibration sum, other, both;
  const ClassAnswers early = with({.55, .97}), late = with({.97, .999});
  const Truth truth{ClassId{1}, ClassId{2}};  // no answer can have the second class
  sum.add(early, truth);
  other.add(late, truth);
  both.add(early, truth);
  both.add(late, truth);
  sum += other;
  EXPECT_EQ(sum, both);
}

TEST(Calibration, WithoutAnswersHasNoError) {
  Calibration calibration;
  calibration.add({2, {ClassId{0}}, {}}, Truth{ClassId{0}});  // without probabilities
  calibration.add(with({.9}), Truth(1));
  EXPECT_FALSE(calibration.expected_error());
  EXPECT_EQ(calibration.total().answers, 0U);
  EXPECT_THROW(calibration.add(with({.9}), Truth(2)), std::invalid_argument);
}

// 200,000 items whose prior is the true prior, ten labels each. The error is then what chance makes
// of it; a right program is above twice that in no seed of a billion.
TEST(Calibration, IsGoodUnderTheTruePrior) {
  const model::Prior prior = model::Prior::beta(2, 1);
  constexpr std::uint32_t kItems = 200'000;
  model::Beliefs beliefs(kItems, prior);
  Truth truth;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    Rng rng(1, Rng::Purpose::general, 0, i);
    const double theta = beta(rng, 2, 1);
    truth.emplace_back(ClassId{theta >= 0.5 ? 1U : 0U});
    for (int n = 0; n < 10; ++n)
      beliefs.record(ItemId{i}, uniform(rng) < theta ? Label::positive : Label::negative);
  }
  ClassAnswers answers{2, {}, {}};
  for (const Answer& answer : posterior_vote(beliefs)) {
    const bool positive = answer.label == Label::positive;
    const double p = positive ? answer.probability : 1 - answer.probability;
    answers.answers.push_back(ClassId{positive ? 1U : 0U});
    answers.probabilities.insert(answers.probabilities.end(), {1 - p, p});
  }
  Calibration calibration;
  calibration.add(answers, truth);
  double chance = 0;
  for (const CalibrationBin& bin : calibration.bins()) {
    if (bin.answers == 0) continue;
    const double p = bin.expected(), n = static_cast<double>(bin.answers);
    chance += std::sqrt(p * (1 - p) * n) / kItems;
    EXPECT_NEAR(bin.observed(), p, 6 * std::sqrt(p * (1 - p) / n)) << bin.from;
  }
  EXPECT_LT(calibration.expected_error().value(), 2 * chance);
}

/// Pr(share < x) for share ~ Beta(right + 1/2, wrong + 1/2), by Simpson's rule over the angle whose
/// squared sine is the share, which makes the density smooth.
double share_below(double x, std::uint64_t right, std::uint64_t wrong) {
  const auto integral = [&](double to) {
    constexpr int kSteps = 2000;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
      const double angle = to * i / kSteps;
      const double density = std::pow(std::sin(angle), 2.0 * static_cast<double>(right)) *
                             std::pow(std::cos(angle), 2.0 * static_cast<double>(wrong));
      sum += density * (i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2);
    }
    return sum * to / kSteps / 3;
  };
  return integral(std::asin(std::sqrt(x))) / integral(std::asin(1.0));
}

TEST(ObservedRange, HoldsTheStatedShareOfTheJeffreysPosterior) {
  for (const auto& [right, answers] : {std::pair{3U, 10U}, {49U, 50U}, {1U, 2U}, {180U, 200U}}) {
    for (const double level : {0.5, 0.9, 0.99}) {
      const auto [low, high] = observed_range({0, 1, answers, right}, level);
      EXPECT_NEAR(share_below(low, right, answers - right), (1 - level) / 2, 1e-8);
      EXPECT_NEAR(share_below(high, right, answers - right), (1 + level) / 2, 1e-8);
    }
  }
}

TEST(ObservedRange, ReachesTheEndWhereAllAnswersAreAlike) {
  EXPECT_EQ(observed_range({0, 1, 5, 0}).low, 0);
  EXPECT_EQ(observed_range({0, 1, 5, 5}).high, 1);
  EXPECT_LT(observed_range({0, 1, 5, 5}).low, 0.9);
  EXPECT_EQ(observed_range({0, 1}).low, 0);
  EXPECT_EQ(observed_range({0, 1}).high, 1);
  EXPECT_THROW(observed_range({0, 1, 5, 5}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace allot::aggregate::calibration_test
