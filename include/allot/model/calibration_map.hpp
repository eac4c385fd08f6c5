// Calibrated probabilities: a map from the probabilities that a model states to those that hold.
//
// Workers err together, and no number of labels shows it. Models that take workers to err
// independently therefore state too much. The map corrects an item with n labels and stated
// probabilities p_c of its C classes by
//   p'_c = (1 - e) p_c^s / sum_d p_d^s + e / C,    s = k / (1 + phi (n - 1)).
// e is the share of items on which the whole crowd can be wrong. The labels of an item count as
// n / (1 + phi (n - 1)) independent ones, times the sharpness k. The order of the classes never
// changes, so the answer stays the same.
//
// k and e are not known. They have a prior, log k ~ N and logit e ~ N, fitted to real label sets,
// and learn from answers whose truth is known. The map averages over their posterior, on a grid
// that zooms in on it. Without known answers the prior alone speaks.
//
// Cost: O(grid) logarithms per known answer and pass, with 169 grid points and at most four passes:
// a few milliseconds per 1,000 known answers. Applying the map takes 26 C exponentials per item.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace allot::model {

/// An answer whose truth is known, with the belief that gave it. The belief must not have used that
/// truth.
struct KnownAnswer {
  /// Stated probabilities of the classes. The caller keeps them alive.
  std::span<const double> probabilities;
  /// Number of labels of the item.
  std::uint32_t labels = 1;
  /// Whether the most probable class is the truth.
  bool right = false;
  /// Weight, such as one over the chance of being drawn for a check; positive. Only ratios matter:
  /// weights are scaled so that their sum is the effective number of answers, (sum w)^2 / sum w^2.
  double weight = 1;
};

/// Prior of the map. The defaults were fitted to eleven real label sets.
struct CalibrationPrior {
  double sharpness = 1;               ///< median of k
  double sharpness_spread = 0.48;     ///< standard deviation of log k
  double shared_error = 0.055;        ///< median of e
  double shared_error_spread = 1.35;  ///< standard deviation of logit e
  double correlation = 0.25;          ///< phi, from 0 (labels are independent) to 1
};

/// Share of right answers among some items, with a range.
struct AccuracyRange {
  double mean;  ///< calibrated expected accuracy
  double low;   ///< lower end of the range
  double high;  ///< upper end of the range

  /// Ranges are equal if all their numbers are.
  bool operator==(const AccuracyRange&) const = default;
};

/// Map from stated to calibrated probabilities. Its functions are const, so threads can share one.
class CalibrationMap {
 public:
  /// Points along each side of the grid.
  static constexpr std::size_t kPoints = 13;
  /// An item's stated probability of its answer to the powers s, normalised: one per point of k.
  using Powers = std::array<double, kPoints>;
  /// Sums over items, from which `chance_of` tells their accuracy.
  struct ItemSums {
    double items = 0;    ///< number of items
    Powers powers = {},  ///< sums of their powers
        squares = {};    ///< sums of the squares of their powers
  };

  /// Learns from known answers, or from none. Throws std::invalid_argument if there are fewer than
  /// two classes, if an answer has another number of probabilities, if a weight is not positive, or
  /// if a parameter of the prior is out of range.
  explicit CalibrationMap(std::uint32_t class_count, std::span<const KnownAnswer> known = {},
                          const CalibrationPrior& prior = {});

  /// Number of known answers that the map rests on; 0 for the prior alone.
  std::uint64_t known() const { return known_; }

  /// Writes the calibrated probabilities of one item to `out`, which can be `probabilities` itself.
  /// Keeps the order of the classes. `labels` is the number of labels of the item; an item
  /// without labels counts as one with a single label.
  void apply(std::span<const double> probabilities, std::uint32_t labels,
             std::span<double> out) const;
  /// Calibrated probability of the item's answer, its most probable class.
  double answer_probability(std::span<const double> probabilities, std::uint32_t labels) const;

  /// Expected share of right answers among items, and the range that holds the true share with
  /// probability `level`, if the prior is right. `probabilities` go item by item and class by
  /// class, `labels` has one entry per item; at least one item. The range covers both what is
  /// unknown about the map and chance in the items. O(items) powers.
  AccuracyRange accuracy(std::span<const double> probabilities,
                         std::span<const std::uint32_t> labels, double level = 0.9) const;

  /// Powers of one item, for callers that keep `ItemSums` up to date item by item.
  Powers answer_powers(std::span<const double> probabilities, std::uint32_t labels) const;
  /// Chance that the share of right answers among the items is at least `accuracy`, if the prior is
  /// right. `accuracy(..., level).low` is the share for which it is (1 + level) / 2. At least one
  /// item. O(grid).
  double chance_of(const ItemSums& sums, double accuracy) const;

 private:
  /// A normal distribution of the share of right answers, with the weight of its point of the grid.
  struct Component {
    double weight, mean, deviation;
  };
  static double share_below(std::span<const Component> mixture, double share);
  static double quantile(std::span<const Component> mixture, double chance);
  std::vector<Component> mixture(const ItemSums& sums) const;
  void learn(std::span<const KnownAnswer> known, double scale);
  bool zoom();
  void finish();

  struct Side {
    double from, step;
    double at(std::size_t i) const { return from + step * static_cast<double>(i); }
  };

  std::uint32_t class_count_;
  CalibrationPrior prior_;
  std::uint64_t known_;
  Side log_k_, logit_e_;
  Powers k_ = {}, e_ = {};
  std::array<Powers, kPoints> weight_ = {};  // by k, then e; they sum to 1
  Powers kept_ = {};                         // sum over e of weight (1 - e), by k
  double uniform_ = 0;                       // sum of weight e / C
};

}  // namespace allot::model
