#include "policy/bound_tree.hpp"

#include <algorithm>
#include <bit>

namespace allot::policy {

void BoundTree::set(std::uint32_t candidate, double bound) {
  if (candidate >= nodes_.size() / 2) {
    const std::size_t leaves = std::bit_ceil(std::size_t{candidate} + 1);
    std::vector<double> larger(2 * leaves, kNothing);
    std::copy(nodes_.begin() + static_cast<std::ptrdiff_t>(nodes_.size() / 2), nodes_.end(),
              larger.begin() + static_cast<std::ptrdiff_t>(leaves));
    nodes_ = std::move(larger);
    for (std::size_t node = leaves - 1; node > 0; --node) {
      nodes_[node] = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
    }
  }
  std::size_t node = nodes_.size() / 2 + candidate;
  nodes_[node] = bound;
  for (node /= 2; node > 0; node /= 2) {
    const double best = std::max(nodes_[2 * node], nodes_[2 * node + 1]);
    if (nodes_[node] == best) break;
    nodes_[node] = best;
  }
}

bool BoundTree::Walk::next(double least, std::uint32_t& candidate, double& bound) {
  while (!waiting_.empty()) {
    auto [best, node] = waiting_.top();
    if (best == kNothing || best < least) return false;
    waiting_.pop();
    const std::size_t leaves = tree_.nodes_.size() / 2;
    if (node >= leaves) {
      candidate = static_cast<std::uint32_t>(node - leaves);
      bound = best;
      return true;
    }
    for (const std::size_t child : {2 * node, 2 * node + 1}) {
      if (tree_.nodes_[child] >= least) waiting_.push({tree_.nodes_[child], child});
    }
  }
  return false;
}

}  // namespace allot::policy
