// Candidates with their places in a space and upper bounds of their values (potentials), in a tree
// whose nodes know the box around all places below them.
//
// Places are the class probabilities of items, or have no coordinates at all; then the potential is
// the only one. A node is cut where its candidates vary most, at their mean: a few items for which
// a class leads come apart from the many for which it does not. Neither part gets less than a
// sixteenth. Leaves hold a few candidates. A leaf that gets too full is cut; a node that gets too
// deep is built again; a node with few candidates becomes a leaf. So boxes are always as small as
// possible, and the depth is O(log n).
//
// In many dimensions cuts hardly make boxes smaller, unless the places are in clusters. A search
// that has bounds of single candidates then does better without cuts: it can let leaves that stay
// wide hold many candidates.
//
// Cost: O(log n) steps per change on average, each over all coordinates; O(n log n) to build it.
// Memory: per candidate 12 bytes, a number per coordinate, and a share of a leaf, which takes two
// numbers per coordinate.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace allot::policy {

class StateTree {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  /// How many candidates a wide leaf holds.
  enum class WideLeaves { few, many };

  explicit StateTree(std::size_t dimensions, WideLeaves wide)
      : dimensions_(dimensions),
        most_in_wide_leaf_(wide == WideLeaves::few ? kMostInLeaf : kMostInWideLeaf) {
    clear();
  }

  void clear() {
    nodes_.assign(1, {});
    boxes_.assign(2 * dimensions_, 0);
    free_.clear();
    tighten(kRoot, [](std::uint32_t) { return std::span<const double>(); });
  }

  /// Makes the tree of these candidates alone. point_of(candidate) is the place of a candidate, so
  /// below; it must not change while the candidate is in the tree.
  template <typename PointOf, typename PotentialOf>
  void rebuild(std::vector<std::uint32_t> candidates, PointOf point_of, PotentialOf potential_of) {
    clear();
    for (const std::uint32_t candidate : candidates) {
      set_potential(candidate, potential_of(candidate));
    }
    build(kRoot, candidates, point_of);
  }
  template <typename PointOf>
  void enter(std::uint32_t candidate, double potential, PointOf point_of) {
    set_potential(candidate, potential);
    std::uint32_t node = kRoot;
    for (; !is_leaf(node);
         node = way_down(node, coordinate(candidate, nodes_[node].side, point_of)))
      ++nodes_[node].count;
    ++nodes_[node].count;
    add_member(node, candidate, point_of);
    if (nodes_[node].count > (is_wide_leaf(node) ? most_in_wide_leaf_ : kMostInLeaf)) {
      rebuild_below(node, point_of);
    }
    tighten_up(node, point_of);
    if (const std::uint32_t top = too_deep_above(node); top != kNone) rebuild_below(top, point_of);
  }
  /// The place of the candidate is not asked for.
  template <typename PointOf>
  void leave(std::uint32_t candidate, PointOf point_of) {
    const std::uint32_t leaf = leaf_of_[candidate];
    remove_member(leaf, candidate);
    std::uint32_t few = leaf;
    for (std::uint32_t node = leaf; node != kNone; node = nodes_[node].parent) {
      if (--nodes_[node].count <= kFewInNode) few = node;
    }
    if (!is_leaf(few)) rebuild_below(few, point_of);
    tighten_up(few, point_of);
  }

  bool is_leaf(std::uint32_t node) const { return nodes_[node].left == kNone; }
  bool is_empty(std::uint32_t node) const { return nodes_[node].count == 0; }
  std::uint32_t left(std::uint32_t node) const { return nodes_[node].left; }
  std::uint32_t right(std::uint32_t node) const { return nodes_[node].right; }
  /// Candidates of a leaf.
  const std::vector<std::uint32_t>& candidates(std::uint32_t leaf) const {
    return nodes_[leaf].members;
  }
  /// Place and potential of the n-th candidate of a leaf.
  std::span<const double> place(std::uint32_t leaf, std::size_t n) const {
    return {nodes_[leaf].places.data() + dimensions_ * n, dimensions_};
  }
  double potential(std::uint32_t leaf, std::size_t n) const { return nodes_[leaf].potentials[n]; }
  /// The box around all places below a node.
  std::span<const double> low(std::uint32_t node) const {
    return {boxes_.data() + 2 * dimensions_ * node, dimensions_};
  }
  std::span<const double> high(std::uint32_t node) const {
    return {boxes_.data() + 2 * dimensions_ * node + dimensions_, dimensions_};
  }
  /// The largest potential below a node, or that of a candidate.
  double most(std::uint32_t node) const { return nodes_[node].potential; }
  double potential(std::uint32_t candidate) const { return potential_[candidate]; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kMostInLeaf = 16, kMostInWideLeaf = 256, kFewInNode = 6;
  /// A leaf is wide if the sides of its box sum to more, as they do for two items that give one of
  /// two classes .50 and .56.
  static constexpr double kWide = 0.1;
  /// A part of a node has at least one in so many of its candidates. So a tree that is built at
  /// once is no deeper than kDeepest per doubling of its candidates: 1 / log2(16/15) = 10.7.
  static constexpr std::size_t kLeastShare = 16;
  static constexpr std::uint32_t kDeepest = 11;
  /// Candidates that are looked at to find the side across which a node is cut.
  static constexpr std::size_t kSample = 64;

  struct Node {
    std::uint32_t parent = kNone, left = kNone, right = kNone;
    std::uint32_t count = 0;
    std::size_t side = 0;  // the coordinate across which it is cut
    double cut = 0;        // candidates left of it have at most this coordinate
    double potential = kNothing;
    std::vector<std::uint32_t> members;  // of a leaf
    // Of the members, side by side for fast searches.
    std::vector<double> places, potentials;
  };

  template <typename PointOf>
  void add_member(std::uint32_t leaf, std::uint32_t candidate, const PointOf& point_of) {
    Node& node = nodes_[leaf];
    node.members.push_back(candidate);
    node.potentials.push_back(potential_[candidate]);
    leaf_of_[candidate] = leaf;
    if (dimensions_ == 0) return;
    const std::span<const double> place = point_of(candidate);
    node.places.insert(node.places.end(), place.begin(), place.end());
  }
  void remove_member(std::uint32_t leaf, std::uint32_t candidate) {
    Node& node = nodes_[leaf];
    const auto at = std::ranges::find(node.members, candidate);
    const auto place = node.places.begin() +
                       (at - node.members.begin()) * static_cast<std::ptrdiff_t>(dimensions_);
    node.places.erase(place, place + static_cast<std::ptrdiff_t>(dimensions_));
    node.potentials.erase(node.potentials.begin() + (at - node.members.begin()));
    node.members.erase(at);
  }

  void set_potential(std::uint32_t candidate, double potential) {
    if (candidate >= potential_.size()) {
      potential_.resize(candidate + 1);
      leaf_of_.resize(candidate + 1);
    }
    potential_[candidate] = potential;
  }
  template <typename PointOf>
  double coordinate(std::uint32_t candidate, std::size_t side, const PointOf& point_of) const {
    return dimensions_ == 0 ? potential_[candidate] : point_of(candidate)[side];
  }
  std::uint32_t way_down(std::uint32_t node, double coordinate) const {
    const auto& [left, right] = std::pair(nodes_[node].left, nodes_[node].right);
    if (coordinate != nodes_[node].cut) return coordinate < nodes_[node].cut ? left : right;
    return nodes_[left].count <= nodes_[right].count ? left : right;
  }

  std::uint32_t new_node(std::uint32_t parent) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.emplace_back();
      boxes_.resize(2 * dimensions_ * nodes_.size());
    }
    const std::uint32_t node = free_.back();
    free_.pop_back();
    nodes_[node] = {};
    nodes_[node].parent = parent;
    return node;
  }

  /// The side across which the candidates, or some of them, vary most, and their mean there.
  template <typename PointOf>
  std::pair<std::size_t, double> widest_side(std::span<const std::uint32_t> candidates,
                                             const PointOf& point_of) const {
    const std::size_t step = std::max<std::size_t>(1, candidates.size() / kSample);
    const std::size_t sides = std::max<std::size_t>(1, dimensions_);
    std::pair<std::size_t, double> widest{0, 0};
    double most = -1;
    for (std::size_t side = 0; side < sides; ++side) {
      // Differences from the first one, so that small variances keep their digits.
      const double first = coordinate(candidates[0], side, point_of);
      double count = 0, sum = 0, squares = 0;
      for (std::size_t i = 0; i < candidates.size(); i += step) {
        const double here = coordinate(candidates[i], side, point_of) - first;
        count += 1;
        sum += here;
        squares += here * here;
      }
      const double variance = squares - sum * sum / count;
      if (variance <= most) continue;
      most = variance;
      widest = {side, first + sum / count};
    }
    return widest;
  }

  /// Orders the candidates so that those left of the cut come first; returns their number.
  template <typename PointOf>
  std::size_t divide(std::uint32_t node, std::span<std::uint32_t> candidates,
                     const PointOf& point_of) {
    const auto [side, mean] = widest_side(candidates, point_of);
    std::vector<std::pair<double, std::uint32_t>> keyed;
    keyed.reserve(candidates.size());
    for (const std::uint32_t candidate : candidates) {
      keyed.emplace_back(coordinate(candidate, side, point_of), candidate);
    }
    const auto is_left = [&](const auto& one) { return one.first < mean; };
    auto left =
        static_cast<std::size_t>(std::ranges::partition(keyed, is_left).begin() - keyed.begin());
    nodes_[node].side = side;
    nodes_[node].cut = mean;
    const std::size_t fewest = candidates.size() / kLeastShare;
    if (left < fewest || left > candidates.size() - fewest) {
      left = std::clamp(left, fewest, candidates.size() - fewest);
      std::ranges::nth_element(keyed, keyed.begin() + static_cast<std::ptrdiff_t>(left));
      nodes_[node].cut = keyed[left].first;
    }
    for (std::size_t i = 0; i < keyed.size(); ++i) candidates[i] = keyed[i].second;
    return left;
  }

  /// Makes a node without children the tree of these candidates, whose order changes.
  template <typename PointOf>
  void build(std::uint32_t node, std::span<std::uint32_t> candidates, const PointOf& point_of) {
    nodes_[node].count = static_cast<std::uint32_t>(candidates.size());
    if (candidates.size() <= kMostInLeaf) {
      for (const std::uint32_t candidate : candidates) add_member(node, candidate, point_of);
      tighten(node, point_of);
      return;
    }
    const std::size_t half = divide(node, candidates, point_of);
    const std::uint32_t left = new_node(node), right = new_node(node);
    nodes_[node].left = left;
    nodes_[node].right = right;
    build(left, candidates.first(half), point_of);
    build(right, candidates.subspan(half), point_of);
    if (candidates.size() <= most_in_wide_leaf_ && is_wide_leaf(left) && is_wide_leaf(right)) {
      join(node, point_of);
    }
    tighten(node, point_of);
  }

  /// Appends the candidates below a node and takes its children away.
  void dissolve(std::uint32_t node, std::vector<std::uint32_t>& candidates) {
    if (is_leaf(node)) {
      candidates.insert(candidates.end(), nodes_[node].members.begin(), nodes_[node].members.end());
      nodes_[node].members.clear();
      nodes_[node].places.clear();
      nodes_[node].potentials.clear();
      return;
    }
    for (const std::uint32_t child : {nodes_[node].left, nodes_[node].right}) {
      dissolve(child, candidates);
      free_.push_back(child);
    }
    nodes_[node].left = nodes_[node].right = kNone;
  }
  template <typename PointOf>
  void rebuild_below(std::uint32_t node, const PointOf& point_of) {
    std::vector<std::uint32_t> candidates;
    dissolve(node, candidates);
    build(node, candidates, point_of);
  }
  /// Makes a node of two leaves one leaf.
  template <typename PointOf>
  void join(std::uint32_t node, const PointOf& point_of) {
    std::vector<std::uint32_t> members;
    dissolve(node, members);
    for (const std::uint32_t candidate : members) add_member(node, candidate, point_of);
  }
  bool is_wide_leaf(std::uint32_t node) const {
    if (!is_leaf(node)) return false;
    double width = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) width += high(node)[d] - low(node)[d];
    return width > kWide;
  }
  /// The lowest node above a leaf below which it lies deeper than a tree that was built at once.
  std::uint32_t too_deep_above(std::uint32_t leaf) const {
    std::uint32_t depth = 0;
    for (std::uint32_t node = leaf; node != kNone; node = nodes_[node].parent, ++depth) {
      if (depth > kDeepest * static_cast<std::uint32_t>(std::bit_width(nodes_[node].count)))
        return node;
    }
    return kNone;
  }

  /// Sets box and potential of a node from its candidates or children; returns whether they
  /// changed.
  template <typename PointOf>
  bool tighten(std::uint32_t node, const PointOf& point_of) {
    const auto corner = boxes_.begin() + static_cast<std::ptrdiff_t>(2 * dimensions_ * node);
    box_.assign(2 * dimensions_, std::numeric_limits<double>::infinity());
    std::fill(box_.begin() + static_cast<std::ptrdiff_t>(dimensions_), box_.end(), kNothing);
    double potential = kNothing;
    const auto include = [&](std::span<const double> low, std::span<const double> high) {
      for (std::size_t d = 0; d < dimensions_; ++d) {
        box_[d] = std::min(box_[d], low[d]);
        box_[dimensions_ + d] = std::max(box_[dimensions_ + d], high[d]);
      }
    };
    for (const std::uint32_t candidate : nodes_[node].members) {
      if (dimensions_ > 0) include(point_of(candidate), point_of(candidate));
      potential = std::max(potential, potential_[candidate]);
    }
    if (!is_leaf(node)) {
      for (const std::uint32_t child : {nodes_[node].left, nodes_[node].right}) {
        include(low(child), high(child));
        potential = std::max(potential, nodes_[child].potential);
      }
    }
    const bool changed =
        potential != nodes_[node].potential || !std::equal(box_.begin(), box_.end(), corner);
    nodes_[node].potential = potential;
    std::ranges::copy(box_, corner);
    return changed;
  }
  /// The node itself may have changed already.
  template <typename PointOf>
  void tighten_up(std::uint32_t node, const PointOf& point_of) {
    tighten(node, point_of);
    for (node = nodes_[node].parent; node != kNone && tighten(node, point_of);)
      node = nodes_[node].parent;
  }

  std::size_t dimensions_;
  std::uint32_t most_in_wide_leaf_;
  std::vector<Node> nodes_;
  std::vector<double> boxes_;  // by node: low corner, high corner
  std::vector<std::uint32_t> free_;
  std::vector<double> potential_;       // by candidate
  std::vector<std::uint32_t> leaf_of_;  // by candidate
  std::vector<double> box_;             // working memory
};

}  // namespace allot::policy
