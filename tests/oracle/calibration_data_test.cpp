// The calibration map on real label sets, with priors that were fitted without the set at hand.
//
// The default policy buys 40 % of the labels in push mode. The calibration error is that of
// aggregate/calibration over all labelled items with a truth, checked ones included, of one run;
// items without labels have no answer. The answers to check are drawn at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "allot/aggregate/calibration.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/best_class.hpp"
#include "allot/model/calibration_map.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"
#include "support/data_sets.hpp"

namespace allot::model {
namespace {

struct LeftOut {
  const char* set;
  CalibrationPrior prior;  // fitted to the ten other sets
};

constexpr LeftOut kSets[] = {
    {"rte", {0.97, 0.49, 0.060, 1.35}},      {"temp", {0.97, 0.49, 0.060, 1.39}},
    {"wsd", {1.00, 0.44, 0.083, 1.24}},      {"bluebirds", {0.95, 0.50, 0.050, 1.31}},
    {"product", {0.95, 0.46, 0.057, 1.39}},  {"dog", {0.97, 0.50, 0.045, 1.35}},
    {"music", {0.95, 0.50, 0.047, 1.35}},    {"web", {1.00, 0.49, 0.057, 1.35}},
    {"face", {1.16, 0.39, 0.069, 1.61}},     {"barzan", {1.03, 0.45, 0.047, 1.24}},
    {"trec2011", {1.05, 0.44, 0.052, 1.31}},
};

/// Answers of one replay that can be judged.
struct Judged {
  std::uint32_t classes;
  std::vector<std::vector<double>> stated;
  std::vector<std::uint32_t> labels;
  std::vector<bool> right;
};

CrowdOptions usual(std::uint32_t classes) {
  CrowdOptions options{.learn_workers = classes > 2};
  if (classes > 2) options.item_prior = DirichletPrior::symmetric(classes);
  return options;
}

Judged replayed(const test::DataSet& data) {
  const LabelSet& set = data.labels.set;
  std::map<std::pair<ItemId, WorkerId>, ClassId> recorded;
  std::vector<policy::Pair> pairs;
  for (const auto& [item, worker, label] : set.labels) {
    recorded[{item, worker}] = label;
    pairs.push_back({item, worker});
  }
  policy::Desk desk(make_crowd(usual(set.class_count), set.item_count, set.worker_count),
                    policy::make_policy("kg-eig", policy::TieBreak::random).value(),
                    policy::Offers::recorded(set.item_count, set.worker_count, pairs));
  Rng ties(1, Rng::Purpose::tie);
  std::vector<std::uint32_t> counts(set.item_count);
  for (std::size_t bought = 0; bought < set.labels.size() * 2 / 5; ++bought) {
    const policy::Pair pair = desk.choose(ties).value();
    desk.record(pair, recorded.at({pair.item, pair.worker}));
    ++counts[position(pair.item)];
  }
  const auto all = desk.crowd().final_probabilities();
  Judged judged{set.class_count, {}, {}, {}};
  for (std::uint32_t i = 0; i < set.item_count; ++i) {
    const auto& truth = data.truth.of_item[i];
    if (!truth || counts[i] == 0) continue;
    const auto first = all.begin() + i * set.class_count;
    judged.stated.emplace_back(first, first + set.class_count);
    judged.labels.push_back(counts[i]);
    judged.right.push_back(best_class(judged.stated.back()) == *truth);
  }
  return judged;
}

/// Calibration error of these probabilities of the answers.
double error_of(const Judged& judged, const std::vector<double>& probabilities) {
  std::vector<ClassId> answers(judged.right.size(), ClassId{0});
  std::vector<std::optional<ClassId>> truth;
  for (const bool right : judged.right) truth.emplace_back(ClassId{right ? 0U : 1U});
  aggregate::Calibration calibration;
  calibration.add(answers, probabilities, truth);
  return calibration.expected_error().value();
}

double raw_error(const Judged& judged) {
  std::vector<double> stated;
  for (const auto& p : judged.stated) stated.push_back(std::ranges::max(p));
  return error_of(judged, stated);
}

/// Mean calibration error over draws of that many checks.
double mapped_error(const Judged& judged, std::size_t checks, const CalibrationPrior& prior) {
  const std::size_t draws = checks == 0 ? 1 : 12;
  double sum = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    Rng rng(2, Rng::Purpose::general, draw);
    std::vector<std::size_t> order(judged.right.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<KnownAnswer> known;
    for (std::size_t n = order.size(); n > 0 && known.size() < checks; --n) {
      std::swap(order[n - 1], order[below(rng, n)]);
      const std::size_t i = order[n - 1];
      known.push_back({judged.stated[i], judged.labels[i], judged.right[i]});
    }
    const CalibrationMap map(judged.classes, known, prior);
    std::vector<double> calibrated;
    for (std::size_t i = 0; i < judged.stated.size(); ++i)
      calibrated.push_back(map.answer_probability(judged.stated[i], judged.labels[i]));
    sum += error_of(judged, calibrated);
  }
  return sum / static_cast<double>(draws);
}

TEST(CalibrationOfRealLabels, HoldsOnSetsThatThePriorHasNotSeen) {
  constexpr std::array<std::size_t, 3> kChecks{0, 50, 200};
  std::array<double, 3> mean = {}, worst = {};
  double raw = 0, reversed = 0;
  for (const auto& [name, prior] : kSets) {
    const auto data = test::data_set(name);
    if (!data) GTEST_SKIP() << "no data set " << name << " in " << test::data_folder();
    const Judged judged = replayed(*data);
    std::string row = fmt::format("{:10} raw {:.3f}", name, raw_error(judged));
    for (std::size_t c = 0; c < kChecks.size(); ++c) {
      const double error = mapped_error(judged, kChecks[c], prior);
      row += fmt::format("  {} checks {:.3f}", kChecks[c], error);
      mean[c] += error / std::size(kSets);
      worst[c] = std::max(worst[c], error);
    }
    fmt::print("{}\n", row);
    raw += raw_error(judged) / std::size(kSets);
    reversed += mapped_error(judged, 0, {4, 0.2, 0.01, 0.5, 0}) / std::size(kSets);
  }
  fmt::print("mean       raw {:.3f}  {:.4f} {:.4f} {:.4f}, worst {:.3f} {:.3f} {:.3f}\n", raw,
             mean[0], mean[1], mean[2], worst[0], worst[1], worst[2]);
  EXPECT_LE(mean[0], 0.11);
  EXPECT_LE(mean[1], 0.055);
  EXPECT_LE(mean[2], 0.038);
  EXPECT_LE(worst[1], 0.095);
  EXPECT_LE(worst[2], 0.06);
  EXPECT_GT(raw, 0.12);
  EXPECT_GT(reversed, raw);  // negative control: a map that makes beliefs surer
}

}  // namespace
}  // namespace allot::model
