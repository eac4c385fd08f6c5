// The expected reward of one worker's labels about items of one class each, and its bounds.
//
// With p the class probabilities, a the answer now and T the worker's table it is
//   sum_y max_k p_k T_ky - p_a = sum_y max_k (p_k T_ky - p_a T_ay).
//
// One item. No probability exceeds p_a, so it is at most sum_k p_k sum_y max(0, T_ky - T_ay).
//
// A box of items. For any class a, -max_k p_k is at most -p_a. If one class k leads for a label y
// in the whole box, max_k p_k T_ky is linear. If others can overtake it, they add max(0, x) <= M (x
// + m) / (M + m) for -m <= x <= M.
//
// All labels are taken at once, so that loops over them become vectors. Calls share working memory:
// one thread at a time.
//
// Cost: O(C^2) for a value and for the bound of a box, O(C) for the bound of an item, O(C^3) to
// prepare it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/padded_table.hpp"

namespace allot::index {

class ExpectedReward {
 public:
  /// Of a table of classes x classes chances.
  explicit ExpectedReward(std::span<const double> table);

  /// Exactly 0 where no label changes the answer.
  double value(std::span<const double> p);
  /// Upper bound of a value.
  double quick_bound(std::span<const double> p) const;
  /// Upper bound of the values in a box, as WorkerIndex::bound.
  double bound(std::span<const double> low, std::span<const double> high, std::span<double> slope);

 private:
  const std::size_t classes_;
  const bool nothing_;
  PaddedTable chances_;               // of labels, by class
  PaddedTable apart_;                 // by answer a and class k: sum_y max(0, T_ky - T_ay)
  std::vector<double> least_, most_;  // chance of any label, by class
  // Working memory: classes other than the answer, rewards by label, the bound by label, and the
  // slopes of classes that can overtake, by class and label.
  std::vector<std::uint32_t> rivals_;
  std::vector<double> gains_, by_label_;
  PaddedTable overtaking_;
};

}  // namespace allot::index
