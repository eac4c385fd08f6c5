// Candidates sorted by their odds, with upper bounds of their values.
//
// The line of log-odds is cut into as many parts as there are items (at most 2^20); parts further
// from 0 are wider. The parts are the leaves of a binary tree that never changes its shape. All
// candidates below a node therefore lie between two odds. An index with a bound between two odds
// (index::PairIndex::hard_bound) needs nothing else. Other indices use layers: one number per
// candidate, with the maxima of all nodes.
//
// Cost: O(log n) steps per change. Memory: 36 bytes per leaf, and 12 per leaf and layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "allot/model/item_state.hpp"

namespace allot::policy {

class OddsTree {
 public:
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();
  static constexpr std::uint32_t kRoot = 1;

  explicit OddsTree(std::uint32_t size);

  void enter(std::uint32_t candidate, const model::ItemState& state);
  void leave(std::uint32_t candidate, const model::ItemState& state);
  void clear();

  bool is_empty(std::uint32_t node) const { return count_[node] == 0; }
  bool is_leaf(std::uint32_t node) const { return node >= leaves_; }
  const std::vector<std::uint32_t>& candidates(std::uint32_t leaf) const {
    return candidates_[leaf - leaves_];
  }

  /// Two hard items between which all candidates of a node lie.
  struct Range {
    model::ItemState low, high;
  };
  Range range(std::uint32_t node) const;
  /// The hard item where the two halves of a node meet.
  model::ItemState middle(std::uint32_t node) const;

  /// Numbers for all candidates of one tree, rounded up. The caller must set the number of a
  /// candidate after it entered, and take it away after it left.
  class Layer {
   public:
    /// Sets the number of every candidate in the tree to bound_of(candidate).
    template <typename BoundOf>
    Layer(const OddsTree& tree, BoundOf bound_of);
    /// `state` is the one with which the candidate entered.
    void set(std::uint32_t candidate, const model::ItemState& state, double bound);
    void take_away(std::uint32_t candidate, const model::ItemState& state);

    /// The largest number below a node.
    float most(std::uint32_t node) const { return nodes_[node]; }
    float operator[](std::uint32_t candidate) const { return candidates_[candidate]; }

   private:
    static float rounded_up(double number);
    float& number_of(std::uint32_t candidate);
    float most_of(std::uint32_t leaf) const;
    void update(std::uint32_t leaf);

    const OddsTree* tree_;
    std::vector<float> nodes_, candidates_;
  };

 private:
  std::uint32_t leaf_of(const model::ItemState& state) const;
  double end(std::uint32_t leaf) const;
  /// The first leaf below a node, counted from 0, and the number of leaves.
  std::pair<std::uint32_t, std::uint32_t> leaves_of(std::uint32_t node) const;

  std::uint32_t leaves_;
  std::vector<std::uint32_t> count_;  // by node; [1] is the root, leaves start at half of the size
  std::vector<std::vector<std::uint32_t>> candidates_;  // by leaf
};

template <typename BoundOf>
OddsTree::Layer::Layer(const OddsTree& tree, BoundOf bound_of)
    : tree_(&tree), nodes_(2 * tree.leaves_, kNothing) {
  for (std::uint32_t node = 2 * tree.leaves_ - 1; node > 0; --node) {
    if (tree.is_empty(node)) continue;
    if (!tree.is_leaf(node)) {
      nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
      continue;
    }
    for (const std::uint32_t candidate : tree.candidates(node)) {
      number_of(candidate) = rounded_up(bound_of(candidate));
    }
    nodes_[node] = most_of(node);
  }
}

}  // namespace allot::policy
