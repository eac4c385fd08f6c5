// Candidates by the odds of what they are, and numbers not below what each may be worth.
//
// The line of log-odds is cut into as many parts as there are items (at most 2^20), the wider the
// further from 0, the leaves of a binary tree that never changes its shape. So everything below a
// node lies between two odds, and an index that is understood between two odds
// (index::PairIndex::hard_bound) needs nothing else. For others there are layers: a number for
// every candidate, with the maxima of all nodes.
//
// Cost: entering, leaving or changing a number takes O(log n) steps. Memory: 36 bytes a leaf and
// 12 a layer.
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

  /// The class items between which all of a node are.
  struct Range {
    model::ItemState low, high;
  };
  Range range(std::uint32_t node) const;
  /// Where the two below a node meet: their ranges are the node's, cut here.
  model::ItemState middle(std::uint32_t node) const;

  /// Numbers for all candidates, rounded up; they belong to one tree. A candidate's must be set
  /// after it entered, and taken away after it left.
  class Layer {
   public:
    /// bound_of(candidate) for all that are in the tree.
    template <typename BoundOf>
    Layer(const OddsTree& tree, BoundOf bound_of);
    /// The state is the one with which the candidate entered.
    void set(std::uint32_t candidate, const model::ItemState& state, double bound);
    void take_away(std::uint32_t candidate, const model::ItemState& state);

    /// The largest below a node.
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
  /// Of the leaves below a node, counted from 0: the first, and how many.
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
    for (const std::uint32_t one : tree.candidates(node)) {
      number_of(one) = rounded_up(bound_of(one));
    }
    nodes_[node] = most_of(node);
  }
}

}  // namespace allot::policy
