// The result of aggregating labels: an answer for every item, and how reliable each worker is.
//
// Every method of this layer turns labels into an Aggregation; they differ in their assumptions
// about workers. Items have any number of classes unless a method says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/model/label_set.hpp"

namespace allot::aggregate {

/// Answers for all items, with probabilities if the method has them.
struct ClassAnswers {
  /// Number of classes.
  std::uint32_t class_count = 0;
  /// One answer per item.
  std::vector<ClassId> answers;
  /// Per item, per class; empty if the method gives none.
  std::vector<double> probabilities;

  /// The class probabilities of an item; empty if there are none.
  std::span<const double> of(ItemId item) const {
    if (probabilities.empty()) return {};
    return {probabilities.data() + std::size_t{position(item)} * class_count, class_count};
  }
};

/// Estimates of the workers.
struct WorkerEstimates {
  /// Per worker, the chance that a label is right; NaN for a worker without labels.
  std::vector<double> reliability;
  /// Per worker, true class and given class: the chance of that label. Empty without such tables.
  std::vector<double> confusion;

  /// One entry of a worker's confusion table.
  double given(WorkerId worker, ClassId truth, ClassId label, std::uint32_t class_count) const {
    const std::size_t row = std::size_t{position(worker)} * class_count + position(truth);
    return confusion[row * class_count + position(label)];
  }
};

/// Bounds of a value.
struct Interval {
  double low;   ///< lower bound
  double high;  ///< upper bound

  bool operator==(const Interval&) const = default;
};

/// How far the members of a group err together (aggregate/group_errors.hpp).
struct GroupErrors {
  std::uint32_t members = 0;  ///< number of members, with or without labels
  std::uint64_t items = 0;    ///< items that a member labelled
  /// Those of them that somebody outside the group labelled too, or whose class is known.
  std::uint64_t outside = 0;
  /// Mean correlation of errors of two members; nothing if no two of them share items.
  std::optional<double> correlation = {};
  /// Interval that holds the correlation with 95 %, given what is believed of the items.
  std::optional<Interval> bounds = {};
  /// Independent votes that one label of each member is worth.
  std::optional<double> effective_votes = {};

  bool operator==(const GroupErrors&) const = default;
};

/// What a method makes of the confidences of labels (model/label_set.hpp).
enum class ConfidenceUse : std::uint8_t {
  absent,   ///< no label has one, or the method does not look at them
  useless,  ///< they do not tell right labels from wrong ones, and are not used
  shared,   ///< used, with one meaning for all workers
  own,      ///< used, with a meaning of each worker's own
};

/// How an iterative method ended.
struct Fit {
  /// Number of iterations.
  std::uint32_t iterations = 0;
  /// True if it stopped because nothing moved any more.
  bool converged = false;
  /// log Pr(all labels) under the final estimates; nothing for message passing.
  std::optional<double> log_likelihood;
  /// The objective of EM after each iteration: log likelihood plus log density of the estimates
  /// under the prior that corresponds to the smoothing. It never falls. Empty for other methods.
  std::vector<double> objective;
};

/// The result of a method.
struct Aggregation {
  /// An answer per item.
  ClassAnswers answers;
  /// An estimate per worker.
  WorkerEstimates workers;
  /// Set by iterative methods only.
  std::optional<Fit> fit;
  /// One per group of workers who err together; only from methods that know groups.
  std::vector<GroupErrors> groups = {};
  /// What the method made of confidences.
  ConfidenceUse confidences = ConfidenceUse::absent;
  /// Whether features were used, where the method learned that from the labels.
  std::optional<bool> features_used = {};
  /// Items with labels whose answer depends on which shares of classes are believed, as far as the
  /// method knows.
  std::uint32_t decided_by_shares = 0;
};

/// Mean over items of the probability that the answer is right; nothing without probabilities.
std::optional<double> expected_accuracy(const ClassAnswers& answers);

/// Share of right answers among the items with a known truth, of any class; nothing if none has.
std::optional<double> accuracy(std::span<const ClassId> answers,
                               std::span<const std::optional<ClassId>> truth);

/// Share of each worker's labels that agree with the answer; NaN for a worker without labels.
std::vector<double> agreement(const model::LabelSet& labels, const ClassAnswers& answers);

/// The mean chance of a right label, over labels; nothing without labels.
std::optional<double> mean_reliability(const model::LabelSet& labels,
                                       const WorkerEstimates& workers);

/// Whether the answers expect more than .9 of themselves to be right.
bool is_sure(const ClassAnswers& answers);

/// Whether a fit is sure of its answers, yet takes its workers for hardly better than chance (by
/// less than a tenth of the way from chance to 1). Such a fit may have turned round, which no truth
/// is needed to see. A few good workers among many who guess are farther from chance.
bool contradicts_itself(const model::LabelSet& labels, const Aggregation& aggregation);

/// Share of the labelled items to which `others` give another answer; 0 without labels.
double answered_otherwise(const model::LabelSet& labels, const ClassAnswers& answers,
                          const ClassAnswers& others);

/// Whether answers are sure of themselves, yet differ from a more careful method on a fifth of the
/// labelled items or more. Then one of the two is far off, and the sure one more often.
bool contradicts(const model::LabelSet& labels, const ClassAnswers& answers,
                 const ClassAnswers& careful);

}  // namespace allot::aggregate
