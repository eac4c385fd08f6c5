// The stop rule `accuracy:0.95` of campaigns on real label sets, with 100 known answers drawn at
// random and priors that were fitted without the set at hand.
//
// After every 4 % of the labels the rule looks at the lower end of the calibrated range of all
// items. A known answer is stated as the labels of then state it. The accuracy observed is that of
// the items whose answers are not known; of all items where fewer than 50 are left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "oracle/calibration_replay.hpp"

namespace allot::model::accuracy_stop_data_test {
namespace {

constexpr double kTarget = 0.95, kLeast = 0.93;
constexpr std::size_t kKnown = 100, kParts = 25, kDraws = 20;

/// The first look at which a rule stops.
struct Stop {
  double share = 0;  // of the labels
  double accuracy = 0;
};
struct Stops {
  std::vector<Stop> at_low, at_mean;
};

class CalibrationOfRealStops : public testing::TestWithParam<LeftOut> {
 protected:
  void SetUp() override {
    data_ = test::data_set(GetParam().set);
    if (!data_) GTEST_SKIP() << "no data set " << GetParam().set << " in " << test::data_folder();
    for (std::uint32_t i = 0; i < data_->labels.set.item_count; ++i)
      if (data_->truth.of_item[i]) judged_.push_back(i);
    looks_ = replayed(*data_, kParts, kParts);
  }

  bool is_right(const Replayed& look, std::uint32_t item) const {
    return best_class(look.of(item, classes())) == *data_->truth.of_item[item];
  }
  double accuracy(const Replayed& look, const std::vector<std::uint32_t>& items) const {
    const auto right =
        std::ranges::count_if(items, [&](std::uint32_t i) { return is_right(look, i); });
    return static_cast<double>(right) / static_cast<double>(items.size());
  }
  /// The highest accuracy at any look.
  double best() const {
    double most = 0;
    for (const Replayed& look : looks_) most = std::max(most, accuracy(look, judged_));
    return most;
  }
  std::uint32_t classes() const { return data_->labels.set.class_count; }

  void play(std::uint64_t draw, Stops& stops) const {
    Rng rng(7, Rng::Purpose::general, draw);
    const auto checked = drawn(judged_, kKnown, rng);
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t i : judged_)
      if (std::ranges::find(checked, i) == checked.end()) rest.push_back(i);
    if (rest.size() < 50) rest = judged_;
    bool mean_stopped = false;
    for (std::size_t n = 0; n < looks_.size(); ++n) {
      const Replayed& look = looks_[n];
      std::vector<KnownAnswer> known;
      for (const std::uint32_t i : checked) {
        if (look.labels[i] > 0)
          known.push_back({look.of(i, classes()), look.labels[i], is_right(look, i)});
      }
      const CalibrationMap map(classes(), known, GetParam().prior);
      const AccuracyRange range = map.accuracy(look.stated, look.labels);
      const Stop here{static_cast<double>(n + 1) / kParts, accuracy(look, rest)};
      if (range.mean >= kTarget && !mean_stopped) stops.at_mean.push_back(here);
      mean_stopped = mean_stopped || range.mean >= kTarget;
      if (range.low < kTarget) continue;
      stops.at_low.push_back(here);
      return;
    }
  }

  std::optional<test::DataSet> data_;
  std::vector<std::uint32_t> judged_;
  std::vector<Replayed> looks_;
};

std::string row(const std::vector<Stop>& stops) {
  if (stops.empty()) return fmt::format("{:>2} of {}", 0, kDraws);
  double share = 0, sum = 0, worst = 1;
  for (const Stop& stop : stops) {
    share += stop.share / static_cast<double>(stops.size());
    sum += stop.accuracy / static_cast<double>(stops.size());
    worst = std::min(worst, stop.accuracy);
  }
  return fmt::format("{:>2} of {} at {:.2f} of the labels, right {:.3f}, worst {:.3f}",
                     stops.size(), kDraws, share, sum, worst);
}

TEST_P(CalibrationOfRealStops, KeepWhatTheyPromise) {
  Stops stops;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) play(draw, stops);
  fmt::print("{:10} best {:.3f}  lower end: {}; mean: {}\n", GetParam().set, best(),
             row(stops.at_low), row(stops.at_mean));
  for (const Stop& stop : stops.at_low) EXPECT_GE(stop.accuracy, kLeast);
  if (best() < kTarget) {
    EXPECT_TRUE(stops.at_low.empty());
  } else {
    EXPECT_EQ(stops.at_low.size(), kDraws);
  }
  // Negative control: the mean of the range stops too early.
  const auto too_early = [](const Stop& stop) { return stop.accuracy < kLeast; };
  if (std::string_view(GetParam().set) == "temp") {
    EXPECT_TRUE(std::ranges::any_of(stops.at_mean, too_early));
  }
}

INSTANTIATE_TEST_SUITE_P(, CalibrationOfRealStops, testing::ValuesIn(kSets),
                         [](const auto& set) { return std::string(set.param.set); });

}  // namespace
}  // namespace allot::model::accuracy_stop_data_test
