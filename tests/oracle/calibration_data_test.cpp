// The calibration map on real label sets, with priors that were fitted without the set at hand.
//
// The default policy buys 40 % of the labels in push mode. The calibration error is that of
// aggregate/calibration over all labelled items with a truth, checked ones included, of one run;
// items without labels have no answer. The answers to check are drawn at random.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "allot/aggregate/calibration.hpp"
#include "oracle/calibration_replay.hpp"

namespace allot::model::calibration_data_test {
namespace {

/// Answers of one replay that can be judged.
struct Judged {
  std::uint32_t classes;
  std::vector<std::vector<double>> stated;
  std::vector<std::uint32_t> labels;
  std::vector<bool> right;
};

Judged judged_replay(const test::DataSet& data) {
  const Replayed replay = replayed(data, 5, 2).back();
  const std::uint32_t classes = data.labels.set.class_count;
  Judged judged{classes, {}, {}, {}};
  for (std::uint32_t i = 0; i < data.labels.set.item_count; ++i) {
    const auto& truth = data.truth.of_item[i];
    if (!truth || replay.labels[i] == 0) continue;
    const auto stated = replay.of(i, classes);
    judged.stated.emplace_back(stated.begin(), stated.end());
    judged.labels.push_back(replay.labels[i]);
    judged.right.push_back(best_class(stated) == *truth);
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
    std::vector<std::uint32_t> all(judged.right.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<KnownAnswer> known;
    for (const std::uint32_t i : drawn(all, checks, rng))
      known.push_back({judged.stated[i], judged.labels[i], judged.right[i]});
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
    const Judged judged = judged_replay(*data);
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
}  // namespace allot::model::calibration_data_test
