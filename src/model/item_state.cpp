#include "allot/model/item_state.hpp"

#include <algorithm>
#include <cmath>

#include "allot/math/beta_tail.hpp"

namespace allot::model {

ItemState ItemState::hard_odds(double log_odds) {
  return {{1 / (1 + std::exp(-log_odds)), 1 / (1 + std::exp(log_odds))}, false};
}

double prob_positive(const ItemState& item) {
  return item.soft ? math::prob_above_half(item.shape.a, item.shape.b) : item.shape.mean();
}

double error_probability(const ItemState& item) {
  const auto [a, b] = item.shape;
  return item.soft ? math::error_probability(a, b) : std::min(a, b) / (a + b);
}

Label favoured_label(const ItemState& item) {
  return item.shape.a >= item.shape.b ? Label::positive : Label::negative;
}

double chance_positive(const ItemState& item, const Channel& channel) {
  const auto [a, b] = item.shape;
  return (a * channel.sensitivity + b * (1 - channel.specificity)) / (a + b);
}

ItemState after(const ItemState& item, const Channel& channel, Label label) {
  const auto [u, v] = channel.likelihood(label);
  if (item.soft) return {math::matched_after(item.shape, u, v), true};
  if (u == v) return item;
  const double positive = item.shape.a * u, negative = item.shape.b * v;
  const double sum = positive + negative;
  if (sum == 0) return item;  // a label that cannot come
  return {{positive / sum, negative / sum}, false};
}

}  // namespace allot::model
