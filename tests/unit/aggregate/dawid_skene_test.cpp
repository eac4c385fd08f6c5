#include <gtest/gtest.h>

#include <cmath>

#include "allot/aggregate/em.hpp"
#include "allot/aggregate/majority.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::dawid_skene_test {
namespace {

/// Items 0..39 alternate between classes 0 and 1. Workers 0 to 2 know it; workers 3 and 4 always
/// say 1; item 0 has one knowing worker against the two.
model::LabelSet leaning_crowd() {
  model::LabelSet set{40, 5, 2, {}};
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      if (i == 0 && (j == 1 || j == 2)) continue;
      set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{j < 3 ? i % 2 : 1}});
    }
  }
  return set;
}

TEST(DawidSkene, IsNotMovedByWorkersWhoAlwaysSayTheSame) {
  const model::LabelSet set = leaning_crowd();
  EXPECT_EQ(majority(set).value().answers.answers[0], ClassId{1});
  const auto result = dawid_skene(set).value();
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(result.answers.answers[i], ClassId{i % 2}) << i;
}

TEST(DawidSkene, LearnsTheTableOfEveryWorker) {
  const auto workers = dawid_skene(leaning_crowd()).value().workers;
  const auto given = [&](std::uint32_t j, std::uint32_t truth, std::uint32_t label) {
    return workers.given(WorkerId{j}, ClassId{truth}, ClassId{label}, 2);
  };
  EXPECT_NEAR(given(0, 0, 0), 1, 1e-3);
  EXPECT_NEAR(given(3, 0, 0), 0, 1e-3);
  EXPECT_NEAR(given(3, 0, 1), 1, 1e-3);
  EXPECT_NEAR(given(3, 1, 1), 1, 1e-3);
  EXPECT_NEAR(workers.reliability[0], 1, 1e-3);
  EXPECT_NEAR(workers.reliability[3], 0.5, 1e-3);
}

TEST(DawidSkene, ObjectiveNeverFalls) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto climbed = dawid_skene(test::random_crowd(seed, 30, 8, 4)).value().fit->objective;
    for (std::size_t i = 1; i < climbed.size(); ++i)
      EXPECT_GE(climbed[i], climbed[i - 1] - 1e-9 * std::abs(climbed[i])) << seed << " " << i;
  }
}

TEST(DawidSkene, AcceptsWorkersItemsAndClassesWithoutLabels) {
  const auto result =
      dawid_skene(test::label_set({{0, 0, 0}, {1, 0, 1}, {0, 1, 0}, {1, 1, 1}}, 3, 3, 3)).value();
  EXPECT_TRUE(std::isnan(result.workers.reliability[2]));
  EXPECT_NEAR(result.workers.given(WorkerId{2}, ClassId{0}, ClassId{1}, 3), 1.0 / 3, 1e-12);
  EXPECT_NEAR(result.answers.of(ItemId{2})[0], 0.5, 1e-9);
  EXPECT_EQ(result.answers.of(ItemId{2})[2], 0);
  for (const double p : result.answers.probabilities) EXPECT_FALSE(std::isnan(p));
}

TEST(DawidSkene, IsUniformWithoutAnyLabel) {
  const auto result = dawid_skene({2, 1, 4, {}}).value();
  EXPECT_EQ(result.answers.probabilities, std::vector<double>(8, 0.25));
}

TEST(DawidSkene, RefusesTablesThatWouldNotFit) {
  const auto refused = dawid_skene({10, 100'000, 1000, {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_NE(refused.error().message.find("1000 classes"), std::string::npos);
}

}  // namespace
}  // namespace allot::aggregate::dawid_skene_test
