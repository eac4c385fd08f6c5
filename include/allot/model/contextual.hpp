// Beliefs about items with features: one logistic model for all [CLZ sec:contextual].
//
// The soft label of item i is sigma(w'x_i), w ~ N(mu, Sigma). A label of one item teaches about all
// items, also those without labels. A label moves the belief along Sigma x_i only, by two
// numbers found in one dimension (math/logistic_update), so with m_l = mu'x_l, s2_l = x_l' Sigma
// x_l and g_l = x_l' Sigma x_i, in every dimension,
//   m_l' = m_l + g_l t,   s2_l' = s2_l - k / (1 + k s2_i) g_l^2.
// [CLZ, appendix: where it says x_{i_{t+1}} in the precision and in Sigma_{t+1}, read x_{i_t}.]
//
// Labels are absorbed one by one, and each leaves a normal belief. Their order therefore matters a
// little: with few labels, P can differ by .1 or .2 from one Laplace approximation of all labels at
// once. Rounding errors do not build up: the precision, a sum of positive terms, is kept as well.
// Every max(64, p) labels Sigma is set to its inverse, and all m and s2 are computed from it.
//
// Cost of a label, and memory: O(K p + p^2) for K different rows, which beliefs can share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/math/logistic_update.hpp"
#include "allot/model/features.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// Settings of a Contextual belief.
struct ContextualOptions {
  /// Variance of every weight before the first label; Sigma_0 = prior_variance I, mu_0 = 0. With
  /// standardised features a logit then varies by prior_variance (p + 1).
  double prior_variance = 1;
  /// Method to absorb a label of a perfect worker. The bound costs more and is nearer to the exact
  /// posterior: after 25 labels of items with two features P was off by .005 on average, by Laplace
  /// .016. A doubtful label always uses Laplace, since the bound holds for sigma alone.
  math::LogisticMethod method = math::LogisticMethod::laplace;
};

/// Belief about the weights w of a logistic model, and so about all items: w ~ N(mu, Sigma).
class Contextual {
 public:
  /// Belief before the first label. Throws std::invalid_argument if the design has no items or no
  /// columns, or if the prior variance is not positive.
  explicit Contextual(const Design& design, const ContextualOptions& options = {});
  /// Belief before the first label that shares `rows` with other beliefs; not null.
  explicit Contextual(std::shared_ptr<const ItemRows> rows, const ContextualOptions& options = {});

  /// Different rows of the design, and the row of each item.
  const ItemRows& rows() const { return *rows_; }
  /// Number of items in the design, with or without labels.
  std::uint32_t item_count() const { return rows_->item_count(); }
  /// Number of labels absorbed so far, over all items.
  std::uint64_t label_count() const { return labels_; }

  /// Absorbs a label by a worker of this kind; the beliefs about all items change.
  void record(ItemId item, Label label, const Channel& worker = {});

  /// Mean of the item's logit, m = mu'x; 0 before the first label.
  double mean(ItemId item) const { return means_[rows_->row_of(item)]; }
  /// Variance of the item's logit, s^2 = x' Sigma x.
  double variance(ItemId item) const { return variances_[rows_->row_of(item)]; }
  /// P = Pr(soft label >= 1/2) = Phi(m / s) [CLZ eq:P_i_t_feature].
  double prob_positive(ItemId item) const;
  /// Chance that a perfect worker says positive, by the probit approximation.
  double chance_positive(ItemId item) const;

  /// Means of the logits, one per row, including the rows that fill the last panel (0).
  std::span<const double> means() const { return means_; }
  /// Variances of the logits, one per row, including the rows that fill the last panel (0).
  std::span<const double> variances() const { return variances_; }
  /// The step that a label of an item of the row would cause. The label must be possible.
  math::LogisticUpdate update(std::uint32_t row, Label label, const Channel& worker = {}) const;
  /// Chance of a positive label by a worker of this kind.
  double chance_positive(std::uint32_t row, const Channel& worker) const;

  /// Mean of the weights, mu: one per column of the design.
  std::span<const double> weights() const { return weights_; }
  /// Covariance of the weights, Sigma: p x p numbers, row by row.
  std::span<const double> covariance() const { return covariance_; }

 private:
  void refresh();

  std::shared_ptr<const ItemRows> rows_;
  math::LogisticMethod method_;
  std::uint64_t labels_ = 0, since_refresh_ = 0;
  std::vector<double> weights_, covariance_, precision_;
  std::vector<double> means_, variances_;
};

/// Beliefs about items with features and C classes: one Contextual per class, against the rest
/// [CLZ sec:multi, last paragraph].
///
/// Class c has its own weights and is a binary question, "is it c?"; a label answers all C
/// questions. The chance that a label names c is the share of sigma(kappa m_c) in the sum over
/// classes, and so is the probability of c as the answer. A softmax would need one covariance of C
/// p dimensions; this costs C times the binary model, and its updates stay in one dimension. The
/// price: the weights of the classes are taken as independent. With two classes the answers are
/// those of Contextual; their probability is that of the label, not Pr(soft label >= 1/2).
class ContextualClasses {
 public:
  /// Beliefs before the first label. Throws std::invalid_argument for fewer than two classes.
  ContextualClasses(const Design& design, std::uint32_t class_count,
                    const ContextualOptions& options = {});

  /// Different rows of the design, and the row of each item; all classes share them.
  const ItemRows& rows() const { return *rows_; }
  /// Number of items in the design, with or without labels.
  std::uint32_t item_count() const { return rows_->item_count(); }
  /// Number of classes, C; at least 2.
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(models_.size()); }
  /// Number of labels absorbed so far, over all items.
  std::uint64_t label_count() const { return models_.front().label_count(); }
  /// The model of a class against the rest.
  const Contextual& model(ClassId label) const { return models_[position(label)]; }

  /// Absorbs a label by a perfect worker.
  void record(ItemId item, ClassId label);

  /// Probabilities of all classes, in order; they sum to 1.
  std::vector<double> probabilities(ItemId item) const;

 private:
  std::shared_ptr<const ItemRows> rows_;
  std::vector<Contextual> models_;
};

}  // namespace allot::model
