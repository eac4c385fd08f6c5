#include "policy/state_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "allot/base/rng.hpp"

namespace allot::policy::state_tree_test {
namespace {

struct Candidate {
  std::vector<double> point;
  double potential;
};
using Known = std::map<std::uint32_t, Candidate>;

auto place_in(const Known& known) {
  return [&known](std::uint32_t candidate) {
    return std::span<const double>(known.at(candidate).point);
  };
}

/// Checks boxes and potentials below a node against its candidates; returns its depth.
int expect_tight(const StateTree& tree, const Known& known, std::uint32_t node,
                 std::set<std::uint32_t>& found) {
  std::set<std::uint32_t> here;
  int depth = 0;
  if (tree.is_leaf(node)) {
    const auto& candidates = tree.candidates(node);
    here.insert(candidates.begin(), candidates.end());
    for (std::size_t n = 0; n < candidates.size(); ++n) {
      EXPECT_TRUE(std::ranges::equal(tree.place(node, n), known.at(candidates[n]).point));
      EXPECT_EQ(tree.potential(node, n), known.at(candidates[n]).potential);
    }
  } else {
    depth = 1 + std::max(expect_tight(tree, known, tree.left(node), here),
                         expect_tight(tree, known, tree.right(node), here));
  }
  EXPECT_EQ(tree.is_empty(node), here.empty());
  double most = StateTree::kNothing;
  for (const std::uint32_t candidate : here) most = std::max(most, known.at(candidate).potential);
  EXPECT_EQ(tree.most(node), most);
  for (std::size_t d = 0; !here.empty() && d < tree.low(node).size(); ++d) {
    double low = 1e300, high = -1e300;
    for (const std::uint32_t candidate : here) {
      low = std::min(low, known.at(candidate).point[d]);
      high = std::max(high, known.at(candidate).point[d]);
    }
    EXPECT_EQ(tree.low(node)[d], low);
    EXPECT_EQ(tree.high(node)[d], high);
  }
  found.insert(here.begin(), here.end());
  return depth;
}

void expect_tree(const StateTree& tree, const Known& known) {
  std::set<std::uint32_t> found, wanted;
  const int depth = expect_tight(tree, known, StateTree::kRoot, found);
  for (const auto& [candidate, one] : known) {
    wanted.insert(candidate);
    ASSERT_EQ(tree.potential(candidate), one.potential);
  }
  ASSERT_EQ(found, wanted);
  ASSERT_LE(depth, 11 * std::bit_width(known.size() + 1));
}

Candidate random_candidate(std::size_t dimensions, Rng& rng) {
  Candidate result{{}, static_cast<double>(below(rng, 50)) / 50};
  for (std::size_t d = 0; d < dimensions; ++d) {
    // Also equal and tiny coordinates.
    const double u = uniform(rng);
    result.point.push_back(below(rng, 3) == 0 ? std::round(u) : u * u * u);
  }
  return result;
}

class StateTrees : public testing::TestWithParam<StateTree::WideLeaves> {};
INSTANTIATE_TEST_SUITE_P(Wide, StateTrees,
                         testing::Values(StateTree::WideLeaves::few, StateTree::WideLeaves::many));

TEST_P(StateTrees, HaveTheSmallestBoxesThroughRandomSteps) {
  for (const std::size_t dimensions : {0, 1, 3, 8}) {
    Rng rng(dimensions);
    StateTree tree(dimensions, GetParam());
    Known known;
    for (int step = 0; step < 6000; ++step) {
      const auto candidate = static_cast<std::uint32_t>(below(rng, 400));
      if (known.erase(candidate) > 0) {
        tree.leave(candidate, place_in(known));
      } else if (step / 1000 % 3 < 2 || below(rng, 4) == 0) {  // at times most of them leave
        known[candidate] = random_candidate(dimensions, rng);
        tree.enter(candidate, known[candidate].potential, place_in(known));
      }
      if (step % 100 == 0) expect_tree(tree, known);
      if (HasFailure()) return;
    }
  }
}

TEST_P(StateTrees, StayShallowWhereCandidatesComeInOrder) {
  StateTree tree(2, GetParam());
  Known known;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    known[i] = {{i / 3000.0, 1 - i / 3000.0}, 1.0};
    tree.enter(i, 1.0, place_in(known));
  }
  expect_tree(tree, known);
}

TEST_P(StateTrees, HoldManyCandidatesAtOnePlace) {
  StateTree tree(2, GetParam());
  Known known;
  for (std::uint32_t i = 0; i < 500; ++i) {
    known[i] = {{0.5, 0.5}, 1.0};
    tree.enter(i, 1.0, place_in(known));
  }
  expect_tree(tree, known);
  for (std::uint32_t i = 0; i < 490; ++i) {
    known.erase(i);
    tree.leave(i, place_in(known));
  }
  expect_tree(tree, known);
}

TEST_P(StateTrees, AreTheSameWhetherBuiltAtOnceOrNot) {
  Rng rng(1);
  StateTree tree(3, GetParam());
  for (const std::uint32_t count : {0U, 1U, 16U, 17U, 2000U}) {
    Known known;
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < count; ++i) {
      known[i] = random_candidate(3, rng);
      candidates.push_back(i);
    }
    tree.rebuild(candidates, place_in(known),
                 [&](std::uint32_t candidate) { return known.at(candidate).potential; });
    expect_tree(tree, known);
  }
}

std::vector<std::size_t> leaf_sizes(const StateTree& tree, std::uint32_t node = StateTree::kRoot) {
  if (tree.is_leaf(node)) return {tree.candidates(node).size()};
  std::vector<std::size_t> sizes = leaf_sizes(tree, tree.left(node));
  const std::vector<std::size_t> others = leaf_sizes(tree, tree.right(node));
  sizes.insert(sizes.end(), others.begin(), others.end());
  return sizes;
}

/// 2,000 places in eight dimensions, in clusters of this size.
std::vector<std::size_t> leaf_sizes_of_clusters(double size, StateTree::WideLeaves wide) {
  Rng rng(1);
  Known known;
  StateTree tree(8, wide);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    known[i] = {std::vector<double>(8, 0.0), 1.0};
    known[i].point[i % 8] = 0.9;
    for (double& coordinate : known[i].point) coordinate += size * uniform(rng);
    tree.enter(i, 1.0, place_in(known));
  }
  return leaf_sizes(tree);
}

TEST(StateTree, HasLargeLeavesOnlyWherePlacesAreFarApart) {
  using Wide = StateTree::WideLeaves;
  const auto largest = [](double size, Wide wide) {
    return std::ranges::max(leaf_sizes_of_clusters(size, wide));
  };
  EXPECT_LE(largest(0.1, Wide::few), 16U);
  EXPECT_LE(largest(1e-4, Wide::many), 16U);
  EXPECT_GT(largest(0.1, Wide::many), 100U);
  EXPECT_LE(largest(0.1, Wide::many), 256U);
}

}  // namespace
}  // namespace allot::policy::state_tree_test
