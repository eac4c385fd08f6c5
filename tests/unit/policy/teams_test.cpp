#include "policy/teams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allot/base/rng.hpp"
#include "support/fixed_crowd.hpp"

namespace allot::policy::teams_test {
namespace {

using Members = std::vector<std::uint32_t>;

Members members(const Teams& teams, std::uint32_t worker) {
  const auto team = teams.members(teams.of(WorkerId{worker}));
  return {team.begin(), team.end()};
}

test::FixedCrowd crowd_of(std::vector<model::Channel> workers) {
  return {std::vector<model::ItemState>(5, model::ItemState::soft_label(1, 1)), workers};
}

TEST(Teams, AreWorkersOfWhomTheSameIsBelieved) {
  const auto crowd = crowd_of({{0.9, 0.9}, {0.8, 0.7}, {0.9, 0.9}, {0.7, 0.8}, {0.8, 0.7}});
  const Offers offers = Offers::everyone(5, 5);
  const Teams teams(crowd, offers);
  EXPECT_EQ(teams.count(), 3U);
  EXPECT_EQ(members(teams, 0), (Members{0, 2}));
  EXPECT_EQ(members(teams, 4), (Members{1, 4}));
  EXPECT_EQ(members(teams, 3), (Members{3}));
}

TEST(Teams, OfRecordedWorkersHaveOneMember) {
  const auto crowd = crowd_of({{0.9, 0.9}, {0.9, 0.9}});
  const Offers offers = Offers::recorded(5, 2, std::vector{Pair{ItemId{0}, WorkerId{0}}});
  const Teams teams(crowd, offers);
  EXPECT_EQ(teams.count(), 2U);
  EXPECT_EQ(members(teams, 1), (Members{1}));
}

TEST(Teams, AreThoseFormedAnewHoweverWorkersMove) {
  Rng rng(1);
  const auto crowd = crowd_of(std::vector<model::Channel>(6, {0.8, 0.8}));
  Offers offers = Offers::everyone(5, 6);
  Teams moved(crowd, offers);
  while (offers.left() > 0) {
    const WorkerId worker{static_cast<std::uint32_t>(below(rng, 6))};
    if (offers.left(worker) == 0) continue;
    offers.close({offers.open_item(worker, 0), worker});
    moved.move(worker);
    const Teams formed(crowd, offers);
    std::size_t seen = 0;
    for (std::uint32_t j = 0; j < 6; ++j) ASSERT_EQ(members(moved, j), members(formed, j));
    for (std::uint32_t team = 0; team < moved.count(); ++team) seen += moved.members(team).size();
    ASSERT_EQ(seen, 6U);
    ASSERT_LE(moved.count(), 6U);  // numbers are used again
  }
}

}  // namespace
}  // namespace allot::policy::teams_test
