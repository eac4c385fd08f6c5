// Which known answers should teach the calibration map, on real label sets, with priors that were
// fitted without the set at hand. The error is |calibrated - observed accuracy| of the items that
// are not known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "oracle/calibration_replay.hpp"

namespace allot::model::known_answers_data_test {
namespace {

/// Labelled items with a truth after some of the labels.
struct Judged {
  const Replayed* look;
  std::uint32_t classes;
  std::vector<std::uint32_t> items;
  std::vector<char> right;  // by item of the set

  KnownAnswer known(std::uint32_t item) const {
    return {look->of(item, classes), look->labels[item], right[item] != 0};
  }
};

Judged judged(const test::DataSet& data, const Replayed& look) {
  const LabelSet& set = data.labels.set;
  Judged result{&look, set.class_count, {}, std::vector<char>(set.item_count)};
  for (std::uint32_t i = 0; i < set.item_count; ++i) {
    if (!data.truth.of_item[i] || look.labels[i] == 0) continue;
    result.items.push_back(i);
    result.right[i] = best_class(look.of(i, set.class_count)) == *data.truth.of_item[i];
  }
  return result;
}

/// Calibrated minus observed accuracy of the items that are not left out.
double bias(const Judged& judged, const CalibrationMap& map, const std::vector<char>& left_out) {
  double sum = 0, count = 0;
  for (const std::uint32_t i : judged.items) {
    if (left_out[i] != 0) continue;
    const KnownAnswer one = judged.known(i);
    sum += map.answer_probability(one.probabilities, one.labels) - (one.right ? 1 : 0);
    ++count;
  }
  return sum / count;
}

/// Mean error with `random` answers drawn at random; 50 of the least certain answers are known too,
/// and teach the map or do not.
double error_of(const Judged& judged, std::size_t random, bool with_doubtful,
                const CalibrationPrior& prior) {
  constexpr std::size_t kDraws = 6;
  auto by_doubt = judged.items;
  std::ranges::stable_sort(by_doubt, {}, [&](std::uint32_t i) {
    return std::ranges::max(judged.known(i).probabilities);
  });
  double error = 0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    Rng rng(2, Rng::Purpose::general, draw);
    const std::size_t most = judged.items.size() / 3;
    std::vector<char> left_out(judged.right.size());
    std::vector<KnownAnswer> known;
    for (const std::uint32_t i : drawn(judged.items, std::min(random, most), rng)) {
      known.push_back(judged.known(i));
      left_out[i] = 1;
    }
    std::size_t doubtful = std::min<std::size_t>(50, most);
    for (const std::uint32_t i : by_doubt) {
      if (doubtful == 0) break;
      if (left_out[i] != 0) continue;
      if (with_doubtful) known.push_back(judged.known(i));
      left_out[i] = 1;
      --doubtful;
    }
    error += std::abs(bias(judged, CalibrationMap(judged.classes, known, prior), left_out));
  }
  return error / kDraws;
}

TEST(CalibrationOfRealVerdicts,
     RandomAnswersTeachNearlyAsWellAloneFromThirtyOnAndBetterOnTheWorstSet) {
  constexpr std::array<std::size_t, 4> kRandom{0, 10, 30, 50};
  constexpr std::array<std::size_t, 3> kLooks{0, 1, 3};  // 10, 20 and 40 % of the labels
  std::array<double, 4> alone = {}, both = {}, worst_alone = {}, worst_both = {};
  for (const auto& [name, prior] : kSets) {
    const auto data = test::data_set(name);
    if (!data) GTEST_SKIP() << "no data set " << name << " in " << test::data_folder();
    const auto looks = replayed(*data, 10, 4);
    for (const std::size_t look : kLooks) {
      const Judged here = judged(*data, looks[look]);
      for (std::size_t r = 0; r < kRandom.size(); ++r) {
        const double one = error_of(here, kRandom[r], false, prior);
        const double two = error_of(here, kRandom[r], true, prior);
        alone[r] += one / std::size(kSets) / kLooks.size();
        both[r] += two / std::size(kSets) / kLooks.size();
        worst_alone[r] = std::max(worst_alone[r], one);
        worst_both[r] = std::max(worst_both[r], two);
      }
    }
  }
  for (std::size_t r = 0; r < kRandom.size(); ++r) {
    fmt::print(
        "{:2} random answers: {:.3f} (worst {:.3f}); with 50 doubtful ones {:.3f} ({:.3f})\n",
        kRandom[r], alone[r], worst_alone[r], both[r], worst_both[r]);
  }
  EXPECT_LT(both[0], alone[0]) << "doubtful answers are better than none";
  EXPECT_LT(both[1], alone[1]);
  for (const std::size_t r : {2U, 3U}) {
    EXPECT_LT(alone[r], both[r] + 0.006);
    EXPECT_LT(worst_alone[r], worst_both[r]);
  }
}

/// A replay in which some items are gold: after every ninth label, a worker labels one of them.
class GoldReplay {
 public:
  GoldReplay(const test::DataSet& data, std::uint64_t seed)
      : data_(data),
        set_(data.labels.set),
        gold_(set_.item_count),
        labels_(set_.item_count),
        crowd_(make_crowd(usual(set_.class_count), set_.item_count, set_.worker_count)) {
    Rng rng(5, Rng::Purpose::general, seed);
    std::vector<std::uint32_t> judged;
    for (std::uint32_t i = 0; i < set_.item_count; ++i)
      if (data.truth.of_item[i]) judged.push_back(i);
    for (const std::uint32_t i : drawn(judged, std::min<std::size_t>(50, judged.size() / 3), rng))
      gold_[i] = 1;
    play(rng);
  }

  /// Calibrated minus observed accuracy of the other items. Gold items are read by labels alone, or
  /// by the workers whom they themselves taught.
  double bias_of(bool by_labels_alone, const CalibrationPrior& prior) const {
    const std::uint32_t classes = set_.class_count;
    const Replayed here{beliefs_, labels_}, alone{alone_, labels_};
    const Judged other = judged(data_, here);
    std::vector<std::vector<double>> stated;
    stated.reserve(set_.item_count);
    std::vector<KnownAnswer> known;
    for (std::uint32_t i = 0; i < set_.item_count; ++i) {
      if (gold_[i] == 0 || labels_[i] == 0) continue;
      const auto row = alone.of(i, classes);
      stated.push_back(by_labels_alone ? std::vector(row.begin(), row.end()) : taught_[i]);
      known.push_back(
          {stated.back(), labels_[i], best_class(stated.back()) == *data_.truth.of_item[i]});
    }
    return bias(other, CalibrationMap(classes, known, prior), gold_);
  }

 private:
  void play(Rng& rng) {
    std::map<std::pair<ItemId, WorkerId>, ClassId> recorded;
    std::vector<policy::Pair> pairs;
    std::vector<GivenLabel> waiting;
    for (const GivenLabel& one : set_.labels) {
      const bool is_new = recorded.insert({{one.item, one.worker}, one.label}).second;
      if (is_new) pairs.push_back({one.item, one.worker});
      if (is_new && gold_[position(one.item)] != 0) waiting.push_back(one);
    }
    for (std::size_t n = waiting.size(); n > 1; --n)
      std::swap(waiting[n - 1], waiting[below(rng, n)]);
    policy::Desk desk(make_crowd(usual(set_.class_count), set_.item_count, set_.worker_count),
                      policy::make_policy("even-kg", policy::TieBreak::random).value(),
                      policy::Offers::recorded(set_.item_count, set_.worker_count, pairs));
    for (std::uint32_t i = 0; i < set_.item_count; ++i)
      if (gold_[i] != 0) desk.withhold(ItemId{i});
    const std::size_t budget = (recorded.size() - waiting.size()) * 2 / 5;
    for (std::size_t bought = 1; bought <= budget; ++bought) {
      const policy::Pair pair = desk.choose(rng).value();
      desk.record(pair, recorded.at({pair.item, pair.worker}));
      given_.push_back({pair.item, pair.worker, recorded.at({pair.item, pair.worker})});
      if (bought % 9 != 0 || waiting.empty()) continue;
      const GivenLabel one = waiting.back();
      waiting.pop_back();
      desk.hold({one.item, one.worker});
      desk.record_held({one.item, one.worker}, one.label, data_.truth.of_item[position(one.item)]);
      given_.push_back(one);
    }
    for (const GivenLabel& one : given_) {
      ++labels_[position(one.item)];
      crowd_->record(one.item, one.worker, one.label);
    }
    beliefs_ = desk.crowd().final_probabilities();
    alone_ = crowd_->final_probabilities();
    read_taught(desk.crowd());
  }

  /// Beliefs about gold items by workers as the campaign believes them to be.
  void read_taught(const Crowd& crowd) {
    taught_.resize(set_.item_count);
    for (std::uint32_t i = 0; i < set_.item_count; ++i)
      if (gold_[i] != 0) taught_[i] = crowd.probabilities(ItemId{i});
    std::vector<double> chances(set_.class_count);
    for (const GivenLabel& one : given_) {
      auto& belief = taught_[position(one.item)];
      if (belief.empty()) continue;
      crowd.likelihood(one.worker, one.label, chances);
      double sum = 0;
      for (std::size_t c = 0; c < chances.size(); ++c) sum += belief[c] *= chances[c];
      for (double& p : belief) p /= sum;
    }
  }

  const test::DataSet& data_;
  const LabelSet& set_;
  std::vector<char> gold_;
  std::vector<std::uint32_t> labels_;
  std::vector<GivenLabel> given_;
  std::unique_ptr<Crowd> crowd_;  // that knows no gold item
  std::vector<double> beliefs_, alone_;
  std::vector<std::vector<double>> taught_;
};

TEST(CalibrationOfRealGold, TeachesByLabelsAloneAndNotByWorkersItTaught) {
  constexpr std::uint64_t kDraws = 2;
  double alone = 0, taught = 0, upward = 0, taught_upward = 0, sets = 0;
  for (const auto& [name, prior] : kSets) {
    const std::string set = name;
    if (set == "product" || set == "trec2011" || set == "web") continue;  // large: seconds each
    const auto data = test::data_set(name);
    if (!data) GTEST_SKIP() << "no data set " << name << " in " << test::data_folder();
    double one = 0, two = 0;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      const GoldReplay replay(*data, draw);
      const double by_labels = replay.bias_of(true, prior),
                   by_workers = replay.bias_of(false, prior);
      one += by_labels / kDraws;
      two += by_workers / kDraws;
      alone += std::abs(by_labels) / kDraws;
      taught += std::abs(by_workers) / kDraws;
    }
    fmt::print("{:10} by labels alone {:+.3f}, by workers it taught {:+.3f}\n", name, one, two);
    upward += one;
    taught_upward += two;
    ++sets;
  }
  fmt::print("mean error {:.3f} and {:.3f}, mean bias {:+.3f} and {:+.3f}\n", alone / sets,
             taught / sets, upward / sets, taught_upward / sets);
  EXPECT_LT(alone / sets, 0.06);
  EXPECT_LT(std::abs(upward / sets), 0.03);
  EXPECT_GT(taught_upward / sets, 0.03) << "negative control";
}

}  // namespace
}  // namespace allot::model::known_answers_data_test
