// Indices of one worker for items of one class each (index::WorkerIndex), and their bounds.
//
// With p the class probabilities, T the worker's table and q_y = sum_k p_k T_ky the label chances:
//
// Information. I(p) = sum_k p_k D(T_k || q) <= sum_k p_k D(T_k || r) for any distribution r, with
// equality at r = q. A tangent at the middle of the box, off by the square of its size.
//
// Expected reward: see index/expected_reward.hpp.
//
// Largest reward. For a class k and a label y, the share s = p_k T_ky / q_y is with any r
//   s = r + (p_k T_ky - r q_y) / q_y,
// whose numerator is linear and 0 where s = r. So replacing the last q_y by a constant costs the
// square of the size of the box. The largest of such shares is bounded as the expected reward is.
//
// Cost: O(C^2) for a value and for a bound; C logarithms for the information.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "index/padded_table.hpp"

namespace allot::index {

/// Number of classes of a confusion table.
std::size_t class_count_of(std::span<const double> table);

/// True if every class has the same chances of labels, up to rounding.
bool says_nothing(std::span<const double> table, std::size_t classes);

/// Information gain. The table, of classes x classes chances, must outlive it; so below.
std::unique_ptr<WorkerIndex> worker_information(std::span<const double> table);

/// Rewards of a label about an item of one class.
class WorkerReward {
 public:
  explicit WorkerReward(std::span<const double> table);

  /// Valid until the next call.
  const MulticlassReward& operator()(std::span<const double> p);
  /// Bounds of the largest reward: of one item, and as WorkerIndex::bound.
  double largest_bound(std::span<const double> p);
  double largest_bound(std::span<const double> low, std::span<const double> high, double least,
                       std::span<double> slope);

 private:
  /// The chance of a label at the low end of the box, in its middle, and its range inside the box;
  /// the smallest chance that a class gives it.
  struct LabelChance {
    std::size_t label;
    double low, middle, least, most, smallest;
  };
  /// Bound of the reward if one class leads after one label: its value in the middle of the box
  /// without -p_a, and the largest value inside.
  struct ShareBound {
    double middle, most;
  };
  void set_box(std::span<const double> low, std::span<const double> high);
  double spread(const double* slope) const;
  LabelChance label_chance(std::size_t label) const;
  double most_share(std::size_t k, const LabelChance& of) const;
  double list_share_bounds(double least, bool& is_linear);
  void add_share_bound(std::size_t k, const LabelChance& of, double least);
  double* share_slope(std::size_t n) { return &share_slopes_[n * by_label_.stride()]; }

  const std::size_t classes_;
  const bool nothing_;
  PaddedTable by_class_, by_label_;
  MulticlassReward reward_;
  std::vector<double> best_, rest_;              // joint chances by label: the largest, all others
  std::vector<double> low_, high_, mid_, half_;  // of the box: ends, middle, half of the width
  std::vector<double> is_free_;                  // 1 for classes whose probability is not fixed
  double free_ = 0;                              // what the low end leaves of 1
  std::size_t answer_ = 0;                       // the class that leads in the middle
  std::vector<ShareBound> shares_;
  std::vector<double> share_slopes_;
};

/// A function of the reward that never exceeds the largest.
template <typename Function>
std::unique_ptr<WorkerIndex> worker_reward(std::span<const double> table, Function function) {
  class RewardIndex final : public WorkerIndex {
   public:
    RewardIndex(std::span<const double> of, Function index) : reward_(of), function_(index) {}
    double value(std::span<const double> p) override { return function_(reward_(p)); }
    double bound(std::span<const double> low, std::span<const double> high, double least,
                 std::span<double> slope) override {
      return reward_.largest_bound(low, high, least, slope);
    }
    double bound_at(std::span<const double> p, double) override { return reward_.largest_bound(p); }

   private:
    WorkerReward reward_;
    const Function function_;
  };
  return std::make_unique<RewardIndex>(table, function);
}

}  // namespace allot::index
