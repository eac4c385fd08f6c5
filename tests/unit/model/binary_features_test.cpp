// Binary items with features, refitted by belief propagation.
#include <gtest/gtest.h>

#include <random>

#include "allot/model/binary_crowd.hpp"
#include "model/binary_fits.hpp"
#include "model/multiclass_regression.hpp"

namespace allot::model::binary_features_test {
namespace {

constexpr std::uint32_t kItems = 200, kWorkers = 12;

/// Whether the item is positive: every third.
bool is_positive(std::uint32_t item) { return item % 3 == 0; }

/// An intercept and a column: the class plus noise of that size. Infinite noise leaves no class.
std::shared_ptr<const Design> design_of(double noise, unsigned seed, std::uint32_t items = kItems) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  auto design = std::make_shared<Design>();
  design->item_count = items;
  design->column_count = 2;
  design->intercept = true;
  for (std::uint32_t i = 0; i < items; ++i) {
    const double drawn = normal(rng);
    design->values.push_back(1);
    design->values.push_back(std::isinf(noise) ? drawn : (is_positive(i) ? 1 : -1) + noise * drawn);
  }
  return design;
}

/// Each worker labels one item in six of the first ones, right three times out of four.
LabelsByWorker labels_of(unsigned seed, std::uint32_t items = kItems) {
  std::mt19937 rng(seed);
  std::bernoulli_distribution asked(1.0 / 6), right(0.75);
  LabelsByWorker labels(kWorkers);
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    for (std::uint32_t i = 0; i < items; ++i) {
      if (!asked(rng)) continue;
      labels[j].push_back({i, is_positive(i) == right(rng) ? Label::positive : Label::negative});
    }
  }
  return labels;
}

GridFit fit(const LabelsByWorker& labels, const FitFeatures& features, int rounds = 10) {
  return belief_propagation(labels, kItems, WorkerGrid(Prior::beta(3, 0.9), Coins::two), 0.5,
                            rounds, KnownLabels(2), features);
}

double share_right(const std::vector<double>& log_odds, std::uint32_t first) {
  std::uint32_t right = 0;
  for (std::uint32_t i = first; i < kItems; ++i) right += (log_odds[i] > 0) == is_positive(i);
  return static_cast<double>(right) / (kItems - first);
}

TEST(BinaryFeatures, ThatSayNothingAreLeftOut) {
  int used = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const LabelsByWorker labels = labels_of(seed);
    const GridFit without = fit(labels, {}), with = fit(labels, {design_of(INFINITY, 1000 + seed)});
    used += with.log_odds != without.log_odds;
    EXPECT_EQ(with.weights, without.weights) << seed;
  }
  EXPECT_LE(used, 4) << "evidence of e^3 by chance: once in 20 at most";
}

TEST(BinaryFeatures, ThatTellAnswerItemsNobodyLabelled) {
  const LabelsByWorker labels = labels_of(3, kItems / 2);
  const FitFeatures features{design_of(0.5, 4)};
  EXPECT_GT(share_right(fit(labels, features).log_odds, kItems / 2), 0.93);
  EXPECT_LT(share_right(fit(labels, {}).log_odds, kItems / 2), 0.7) << "without them";
}

TEST(BinaryFeatures, DoNotJudgeWorkers) {
  const LabelsByWorker labels = labels_of(5);
  const GridFit without = fit(labels, {}), with = fit(labels, {design_of(0.5, 6)});
  EXPECT_NE(with.log_odds, without.log_odds);
  EXPECT_EQ(with.weights, without.weights);
}

// What an item is before its labels, by a regression on the answers themselves, and its labels give
// the answers back.
TEST(BinaryFeatures, AreAtRestWhereTheirOwnAnswersLeadBackToThem) {
  const LabelsByWorker labels = labels_of(7);
  const FitFeatures features{design_of(1, 8), 0.5};
  const GridFit without = fit(labels, {}, 60), with = fit(labels, features, 60);
  std::vector<std::uint32_t> labelled;
  std::vector<bool> seen(kItems);
  for (const auto& given : labels)
    for (const WorkerLabel& label : given) seen[label.item] = true;
  for (std::uint32_t i = 0; i < kItems; ++i)
    if (seen[i]) labelled.push_back(i);
  std::vector<double> probabilities(2 * kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    probabilities[2 * i + 1] = 1 / (1 + std::exp(-with.log_odds[i]));
    probabilities[2 * i] = 1 - probabilities[2 * i + 1];
  }
  MulticlassRegression regression(*features.design, {{0.5, 0.5}, 0.5}, labelled);
  regression.climb(probabilities, 500);
  const std::vector<double> predicted = regression.log_predictions();
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const double by_labels = without.log_odds[i] - log_odds(without.positive_share);
    EXPECT_NEAR(with.log_odds[i], by_labels + predicted[2 * i + 1] - predicted[2 * i], 1e-4) << i;
  }
}

class BinaryFeatureCrowd : public testing::Test {
 protected:
  static CrowdOptions options(std::shared_ptr<const Design> design, std::uint32_t gap = 0) {
    return {.refit = Refit::integrated,
            .refit_every = 10,
            .background_refit_gap = gap,
            .design = std::move(design)};
  }
  static void record(Crowd& crowd, std::uint32_t first, std::uint32_t end) {
    std::uint32_t n = 0;
    const LabelsByWorker labels = labels_of(9);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        for (const WorkerLabel& one : labels[j]) {
          if (one.item != i) continue;
          if (n >= first && n < end)
            crowd.record(ItemId{i}, WorkerId{j}, ClassId{one.label == Label::positive ? 1U : 0U});
          ++n;
        }
      }
    }
  }
  static std::vector<double> all(const Crowd& crowd) {
    std::vector<double> result;
    for (std::uint32_t i = 0; i < crowd.item_count(); ++i) {
      const auto one = crowd.probabilities(ItemId{i});
      result.insert(result.end(), one.begin(), one.end());
    }
    return result;
  }
};

TEST_F(BinaryFeatureCrowd, IsBinaryAndKnowsItemsByTheirFeatures) {
  const auto crowd = make_crowd(options(design_of(0.5, 10)), kItems, kWorkers);
  ASSERT_NE(crowd->binary(), nullptr);
  record(*crowd, 0, 200);
  const std::vector<double> answers = crowd->final_probabilities();
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) right += (answers[2 * i + 1] > 0.5) == is_positive(i);
  EXPECT_GT(right, 0.93 * kItems);
}

TEST_F(BinaryFeatureCrowd, GrowsAsIfAllHadBeenThereAtTheNextRefit) {
  const auto design = design_of(0.5, 11);
  const auto whole = make_crowd(options(design), kItems, kWorkers);
  auto half = std::make_shared<Design>(*design);
  half->item_count = kItems / 2;
  half->values.resize(kItems);
  const auto grown = make_crowd(options(half), kItems / 2, kWorkers);
  record(*whole, 0, 60);
  record(*grown, 0, 60);
  grown->grow(kItems, kWorkers, design);
  record(*whole, 60, 300);
  record(*grown, 60, 300);
  EXPECT_EQ(grown->final_probabilities(), whole->final_probabilities());
  EXPECT_THROW(grown->grow(kItems, kWorkers, half), std::invalid_argument) << "too few rows";
}

TEST_F(BinaryFeatureCrowd, GoesOnFromWhatWasSavedAndInTheBackground) {
  const auto design = design_of(0.5, 12);
  for (const std::uint32_t gap : {0U, 10U}) {
    const auto crowd = make_crowd(options(design, gap), kItems, kWorkers),
               behind = make_crowd(options(design, gap), kItems, kWorkers),
               loaded = make_crowd(options(design, gap), kItems, kWorkers);
    behind->refit_control()->refit_in_background(true);
    record(*crowd, 0, 117);
    record(*behind, 0, 117);
    ByteWriter to;
    crowd->save(to);
    const std::string bytes = std::move(to).take();
    ByteReader from(bytes);
    loaded->load(from);
    ASSERT_FALSE(from.failed());
    for (Crowd* one : {crowd.get(), behind.get(), loaded.get()}) record(*one, 117, 200);
    EXPECT_EQ(all(*behind), all(*crowd)) << gap;
    EXPECT_EQ(all(*loaded), all(*crowd)) << gap;
  }
}

}  // namespace
}  // namespace allot::model::binary_features_test
