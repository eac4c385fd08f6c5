// Agreement: published examples, sums over all pairs of labels, and the coverage of intervals.
#include "allot/aggregate/agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>

#include "allot/base/rng.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::agreement_test {
namespace {

using enum Coefficient;
using model::GivenLabel;
using model::LabelSet;
using test::label_set;

double value(const Agreement& agreement, Coefficient coefficient) {
  return agreement.of(coefficient).value.value();
}

/// Labels by item and worker; 0 is no label, classes count from 1.
LabelSet from_table(const std::vector<std::vector<std::uint32_t>>& items, std::uint32_t classes) {
  LabelSet set{static_cast<std::uint32_t>(items.size()),
               static_cast<std::uint32_t>(items.front().size()),
               classes,
               {}};
  for (std::uint32_t i = 0; i < items.size(); ++i)
    for (std::uint32_t j = 0; j < items[i].size(); ++j)
      if (items[i][j] > 0) set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{items[i][j] - 1}});
  return set;
}

/// Labels per item and class, by any workers.
LabelSet from_counts(const std::vector<std::vector<std::uint32_t>>& items) {
  LabelSet set{static_cast<std::uint32_t>(items.size()),
               0,
               static_cast<std::uint32_t>(items.front().size()),
               {}};
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    std::uint32_t worker = 0;
    for (std::uint32_t k = 0; k < items[i].size(); ++k)
      for (std::uint32_t n = 0; n < items[i][k]; ++n)
        set.labels.push_back({ItemId{i}, WorkerId{worker++}, ClassId{k}});
    set.worker_count = std::max(set.worker_count, worker);
  }
  return set;
}

/// Items per class of one worker and class of another.
LabelSet from_confusion(const std::vector<std::vector<std::uint32_t>>& table) {
  LabelSet set{0, 2, static_cast<std::uint32_t>(table.size()), {}};
  for (std::uint32_t k = 0; k < table.size(); ++k) {
    for (std::uint32_t l = 0; l < table.size(); ++l) {
      for (std::uint32_t n = 0; n < table[k][l]; ++n, ++set.item_count) {
        set.labels.push_back({ItemId{set.item_count}, WorkerId{0}, ClassId{k}});
        set.labels.push_back({ItemId{set.item_count}, WorkerId{1}, ClassId{l}});
      }
    }
  }
  return set;
}

/// Four observers, twelve units, with missing values [Kri11 sec. C].
LabelSet krippendorff() {
  return from_table({{1, 1, 0, 1},
                     {2, 2, 3, 2},
                     {3, 3, 3, 3},
                     {3, 3, 3, 3},
                     {2, 2, 2, 2},
                     {1, 2, 3, 4},
                     {4, 4, 4, 4},
                     {1, 1, 2, 1},
                     {2, 2, 2, 2},
                     {0, 5, 5, 5},
                     {0, 0, 1, 1},
                     {0, 0, 3, 0}},
                    5);
}

TEST(Agreement, MatchesKrippendorffsExample) {
  const Agreement agreement = measure_agreement(krippendorff(), {.ordered = true});
  EXPECT_NEAR(value(agreement, alpha), .743, .0005);          // [Kri11 sec. C]
  EXPECT_NEAR(value(agreement, ordinal_alpha), .815, .0005);  // [Kri11 sec. D]
  EXPECT_EQ(agreement.labels, 41U);
  EXPECT_EQ(agreement.items, 12U);
  EXPECT_EQ(agreement.paired_items, 11U);
  EXPECT_EQ(agreement.fewest_labels, 1U);
  EXPECT_EQ(agreement.most_labels, 4U);
}

TEST(Agreement, MatchesGwetsSoftwareOnItemsWithMissingLabels) {  // [Gwet19]
  const Agreement agreement = measure_agreement(krippendorff(), {.ordered = true});
  EXPECT_NEAR(value(agreement, percent), .8181818, 5e-8);
  EXPECT_NEAR(value(agreement, alpha), .74342, 5e-6);
  EXPECT_NEAR(value(agreement, fleiss), .76117, 5e-6);
  EXPECT_NEAR(value(agreement, ac1), .77544, 5e-6);
  EXPECT_NEAR(value(agreement, linear_ac2), .859, .0005);
  EXPECT_NEAR(value(agreement, quadratic_ac2), .914, .0005);
}

TEST(Agreement, MatchesFleissOnEqualNumbersOfLabels) {
  // Ten items with fourteen labels each, a worked example of [Fle71]'s formula.
  const Agreement fourteen = measure_agreement(from_counts({{0, 0, 0, 0, 14},
                                                            {0, 2, 6, 4, 2},
                                                            {0, 0, 3, 5, 6},
                                                            {0, 3, 9, 2, 0},
                                                            {2, 2, 8, 1, 1},
                                                            {7, 7, 0, 0, 0},
                                                            {3, 2, 6, 3, 0},
                                                            {2, 5, 3, 2, 2},
                                                            {6, 5, 2, 1, 0},
                                                            {0, 2, 2, 3, 7}}));
  EXPECT_NEAR(value(fourteen, percent), .378, .0005);
  EXPECT_NEAR(value(fourteen, fleiss), .210, .0005);
  EXPECT_FALSE(fourteen.varies_widely());
  // Fifteen of Fleiss' patients, as in [Gwet19].
  const Agreement six = measure_agreement(from_counts({{0, 0, 0, 6, 0},
                                                       {0, 3, 0, 0, 3},
                                                       {0, 1, 4, 0, 1},
                                                       {0, 0, 0, 0, 6},
                                                       {0, 3, 0, 3, 0},
                                                       {2, 0, 4, 0, 0},
                                                       {0, 0, 4, 0, 2},
                                                       {2, 0, 3, 1, 0},
                                                       {2, 0, 0, 4, 0},
                                                       {0, 0, 0, 0, 6},
                                                       {1, 0, 0, 5, 0},
                                                       {1, 1, 0, 4, 0},
                                                       {0, 3, 3, 0, 0},
                                                       {1, 0, 0, 5, 0},
                                                       {0, 2, 0, 3, 1}}));
  EXPECT_NEAR(value(six, percent), .5511111, 5e-8);
  EXPECT_NEAR(value(six, fleiss), .4139265, 5e-8);
  EXPECT_NEAR(value(six, alpha), .4204384, 5e-8);
  EXPECT_NEAR(value(six, ac1), .4448007, 5e-8);
}

TEST(Agreement, MatchesPublishedTablesOfTwoWorkers) {
  const Agreement shared = measure_agreement(from_confusion({{53, 5, 2}, {11, 14, 5}, {1, 6, 3}}));
  EXPECT_NEAR(value(shared, cohen), .429, .0005);  // [FCE69]
  const Agreement abstractors = measure_agreement(
      from_confusion({{13, 0, 0}, {0, 20, 7}, {0, 4, 56}}), {.ordered = true});  // [Gwet19]
  EXPECT_NEAR(value(abstractors, percent), .89, 1e-12);
  EXPECT_NEAR(value(abstractors, cohen), .7964094, 5e-8);
  EXPECT_NEAR(value(abstractors, linear_cohen), .843, .0005);
  EXPECT_NEAR(value(abstractors, quadratic_cohen), .892, .0005);
  EXPECT_NEAR(value(abstractors, fleiss), .7962397, 5e-8) << "Scott's pi";
  EXPECT_NEAR(value(abstractors, alpha), .7972585, 5e-8);
  EXPECT_NEAR(value(abstractors, ac1), .8493305, 5e-8);
  EXPECT_NEAR(value(abstractors, linear_ac2), .900, .0005);
  EXPECT_NEAR(value(abstractors, quadratic_ac2), .940, .0005);
}

/// Every coefficient from single labels: no counts per class, no ranks, no sums by class.
class BruteForce {
 public:
  explicit BruteForce(const LabelSet& set) : set_(set) {
    for (const GivenLabel& label : set.labels) of_item_[position(label.item)].push_back(label);
  }

  using Distance = std::function<double(std::uint32_t, std::uint32_t)>;

  double alpha(const Distance& distance) const {
    double observed = 0, expected = 0;
    std::vector<GivenLabel> pairable;
    for (const auto& [item, labels] : of_item_) {
      if (labels.size() < 2) continue;
      pairable.insert(pairable.end(), labels.begin(), labels.end());
      observed += pairs(labels, distance) / static_cast<double>(labels.size() - 1);
    }
    expected = pairs(pairable, distance);
    return 1 - static_cast<double>(pairable.size() - 1) * observed / expected;
  }

  /// Labels between two classes, with half of the labels of each end [Kri11 sec. D].
  double ordinal(std::uint32_t k, std::uint32_t l) const {
    double between = 0;
    for (const auto& [item, labels] : of_item_) {
      if (labels.size() < 2) continue;
      for (const GivenLabel& label : labels) {
        const std::uint32_t c = position(label.label);
        if (c < std::min(k, l) || c > std::max(k, l)) continue;
        between += c == k || c == l ? .5 : 1;
      }
    }
    return k == l ? 0 : between * between;
  }

  double agreement(const Distance& weight) const {
    double sum = 0, count = 0;
    for (const auto& [item, labels] : of_item_) {
      const auto n = static_cast<double>(labels.size());
      if (labels.size() < 2) continue;
      sum += pairs(labels, weight) / (n * (n - 1));
      ++count;
    }
    return sum / count;
  }

  /// The chance that labels of two random items, drawn one by one, are of these classes.
  double fleiss() const {
    double chance = 0;
    for (std::uint32_t k = 0; k < set_.class_count; ++k) chance += share(k) * share(k);
    const double seen = agreement([](auto k, auto l) { return k == l ? 1.0 : 0.0; });
    return (seen - chance) / (1 - chance);
  }

  double gwet(const Distance& weight) const {
    double weights = 0, spread = 0;
    const std::uint32_t q = set_.class_count;
    for (std::uint32_t k = 0; k < q; ++k) {
      spread += share(k) * (1 - share(k));
      for (std::uint32_t l = 0; l < q; ++l) weights += weight(k, l);
    }
    const double chance = weights / (q * (q - 1.0)) * spread;
    return (agreement(weight) - chance) / (1 - chance);
  }

  double cohen(const Distance& distance, std::size_t least) const {
    double sum = 0, all = 0;
    for (std::uint32_t a = 0; a < set_.worker_count; ++a) {
      for (std::uint32_t b = a + 1; b < set_.worker_count; ++b) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> shared;
        for (const GivenLabel& x : set_.labels)
          for (const GivenLabel& y : set_.labels)
            if (x.item == y.item && position(x.worker) == a && position(y.worker) == b)
              shared.emplace_back(position(x.label), position(y.label));
        double observed = 0, expected = 0;
        for (const auto& [k, l] : shared) {
          observed += distance(k, l);
          for (const auto& [other, m] : shared) expected += distance(k, m);
        }
        const auto n = static_cast<double>(shared.size());
        if (shared.size() < least || expected == 0) continue;
        sum += n * (1 - n * observed / expected);
        all += n;
      }
    }
    return sum / all;
  }

 private:
  static double pairs(const std::vector<GivenLabel>& labels, const Distance& distance) {
    double sum = 0;
    for (std::size_t x = 0; x < labels.size(); ++x)
      for (std::size_t y = 0; y < labels.size(); ++y)
        if (x != y) sum += distance(position(labels[x].label), position(labels[y].label));
    return sum;
  }

  double share(std::uint32_t k) const {
    double sum = 0;
    for (const auto& [item, labels] : of_item_)
      for (const GivenLabel& label : labels)
        if (position(label.label) == k) sum += 1.0 / static_cast<double>(labels.size());
    return sum / static_cast<double>(of_item_.size());
  }

  const LabelSet& set_;
  std::map<std::uint32_t, std::vector<GivenLabel>> of_item_;
};

TEST(Agreement, EqualsSumsOverAllPairsOfLabels) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto classes = static_cast<std::uint32_t>(2 + seed % 5);
    const LabelSet set = test::random_crowd(seed, 25, 4 + seed % 4, classes);
    const BruteForce brute(set);
    const double most = classes - 1;
    const auto unequal = [](auto k, auto l) { return k == l ? 0.0 : 1.0; };
    const auto equal = [](auto k, auto l) { return k == l ? 1.0 : 0.0; };
    const auto steps = [](auto k, auto l) { return std::abs(double(k) - double(l)); };
    const auto squares = [&](auto k, auto l) { return steps(k, l) * steps(k, l); };
    const Agreement agreement =
        measure_agreement(set, {.ordered = true, .resamples = 0, .least_shared = 4});
    EXPECT_NEAR(value(agreement, percent), brute.agreement(equal), 1e-12);
    EXPECT_NEAR(value(agreement, alpha), brute.alpha(unequal), 1e-12);
    EXPECT_NEAR(value(agreement, ordinal_alpha),
                brute.alpha([&](auto k, auto l) { return brute.ordinal(k, l); }), 1e-12);
    EXPECT_NEAR(value(agreement, fleiss), brute.fleiss(), 1e-12);
    EXPECT_NEAR(value(agreement, ac1), brute.gwet(equal), 1e-12);
    EXPECT_NEAR(value(agreement, linear_ac2),
                brute.gwet([&](auto k, auto l) { return 1 - steps(k, l) / most; }), 1e-12);
    EXPECT_NEAR(value(agreement, quadratic_ac2),
                brute.gwet([&](auto k, auto l) { return 1 - squares(k, l) / (most * most); }),
                1e-12);
    EXPECT_NEAR(value(agreement, cohen), brute.cohen(unequal, 4), 1e-12);
    EXPECT_NEAR(value(agreement, linear_cohen), brute.cohen(steps, 4), 1e-12);
    EXPECT_NEAR(value(agreement, quadratic_cohen), brute.cohen(squares, 4), 1e-12);
  }
}

/// The set with items, workers or classes renamed by the map.
template <typename Id>
LabelSet renamed(LabelSet set, Id GivenLabel::*id, const std::vector<std::uint32_t>& names) {
  for (GivenLabel& label : set.labels) label.*id = Id{names[position(label.*id)]};
  return set;
}

std::vector<std::uint32_t> shuffled(std::uint32_t count, Rng& rng) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t n = count; n > 1; --n) std::swap(order[n - 1], order[below(rng, n)]);
  return order;
}

void expect_equal(const Agreement& one, const Agreement& other) {
  for (const AgreementEstimate& estimate : one.estimates)
    EXPECT_NEAR(estimate.value.value(), value(other, estimate.coefficient), 1e-12)
        << coefficient_name(estimate.coefficient);
}

TEST(Agreement, DoesNotDependOnNames) {
  Rng rng(7);
  const LabelSet set = test::random_crowd(3, 60, 6, 4);
  const AgreementOptions ordered{.ordered = true, .resamples = 0}, nominal{.resamples = 0};
  const Agreement before = measure_agreement(set, ordered);
  expect_equal(before,
               measure_agreement(renamed(set, &GivenLabel::item, shuffled(60, rng)), ordered));
  expect_equal(before,
               measure_agreement(renamed(set, &GivenLabel::worker, shuffled(6, rng)), ordered));
  // The order of classes matters only to the forms that use it; reversed, not even to them.
  const LabelSet mixed = renamed(set, &GivenLabel::label, {2, 0, 3, 1});
  expect_equal(measure_agreement(set, nominal), measure_agreement(mixed, nominal));
  expect_equal(before, measure_agreement(renamed(set, &GivenLabel::label, {3, 2, 1, 0}), ordered));
  EXPECT_GT(std::abs(value(before, ordinal_alpha) -
                     value(measure_agreement(mixed, ordered), ordinal_alpha)),
            .001);
}

TEST(Agreement, IsOneIfAllAgreeAndNearZeroAtRandom) {
  LabelSet same = test::random_crowd(5, 40, 5, 3), random = test::random_crowd(6, 2000, 5, 3);
  for (GivenLabel& label : same.labels) label.label = ClassId{position(label.item) % 3};
  Rng rng(8);
  for (GivenLabel& label : random.labels)
    label.label = ClassId{static_cast<std::uint32_t>(below(rng, 3))};
  const Agreement perfect = measure_agreement(same, {.ordered = true, .resamples = 50});
  for (const AgreementEstimate& estimate : perfect.estimates) {
    EXPECT_DOUBLE_EQ(estimate.value.value(), 1) << coefficient_name(estimate.coefficient);
    EXPECT_EQ(estimate.bounds, (Interval{1, 1}));
    EXPECT_EQ(estimate.reason, "");
  }
  const Agreement chance = measure_agreement(random, {.ordered = true, .resamples = 0});
  EXPECT_NEAR(value(chance, percent), 1 / 3.0, .03);
  for (const Coefficient coefficient : {alpha, fleiss, cohen, ac1, ordinal_alpha, quadratic_ac2})
    EXPECT_NEAR(value(chance, coefficient), 0, .05) << coefficient_name(coefficient);
}

void expect_undefined(const LabelSet& set, const std::vector<Coefficient>& coefficients,
                      const std::string& reason, std::uint32_t least_shared = 1) {
  const Agreement agreement =
      measure_agreement(set, {.ordered = true, .least_shared = least_shared});
  for (const Coefficient coefficient : coefficients) {
    const AgreementEstimate& estimate = agreement.of(coefficient);
    EXPECT_FALSE(estimate.value) << coefficient_name(coefficient);
    EXPECT_FALSE(estimate.bounds);
    EXPECT_EQ(estimate.reason, reason) << coefficient_name(coefficient);
  }
}

TEST(Agreement, SaysWhyItIsUndefined) {
  const std::vector<Coefficient> all{percent, alpha,         fleiss,       cohen,
                                     ac1,     ordinal_alpha, quadratic_ac2};
  expect_undefined(label_set({}, 3, 2, 2), all, "there are no labels");
  expect_undefined(label_set({}), all, "there are no labels");
  expect_undefined(label_set({{0, 0, 0}, {1, 1, 1}}), all, "no item has two labels");
  const LabelSet one = label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}});
  expect_undefined(one, {fleiss, ac1, linear_ac2}, "all labels name one class");
  expect_undefined(one, {alpha, ordinal_alpha},
                   "all labels of items with two or more name one class");
  expect_undefined(one, {cohen, linear_cohen},
                   "every two workers gave the items that they share one class only");
  expect_undefined(one, {cohen}, "no two workers share 3 items", 3);
  EXPECT_EQ(value(measure_agreement(one), percent), 1) << "a share of pairs, with no chance in it";
  LabelSet single = one;
  for (GivenLabel& label : single.labels) label.label = ClassId{0};
  single.class_count = 1;
  expect_undefined(single, {fleiss, ac1, linear_ac2}, "all labels name one class");
}

TEST(Agreement, LeavesOutIntervalsThatMeanNothing) {
  const Agreement lone = measure_agreement(label_set({{0, 0, 0}, {0, 1, 1}, {1, 0, 0}}));
  EXPECT_EQ(lone.of(percent).reason, "no interval: only one item has two labels");
  EXPECT_FALSE(lone.of(percent).bounds);
  // Nineteen items of one class, one of another: a third of all resamples miss it.
  std::vector<std::array<std::uint32_t, 3>> rows;
  for (std::uint32_t i = 0; i < 20; ++i)
    for (std::uint32_t j = 0; j < 2; ++j) rows.push_back({i, j, i == 0 ? 1U : 0U});
  const AgreementEstimate rare = measure_agreement(label_set(rows)).of(alpha);
  EXPECT_EQ(rare.value, 1);
  EXPECT_FALSE(rare.bounds);
  EXPECT_EQ(rare.reason.rfind("no interval: 3", 0), 0U) << rare.reason;
}

TEST(Agreement, RefusesNonsense) {
  const LabelSet set = krippendorff();
  EXPECT_THROW(measure_agreement(set, {.confidence = 1}), std::invalid_argument);
  EXPECT_THROW(measure_agreement(label_set({{0, 0, 0}, {0, 0, 1}})), std::invalid_argument);
  EXPECT_THROW(measure_agreement({1, 1, 1, {{ItemId{0}, WorkerId{0}, ClassId{1}}}}),
               std::invalid_argument);
  EXPECT_THROW(measure_agreement(set).of(ordinal_alpha), std::invalid_argument);
}

TEST(Agreement, GivesKappasPerPair) {
  const std::vector<PairKappa> pairs = pair_kappas(krippendorff());
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_EQ(position(pairs[0].first), 0U);
  EXPECT_EQ(position(pairs[0].second), 1U);
  EXPECT_EQ(pairs[0].shared, 9U);
  // The first two observers differ once, at unit 6: chance leaves 81 - (3*2 + 3*4 + 2*2 + 1*1).
  EXPECT_NEAR(pairs[0].kappa.value(), 1 - 9 / 58.0, 1e-12);
  EXPECT_EQ(pair_kappas(krippendorff(), 10).size(), 2U);
}

TEST(Agreement, SeesThatLabelsVaryWidely) {
  EXPECT_FALSE(measure_agreement(krippendorff()).label_spread > .3);
  EXPECT_TRUE(measure_agreement(from_counts({{1, 0}, {1, 0}, {4, 4}})).varies_widely());
}

/// Labels of `items` fair two-class items by five workers, right with probability .8: a pair agrees
/// with probability .68, and every coefficient is .36 in expectation.
LabelSet coins(std::uint64_t run, std::uint32_t items) {
  LabelSet set{items, 5, 2, {}};
  Rng rng(2026, Rng::Purpose::general, run);
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto truth = below(rng, 2);
    for (std::uint32_t j = 0; j < 5; ++j) {
      const auto label = uniform(rng) < .8 ? truth : 1 - truth;
      set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{static_cast<std::uint32_t>(label)}});
    }
  }
  return set;
}

/// Share of 200 runs whose interval holds the expected value.
std::map<Coefficient, double> coverage(double confidence) {
  std::map<Coefficient, double> held;
  for (std::uint64_t run = 0; run < 200; ++run) {
    const Agreement agreement = measure_agreement(
        coins(run, 80), {.confidence = confidence, .resamples = 200, .seed = run});
    for (const AgreementEstimate& estimate : agreement.estimates) {
      const double truth = estimate.coefficient == percent ? .68 : .36;
      const Interval bounds = estimate.bounds.value();
      held[estimate.coefficient] += (bounds.low <= truth && truth <= bounds.high) / 200.0;
    }
  }
  return held;
}

TEST(Agreement, IntervalsHoldTheValueAsOftenAsTheySay) {
  // Standard error .015 at .95: from four below to four above.
  for (const auto& [coefficient, share] : coverage(.95)) {
    EXPECT_GT(share, .89) << coefficient_name(coefficient);
    EXPECT_LT(share, 1) << coefficient_name(coefficient);
  }
  // Narrower intervals must fail the same test.
  for (const auto& [coefficient, share] : coverage(.8)) {
    EXPECT_LT(share, .89) << coefficient_name(coefficient);
    EXPECT_GT(share, .68) << coefficient_name(coefficient);
  }
}

TEST(Agreement, ResamplesDependOnTheSeedAlone) {
  const Agreement once = measure_agreement(krippendorff(), {.seed = 3});
  EXPECT_EQ(once.estimates, measure_agreement(krippendorff(), {.seed = 3}).estimates);
  EXPECT_NE(once.estimates, measure_agreement(krippendorff(), {.seed = 4}).estimates);
}

}  // namespace
}  // namespace allot::aggregate::agreement_test
