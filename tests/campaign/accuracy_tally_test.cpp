#include "campaign/accuracy_tally.hpp"

#include <gtest/gtest.h>

#include "allot/base/rng.hpp"

namespace allot::campaign::accuracy_tally_test {
namespace {

struct Item {
  std::vector<double> probabilities;
  std::uint32_t labels;
};

std::vector<Item> some_items(std::size_t count, std::uint64_t seed) {
  Rng rng(seed, Rng::Purpose::general);
  std::vector<Item> items;
  while (items.size() < count) {
    const double p = uniform(rng);
    items.push_back({{p, 1 - p}, static_cast<std::uint32_t>(1 + below(rng, 6))});
  }
  return items;
}

/// The lower end of the range that the map gives, with the known items as right answers.
double lower_end(const model::CalibrationMap& map, const std::vector<Item>& items, double known) {
  std::vector<double> probabilities;
  std::vector<std::uint32_t> labels;
  for (const Item& item : items) {
    probabilities.insert(probabilities.end(), item.probabilities.begin(), item.probabilities.end());
    labels.push_back(item.labels);
  }
  const auto count = static_cast<double>(items.size());
  return (map.accuracy(probabilities, labels, 2 * kStopChance - 1).low * count + known) /
         (count + known);
}

TEST(AccuracyTally, ReachesTheLowerEndOfTheRangeAndNoMore) {
  const model::CalibrationMap map(2);
  for (const std::uint32_t known : {0U, 3U, 40U}) {
    const auto items = some_items(60, known);
    AccuracyTally tally;
    for (std::uint32_t i = 0; i < items.size(); ++i)
      tally.set(ItemId{i}, map.answer_powers(items[i].probabilities, items[i].labels));
    for (std::uint32_t i = 0; i < known; ++i) tally.set_known(ItemId{100 + i});
    const double low = lower_end(map, items, known);
    EXPECT_TRUE(tally.reaches(low - 1e-6, map));
    EXPECT_FALSE(tally.reaches(low + 1e-6, map));
  }
}

TEST(AccuracyTally, DependsOnTheLastValueOfEachItemAlone) {
  const model::CalibrationMap map(2);
  const auto before = some_items(40, 7), after = some_items(40, 8);
  AccuracyTally tally;
  const auto set = [&](std::uint32_t i, const Item& item) {
    tally.set(ItemId{i}, map.answer_powers(item.probabilities, item.labels));
  };
  for (std::uint32_t i = 0; i < 40; ++i) set(i, before[i]);
  tally.set_known(ItemId{5});
  tally.leave_out(ItemId{6});
  for (std::uint32_t i = 40; i-- > 0;) set(i, after[i]);
  const double low = lower_end(map, after, 0);
  EXPECT_TRUE(tally.reaches(low - 1e-6, map));
  EXPECT_FALSE(tally.reaches(low + 1e-6, map));
  for (std::uint32_t i = 0; i < 40; ++i) tally.leave_out(ItemId{i});
  EXPECT_FALSE(tally.reaches(0.1, map)) << "nothing is answered";
  tally.set_known(ItemId{0});
  EXPECT_TRUE(tally.reaches(1, map)) << "all answers are known";
}

}  // namespace
}  // namespace allot::campaign::accuracy_tally_test
