#include "allot/policy/ties.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "allot/index/knowledge_gradient.hpp"
#include "support/beliefs.hpp"

namespace allot::policy::ties_test {
namespace {

using Positions = std::vector<std::uint32_t>;

TEST(BestCandidates, AreAllWithinTheTolerance) {
  EXPECT_EQ(best_candidates(std::vector{1.0, 2.0, 2.0 - 1e-12, 2.0 - 5e-12}), (Positions{1, 2}));
  EXPECT_EQ(best_candidates(std::vector{-1.0, -1.0 - 1e-13, -2.0}), (Positions{0, 1}));
  EXPECT_EQ(best_candidates(std::vector{0.0, -1e-30, 0.0}), (Positions{0, 2}));
  EXPECT_EQ(best_candidates(std::vector{1e-19, 2e-19}), Positions{1});
}

TEST(BreakTie, FollowsTheRule) {
  Rng rng(1);
  const Positions tied{3, 5, 8};
  EXPECT_EQ(break_tie(tied, TieBreak::first, rng), 3U);
  std::vector<int> seen(9);
  for (int i = 0; i < 300; ++i) ++seen[break_tie(tied, TieBreak::random, rng)];
  EXPECT_GT(std::min({seen[3], seen[5], seen[8]}), 60);
  EXPECT_EQ(seen[3] + seen[5] + seen[8], 300);
}

TEST(Quantised, HidesTheLastBitsAndKeepsSimpleNumbers) {
  for (const double simple : {0.0, 0.25, 0.125, -0.1875, 3.0}) EXPECT_EQ(quantised(simple), simple);
  EXPECT_EQ(quantised(0.125), quantised(std::nextafter(0.125, 0.0)));
  EXPECT_NEAR(quantised(0.3) / 0.3, 1, 4e-14);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantised(-infinity), -infinity);
}

TEST(Quantised, MakesEqualsOfStatesThatAreEqualInTheory) {  // R+(2,1) = R+(3,2) = 1/8
  EXPECT_EQ(quantised(index::opt_kg(test::beta_belief(2, 1))),
            quantised(index::opt_kg(test::beta_belief(3, 2))));
}

}  // namespace
}  // namespace allot::policy::ties_test
