// What a label set says: an answer for every item, and how far each worker can be trusted.
//
// Every method of this layer turns labels into an Aggregation; they differ in what they assume
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

struct ClassAnswers {
  std::uint32_t class_count = 0;
  /// One an item.
  std::vector<ClassId> answers;
  /// Item by item, class by class; empty if the method gives none.
  std::vector<double> probabilities;

  /// The probabilities of an item's classes; empty if there are none.
  std::span<const double> of(ItemId item) const {
    if (probabilities.empty()) return {};
    return {probabilities.data() + std::size_t{position(item)} * class_count, class_count};
  }
};

struct WorkerEstimates {
  /// The chance that a label is right, worker by worker; NaN for a worker without labels.
  std::vector<double> reliability;
  /// Worker by worker, true class by true class, given class: the chance that the worker gives that
  /// label. Empty if the method knows no tables.
  std::vector<double> confusion;

  double given(WorkerId worker, ClassId truth, ClassId label, std::uint32_t class_count) const {
    const std::size_t row = std::size_t{position(worker)} * class_count + position(truth);
    return confusion[row * class_count + position(label)];
  }
};

/// How an iterative method came to its end.
struct Fit {
  std::uint32_t iterations = 0;
  /// Whether it stopped because nothing moved any more.
  bool converged = false;
  /// log Pr(all labels) under the final estimates; none for message passing.
  std::optional<double> log_likelihood;
  /// What EM climbs, after each iteration: log likelihood plus log density of the estimates under
  /// the prior that smoothing stands for. Never falls; empty where no one number climbs.
  std::vector<double> objective;
};

struct Aggregation {
  ClassAnswers answers;
  WorkerEstimates workers;
  /// Only of methods that iterate.
  std::optional<Fit> fit;
};

/// The mean over items of the probability that the answer is right; nothing without probabilities.
std::optional<double> expected_accuracy(const ClassAnswers& answers);

/// The share of right answers among the items whose truth is known; nothing if none is. A truth may
/// be a class that no answer can be.
std::optional<double> accuracy(std::span<const ClassId> answers,
                               std::span<const std::optional<ClassId>> truth);

/// The share of each worker's labels that are the answer; NaN for a worker without labels.
std::vector<double> agreement(const model::LabelSet& labels, const ClassAnswers& answers);

}  // namespace allot::aggregate
