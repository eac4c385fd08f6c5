// What is believed about items of several classes and about their workers, label after label.
//
// A worker is a table of chances, a row for each class: what the worker says of an item that a
// perfect one puts there. With one coin the table has one number: the reliability rho, the chance
// of a right label; the wrong ones are equally likely. Two ways to hold beliefs, as in
// model/crowd.hpp:
//   one pass   items and rows are Dirichlets, each label moves one item and one worker by matching
//              the mixture it leaves (math/dirichlet_match.hpp) [CLZ sec:worker, sec:multi].
//   refitted   items are of one class; every so many labels all beliefs are fitted to all labels
//              anew, by expectation-maximisation restarted from the votes [DS79]. A row starts as
//              four labels' worth of the worker's own one coin, so a table is learned as far as the
//              labels go: few say how reliable a worker is, many which classes get mixed up. Where
//              items have features, a regression of the classes on them, fitted along, takes the
//              place of the shares of classes: an item's neighbours speak before its first label.
// With two classes this is a model of yes/no items beside model::Crowd, the one for features.
//
// Cost for C classes: a label O(C^2); a refit O(items + labels so far) times C times the rounds,
// with p features O(items p (p + C)) more a round.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/model/features.hpp"

namespace allot::model {

struct MulticlassCrowdOptions {
  /// Dirichlet pseudo-counts of every item's soft labels, one a class, in the range of
  /// DirichletPrior. Of refitted items only the chance of each class to be the largest matters.
  std::vector<double> item_prior;
  /// Of the chance of a right label; a mixture is taken as the Beta with its first two moments.
  Prior worker_prior = Prior::beta(3, 0.9);
  /// `two`: a row for each class.
  Coins coins = Coins::two;
  /// `off` or `em`.
  Refit refit = Refit::em;
  std::uint32_t refit_every = 20;
  /// Of all items; none if empty. Only with refits.
  std::shared_ptr<const Design> design = nullptr;
  /// Of each regression weight but the intercept; 0 stands for 1 / columns, so that features as a
  /// whole move an item's log-odds by about 1 before anything is learned.
  double weight_variance = 0;
  /// Instead of `worker_prior`, where workers are of different types: one a worker.
  std::vector<Prior> worker_priors = {};
  /// Whether the worker prior, one for all, is only where learning starts, as for model::Crowd.
  bool learn_workers = false;
  std::uint32_t background_refit_gap = 0;
};

class MulticlassCrowd {
 public:
  virtual ~MulticlassCrowd() = default;

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(items_.size() / classes_); }
  std::uint32_t worker_count() const {
    return static_cast<std::uint32_t>(tables_.size() / classes_ / classes_);
  }
  std::uint32_t class_count() const { return classes_; }
  /// Whether items have soft labels; otherwise they are of one class.
  bool soft() const { return soft_; }

  /// Dirichlet pseudo-counts of the soft labels, or the probabilities of the classes.
  std::span<const double> operator[](ItemId item) const {
    return {&items_[std::size_t{position(item)} * classes_], classes_};
  }
  /// The mean table: row by row, true class by true class, the chances of labels.
  std::span<const double> operator[](WorkerId worker) const {
    return {&tables_[std::size_t{position(worker)} * classes_ * classes_],
            std::size_t{classes_} * classes_};
  }

  /// Absorbs a label. True if all beliefs were fitted anew; otherwise those of this item and this
  /// worker alone have changed.
  virtual bool record(ItemId item, WorkerId worker, ClassId label) = 0;

  /// As model::Crowd has them. With features the design of all items comes along, and counts from
  /// the next refit on.
  virtual void record_known(WorkerId worker, ClassId truth, ClassId label) = 0;
  virtual void revise(ItemId item, WorkerId worker, ClassId label) = 0;
  virtual void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) = 0;
  virtual void grow(std::uint32_t item_count, std::uint32_t worker_count,
                    std::shared_ptr<const Design> design = nullptr,
                    std::span<const Prior> priors = {}) = 0;
  virtual bool expect(std::uint64_t) { return false; }
  virtual void fit_ahead(bool) {}
  virtual void save(ByteWriter& to) const = 0;
  virtual void load(ByteReader& from) = 0;

  /// The probabilities of the classes, item by item, to answer from: fitted to all labels so far,
  /// where refits are on. Changes nothing.
  virtual std::vector<double> settled() const = 0;

 protected:
  MulticlassCrowd(std::uint32_t classes, bool soft) : classes_(classes), soft_(soft) {}

  const std::uint32_t classes_;
  const bool soft_;
  std::vector<double> items_, tables_;
};

/// Beliefs before the first label. Throws std::invalid_argument if there are fewer than two
/// classes, a prior is improper, worker priors are not one a worker, the design is not of these
/// items, or the refit is not one of the two.
std::unique_ptr<MulticlassCrowd> make_multiclass_crowd(const MulticlassCrowdOptions& options,
                                                       std::uint32_t item_count,
                                                       std::uint32_t worker_count);

}  // namespace allot::model
