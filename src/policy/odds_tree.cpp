#include "policy/odds_tree.hpp"

#include <bit>
#include <cmath>

namespace allot::policy {
namespace {

constexpr std::uint32_t kMostLeaves = 1U << 20;
/// Half of the leaves are for log-odds nearer to 0. The others get wider with the distance, so that
/// items which are all but sure have leaves of their own as well.
constexpr double kNear = 20;

}  // namespace

OddsTree::OddsTree(std::uint32_t size)
    : leaves_(std::bit_ceil(std::clamp(size, 1U, kMostLeaves))),
      count_(2 * leaves_, 0),
      candidates_(leaves_) {}

std::uint32_t OddsTree::leaf_of(const model::ItemState& state) const {
  const double odds = std::log(state.shape.a) - std::log(state.shape.b);
  const double place = (1 + odds / (kNear + std::abs(odds))) / 2 * leaves_;
  return leaves_ +
         static_cast<std::uint32_t>(std::clamp(place, 0.0, static_cast<double>(leaves_ - 1)));
}

/// Log-odds at which a leaf, counted from 0, begins.
double OddsTree::end(std::uint32_t leaf) const {
  if (leaf == 0) return -std::numeric_limits<double>::infinity();
  if (leaf == leaves_) return std::numeric_limits<double>::infinity();
  const double place = 2.0 * leaf / leaves_ - 1;
  return kNear * place / (1 - std::abs(place));
}

std::pair<std::uint32_t, std::uint32_t> OddsTree::leaves_of(std::uint32_t node) const {
  const int above = std::countl_zero(node) - std::countl_zero(leaves_);
  return {(node << above) - leaves_, 1U << above};
}

OddsTree::Range OddsTree::range(std::uint32_t node) const {
  const auto [first, count] = leaves_of(node);
  return {model::ItemState::hard_odds(end(first)), model::ItemState::hard_odds(end(first + count))};
}

model::ItemState OddsTree::middle(std::uint32_t node) const {
  const auto [first, count] = leaves_of(node);
  return model::ItemState::hard_odds(end(first + count / 2));
}

void OddsTree::enter(std::uint32_t candidate, const model::ItemState& state) {
  std::uint32_t node = leaf_of(state);
  candidates_[node - leaves_].push_back(candidate);
  for (; node > 0; node /= 2) ++count_[node];
}

void OddsTree::leave(std::uint32_t candidate, const model::ItemState& state) {
  std::uint32_t node = leaf_of(state);
  std::erase(candidates_[node - leaves_], candidate);
  for (; node > 0; node /= 2) --count_[node];
}

void OddsTree::clear() {
  std::ranges::fill(count_, 0);
  for (auto& leaf : candidates_) leaf.clear();
}

float OddsTree::Layer::rounded_up(double number) {
  const auto near = static_cast<float>(number);
  return near < number ? std::nextafter(near, std::numeric_limits<float>::infinity()) : near;
}

float& OddsTree::Layer::number_of(std::uint32_t candidate) {
  if (candidate >= candidates_.size()) candidates_.resize(candidate + 1, kNothing);
  return candidates_[candidate];
}

float OddsTree::Layer::most_of(std::uint32_t leaf) const {
  float most = kNothing;
  for (const std::uint32_t candidate : tree_->candidates(leaf)) {
    most = std::max(most, candidates_[candidate]);
  }
  return most;
}

void OddsTree::Layer::set(std::uint32_t candidate, const model::ItemState& state, double bound) {
  number_of(candidate) = rounded_up(bound);
  update(tree_->leaf_of(state));
}

void OddsTree::Layer::take_away(std::uint32_t candidate, const model::ItemState& state) {
  number_of(candidate) = kNothing;
  update(tree_->leaf_of(state));
}

void OddsTree::Layer::update(std::uint32_t leaf) {
  float most = most_of(leaf);
  for (std::uint32_t node = leaf; nodes_[node] != most; node /= 2) {
    nodes_[node] = most;
    if (node == kRoot) return;
    most = std::max(nodes_[node], nodes_[node ^ 1]);
  }
}

}  // namespace allot::policy
