// The share of positive items, learned slowly.
//
// A flat share ruins a skewed set, a freely learned one collapses while there is one label an item;
// pseudo-items, a tenth as many as items, hold it at what the prior says.
#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace allot::model {

inline constexpr double kPseudoItems = 0.1;

/// From the probabilities that the items are positive.
inline double class_share(std::span<const double> positive, double prior_share) {
  const auto items = static_cast<double>(positive.size());
  const double sum = std::accumulate(positive.begin(), positive.end(), 0.0);
  return (sum + kPseudoItems * items * prior_share) / (items * (1 + kPseudoItems));
}

inline double log_odds(double probability) { return std::log(probability / (1 - probability)); }

}  // namespace allot::model
