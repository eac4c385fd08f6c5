#include "policy/odds_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "allot/base/rng.hpp"
#include "support/pair_states.hpp"

namespace allot::policy::odds_tree_test {
namespace {

using model::ItemState;
using Known = std::map<std::uint32_t, std::pair<ItemState, double>>;  // by candidate, with a number

std::vector<std::uint32_t> below_node(const OddsTree& tree, std::uint32_t node) {
  if (tree.is_leaf(node)) return tree.candidates(node);
  auto all = below_node(tree, 2 * node);
  const auto right = below_node(tree, 2 * node + 1);
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

/// Odds of `a`, as a number that rounding spares, against those of `b`.
bool at_most(const ItemState& a, const ItemState& b) {
  return a.shape.a * b.shape.b <= b.shape.a * a.shape.b * (1 + 1e-12);
}

void expect_right(const OddsTree& tree, const OddsTree::Layer& layer, const Known& known,
                  std::uint32_t node) {
  const auto here = below_node(tree, node);
  ASSERT_EQ(tree.is_empty(node), here.empty());
  const auto [low, high] = tree.range(node);
  double most = OddsTree::kNothing;
  for (const std::uint32_t candidate : here) {
    const auto& [state, number] = known.at(candidate);
    ASSERT_TRUE(at_most(low, state) && at_most(state, high));
    ASSERT_GE(layer[candidate], number);
    ASSERT_LE(layer[candidate], number + 1e-6 * std::abs(number));
    most = std::max<double>(most, layer[candidate]);
  }
  ASSERT_EQ(layer.most(node), most);
  if (tree.is_leaf(node)) return;
  ASSERT_EQ(tree.range(2 * node).low, low);
  ASSERT_EQ(tree.range(2 * node).high, tree.middle(node));
  ASSERT_EQ(tree.range(2 * node + 1).low, tree.middle(node));
  ASSERT_EQ(tree.range(2 * node + 1).high, high);
  expect_right(tree, layer, known, 2 * node);
  expect_right(tree, layer, known, 2 * node + 1);
}

TEST(OddsTree, HasEverythingBetweenTheOddsOfItsNodeAndKnowsTheLargest) {
  Rng rng(1);
  for (const std::uint32_t size : {0U, 1U, 2U, 9U, 60U}) {
    OddsTree tree(size);
    OddsTree::Layer layer(tree, [](std::uint32_t) { return 0.0; });
    Known known;
    for (int step = 0; step < 400; ++step) {
      const auto candidate = static_cast<std::uint32_t>(below(rng, 40));
      if (const auto one = known.find(candidate); one != known.end()) {
        tree.leave(candidate, one->second.first);
        layer.take_away(candidate, one->second.first);
        known.erase(one);
      } else {
        const ItemState state = test::random_item(rng);
        const double number = test::sign(rng) * test::log_uniform(rng, 1e-30, 1e9);
        tree.enter(candidate, state);
        layer.set(candidate, state, number);
        known[candidate] = {state, number};
      }
      ASSERT_EQ(below_node(tree, OddsTree::kRoot).size(), known.size());
      if (step % 10 > 0) continue;
      const auto number_of = [&](std::uint32_t one) { return known.at(one).second; };
      expect_right(tree, layer, known, OddsTree::kRoot);
      expect_right(tree, OddsTree::Layer(tree, number_of), known, OddsTree::kRoot);
      if (HasFatalFailure()) return;
    }
    tree.clear();
    EXPECT_TRUE(tree.is_empty(OddsTree::kRoot));
  }
}

TEST(OddsTree, ReachesFromCertaintyToCertainty) {
  const auto [low, high] = OddsTree(1000).range(OddsTree::kRoot);
  EXPECT_EQ(low.mean(), 0);
  EXPECT_EQ(high.mean(), 1);
}

/// Else a choice among items that are all but sure would look at each of them.
TEST(OddsTree, HasLeavesForItemsThatAreAllButSure) {
  constexpr std::uint32_t kItems = 1000;
  OddsTree tree(kItems);
  for (std::uint32_t n = 0; n < kItems; ++n) {
    const double odds = 20 + 100.0 * n / kItems;
    tree.enter(n, ItemState::hard_odds(n % 2 == 0 ? odds : -odds));
  }
  std::size_t most = 0;
  std::vector<std::uint32_t> nodes{OddsTree::kRoot};
  while (!nodes.empty()) {
    const std::uint32_t node = nodes.back();
    nodes.pop_back();
    if (tree.is_leaf(node)) {
      most = std::max(most, tree.candidates(node).size());
    } else {
      nodes.insert(nodes.end(), {2 * node, 2 * node + 1});
    }
  }
  EXPECT_LT(most, kItems / 50);
}

}  // namespace
}  // namespace allot::policy::odds_tree_test
