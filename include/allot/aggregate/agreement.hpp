// How far workers agree with each other, by the coefficients that people publish.
//
// n_ik workers gave item i the class k, n_i labels in all. Items with two labels or more are
// paired. The share of pairs of labels that agree is
//   a_i = sum_k n_ik (n_ik - 1) / (n_i (n_i - 1)),
// and percent agreement p is the mean of a_i over paired items. The other coefficients ask how much
// of the disagreement that chance would bring is avoided: 1 - observed / expected.
//
//   Krippendorff's alpha [Kri11]: pairs of labels of one item against pairs of all labels. Items
//     weigh by their labels: 1 - (n-1) sum_i n_i (1 - a_i) / sum_{k,l} n_k n_l [k != l], with n_k
//     labels of class k at paired items. The ordinal form weighs a pair of classes by the squared
//     difference of their mean ranks among all labels.
//   Fleiss' kappa [Fle71]: (p - e) / (1 - e), e = sum_k s_k^2. For items with different numbers of
//     labels this is Gwet's generalisation [Gwet14]: s_k is the mean of n_ik / n_i over all items
//     with a label. With equal numbers it is the classic.
//   Gwet's AC1 [Gwet08]: the same p and s_k, but e = sum_k s_k (1 - s_k) / (classes - 1). AC2
//     [Gwet14] counts a pair of classes as 1 - d(k,l) / d(1,classes), and multiplies e by the mean
//     of these weights times the number of classes.
//   Cohen's kappa [Coh60]: 1 - observed / expected disagreement of two workers on the items that
//     both labelled, where chance keeps each worker's own shares of classes. Over all workers it is
//     the mean over pairs of workers, weighted by shared items.
// Linear forms have d(k,l) = |k - l|, quadratic ones (k - l)^2.
//
// Intervals are percentiles of a bootstrap over items [ET93 chapter 13]; workers are as given. A
// resample costs O(items + classes + pairs of item and class that occur). Cohen's kappa adds a step
// per item that two workers share; with few of them its resamples, and so its interval, lie low.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/label_set.hpp"

namespace allot::aggregate {

/// A measure of agreement. From ordinal_alpha on, classes have an order.
enum class Coefficient {
  percent,          ///< share of pairs of labels that agree
  alpha,            ///< Krippendorff's alpha, nominal
  fleiss,           ///< Fleiss' kappa
  cohen,            ///< Cohen's kappa, mean over pairs of workers
  ac1,              ///< Gwet's AC1
  ordinal_alpha,    ///< Krippendorff's alpha, ordinal
  linear_cohen,     ///< Cohen's kappa, linear weights
  quadratic_cohen,  ///< Cohen's kappa, quadratic weights
  linear_ac2,       ///< Gwet's AC2, linear weights
  quadratic_ac2,    ///< Gwet's AC2, quadratic weights
};

/// Name for people: "Krippendorff's alpha, ordinal".
std::string_view coefficient_title(Coefficient coefficient);
/// Name for programs: "krippendorff_alpha_ordinal".
std::string_view coefficient_name(Coefficient coefficient);

/// Settings of measure_agreement.
struct AgreementOptions {
  /// Whether classes have an order, as grades do; adds the coefficients that use it.
  bool ordered = false;
  /// Probability that an interval holds the value, in (0, 1).
  double confidence = 0.95;
  /// Number of resamples; 0 leaves the intervals out.
  std::uint32_t resamples = 1000;
  /// Seed of the resamples.
  std::uint64_t seed = 1;
  /// Pairs of workers with fewer shared items are left out of Cohen's kappa. With one shared item
  /// it is undefined if they agree and 0 if not, so many such pairs would bias the mean.
  std::uint32_t least_shared = 10;
};

/// One coefficient, or the reason why it has no value.
struct AgreementEstimate {
  Coefficient coefficient;         ///< which one
  std::optional<double> value;     ///< nothing if it is undefined
  std::optional<Interval> bounds;  ///< bootstrap interval; nothing without one
  /// Reason why the value, or only the interval, is missing; empty if neither is.
  std::string reason;

  bool operator==(const AgreementEstimate&) const = default;
};

/// Agreement of the workers of a label set.
struct Agreement {
  std::uint64_t labels = 0;            ///< number of labels
  std::uint32_t items = 0;             ///< items with a label
  std::uint32_t paired_items = 0;      ///< items with two labels or more
  std::uint32_t fewest_labels = 0;     ///< fewest labels of an item with a label
  std::uint32_t most_labels = 0;       ///< most labels of an item
  double label_spread = 0;             ///< standard deviation of labels per item / their mean
  std::uint64_t pairs_of_workers = 0;  ///< pairs behind Cohen's kappa
  /// One entry per coefficient, in the order of the enumeration.
  std::vector<AgreementEstimate> estimates;

  /// The entry of a coefficient; throws std::invalid_argument if it was not computed.
  const AgreementEstimate& of(Coefficient coefficient) const;
  /// Whether the labels per item vary so much (label_spread above 1/4) that the way in which they
  /// were bought matters. Labels bought adaptively ask hard items more often, which makes
  /// agreement too low.
  bool varies_widely() const { return label_spread > 0.25; }
};

/// Measures the agreement of workers. Throws std::invalid_argument for options out of range, ids
/// beyond the counts of the set, or two labels of one item by the same worker.
Agreement measure_agreement(const model::LabelSet& labels, const AgreementOptions& options = {});

/// Cohen's kappa of two workers.
struct PairKappa {
  WorkerId first;                   ///< worker with the smaller number
  WorkerId second;                  ///< the other worker
  std::uint32_t shared = 0;         ///< items that both labelled
  std::optional<double> kappa;      ///< nothing if both gave all these items one and the same class
  std::optional<double> linear;     ///< with linear weights
  std::optional<double> quadratic;  ///< with quadratic weights
};

/// Cohen's kappa of every pair of workers who share at least `least_shared` items (at least 1),
/// ordered by the two workers.
std::vector<PairKappa> pair_kappas(const model::LabelSet& labels, std::uint32_t least_shared = 1);

}  // namespace allot::aggregate
