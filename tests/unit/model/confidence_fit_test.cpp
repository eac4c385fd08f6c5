// Confidences of labels: what they mean is learned, and noise costs nothing.
#include "model/confidence_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/crowd.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model::confidence_fit_test {
namespace {

struct World {
  LabelSet labels;
  std::vector<ClassId> truth;
};

/// Three labels per item by workers who are right three times in four. The stated log-odds are
/// larger by `gap` where the label is right; workers differ in their scale. `turned` of ten workers
/// state the reverse.
World simulate(std::uint64_t seed, double gap, std::uint32_t classes, int turned = 0) {
  constexpr std::uint32_t kItems = 300, kWorkers = 10;
  Rng rng(seed);
  World world{{kItems, kWorkers, classes, {}, {}}, {}};
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const auto truth = static_cast<std::uint32_t>(below(rng, classes));
    world.truth.push_back(ClassId{truth});
    const auto first = static_cast<std::uint32_t>(below(rng, kWorkers));
    for (std::uint32_t n = 0; n < 3; ++n) {
      const std::uint32_t worker = (first + n * 3) % kWorkers;
      const bool right = uniform(rng) < 0.75;
      const auto wrong = static_cast<std::uint32_t>(1 + below(rng, classes - 1));
      const double sign = static_cast<int>(worker) < turned ? -1 : 1, u = uniform(rng);
      const double odds = (right ? sign * gap : 0) + std::log(u / (1 - u));
      world.labels.labels.push_back(
          {ItemId{i}, WorkerId{worker}, ClassId{right ? truth : (truth + wrong) % classes}});
      world.labels.confidences.push_back(static_cast<float>(50 * worker + (1 + worker) * odds));
    }
  }
  return world;
}

struct Accuracy {
  double with = 0, without = 0, stated = 0;
};

/// Mean accuracy over worlds with and without the confidences.
Accuracy accuracy_of(double gap, std::uint32_t classes, int turned = 0) {
  constexpr int kWorlds = 10;
  Accuracy sums;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    World world = simulate(seed, gap, classes, turned);
    const std::vector<std::optional<ClassId>> truth(world.truth.begin(), world.truth.end());
    const auto with = aggregate::pooled(world.labels).value();
    sums.with += *aggregate::accuracy(with.answers.answers, truth) / kWorlds;
    sums.stated += *aggregate::expected_accuracy(with.answers) / kWorlds;
    world.labels.confidences.clear();
    const auto without = aggregate::pooled(world.labels).value();
    sums.without += *aggregate::accuracy(without.answers.answers, truth) / kWorlds;
  }
  return sums;
}

TEST(Confidences, HelpWhereTheyInform) {
  for (const std::uint32_t classes : {2U, 4U}) {
    for (const double gap : {2.5, -2.5}) {
      SCOPED_TRACE(testing::Message() << classes << " classes, gap " << gap);
      const Accuracy found = accuracy_of(gap, classes);
      EXPECT_GT(found.with, found.without + 0.02);
      EXPECT_NEAR(found.stated, found.with, 0.03);
    }
  }
}

TEST(Confidences, ThatEachWorkerMeansDifferentlyAreLearnedPerWorker) {
  const World world = simulate(3, 2.5, 2, 5);
  EXPECT_EQ(aggregate::pooled(world.labels)->confidences, aggregate::ConfidenceUse::own);
  const Accuracy found = accuracy_of(2.5, 2, 5);
  EXPECT_GT(found.with, found.without + 0.02);
}

TEST(Confidences, ThatAreNoiseCostNothing) {
  for (const std::uint32_t classes : {2U, 4U}) {
    const Accuracy found = accuracy_of(0, classes);
    EXPECT_GT(found.with, found.without - 0.003) << classes;
  }
  World world = simulate(1, 0, 2);
  const auto with = aggregate::pooled(world.labels).value();
  EXPECT_EQ(with.confidences, aggregate::ConfidenceUse::useless);
  world.labels.confidences.clear();
  const auto without = aggregate::pooled(world.labels).value();
  EXPECT_EQ(without.confidences, aggregate::ConfidenceUse::absent);
  EXPECT_EQ(with.answers.probabilities, without.answers.probabilities);
}

TEST(Confidences, OnlyTheirOrderWithinAWorkerCounts) {
  World world = simulate(2, 2.5, 3);
  const auto before = aggregate::pooled(world.labels).value();
  for (std::size_t n = 0; n < world.labels.labels.size(); ++n) {
    float& one = world.labels.confidences[n];
    const auto worker = static_cast<float>(position(world.labels.labels[n].worker));
    one = std::atan((one - 50 * worker) / (1 + worker) / 8);
  }
  EXPECT_EQ(aggregate::pooled(world.labels)->answers.probabilities, before.answers.probabilities);
}

/// The factors of one round by plain loops: bins by counting, chances without the label.
TEST(ConfidenceFit, AddsWhatPlainLoopsAdd) {
  constexpr std::uint32_t kClasses = 2;
  const World world = simulate(7, 2.5, kClasses);
  MulticlassLabelsByWorker labels(world.labels.worker_count);
  for (std::size_t n = 0; n < world.labels.labels.size(); ++n) {
    const auto& [item, worker, label] = world.labels.labels[n];
    // Every ninth label has no confidence.
    labels[position(worker)].push_back({position(item), position(label),
                                        n % 9 == 0 ? kNoConfidence : world.labels.confidences[n]});
  }
  Rng rng(5);
  std::vector<double> p;
  for (std::uint32_t i = 0; i < world.labels.item_count; ++i) {
    const double one =
        position(world.truth[i]) == 0 ? 0.6 + 0.4 * uniform(rng) : 0.4 * uniform(rng);
    p.insert(p.end(), {one, 1 - one});
  }
  ConfidenceFit fit(labels, kClasses);
  ASSERT_TRUE(fit.choose(p));
  const double strength = fit.result(p).strength;
  std::vector<double> added(p.size()), expected(p.size());
  fit.add_labels(p, added);
  struct One {
    std::size_t worker, bin, cell;
    double right;
  };
  std::vector<One> all;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    std::vector<float> own;
    for (const auto& [item, label, confidence] : labels[j])
      if (has_confidence(confidence)) own.push_back(confidence);
    for (const auto& [item, label, confidence] : labels[j]) {
      if (!has_confidence(confidence)) continue;
      std::size_t below = 0;
      for (const float other : own) below += other < confidence;
      std::size_t bin = 0;
      for (std::size_t k = 1; k < kConfidenceBins; ++k)
        bin += below >= k * own.size() / kConfidenceBins;
      const std::size_t cell = std::size_t{item} * kClasses + label;
      all.push_back({j, bin, cell, p[cell]});
    }
  }
  for (const One& one : all) {
    const auto chance = [&](bool right) {
      double share = 0, crowd = 0, crowd_all = 0, own = 0, own_all = 0;
      for (const One& other : all) {
        share += (other.bin == one.bin ? 1.0 : 0.0) / static_cast<double>(all.size());
        if (&other == &one) continue;
        const double mass = right ? other.right : 1 - other.right;
        crowd_all += mass;
        if (other.bin == one.bin) crowd += mass;
        if (other.worker != one.worker) continue;
        own_all += mass;
        if (other.bin == one.bin) own += mass;
      }
      const double shared = (20 * share + crowd) / (20 + crowd_all);
      return (strength * shared + own) / (strength + own_all);
    };
    expected[one.cell] += std::log(chance(true) / chance(false));
  }
  for (std::size_t n = 0; n < p.size(); ++n) EXPECT_NEAR(added[n], expected[n], 1e-9) << n;
}

/// Crowds take confidences label by label, and end where a fit of all labels ends.
TEST(ConfidentCrowd, AnswersAsPooledDoes) {
  const World world = simulate(4, 2.5, 3);
  CrowdOptions options;
  options.item_prior = DirichletPrior::symmetric(3);
  options.learn_workers = true;
  const auto crowd = make_crowd(options, world.labels.item_count, world.labels.worker_count);
  for (std::size_t n = 0; n < world.labels.labels.size(); ++n) {
    const auto& [item, worker, label] = world.labels.labels[n];
    crowd->record_confident(item, worker, label, world.labels.confidences[n]);
  }
  const auto expected = aggregate::pooled(world.labels)->answers.probabilities;
  const auto found = crowd->final_probabilities();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-9) << n;
}

/// Bit by bit, so that campaigns from before confidences make the same decisions again.
TEST(ConfidentCrowd, WithoutConfidencesMovesAnItemByBayesRuleAlone) {
  const World world = simulate(5, 2.5, 3);
  CrowdOptions options;
  options.item_prior = DirichletPrior::symmetric(3);
  const std::uint32_t items = world.labels.item_count, workers = world.labels.worker_count;
  const auto crowd = make_crowd(options, items, workers);
  for (const auto& [item, worker, label] : world.labels.labels) {
    std::vector<double> expected = crowd->probabilities(item), chance(3);
    crowd->likelihood(worker, label, chance);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += expected[k] *= chance[k];
    for (double& one : expected) one /= sum;
    if (crowd->record(item, worker, label)) continue;  // a refit
    ASSERT_EQ(crowd->probabilities(item), expected);
  }
}

TEST(ConfidentCrowd, ReadsASureLabelAsMoreThanADoubtfulOneAndKeepsItThroughSnapshots) {
  const World world = simulate(6, 2.5, 3);
  CrowdOptions options;
  options.item_prior = DirichletPrior::symmetric(3);
  options.learn_workers = true;
  const std::uint32_t items = world.labels.item_count;
  const auto make = [&] { return make_crowd(options, items + 2, world.labels.worker_count); };
  const auto crowd = make();
  for (std::size_t n = 0; n < 840; ++n) {  // a refit has just taken effect
    const auto& [item, worker, label] = world.labels.labels[n];
    crowd->record_confident(item, worker, label, world.labels.confidences[n]);
  }
  ByteWriter saved;
  crowd->save(saved);
  const auto again = make();
  ByteReader reader(saved.bytes());
  again->load(reader);
  ASSERT_TRUE(reader.done());
  for (Crowd* const one : {crowd.get(), again.get()}) {
    one->record_confident(ItemId{items}, WorkerId{2}, ClassId{1}, 120);
    one->record_confident(ItemId{items + 1}, WorkerId{2}, ClassId{1}, 90);
    EXPECT_GT(one->probabilities(ItemId{items})[1], one->probabilities(ItemId{items + 1})[1] + 0.1);
  }
  EXPECT_EQ(again->probabilities(ItemId{items}), crowd->probabilities(ItemId{items}));
}

}  // namespace
}  // namespace allot::model::confidence_fit_test
