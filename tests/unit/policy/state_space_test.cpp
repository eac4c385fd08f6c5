#include "policy/state_space.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/beliefs.hpp"

namespace allot::policy::state_space_test {
namespace {

using model::Beliefs;
using model::Prior;

StateSpace space(const Beliefs& beliefs, std::uint64_t budget, Sharing sharing = {}) {
  return StateSpace::create(beliefs, budget, sharing).value();
}

std::uint64_t all_states(const StateSpace& space) {
  std::uint64_t sum = 0;
  for (std::uint64_t t = 0; t <= space.budget(); ++t) sum += space.size(t);
  return sum;
}

TEST(StateSpace, CountsStatesUpToPermutationAndSwap) {
  EXPECT_EQ(all_states(space(Beliefs(1, Prior::uniform()), 4)), 1U + 1 + 2 + 2 + 3);
  EXPECT_EQ(all_states(space(Beliefs(1, Prior::beta(2, 1)), 4)), 1U + 2 + 3 + 4 + 5);
  EXPECT_EQ(all_states(space(Beliefs(8, Prior::uniform()), 24)), 263'873U);
  // Ordered, without a swap: counts of 2 K numbers with sum t.
  EXPECT_EQ(space(Beliefs(2, Prior::beta(2, 1)), 3, {.items = false}).size(3), 20U);
}

void expect_ranks_without_gaps(const StateSpace& space) {
  for (std::uint64_t t = 0; t <= space.budget(); ++t) {
    StateSpace::State state = space.first(t);
    std::uint64_t rank = 0;
    do {
      ASSERT_EQ(space.rank(state, t), rank++);
    } while (space.next(state));
    ASSERT_EQ(rank, space.size(t));
  }
}

TEST(StateSpace, NumbersItsStatesInOrderWithoutGaps) {
  expect_ranks_without_gaps(space(Beliefs(4, Prior::uniform()), 7));
  expect_ranks_without_gaps(space(Beliefs(3, Prior::beta(2, 1)), 6));
  expect_ranks_without_gaps(space(Beliefs(3, Prior::uniform()), 5, {.items = false}));
  expect_ranks_without_gaps(
      space(Beliefs({Prior::uniform(), Prior::beta(3, 1)}, {0, 1, 0, 1, 1}), 5));
}

TEST(StateSpace, PutsItemsInTheirPlaces) {
  Beliefs beliefs({Prior::uniform(), Prior::beta(3, 1)}, {1, 0, 1});
  const StateSpace places = space(beliefs, 4);
  const std::vector<model::Counts> counts{{2, 1}, {0, 1}, {0, 0}};
  std::vector<std::uint32_t> place_of;
  const StateSpace::State state = places.state_of(counts, place_of);
  for (std::uint32_t item = 0; item < 3; ++item) {
    const ItemType& type = places.type(place_of[item], state);
    EXPECT_EQ(type.counts.total(), counts[item].total());
    EXPECT_EQ(places.prior(places.group_of(place_of[item])), *beliefs[ItemId{item}].prior);
  }
  EXPECT_EQ(std::set(place_of.begin(), place_of.end()).size(), 3U);
}

TEST(StateSpace, RefusesWhatCannotBeCounted) {
  const auto refused = StateSpace::create(Beliefs(50, Prior::uniform()), 1000, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.rfind("50 items with a budget of 1000 are too many", 0), 0U);
}

}  // namespace
}  // namespace allot::policy::state_space_test
