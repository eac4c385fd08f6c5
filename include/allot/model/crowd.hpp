// Beliefs about items and the workers who label them, updated label by label.
//
// One interface for all models; the caller need not know how many classes there are:
//   binary       items are positive or negative, a worker is one or two coins (model/binary_crowd);
//   multi-class  items are of one of C classes, a worker is a confusion table
//                (model/multiclass_crowd). It also serves binary items whose workers err together,
//                and those with features, if a Dirichlet prior asks for it.
// Either kind holds its beliefs in one of two ways:
//   one pass     the paper's: items have soft labels, and each label moves one item and one worker
//                by moment matching [CLZ Algorithm 2]. With perfect workers this is the model of
//                workers who are alike.
//   refitted     items are of one class; from time to time all beliefs are refitted to all labels,
//                so that early mistakes about workers do not stay in the items. Between refits a
//                label moves its item and its worker as in one pass.
// A refit starts from the labels alone, never from its own last result. The beliefs therefore
// depend on the labels and their order only, and no bad optimum is handed on.
//
// Items and workers can join at any time. Workers can be tried on items whose class is known: such
// a label changes the belief about its worker alone. An item can also become known later, and open
// again.
//
// A new model is one class derived from BinaryCrowd or MulticlassCrowd, whose states the item
// searches of a policy read directly, and one line in make_crowd.
//
// Cost: a label takes O(1), O(nodes) of a worker's grid for `integrated`, O(C^2) for C classes. A
// refit takes O(items + labels so far) times its rounds, and times the nodes or C; p features add
// O(items p (p + C)) per round.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "allot/model/features.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

class BinaryCrowd;
class MulticlassCrowd;

/// Method to refit beliefs to all labels.
enum class Refit {
  /// One pass, no refits.
  off,
  /// Expectation-maximisation, restarted from the votes each time [DS79]. Binary and multi-class
  /// crowds differ, also at two classes: a binary worker is one or two Beta coins; a row of a
  /// confusion table starts as four pseudo-labels of the worker's own single coin.
  em,
  /// Belief propagation over the coins each worker may have. Multi-class crowds use `em` instead.
  integrated,
  /// Confusion tables that share where the crowd's errors go and how reliable it is. Each label is
  /// read through a table it did not help to make (src/model/multiclass_fit.hpp). Binary crowds use
  /// `integrated` instead.
  pooled,
};

/// Model and priors of a crowd, for make_crowd.
struct CrowdOptions {
  /// Prior of every item's soft label. A Beta (or a mixture of Betas) makes a binary crowd, a
  /// Dirichlet a multi-class one with a class per parameter. In a refitted crowd only the
  /// probability of each class to have the largest share matters, as the start of learning.
  std::variant<Prior, DirichletPrior> item_prior = {};
  /// Prior of the chance that a worker is right, for either coin. The default was chosen on real
  /// labels (docs/replays.md); the paper has Beta(4,1). A mixture describes types of workers: both
  /// coins are of one type. Confusion tables take the Beta with the mixture's first two moments.
  Prior worker_prior = Prior::beta(3, 0.9);
  /// Number of coins per worker. `two` gives one coin per class: a row of the confusion table each.
  Coins coins = Coins::two;
  /// Method to refit beliefs; `off` for the one-pass model of the paper.
  Refit refit = Refit::pooled;
  /// Labels from one refit to the next, at least 1. The gap is never less than 2 % of all labels so
  /// far, nor than one label per thousand items.
  std::uint32_t refit_every = 20;
  /// Priors of the workers, one each, instead of `worker_prior`; empty if they share that one.
  std::vector<Prior> worker_priors = {};
  /// Whether the worker prior is only where learning starts. Its Beta is then estimated from all
  /// labels so far (empirical Bayes, src/model/worker_grid.hpp) at every refit; in one pass every
  /// 25 labels (2 % of all, or one per thousand items, if that is more) and before answering, by
  /// two passes over all labels. A pooled refit learns its mean alone.
  bool learn_workers = false;
  /// Whether the classes of a pooled crowd have an order, so that neighbours are confused more
  /// often than classes far apart.
  bool ordered = false;
  /// Whether answers to two classes are the mean of belief propagation and pooled fits
  /// (src/model/binary_answers.hpp), where one of these refits; otherwise they are by the method of
  /// refits alone.
  bool mean_answers = true;
  /// Whether some refits, but by `em`, believe that classes are as common as their labels, for
  /// policies that choose workers. Labels alone do not tell a common class from workers who lean to
  /// it. Workers who look best under either belief then both get items, so that neither belief
  /// confirms itself. Every third refit does so; with more than two classes up to all of them, the
  /// likelier labels make it that classes are uneven (src/model/uneven_classes.hpp).
  bool shares_in_turn = false;
  /// Refits at least this many labels apart take effect only after half of the labels until the
  /// next, so that they can run in the background; 0 for never.
  std::uint32_t background_refit_gap = 0;
  /// Features of all items, or none. Only for refitted crowds, binary ones not by `em`: a
  /// regression of the classes on the features takes the place of the shares of classes. In a
  /// binary crowd it does not judge workers (src/model/binary_fits.hpp).
  std::shared_ptr<const Design> design = nullptr;
  /// Prior variance of each regression weight but the intercept. None: learned from the labels at
  /// every refit; while they do not favour features, beliefs are those without (model/
  /// feature_strength.hpp). 0 stands for 1 / columns: features as a whole then move an item's
  /// log-odds by about 1 before anything is learned.
  std::optional<double> weight_variance = {};
  /// Group of each worker who errs together with others, from 1 on; 0, and workers beyond the end,
  /// for workers alone. Members share a view of every item (model/group_views.hpp). Only for
  /// multi-class crowds with pooled refits, which also serve binary items.
  std::vector<std::uint32_t> groups = {};
  /// What workers start from beside their prior, by worker: labels of known items that they are
  /// taken to have given. A table of counts, also fractions, by true class and given class; empty,
  /// and beyond the end, for none. It moves the belief about its worker alone. Nothing that is
  /// learned about all workers counts it.
  std::vector<std::vector<double>> inherited = {};

  /// Whether the item prior is a Dirichlet, so that make_crowd returns a multi-class crowd.
  bool is_multiclass() const { return std::holds_alternative<DirichletPrior>(item_prior); }
  /// Number of classes: one per Dirichlet parameter, 2 for a binary crowd.
  std::uint32_t class_count() const {
    return is_multiclass() ? std::get<DirichletPrior>(item_prior).class_count() : 2;
  }
};

/// Decides when the refits of a crowd run. Beliefs are the same once the caller reads them.
class RefitControl {
 public:
  virtual ~RefitControl() = default;
  /// Hint: the caller will record this many labels, and add no items, before it reads any belief.
  /// Intermediate refits are skipped; only the last one that would take effect runs. Returns
  /// whether beliefs are out of date until that refit.
  virtual bool skip_refits_for(std::uint64_t labels) = 0;
  /// Whether a refit that takes effect late starts at once on a thread, or runs when needed.
  virtual void refit_in_background(bool on) = 0;
};

/// Belief about a worker's chance of a right label, averaged over the classes.
struct Reliability {
  double mean,   ///< expected chance, from 0 to 1
      variance;  ///< posterior variance of the chance; 0 if it is known
};

/// A recorded label whose item becomes known, or is known no longer.
struct KnownChange {
  ItemId item;      ///< item of the label
  WorkerId worker;  ///< worker who gave it
  ClassId label,    ///< the label itself
      truth;        ///< class of the item while it is known
  bool known;       ///< whether the item is known from now on; otherwise it is open again
  float confidence = kNoConfidence;  ///< of the worker in the label; used once the item is open
};

/// Beliefs about items and the workers who label them; make_crowd makes one.
class Crowd {
 public:
  virtual ~Crowd() = default;

  /// Number of items, with or without labels; ids run from 0.
  virtual std::uint32_t item_count() const = 0;
  /// Number of workers, with or without labels; ids run from 0.
  virtual std::uint32_t worker_count() const = 0;
  /// Number of classes; 2 for a binary crowd, where class 1 is positive.
  virtual std::uint32_t class_count() const = 0;

  /// Absorbs a label. Returns true if all beliefs were refitted or are out of date
  /// (RefitControl::skip_refits_for); otherwise only this item and this worker have changed.
  virtual bool record(ItemId item, WorkerId worker, ClassId label) = 0;
  /// Absorbs a label of whose class the worker is more or less sure, by a number on any scale
  /// (model/label_set.hpp). Crowds without pooled refits absorb the label alone.
  virtual bool record_confident(ItemId item, WorkerId worker, ClassId label, float confidence) {
    static_cast<void>(confidence);
    return record(item, worker, label);
  }
  /// Absorbs a label of a known item: it moves its worker alone and does not count for refits.
  virtual void record_known(WorkerId worker, ClassId truth, ClassId label) = 0;
  /// Replaces the worker's label of the item, and its confidence, as if the new one had been given
  /// in the first place; refitted crowds and those with a learned prior refit now. Costs as much as
  /// all labels so far, or a refit. Throws std::invalid_argument if there is no such label.
  virtual void revise(ItemId item, WorkerId worker, ClassId label, float confidence) = 0;
  /// Replaces it by a label without a confidence.
  void revise(ItemId item, WorkerId worker, ClassId label) {
    revise(item, worker, label, kNoConfidence);
  }
  /// Replaces the worker's last label `before` of an item of that known class.
  virtual void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) = 0;
  /// Makes the items of these labels known, or open again: all labels of each of the items must be
  /// there. Once all is refitted, beliefs are as if the items had always been so; in one pass, an
  /// item that opens again may have its labels in another order. Returns true if that is now, or
  /// all beliefs are out of date; otherwise only these items and workers have changed, and the
  /// labels count for the schedule of refits. Cost: O(labels of the workers) each if refits take
  /// effect late (`background_refit_gap`) and all items become known; else a refit, or a pass over
  /// all labels. Throws std::invalid_argument if there is no such label.
  virtual bool review(std::span<const KnownChange> changes) = 0;
  /// Adds items and workers, up to these numbers. `design` holds the features of all items, if any,
  /// and counts from the next refit on. `priors` are those of the new workers, or none for the
  /// usual one. O(1) each. Throws std::invalid_argument as make_crowd does.
  virtual void grow(std::uint32_t item_count, std::uint32_t worker_count,
                    std::shared_ptr<const Design> design = nullptr,
                    std::span<const Prior> priors = {}) = 0;

  /// Probability that the item's most probable class is wrong; exact where it is small.
  virtual double error(ItemId item) const = 0;
  /// Probabilities of the item's classes, written to `out`, which has one place per class.
  virtual void probabilities(ItemId item, std::span<double> out) const = 0;
  /// Probabilities of the item's classes in a new vector, one per class.
  std::vector<double> probabilities(ItemId item) const;
  /// Whether items have soft labels; otherwise each item is of one class.
  virtual bool has_soft_labels() const = 0;
  /// Chance that the worker gives the label, written to `out` per true class.
  virtual void likelihood(WorkerId worker, ClassId label, std::span<double> out) const = 0;
  /// Chance that the worker labels the item so. Writes to `out` the probabilities of the item's
  /// classes after that label, refits apart; those of now if the label is impossible.
  virtual double outcome(ItemId item, WorkerId worker, ClassId label,
                         std::span<double> out) const = 0;
  /// Belief about the worker's reliability; `labels` is the number of labels the worker gave.
  virtual Reliability reliability(WorkerId worker, std::uint32_t labels) const = 0;
  /// Probabilities to answer from, item by item and class by class: refitted to all labels so far
  /// where refits are on. Changes nothing.
  virtual std::vector<double> final_probabilities() const = 0;

  /// This crowd as a binary one, whose states the item searches read; null if it is multi-class.
  virtual const BinaryCrowd* binary() const { return nullptr; }
  /// This crowd as a multi-class one, whose states the item searches read; null if it is binary.
  virtual const MulticlassCrowd* multiclass() const { return nullptr; }

  /// Control over the time of refits; null if the crowd never refits in the background.
  virtual RefitControl* refit_control() { return nullptr; }
  /// Refits, and estimates of a learned prior, that took effect since the crowd was made or loaded.
  std::uint64_t refit_count() const { return refit_count_; }

  /// Writes all that the crowd remembers, for `load` in a crowd made with the same options.
  virtual void save(ByteWriter& to) const = 0;
  /// Replaces this crowd's beliefs by saved ones. After a failure the crowd cannot be used.
  virtual void load(ByteReader& from) = 0;

 protected:
  std::uint64_t refit_count_ = 0;  ///< refits that took effect; derived classes count them
};

/// Makes a crowd of the kind that the options ask for, with the beliefs before the first label.
/// Throws std::invalid_argument if a prior is improper, if worker priors are not one per worker, if
/// the item prior of a one-pass crowd is a mixture, if there is a design without refits, of a
/// binary crowd by em or not of these items, if there are groups without pooled refits or without a
/// Dirichlet prior, or if inherited counts are negative or not a table of the classes.
std::unique_ptr<Crowd> make_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                  std::uint32_t worker_count);

}  // namespace allot::model
