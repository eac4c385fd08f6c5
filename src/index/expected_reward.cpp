// The loops over labels are written for the vectoriser; this file is compiled with -O3.
#include "index/expected_reward.hpp"

#include <algorithm>
#include <cmath>

#include "base/every_processor.hpp"
#include "index/worker_index.hpp"

namespace allot::index {
namespace {

using Shares = std::span<const double>;

/// Margin of bounds for rounding errors.
constexpr double kRewardNoise = 1e-14;

std::size_t answer_of(Shares p) {
  return static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
}

/// gains[y] = max_k p_k T_ky - p_a T_ay, over a and its rivals.
ALLOT_EVERY_PROCESSOR
void find_gains(const double* cells, std::size_t stride, const double* p, std::size_t answer,
                std::span<const std::uint32_t> rivals, double* gains) {
  for (std::size_t block = 0; block < stride; block += kTableLanes) {
    std::array<double, kTableLanes> now, most;
    const double* const own = &cells[answer * stride + block];
    for (std::size_t i = 0; i < kTableLanes; ++i) now[i] = most[i] = p[answer] * own[i];
    for (const std::uint32_t k : rivals) {
      const double* const cell = &cells[k * stride + block];
      for (std::size_t i = 0; i < kTableLanes; ++i) most[i] = std::max(most[i], p[k] * cell[i]);
    }
    for (std::size_t i = 0; i < kTableLanes; ++i) gains[block + i] = most[i] - now[i];
  }
}

/// One class: its chances of labels, and its probability in a box.
struct ClassInBox {
  const double* chances;
  double number, low, mid, high;
};

/// The bound of max_k p_k T_ky by label. The leader is the class that has the largest joint chance
/// in the middle of the box. Lists of padded length.
struct LabelBounds {
  double *leader, *chance;   // its number; its chance of the label
  double *low, *mid, *high;  // its joint chance in the box
  double* most;              // the largest joint chance of any class in the box
  double *slope, *offset;    // of the leader, as a share of its chance until `finish`
  double* others;            // the most that overtaking classes add
  double* is_linear;         // 1, or 0 if the bound is the constant `most`
};
constexpr std::size_t kLabelLists = 10;

ALLOT_EVERY_PROCESSOR
void find_leaders(ClassInBox one, std::size_t labels, LabelBounds of) {
#pragma GCC ivdep
  for (std::size_t y = 0; y < labels; ++y) {
    const double chance = one.chances[y], mid = one.mid * chance, high = one.high * chance;
    const bool leads = mid > of.mid[y];
    of.leader[y] = leads ? one.number : of.leader[y];
    of.chance[y] = leads ? chance : of.chance[y];
    of.low[y] = leads ? one.low * chance : of.low[y];
    of.mid[y] = leads ? mid : of.mid[y];
    of.high[y] = leads ? high : of.high[y];
    of.most[y] = high > of.most[y] ? high : of.most[y];
  }
}

/// own_slope[y] is the slope of the class in the bounds of the labels after which it can overtake.
ALLOT_EVERY_PROCESSOR
void overtake(ClassInBox one, std::size_t labels, LabelBounds of, double* own_slope) {
#pragma GCC ivdep
  for (std::size_t y = 0; y < labels; ++y) {
    const double chance = one.chances[y];
    const double ahead = one.high * chance - of.low[y], lag = of.high[y] - one.low * chance;
    const double behind = lag > 0 ? lag : 0;
    const bool can = ahead > 0 && of.leader[y] != one.number;
    const double weight = can ? ahead / (ahead + behind) : 0;
    own_slope[y] = weight * chance;
    of.slope[y] -= weight;
    of.offset[y] += weight * behind;
    of.others[y] += weight * chance * one.high;
  }
}

/// A bound that is nowhere in the box below the largest joint chance gives way to that.
ALLOT_EVERY_PROCESSOR
void finish(std::size_t labels, LabelBounds of) {
#pragma GCC ivdep
  for (std::size_t y = 0; y < labels; ++y) {
    const double half = (of.high[y] - of.low[y]) / 2;
    const double reached = of.slope[y] * (of.low[y] + half) + std::abs(of.slope[y]) * half +
                           of.offset[y] + of.others[y];
    const bool is_linear = reached < of.most[y];
    of.is_linear[y] = is_linear ? 1 : 0;
    of.slope[y] = is_linear ? of.slope[y] * of.chance[y] : 0;
    of.offset[y] = is_linear ? of.offset[y] : of.most[y];
  }
}

}  // namespace

ExpectedReward::ExpectedReward(Shares table)
    : classes_(class_count_of(table)),
      nothing_(says_nothing(table, classes_)),
      chances_(classes_),
      apart_(classes_),
      least_(classes_),
      most_(classes_),
      rivals_(classes_),
      gains_(chances_.stride()),
      by_label_(kLabelLists * chances_.stride()),
      overtaking_(classes_) {
  for (std::size_t k = 0; k < classes_; ++k) {
    const Shares row = table.subspan(k * classes_, classes_);
    std::ranges::copy(row, chances_[k]);
    least_[k] = std::ranges::min(row);
    most_[k] = std::ranges::max(row);
  }
  for (std::size_t a = 0; a < classes_; ++a) {
    for (std::size_t k = 0; k < classes_; ++k) {
      apart_[a][k] = lane_sum(chances_.stride(), [&](std::size_t y) {
        return std::max(0.0, chances_[k][y] - chances_[a][y]);
      });
    }
  }
}

double ExpectedReward::value(Shares p) {
  if (nothing_) return 0;
  const std::size_t answer = answer_of(p);
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) {
    if (k != answer && p[k] * most_[k] > p[answer] * least_[answer]) rivals_[count++] = k;
  }
  if (count == 0) return 0;
  find_gains(chances_[0], chances_.stride(), p.data(), answer, {rivals_.data(), count},
             gains_.data());
  double sum = 0;
  for (std::size_t y = 0; y < classes_; ++y) sum += gains_[y];
  return sum;
}

double ExpectedReward::quick_bound(Shares p) const {
  return nothing_ ? 0 : kRewardNoise + quick_product(p, apart_[answer_of(p)]);
}

double ExpectedReward::bound(Shares low, Shares high, std::span<double> slope) {
  std::ranges::fill(slope, 0);
  if (nothing_) return 0;
  const std::size_t labels = chances_.stride();
  const auto list = [&](std::size_t n) { return &by_label_[n * labels]; };
  const LabelBounds of{list(0), list(1), list(2), list(3), list(4),
                       list(5), list(6), list(7), list(8), list(9)};
  std::ranges::fill(by_label_, 0);
  std::fill_n(of.slope, labels, 1.0);
  const auto in_box = [&](std::size_t k) {
    return ClassInBox{chances_[k], static_cast<double>(k), low[k], (low[k] + high[k]) / 2, high[k]};
  };
  std::size_t answer = 0;
  for (std::size_t k = 0; k < classes_; ++k) {
    if (low[k] + high[k] > low[answer] + high[answer]) answer = k;
    find_leaders(in_box(k), labels, of);
  }
  const double least = *std::min_element(of.low, of.low + classes_);
  const auto can_overtake = [&](std::size_t k) { return high[k] * most_[k] > least; };
  for (std::size_t k = 0; k < classes_; ++k) {
    if (can_overtake(k)) overtake(in_box(k), labels, of, overtaking_[k]);
  }
  finish(labels, of);
  double offset = kRewardNoise;
  for (std::size_t y = 0; y < classes_; ++y) {
    offset += of.offset[y];
    slope[static_cast<std::size_t>(of.leader[y])] += of.slope[y];
  }
  for (std::size_t k = 0; k < classes_; ++k) {
    if (!can_overtake(k)) continue;
    slope[k] +=
        lane_sum(labels, [&](std::size_t y) { return overtaking_[k][y] * of.is_linear[y]; });
  }
  slope[answer] -= 1;
  return offset;
}

}  // namespace allot::index
