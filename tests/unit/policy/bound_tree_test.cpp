#include "policy/bound_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "allot/base/rng.hpp"

namespace allot::policy {
namespace {

using Visits = std::vector<std::pair<std::uint32_t, double>>;

Visits walk(const BoundTree& tree, double least) {
  BoundTree::Walk walk(tree);
  Visits visits;
  std::uint32_t candidate = 0;
  double bound = 0;
  while (walk.next(least, candidate, bound)) visits.emplace_back(candidate, bound);
  return visits;
}

TEST(BoundTree, OfNothingHasNothingToVisit) {
  EXPECT_TRUE(walk(BoundTree(), BoundTree::kNothing).empty());
  BoundTree tree;
  tree.set(5, 1);
  tree.set(5, BoundTree::kNothing);
  EXPECT_TRUE(walk(tree, BoundTree::kNothing).empty());
}

TEST(BoundTree, IsWalkedFromTheLargestBoundDown) {
  BoundTree tree;
  tree.set(0, 1);
  tree.set(6, 3);
  tree.set(2, -2);
  EXPECT_EQ(walk(tree, BoundTree::kNothing), (Visits{{6, 3}, {0, 1}, {2, -2}}));
  EXPECT_EQ(walk(tree, 1), (Visits{{6, 3}, {0, 1}}));
  EXPECT_TRUE(walk(tree, 3.5).empty());
}

TEST(BoundTree, StopsWhereTheCallerHasFoundBetter) {
  BoundTree tree;
  for (std::uint32_t i = 0; i < 100; ++i) tree.set(i, i);
  BoundTree::Walk walk(tree);
  std::uint32_t candidate = 0;
  double bound = 0;
  ASSERT_TRUE(walk.next(0, candidate, bound));
  ASSERT_TRUE(walk.next(98, candidate, bound));
  EXPECT_EQ(candidate, 98U);
  EXPECT_FALSE(walk.next(98, candidate, bound));
}

TEST(BoundTree, IsASortedListHoweverItGrowsAndChanges) {
  Rng rng(1);
  for (int n = 0; n < 50; ++n) {
    BoundTree tree;
    std::map<std::uint32_t, double> plain;
    const std::uint64_t range = 1 + below(rng, 300);
    for (int step = 0; step < 200; ++step) {
      const auto candidate = static_cast<std::uint32_t>(below(rng, range));
      const double bound =
          below(rng, 5) == 0 ? BoundTree::kNothing : static_cast<double>(below(rng, 20)) - 10;
      tree.set(candidate, bound);
      plain[candidate] = bound;
      if (step % 20 != 0) continue;
      const double least =
          below(rng, 3) == 0 ? BoundTree::kNothing : static_cast<double>(below(rng, 20)) - 10;
      Visits visits = walk(tree, least), truth;
      EXPECT_TRUE(std::ranges::is_sorted(visits, std::greater<>(),
                                         &std::pair<std::uint32_t, double>::second));
      for (const auto& [one, value] : plain) {
        if (value != BoundTree::kNothing && value >= least) truth.emplace_back(one, value);
      }
      std::ranges::sort(visits);
      EXPECT_EQ(visits, truth);
    }
  }
}

}  // namespace
}  // namespace allot::policy
