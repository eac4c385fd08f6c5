// Beliefs about multi-class items, where all workers are alike [CLZ sec:multi].
//
// A label of an item is class c with probability theta_c, and the item belongs to the class whose
// theta is the largest. Under a Dirichlet(alpha) prior the belief after n_c labels of each class is
// Dirichlet(alpha + n): the counts are sufficient, and the order of labels does not matter.
// With two classes, theta_1 ~ Beta(alpha_1, alpha_0): the model of belief.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/base/ids.hpp"

namespace allot::model {

/// Dirichlet(alpha), an immutable value; copies share the parameters.
class DirichletPrior {
 public:
  static constexpr double kLeast = 1e-8,  ///< smallest parameter allowed
      kMost = 1e9;                        ///< largest parameter allowed

  /// One parameter per class. Throws std::invalid_argument for fewer than two, or out of range.
  static DirichletPrior dirichlet(std::vector<double> alpha);
  /// Prior with the same parameter for every class; 1 is the uniform distribution.
  static DirichletPrior symmetric(std::uint32_t class_count, double alpha = 1);

  /// Number of classes, one per parameter; at least 2.
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(alpha_->size()); }
  /// Parameters in the order of classes; pseudo-counts of labels. Valid as long as a copy exists.
  std::span<const double> alpha() const { return *alpha_; }
  /// Whether any order of the classes gives the same prior.
  bool is_symmetric() const;

  /// Whether both have the same classes and equal parameters.
  bool operator==(const DirichletPrior& other) const { return *alpha_ == *other.alpha_; }

 private:
  explicit DirichletPrior(std::vector<double> alpha)
      : alpha_(std::make_shared<const std::vector<double>>(std::move(alpha))) {}

  std::shared_ptr<const std::vector<double>> alpha_;
};

/// The belief about one item: theta ~ Dirichlet(alpha), all positive.
struct DirichletBelief {
  std::vector<double> alpha;  ///< prior parameter plus labels, per class

  /// Belief after one more label: that class's alpha grows by 1.
  DirichletBelief after(ClassId label) const;
};

/// The chance that the next label is of each class, alpha_c / sum alpha [CLZ sec:multi].
std::vector<double> chances(const DirichletBelief& belief);

/// Pr(theta_c is the largest) for each class c [CLZ eq:P_T_c], by math/dirichlet_win.
std::vector<double> class_probabilities(const DirichletBelief& belief);

/// Probability that the class with the largest alpha is wrong [CLZ eq:multi_H]; exact if small.
double error_probability(const DirichletBelief& belief);

/// The beliefs about all items of a campaign: 4 C bytes per item, 4 more if priors differ.
class MulticlassBeliefs {
 public:
  /// All items share one prior.
  MulticlassBeliefs(std::uint32_t item_count, DirichletPrior prior);
  /// Item i has priors[prior_of_item[i]]; all priors have the same number of classes.
  MulticlassBeliefs(std::vector<DirichletPrior> priors, std::vector<std::uint32_t> prior_of_item);

  /// Number of items; ids run from 0.
  std::uint32_t item_count() const { return item_count_; }
  /// Number of classes, C, shared by all items.
  std::uint32_t class_count() const { return class_count_; }
  /// Labels recorded so far.
  std::uint64_t stage() const { return stage_; }
  /// Prior of the item. Valid as long as this object.
  const DirichletPrior& prior_of(ItemId item) const {
    return priors_[prior_of_item_.empty() ? 0 : prior_of_item_[position(item)]];
  }
  /// Labels of each class that the item has received. Valid as long as this object.
  std::span<const std::uint32_t> counts(ItemId item) const {
    return {counts_.data() + std::size_t{position(item)} * class_count_, class_count_};
  }
  /// Belief about the item now, a copy: alpha + n.
  DirichletBelief operator[](ItemId item) const;

  /// Adds a label. Throws std::invalid_argument for an unknown class or beyond 2^32 - 1 labels.
  void record(ItemId item, ClassId label);

 private:
  std::uint32_t item_count_, class_count_;
  std::vector<DirichletPrior> priors_;
  std::vector<std::uint32_t> prior_of_item_;  // empty if there is one prior
  std::vector<std::uint32_t> counts_;         // item by item, class by class
  std::uint64_t stage_ = 0;
};

}  // namespace allot::model
