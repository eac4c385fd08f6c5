#include "allot/model/calibration_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "allot/base/rng.hpp"

namespace allot::model::calibration_map_test {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// The formula of the map for one k and e.
std::vector<double> distorted(const std::vector<double>& p, std::uint32_t labels, double k,
                              double e, double correlation) {
  const double power = k / (1 + correlation * (labels - 1.0));
  std::vector<double> result;
  double sum = 0;
  for (const double one : p) sum += result.emplace_back(std::pow(one, power));
  for (double& one : result) one = (1 - e) * one / sum + e / static_cast<double>(p.size());
  return result;
}

/// Items with stated probabilities as confident beliefs have them. The first class is the answer.
struct Items {
  std::vector<std::vector<double>> stated;
  std::vector<std::uint32_t> labels;

  Items(std::size_t count, std::uint32_t classes, Rng& rng) {
    for (std::size_t i = 0; i < count; ++i) {
      labels.push_back(1 + static_cast<std::uint32_t>(below(rng, 6)));
      std::vector<double> p{std::exp(0.5 + 4 * uniform(rng))};
      for (std::uint32_t c = 1; c < classes; ++c) p.push_back(uniform(rng));
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& one : p) one /= sum;
      stated.push_back(p);
    }
  }

  std::vector<double> flat() const {
    std::vector<double> all;
    for (const auto& p : stated) all.insert(all.end(), p.begin(), p.end());
    return all;
  }
};

/// Answers of items, right with the probabilities that a true k and e give.
std::vector<KnownAnswer> known_answers(const Items& items, double k, double e, Rng& rng) {
  std::vector<KnownAnswer> known;
  for (std::size_t i = 0; i < items.stated.size(); ++i) {
    const double p = distorted(items.stated[i], items.labels[i], k, e, 0.25)[0];
    known.push_back({items.stated[i], items.labels[i], uniform(rng) < p});
  }
  return known;
}

/// Posterior mean of the answer's probability, by a plain sum over a fine and wide grid. Weights
/// are taken as they are.
double plain_sum(std::span<const KnownAnswer> known, const CalibrationPrior& prior,
                 const std::vector<double>& p, std::uint32_t labels) {
  constexpr int kSteps = 120;
  const double classes = static_cast<double>(p.size());
  const double middle_e = std::log(prior.shared_error / (1 - prior.shared_error));
  long double sum = 0, total = 0;
  for (int a = 0; a <= kSteps; ++a) {
    const double x = -5 + 10.0 * a / kSteps;
    const double k = prior.sharpness * std::exp(x * prior.sharpness_spread);
    std::vector<double> bare;  // without e
    for (const KnownAnswer& answer : known)
      bare.push_back(distorted({answer.probabilities.begin(), answer.probabilities.end()},
                               answer.labels, k, 0, prior.correlation)[0]);
    const double asked = distorted(p, labels, k, 0, prior.correlation)[0];
    for (int b = 0; b <= kSteps; ++b) {
      const double y = -5 + 10.0 * b / kSteps;
      const double e = logistic(middle_e + y * prior.shared_error_spread);
      double log_posterior = -(x * x + y * y) / 2;
      for (std::size_t i = 0; i < known.size(); ++i) {
        const double right = (1 - e) * bare[i] + e / classes;
        log_posterior += known[i].weight * std::log(known[i].right ? right : 1 - right);
      }
      const long double weight = std::exp(static_cast<long double>(log_posterior));
      total += weight;
      sum += weight * ((1 - e) * asked + e / classes);
    }
  }
  return static_cast<double>(sum / total);
}

TEST(CalibrationMap, IsThePosteriorMeanThatAPlainSumGives) {
  for (const std::uint32_t classes : {2U, 5U}) {
    Rng rng(3);
    const Items items(400, classes, rng);
    const auto known = known_answers(items, 0.6, 0.2, rng);
    for (const std::size_t count : {0U, 1U, 30U, 400U}) {
      const auto some = std::span(known).first(count);
      const CalibrationPrior prior{0.9, 0.4, 0.1, 1.0, 0.25};
      const CalibrationMap map(classes, some, prior);
      EXPECT_EQ(map.known(), count);
      for (const std::size_t i : {0U, 7U, 19U})
        EXPECT_NEAR(map.answer_probability(items.stated[i], items.labels[i]),
                    plain_sum(some, prior, items.stated[i], items.labels[i]), 1e-3)
            << classes << " classes, " << count << " known answers, item " << i;
    }
  }
}

TEST(CalibrationMap, CountsWeightsAsTheirEffectiveNumberOfAnswers) {
  Rng rng(5);
  const Items items(60, 3, rng);
  auto known = known_answers(items, 0.8, 0.1, rng);
  double sum = 0, squares = 0;
  for (KnownAnswer& answer : known) {
    answer.weight = 0.5 + 4 * uniform(rng);
    sum += answer.weight;
    squares += answer.weight * answer.weight;
  }
  const CalibrationMap map(3, known);
  auto scaled = known;
  for (KnownAnswer& answer : scaled) answer.weight *= sum / squares;
  EXPECT_NEAR(map.answer_probability(items.stated[0], 2), plain_sum(scaled, {}, items.stated[0], 2),
              1e-3);
  for (KnownAnswer& answer : known) answer.weight *= 1000;
  EXPECT_NEAR(CalibrationMap(3, known).answer_probability(items.stated[0], 2),
              map.answer_probability(items.stated[0], 2), 1e-12);
}

/// Mean absolute difference to the true distortion.
double mean_difference(const CalibrationMap& map, const Items& items, double k, double e) {
  double sum = 0;
  for (std::size_t i = 0; i < items.stated.size(); ++i)
    sum += std::abs(map.answer_probability(items.stated[i], items.labels[i]) -
                    distorted(items.stated[i], items.labels[i], k, e, 0.25)[0]);
  return sum / static_cast<double>(items.stated.size());
}

TEST(CalibrationMap, FindsTheDistortionOfASimulatedCrowd) {
  for (const auto& [k, e] : {std::pair{1.0, 0.02}, {0.5, 0.1}, {1.6, 0.4}, {0.4, 0.3}}) {
    for (const std::uint32_t classes : {2U, 6U}) {
      Rng rng(11);
      const Items items(4000, classes, rng);
      auto known = known_answers(items, k, e, rng);
      EXPECT_LT(mean_difference(CalibrationMap(classes, known), items, k, e), 0.02)
          << "k " << k << ", e " << e << ", " << classes << " classes";
      // Negative control: a map that takes right for wrong is far off.
      for (KnownAnswer& answer : known) answer.right = !answer.right;
      EXPECT_GT(mean_difference(CalibrationMap(classes, known), items, k, e), 0.1);
    }
  }
}

TEST(CalibrationMap, UndoesADesignedDrawByItsWeights) {
  Rng rng(13);
  const Items items(20000, 2, rng);
  // Two kinds of answers with the same stated probabilities: the second kind is right less often
  // and is drawn four times as often.
  std::vector<KnownAnswer> weighted, plain;
  double right = 0;
  for (std::size_t i = 0; i < items.stated.size(); ++i) {
    const bool second = i % 2 == 1;
    const double p = distorted(items.stated[i], items.labels[i], 1, second ? 0.5 : 0.02, 0.25)[0];
    right += p / static_cast<double>(items.stated.size());
    const bool is_right = uniform(rng) < p;
    if (uniform(rng) > (second ? 0.4 : 0.1)) continue;
    weighted.push_back({items.stated[i], items.labels[i], is_right, second ? 2.5 : 10.0});
    plain.push_back({items.stated[i], items.labels[i], is_right});
  }
  EXPECT_NEAR(CalibrationMap(2, weighted).accuracy(items.flat(), items.labels).mean, right, 0.01);
  EXPECT_LT(CalibrationMap(2, plain).accuracy(items.flat(), items.labels).mean, right - 0.04);
}

/// Share of simulated worlds, drawn from the prior of the map, whose accuracy lies in the range.
double coverage(std::size_t checks, const CalibrationPrior& worlds) {
  constexpr int kWorlds = 400;
  int covered = 0;
  for (std::uint64_t world = 0; world < kWorlds; ++world) {
    Rng rng(17, Rng::Purpose::general, world);
    const Items items(300, 3, rng);
    const double k = worlds.sharpness * std::exp(worlds.sharpness_spread * normal(rng));
    const double e = logistic(std::log(worlds.shared_error / (1 - worlds.shared_error)) +
                              worlds.shared_error_spread * normal(rng));
    const auto known = known_answers(items, k, e, rng);
    double right = 0;
    for (const KnownAnswer& answer : known) right += answer.right ? 1.0 / 300 : 0;
    const auto range =
        CalibrationMap(3, std::span(known).first(checks)).accuracy(items.flat(), items.labels, 0.9);
    EXPECT_LE(range.low, range.mean);
    EXPECT_LE(range.mean, range.high);
    covered += range.low <= right && right <= range.high;
  }
  return static_cast<double>(covered) / kWorlds;
}

TEST(CalibrationMap, CoversTheAccuracyAsOftenAsStated) {
  // 400 worlds: a standard error of .015. Known answers are among the items, so that with many the
  // range is on the safe side.
  EXPECT_NEAR(coverage(0, {}), 0.9, 0.045);
  EXPECT_NEAR(coverage(30, {}), 0.91, 0.045);
  EXPECT_GT(coverage(200, {}), 0.9);
  // Negative control: worlds much worse than the prior are not covered without known answers.
  EXPECT_LT(coverage(0, {0.3, 0.1, 0.5, 0.3, 0.25}), 0.5);
}

TEST(CalibrationMap, GivesTheChanceOfAnAccuracyThatItsRangeHas) {
  const std::vector<double> stated{0.9, 0.1, 0.7, 0.3, 0.99, 0.01, 0.6, 0.4};
  const std::vector<std::uint32_t> labels{3, 2, 8, 1};
  const CalibrationMap map(2);
  CalibrationMap::ItemSums sums{.items = 4};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto powers = map.answer_powers(std::span(stated).subspan(2 * i, 2), labels[i]);
    for (std::size_t a = 0; a < powers.size(); ++a) {
      sums.powers[a] += powers[a];
      sums.squares[a] += powers[a] * powers[a];
    }
  }
  for (const double level : {0.2, 0.5}) {  // wider ranges end at 1
    const AccuracyRange range = map.accuracy(stated, labels, level);
    EXPECT_NEAR(map.chance_of(sums, range.low), (1 + level) / 2, 1e-9);
    EXPECT_NEAR(map.chance_of(sums, range.high), (1 - level) / 2, 1e-9);
  }
  EXPECT_THROW(map.chance_of({}, 0.9), std::invalid_argument);
}

TEST(CalibrationMap, RestsOnThePriorWithoutKnownAnswers) {
  const CalibrationMap map(2);
  EXPECT_EQ(map.known(), 0U);
  const std::vector<double> sure{0.01, 0.99};
  // One label is believed more than many that add up to the same confidence.
  EXPECT_GT(map.answer_probability(sure, 1), map.answer_probability(sure, 10));
  EXPECT_LT(map.answer_probability(sure, 1), 0.97);
  EXPECT_EQ(map.answer_probability(sure, 0), map.answer_probability(sure, 1));
}

TEST(CalibrationMap, RefusesWhatMakesNoSense) {
  const std::vector<double> p{0.2, 0.8};
  EXPECT_THROW(CalibrationMap(1), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(3, std::vector{KnownAnswer{p}}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2, std::vector{KnownAnswer{p, 1, true, 0}}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2, {}, {.sharpness = 0}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2, {}, {.shared_error = 1}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2, {}, {.correlation = 2}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2).accuracy({}, {}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2).accuracy(p, std::vector{1U, 1U}), std::invalid_argument);
  EXPECT_THROW(CalibrationMap(2).accuracy(p, std::vector{1U}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model::calibration_map_test
