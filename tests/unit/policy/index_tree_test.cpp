#include "allot/policy/index_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace allot::policy::index_tree_test {
namespace {

TEST(IndexTree, OfOneValueChoosesIt) {
  Rng rng(1);
  const IndexTree tree({-3});
  EXPECT_EQ(tree.choose(TieBreak::random, rng), 0U);
  EXPECT_EQ(tree.best(), -3);
  EXPECT_EQ(tree.tied_count(), 1U);
}

TEST(IndexTree, RefusesToHoldNothingOrNoNumbers) {
  EXPECT_THROW(IndexTree({}), std::invalid_argument);
  EXPECT_THROW(IndexTree({1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  IndexTree tree({1, 2});
  EXPECT_THROW(tree.set(0, std::numeric_limits<double>::infinity()), std::invalid_argument);
}

TEST(IndexTree, RefusesToChooseWhereEveryItemIsKeptOut) {
  Rng rng(1);
  const IndexTree tree(std::vector<double>(5, -std::numeric_limits<double>::infinity()));
  EXPECT_THROW(tree.choose(TieBreak::first, rng), std::invalid_argument);
}

TEST(IndexTree, MinusInfinityKeepsAnItemOut) {
  Rng rng(1);
  IndexTree tree(std::vector<double>(40, 1.0));
  for (std::uint32_t i = 0; i < 40; ++i) {
    if (i != 17) tree.set(i, -std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(tree.choose(TieBreak::random, rng), 17U);
}

/// Few distinct values, so that there are ties; some differ by less than the tolerance, some by a
/// little more.
double value_with_ties() {
  const double base = *rc::gen::inRange(-2, 3);
  const double nudge = *rc::gen::inRange(-3, 4) * 0.6e-12;
  return base * (1 + (*rc::gen::inRange(0, 3) == 0 ? nudge : 0.0));
}

RC_GTEST_PROP(IndexTree, ChoosesWhatAScanChooses, ()) {
  const auto size = *rc::gen::element<std::size_t>(1, 15, 16, 17, 100, 256, 257, 700);
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(value_with_ties());
  IndexTree tree(values);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  for (int step = 0; step < 20; ++step) {
    const auto tied = best_candidates(values);
    RC_ASSERT(tree.tied_count() == tied.size());
    for (std::uint32_t n = 0; n < tied.size(); ++n) RC_ASSERT(tree.tied_item(n) == tied[n]);
    for (const TieBreak rule : {TieBreak::first, TieBreak::random}) {
      Rng one(seed + static_cast<std::uint64_t>(step)), other = one;
      RC_ASSERT(tree.choose(rule, one) == break_tie(tied, rule, other));
      RC_ASSERT(one() == other());  // the same draws were used
    }
    const auto changed = *rc::gen::inRange<std::size_t>(0, size);
    values[changed] = value_with_ties();
    tree.set(static_cast<std::uint32_t>(changed), values[changed]);
  }
}

}  // namespace
}  // namespace allot::policy::index_tree_test
