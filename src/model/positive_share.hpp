// The share of positive items, learned slowly.
//
// A flat share ruins a skewed set; a freely learned one collapses while there is one label per
// item. 3 sqrt(K) pseudo-items for K items hold it near the prior (docs/replays.md). Unlabelled
// items are ignored; imputing them at the current share converges to the same value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/worker_labels.hpp"

namespace allot::model {

inline double log_odds(double probability) { return std::log(probability / (1 - probability)); }

class PositiveShare {
 public:
  /// `prior` is the share before the first label.
  PositiveShare(const LabelsByWorker& labels, std::uint32_t item_count, double prior)
      : pseudo_items_(3 * std::sqrt(static_cast<double>(item_count))), prior_(prior) {
    std::vector<bool> labelled(item_count);
    for (const auto& given : labels) {
      for (const WorkerLabel& label : given) labelled[label.item] = true;
    }
    for (std::uint32_t i = 0; i < item_count; ++i) {
      if (labelled[i]) labelled_.push_back(i);
    }
  }

  const std::vector<std::uint32_t>& labelled() const { return labelled_; }

  /// The share after these probabilities of the items to be positive.
  double operator()(const std::vector<double>& positive) const {
    double sum = pseudo_items_ * prior_;
    for (const std::uint32_t item : labelled_) sum += positive[item];
    return sum / (pseudo_items_ + static_cast<double>(labelled_.size()));
  }

 private:
  double pseudo_items_, prior_;
  std::vector<std::uint32_t> labelled_;
};

/// Keeps a probability 1e-9 away from 0 and 1: a label against a certain item could not change the
/// belief, and labels of a certain worker would outweigh those of all others.
inline double clamp_probability(double probability) {
  return std::clamp(probability, 1e-9, 1 - 1e-9);
}

}  // namespace allot::model
