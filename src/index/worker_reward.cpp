#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "index/worker_index.hpp"

namespace allot::index {
namespace {

using Shares = std::span<const double>;

/// Margin of bounds for the rounding errors of rewards.
constexpr double kRewardNoise = 1e-14;
/// Shares per class that a bound looks at. More can lead only in large boxes, which no bound fits.
constexpr std::size_t kSharesPerClass = 4;

std::size_t first_largest(Shares shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

}  // namespace

WorkerReward::WorkerReward(Shares table)
    : classes_(class_count_of(table)),
      nothing_(says_nothing(table, classes_)),
      by_class_(classes_),
      by_label_(classes_),
      reward_{std::vector<double>(classes_), std::vector<double>(classes_), 0},
      best_(by_class_.stride()),
      rest_(by_class_.stride()) {
  for (std::size_t k = 0; k < classes_; ++k) {
    for (std::size_t y = 0; y < classes_; ++y) {
      by_class_[k][y] = by_label_[y][k] = table[k * classes_ + y];
    }
  }
}

/// The error after a label is the share of all but the largest joint chance, summed without a
/// difference.
const MulticlassReward& WorkerReward::operator()(Shares p) {
  by_class_.largest_and_rest(p, best_.data(), rest_.data());
  const std::size_t answer = first_largest(p);
  double now = 0;
  for (std::size_t k = 0; k < classes_; ++k) now += k == answer ? 0 : p[k];
  reward_.expected = 0;
  for (std::size_t y = 0; y < classes_; ++y) {
    reward_.chance[y] = best_[y] + rest_[y];
    const bool changes = !nothing_ && reward_.chance[y] > 0;
    reward_.if_label[y] = changes ? now - rest_[y] / reward_.chance[y] : 0;
    // Exactly 0 where the label leaves the answer.
    if (changes) reward_.expected += best_[y] - p[answer] * by_class_[answer][y];
  }
  return reward_;
}

/// The largest share that a class can have after a label, less its share now.
double WorkerReward::largest_bound(Shares p) {
  if (nothing_) return 0;
  by_class_.largest_and_rest(p, best_.data(), rest_.data());
  const double share = lane_max(best_.size(), [&](std::size_t y) {
    return best_[y] > 0 ? best_[y] / (best_[y] + rest_[y]) : 0;
  });
  return kRewardNoise + share - p[first_largest(p)];
}

void WorkerReward::set_box(Shares low, Shares high) {
  for (std::vector<double>* const one : {&low_, &high_, &mid_, &half_, &is_free_}) {
    one->resize(by_label_.stride());
  }
  free_ = 1;
  for (std::size_t k = 0; k < classes_; ++k) {
    low_[k] = low[k];
    high_[k] = high[k];
    mid_[k] = (low[k] + high[k]) / 2;
    half_[k] = (high[k] - low[k]) / 2;
    is_free_[k] = half_[k] > 0 ? 1 : 0;
    free_ -= low[k];
  }
  free_ = std::max(0.0, free_);
  answer_ = first_largest(mid_);
}

/// The most that a linear function changes from the middle of the box.
double WorkerReward::spread(const double* slope) const {
  return lane_sum(half_.size(), [&](std::size_t k) { return std::abs(slope[k]) * half_[k]; });
}

WorkerReward::LabelChance WorkerReward::label_chance(std::size_t label) const {
  const double* const chance = by_label_[label];
  const std::size_t count = by_label_.stride();
  const double low = lane_sum(count, [&](std::size_t k) { return low_[k] * chance[k]; });
  const double high = lane_sum(count, [&](std::size_t k) { return high_[k] * chance[k]; });
  const double largest = lane_max(count, [&](std::size_t k) { return is_free_[k] * chance[k]; });
  const double smallest =
      1 - lane_max(count, [&](std::size_t k) { return is_free_[k] * (1 - chance[k]); });
  const double most = std::min(high, low + free_ * largest);
  return {.label = label,
          .low = low,
          .middle = (low + high) / 2,
          .least = std::min(low + free_ * smallest, most),
          .most = most,
          .smallest = smallest};
}

/// The largest share of a class after a label, where its own probability is as large as possible.
double WorkerReward::most_share(std::size_t k, const LabelChance& of) const {
  const double chance = by_label_[of.label][k], own = high_[k] * chance;
  const double left = std::max(0.0, free_ - (high_[k] - low_[k]));
  return own / (own + std::max(0.0, of.low - low_[k] * chance) + left * of.smallest);
}

/// Lists bounds of the shares that can lead after some label, with rewards of at least `least`.
/// Returns the largest of these rewards; `is_linear` gets false if there are too many to list, or a
/// chance may be 0.
double WorkerReward::list_share_bounds(double least, bool& is_linear) {
  shares_.clear();
  share_slopes_.resize(kSharesPerClass * classes_ * by_label_.stride());
  const double answer = std::ranges::max(low_);  // the least probability of the answer
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t y = 0; y < classes_; ++y) {
    const LabelChance of = label_chance(y);
    const double* const chance = by_label_[y];
    const double lead =
        lane_max(by_label_.stride(), [&](std::size_t k) { return low_[k] * chance[k]; });
    for (std::size_t k = 0; k < classes_; ++k) {
      if (high_[k] * chance[k] < lead || high_[k] * chance[k] == 0) continue;
      const double reward = most_share(k, of) - answer + kRewardNoise;
      if (reward < least) continue;
      most = std::max(most, reward);
      is_linear = is_linear && of.least > 0 && shares_.size() < kSharesPerClass * classes_;
      if (is_linear) add_share_bound(k, of, least);
    }
  }
  return most;
}

void WorkerReward::add_share_bound(std::size_t k, const LabelChance& of, double least) {
  const double* const chance = by_label_[of.label];
  double* const slope = share_slope(shares_.size());
  const std::size_t count = by_label_.stride();
  const double share = mid_[k] * chance[k] / of.middle;
  for (std::size_t j = 0; j < count; ++j) slope[j] = -share * chance[j];
  slope[k] += chance[k];
  const double high = 1 / of.least, low = 1 / of.most;
  const double middle = share + spread(slope) * (high - low) / 2;
  for (std::size_t j = 0; j < count; ++j) slope[j] *= (high + low) / 2;
  slope[answer_] -= 1;
  const double most = middle - mid_[answer_] + spread(slope);
  if (most + kRewardNoise >= least) shares_.push_back({middle, most});
}

double WorkerReward::largest_bound(Shares low, Shares high, double least, std::span<double> slope) {
  std::ranges::fill(slope, 0);
  if (nothing_) return 0;
  set_box(low, high);
  bool is_linear = true;
  double most = list_share_bounds(least, is_linear);
  if (!is_linear) return most;
  if (shares_.empty()) return -std::numeric_limits<double>::infinity();
  const auto leader = static_cast<std::size_t>(
      std::ranges::max_element(shares_, {}, &ShareBound::middle) - shares_.begin());
  most = std::min(most, std::ranges::max(shares_, {}, &ShareBound::most).most + kRewardNoise);
  const double* const leading = share_slope(leader);
  double offset = shares_[leader].middle;
  std::copy_n(leading, classes_, slope.begin());
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const double* const other = share_slope(i);
    if (i == leader) continue;
    const double change = lane_sum(by_label_.stride(), [&](std::size_t k) {
      return std::abs(other[k] - leading[k]) * half_[k];
    });
    const double ahead = shares_[i].middle - shares_[leader].middle + change;
    if (ahead <= 0) continue;
    const double weight = ahead / (2 * change);
    for (std::size_t k = 0; k < classes_; ++k) slope[k] += weight * (other[k] - leading[k]);
    offset += weight * change;
  }
  double around = offset - mid_[answer_];
  for (std::size_t k = 0; k < classes_; ++k) around += std::abs(slope[k]) * half_[k];
  if (around < most) return offset + kRewardNoise;
  std::ranges::fill(slope, 0);
  return most;
}

}  // namespace allot::index
