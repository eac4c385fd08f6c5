// What is believed about items and workers together, label after label.
//
// Two ways to hold such beliefs, behind one interface:
//   one pass   the paper's: soft labels and reliabilities are Betas, and each label moves one item
//              and one worker by moment matching [CLZ Algorithm 2]. With perfect workers this is
//              the model of alike workers.
//   refitted   items are positive or not; every so many labels all beliefs are fitted anew to all
//              labels, so that early mistakes about workers do not stay in the items. In between a
//              label moves its item and its worker as in one pass.
// A refit starts from the labels alone, never from its own last result, so the beliefs after some
// labels depend on those labels and their order only, and no bad optimum is handed on.
//
// Items and workers may come while it goes on, and workers may be tried on items whose class is
// known: such a label speaks about its worker alone.
//
// Cost: a label takes O(1), or O(nodes) of a worker's grid for `integrated`; a refit O(items +
// labels so far) times the rounds, and for `integrated` times the nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// How beliefs are fitted anew.
enum class Refit {
  off,         // one pass
  em,          // expectation-maximisation, restarted from the majority each time [DS79]
  integrated,  // belief propagation that integrates over what each worker's coins may be
};

struct CrowdOptions {
  /// Of the soft label of every item; of a refitted item only Pr(theta >= 1/2) matters, and the
  /// share of positive items is learned from there.
  Prior item_prior;
  /// Of either coin of every worker; the default was chosen on real labels (docs/replays.md), the
  /// paper has Beta(4,1). A mixture is one of worker types: both coins are of the type.
  Prior worker_prior = Prior::beta(3, 0.9);
  Coins coins = Coins::two;
  Refit refit = Refit::integrated;
  /// Labels from one refit to the next; never less than 2 % of all labels so far, so that all
  /// refits together cost about fifty of the last, nor than one for a thousand items. At least 1.
  std::uint32_t refit_every = 20;
  /// Instead of `worker_prior`, where workers are of different types: one a worker.
  std::vector<Prior> worker_priors = {};
  /// Whether the worker prior, one for all, is only where learning starts: the Beta is then
  /// estimated from all labels so far (empirical Bayes, src/model/grid_prior_fit.hpp). With refits
  /// every refit does it: a fit under the start says what the labels say of each worker, the second
  /// is under the estimate. In one pass it is done every 25 labels (2 % of all, one for a thousand
  /// items, if that is more) and before answering, in the same way: two passes over all labels so
  /// far.
  bool learn_workers = false;
  /// Refits so many labels apart or more take effect only after half of the labels until the next,
  /// so that they can be made meanwhile (fit_ahead); 0 for never.
  std::uint32_t background_refit_gap = 0;
};

class Crowd {
 public:
  virtual ~Crowd() = default;

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(items_.size()); }
  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  const ItemState& operator[](ItemId item) const { return items_[position(item)]; }
  const WorkerState& operator[](WorkerId worker) const { return workers_[position(worker)]; }
  std::span<const ItemState> items() const { return items_; }

  /// Absorbs a label. True if all beliefs were fitted anew; otherwise those of this item and this
  /// worker alone have changed.
  virtual bool record(ItemId item, WorkerId worker, Label label) = 0;

  /// A label of an item whose class is known; changes the belief about the worker alone, and does
  /// not count for refits.
  virtual void record_known(WorkerId worker, Label truth, Label label) = 0;

  /// The worker's label of the item becomes another. All beliefs are then those of a crowd that was
  /// told so in the first place, or, refitted or under a prior that is learned, as after a refit
  /// now. Costs as much as all labels so far or a refit. Throws std::invalid_argument if the worker
  /// gave no label of the item.
  virtual void revise(ItemId item, WorkerId worker, Label label) = 0;

  /// The same for the worker's last label `before` of an item of that known class.
  virtual void revise_known(WorkerId worker, Label truth, Label before, Label label) = 0;

  /// Adds items and workers of whom nothing is known, up to these numbers. The workers have the
  /// priors handed in, one each, or else the usual one, as far as it is learned by then. O(1) each.
  /// Throws std::invalid_argument as make_crowd does.
  virtual void grow(std::uint32_t item_count, std::uint32_t worker_count,
                    std::span<const Prior> priors = {}) = 0;

  /// So many labels will be recorded, and no items added, before anybody looks at what is believed:
  /// of the refits until then only the last that takes effect is made. True if beliefs are not kept
  /// up until it does.
  virtual bool expect(std::uint64_t) { return false; }
  /// Whether a refit that takes effect late is begun at once, by a thread of its own; otherwise it
  /// is made when it is needed. Beliefs are the same.
  virtual void fit_ahead(bool) {}

  /// All that is believed and remembered, to go on from there in a crowd made with the same
  /// options. After a `load` that fails the crowd is good for nothing.
  virtual void save(ByteWriter& to) const = 0;
  virtual void load(ByteReader& from) = 0;

  /// The beliefs about items to answer from: fitted to all labels so far, where refits are on.
  /// Changes nothing.
  virtual std::vector<ItemState> settled() const = 0;

 protected:
  Crowd(std::vector<ItemState> items, std::vector<WorkerState> workers)
      : items_(std::move(items)), workers_(std::move(workers)) {}

  std::vector<ItemState> items_;
  std::vector<WorkerState> workers_;
};

/// Beliefs before the first label. Throws std::invalid_argument if a prior is improper, if worker
/// priors are not one a worker, or if the item prior of a one-pass crowd is a mixture.
std::unique_ptr<Crowd> make_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                  std::uint32_t worker_count);

}  // namespace allot::model
