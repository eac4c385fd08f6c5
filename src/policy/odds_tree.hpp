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
#include <bit>
#include <cmath>
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

  explicit OddsTree(std::uint32_t size)
      : leaves_(std::bit_ceil(std::clamp(size, 1U, kMostLeaves))),
        count_(2 * leaves_, 0),
        candidates_(leaves_) {}

  void enter(std::uint32_t candidate, const model::ItemState& state) {
    std::uint32_t node = leaf_of(state);
    candidates_[node - leaves_].push_back(candidate);
    for (; node > 0; node /= 2) ++count_[node];
  }
  void leave(std::uint32_t candidate, const model::ItemState& state) {
    std::uint32_t node = leaf_of(state);
    std::erase(candidates_[node - leaves_], candidate);
    for (; node > 0; node /= 2) --count_[node];
  }
  void clear() {
    std::ranges::fill(count_, 0);
    for (auto& leaf : candidates_) leaf.clear();
  }

  bool is_empty(std::uint32_t node) const { return count_[node] == 0; }
  bool is_leaf(std::uint32_t node) const { return node >= leaves_; }
  /// The lowest node that has all candidates of this one, which must not be empty.
  std::uint32_t lowest_of(std::uint32_t node) const {
    while (!is_leaf(node)) {
      const std::uint32_t child = 2 * node + (is_empty(2 * node) ? 1 : 0);
      if (count_[child] != count_[node]) break;
      node = child;
    }
    return node;
  }
  const std::vector<std::uint32_t>& candidates(std::uint32_t leaf) const {
    return candidates_[leaf - leaves_];
  }

  /// Two hard items between which all candidates of a node lie.
  struct Range {
    model::ItemState low, high;
  };
  Range range(std::uint32_t node) const {
    const auto [first, count] = leaves_of(node);
    return {model::ItemState::hard_odds(end(first)),
            model::ItemState::hard_odds(end(first + count))};
  }
  /// The hard item where the two halves of a node meet.
  model::ItemState middle(std::uint32_t node) const {
    const auto [first, count] = leaves_of(node);
    return model::ItemState::hard_odds(end(first + count / 2));
  }

  /// Numbers for all candidates of one tree, rounded up. The caller must set the number of a
  /// candidate after it entered, and take it away after it left.
  class Layer {
   public:
    /// Sets the number of every candidate in the tree to bound_of(candidate).
    template <typename BoundOf>
    Layer(const OddsTree& tree, BoundOf bound_of)
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
    /// `state` is the one with which the candidate entered.
    void set(std::uint32_t candidate, const model::ItemState& state, double bound) {
      number_of(candidate) = rounded_up(bound);
      update(tree_->leaf_of(state));
    }
    void take_away(std::uint32_t candidate, const model::ItemState& state) {
      number_of(candidate) = kNothing;
      update(tree_->leaf_of(state));
    }

    /// The largest number below a node.
    float most(std::uint32_t node) const { return nodes_[node]; }
    float operator[](std::uint32_t candidate) const { return candidates_[candidate]; }

   private:
    static float rounded_up(double number) {
      const auto near = static_cast<float>(number);
      return near < number ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
    }
    float& number_of(std::uint32_t candidate) {
      if (candidate >= candidates_.size()) candidates_.resize(candidate + 1, kNothing);
      return candidates_[candidate];
    }
    float most_of(std::uint32_t leaf) const {
      float most = kNothing;
      for (const std::uint32_t candidate : tree_->candidates(leaf)) {
        most = std::max(most, candidates_[candidate]);
      }
      return most;
    }
    void update(std::uint32_t leaf) {
      float most = most_of(leaf);
      for (std::uint32_t node = leaf; nodes_[node] != most; node /= 2) {
        nodes_[node] = most;
        if (node == kRoot) return;
        most = std::max(nodes_[node], nodes_[node ^ 1]);
      }
    }

    const OddsTree* tree_;
    std::vector<float> nodes_, candidates_;
  };

 private:
  static constexpr std::uint32_t kMostLeaves = 1U << 20;
  /// Half of the leaves are for log-odds nearer to 0; the others get wider with the distance.
  static constexpr double kNear = 20;

  std::uint32_t leaf_of(const model::ItemState& state) const {
    const double odds = std::log(state.shape.a) - std::log(state.shape.b);
    const double place = (1 + odds / (kNear + std::abs(odds))) / 2 * leaves_;
    return leaves_ +
           static_cast<std::uint32_t>(std::clamp(place, 0.0, static_cast<double>(leaves_ - 1)));
  }
  /// Log-odds at which a leaf, counted from 0, begins.
  double end(std::uint32_t leaf) const {
    if (leaf == 0) return -std::numeric_limits<double>::infinity();
    if (leaf == leaves_) return std::numeric_limits<double>::infinity();
    const double place = 2.0 * leaf / leaves_ - 1;
    return kNear * place / (1 - std::abs(place));
  }
  /// The first leaf below a node, counted from 0, and the number of leaves.
  std::pair<std::uint32_t, std::uint32_t> leaves_of(std::uint32_t node) const {
    const int above = std::countl_zero(node) - std::countl_zero(leaves_);
    return {(node << above) - leaves_, 1U << above};
  }

  std::uint32_t leaves_;
  std::vector<std::uint32_t> count_;  // by node; [1] is the root, leaves start at half of the size
  std::vector<std::vector<std::uint32_t>> candidates_;  // by leaf
};

}  // namespace allot::policy
