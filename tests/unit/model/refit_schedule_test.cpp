#include "model/refit_schedule.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace allot::model::refit_schedule_test {
namespace {

/// After how many labels refits are due.
std::vector<int> due(RefitSchedule schedule, int labels) {
  std::vector<int> result;
  for (int n = 1; n <= labels; ++n) {
    if (schedule.is_due()) result.push_back(n);
  }
  return result;
}

TEST(RefitSchedule, IsDueEverySoManyLabels) {
  EXPECT_EQ(due({20, 100}, 100), (std::vector<int>{20, 40, 60, 80, 100}));
  EXPECT_EQ(due({1, 100}, 3), (std::vector<int>{1, 2, 3}));
}

TEST(RefitSchedule, LeavesAtLeastTwoPerCentOfTheLabels) {
  const std::vector<int> refits = due({20, 100}, 100'000);
  for (std::size_t i = 1; i < refits.size(); ++i) {
    EXPECT_GE(refits[i] - refits[i - 1], refits[i] / 50);
    EXPECT_LE(refits[i] - refits[i - 1], std::max(20, refits[i] / 50));
  }
}

TEST(RefitSchedule, LeavesOneLabelForAThousandItems) {
  EXPECT_EQ(due({20, 1'000'000}, 3000), (std::vector<int>{1000, 2000, 3000}));
}

TEST(RefitSchedule, TheLateOnesTakeEffectBeforeTheNextIsDue) {
  RefitSchedule schedule(20, 100, 200);
  int effect = 0, late = 0;
  for (int n = 1; n <= 100'000; ++n) {
    if (!schedule.is_due()) continue;
    EXPECT_LT(effect, n);
    effect = n + static_cast<int>(schedule.lag());
    EXPECT_EQ(schedule.lag() > 0, n >= 8800) << n;
    if (schedule.lag() > 0) ++late;
  }
  EXPECT_GT(late, 10);
}

TEST(RefitSchedule, TheLateOnesLieAQuarterOfManyLabelsApart) {
  const std::vector<int> refits = due({20, 100, 200}, 1'000'000);
  for (std::size_t i = 1; i < refits.size(); ++i) {
    const int least = std::max(refits[i] / 50, (refits[i] - 8000) / 4);
    EXPECT_GE(refits[i] - refits[i - 1], least);
    EXPECT_LE(refits[i] - refits[i - 1], std::max(20, least));
  }
  EXPECT_EQ(due({20, 1'000'000, 200}, 10'000), (std::vector<int>{5000, 10'000}));
}

TEST(RefitSchedule, KnowsAboutHowManyRefitsThereWere) {
  const RefitSchedule schedule(20, 100);
  const std::vector<int> all = due(schedule, 30'000);
  for (std::size_t n = 0; n < all.size(); ++n) {
    const auto found =
        static_cast<double>(schedule.count_among(static_cast<std::uint64_t>(all[n])));
    EXPECT_NEAR(found, static_cast<double>(n + 1), all[n] <= 1000 ? 0 : 0.03 * found) << all[n];
  }
}

TEST(RefitSchedule, RefusesNone) { EXPECT_THROW(RefitSchedule(0, 10), std::invalid_argument); }

}  // namespace
}  // namespace allot::model::refit_schedule_test
