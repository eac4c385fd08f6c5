#include "allot/policy/index_tree.hpp"

#include <algorithm>
#include <limits>

#include "allot/base/check.hpp"

namespace allot::policy {
namespace {

constexpr std::size_t kFan = 16;
constexpr double kNothing = -std::numeric_limits<double>::infinity();

void check(double value) {
  require(value < std::numeric_limits<double>::infinity(), "IndexTree", "value", value,
          "expected a number");
}

std::size_t parents(std::size_t count) { return (count + kFan - 1) / kFan; }

}  // namespace

IndexTree::Level::Level(std::size_t nodes)
    : best(nodes, kNothing), second(nodes, kNothing), count(nodes, 0) {}

IndexTree::IndexTree(std::vector<double> values) : values_(std::move(values)) {
  require(!values_.empty(), "IndexTree", "number of values", 0, "expected at least 1");
  for (const double value : values_) check(value);
  std::size_t nodes = parents(values_.size());
  values_.resize(nodes * kFan, kNothing);
  levels_.emplace_back(nodes == 1 ? 1 : parents(nodes) * kFan);
  for (std::size_t i = 0; i < nodes; ++i) summarise_values(i);
  while (nodes > 1) {
    nodes = parents(nodes);
    levels_.emplace_back(nodes == 1 ? 1 : parents(nodes) * kFan);
    for (std::size_t i = 0; i < nodes; ++i) summarise_nodes(levels_.size() - 1, i);
  }
}

void IndexTree::summarise_values(std::size_t node) {
  const double* value = &values_[node * kFan];
  double best = value[0], second = kNothing;
  for (std::size_t i = 1; i < kFan; ++i) best = std::max(best, value[i]);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kFan; ++i) {
    count += value[i] == best;
    second = std::max(second, value[i] == best ? kNothing : value[i]);
  }
  levels_[0].best[node] = best;
  levels_[0].second[node] = second;
  levels_[0].count[node] = count;
}

void IndexTree::summarise_nodes(std::size_t level, std::size_t node) {
  const Level& below = levels_[level - 1];
  const double* child_best = &below.best[node * kFan];
  const double* child_second = &below.second[node * kFan];
  const std::uint32_t* child_count = &below.count[node * kFan];
  double best = child_best[0], second = kNothing;
  for (std::size_t i = 1; i < kFan; ++i) best = std::max(best, child_best[i]);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < kFan; ++i) {
    const bool equal = child_best[i] == best;
    count += equal ? child_count[i] : 0;
    second = std::max(second, equal ? child_second[i] : child_best[i]);
  }
  levels_[level].best[node] = best;
  levels_[level].second[node] = second;
  levels_[level].count[node] = count;
}

void IndexTree::set(std::uint32_t item, double value) {
  check(value);
  values_[item] = value;
  std::size_t node = item / kFan;
  summarise_values(node);
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    node /= kFan;
    summarise_nodes(level, node);
  }
}

/// Values below a node that reach the threshold, which is within the tolerance of the best.
inline std::uint32_t IndexTree::tied_in(std::size_t level, std::size_t node,
                                        double threshold) const {
  const Level& here = levels_[level];
  if (here.best[node] < threshold) return 0;
  if (here.second[node] < threshold) return here.count[node];
  return count_near_ties(level, node, threshold);
}

std::uint32_t IndexTree::count_near_ties(std::size_t level, std::size_t node,
                                         double threshold) const {
  std::uint32_t count = 0;
  for (std::size_t i = node * kFan; i < (node + 1) * kFan; ++i) {
    count += level == 0 ? values_[i] >= threshold : tied_in(level - 1, i, threshold);
  }
  return count;
}

std::uint32_t IndexTree::tied_count() const {
  return tied_in(levels_.size() - 1, 0, tie_threshold(best()));
}

std::uint32_t IndexTree::tied_item(std::uint32_t n) const {
  const double threshold = tie_threshold(best());
  std::size_t node = 0;
  for (std::size_t level = levels_.size() - 1; level > 0; --level) {
    node *= kFan;
    for (std::uint32_t tied; n >= (tied = tied_in(level - 1, node, threshold)); ++node) n -= tied;
  }
  std::size_t item = node * kFan;
  while (values_[item] < threshold || n-- > 0) ++item;
  return static_cast<std::uint32_t>(item);
}

std::uint32_t IndexTree::choose(TieBreak rule, Rng& rng) const {
  require(best() > kNothing, "IndexTree::choose", "best value", best(),
          "expected an item that may be chosen");
  if (rule == TieBreak::first) return tied_item(0);
  const std::uint32_t count = tied_count();
  return tied_item(count == 1 ? 0 : static_cast<std::uint32_t>(below(rng, count)));
}

}  // namespace allot::policy
