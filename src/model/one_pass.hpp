// One pass over the labels, with a worker prior that is given or learned: what crowds share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/crowd_kinds.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_grid.hpp"

namespace allot::model {

/// A crowd that absorbs each label once, in order, and remembers all of them for revisions.
///
/// `Base` is BinaryCrowd or MulticlassCrowd. `Given` is a label as snapshots store it, with members
/// item and worker, functions label(), truth(), set_label(), and static functions
/// open(item, worker, label) and known(worker, truth, label). kKnownItem marks the latter.
template <typename Base, typename Given>
class OnePassCrowd : public Base {
 public:
  bool record(ItemId item, WorkerId worker, ClassId label) override {
    given_.push_back(Given::open(item, worker, label));
    absorb(given_.back());
    return false;
  }
  void record_known(WorkerId worker, ClassId truth, ClassId label) override {
    given_.push_back(Given::known(worker, truth, label));
    absorb(given_.back());
  }
  void revise(ItemId item, WorkerId worker, ClassId label, float) final {
    const auto place = std::ranges::find_if(given_, [&](const Given& given) {
      return given.item == position(item) && given.worker == position(worker);
    });
    if (place == given_.end()) reject_revision(item);
    place->set_label(label);
    pass_again();
  }
  void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) final {
    const auto place = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& given) {
      return given.item == Given::kKnownItem && given.worker == position(worker) &&
             given.truth() == truth && given.label() == before;
    });
    if (place == given_.rend()) reject_known_revision(worker);
    place->set_label(label);
    pass_again();
  }

  bool review(std::span<const KnownChange> changes) final {
    for (const KnownChange& one : changes) {
      const Given open = Given::open(one.item, one.worker, one.label);
      const Given known = Given::known(one.worker, one.truth, one.label);
      const Given& before = one.known ? open : known;
      const auto place = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& given) {
        return given.item == before.item && given.worker == before.worker &&
               given.label() == one.label && (one.known || given.truth() == one.truth);
      });
      if (place == given_.rend()) reject_revision(one.item);
      *place = one.known ? known : open;
    }
    pass_again();
    return true;
  }

  /// Absorbs all labels of another crowd, in order, and calls before(label) before each.
  template <typename Before>
  void follow(const OnePassCrowd& other, Before before) {
    given_ = other.given_;
    for (const Given& given : given_) {
      before(given);
      absorb(given);
    }
  }

 protected:
  using Base::Base;

  /// Moves the beliefs that a label is about.
  virtual void absorb(const Given& given) = 0;
  /// Drops all beliefs about items and workers; grow() then starts them from their priors.
  virtual void clear() = 0;
  /// Passes all labels again, from the priors.
  virtual void pass_again() {
    const std::uint32_t items = this->item_count(), workers = this->worker_count();
    clear();
    this->grow(items, workers, nullptr, {});
    for (const Given& given : given_) absorb(given);
  }

  std::vector<Given> given_;  // in order
};

/// One pass under a worker prior that is learned: on a schedule, all labels are passed again.
///
/// `Pass` is an OnePassCrowd with a class Evidence(options, worker_count): evidence.add(pass,
/// given) multiplies the likelihood of the label into `likelihoods`, one row of grid points per
/// worker, and evidence.coins is the number of coins of the grid.
template <typename Pass>
class LearningOnePassCrowd final : public Pass {
 public:
  LearningOnePassCrowd(const CrowdOptions& options, std::uint32_t item_count,
                       std::uint32_t worker_count)
      : Pass(options, item_count, worker_count),
        options_(options),
        schedule_(kLearnEvery, item_count),
        prior_fit_(worker_prior_fit(options, Pass::Evidence::coins(options))) {}

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    Pass::record(item, worker, label);
    const bool due = schedule_.is_due();
    if (due) pass_again();
    return due;
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_workers(priors, true, this->worker_count(), worker_count);
    Pass::grow(item_count, worker_count, std::move(design), {});
    schedule_.set_items(item_count);
  }

  /// The pass holds the prior learned last as that of all its workers.
  void save(ByteWriter& to) const override {
    schedule_.save(to);
    Pass::save(to);
  }
  void load(ByteReader& from) override {
    schedule_.load(from);
    Pass::load(from);
    schedule_.set_items(this->item_count());
  }

  std::vector<double> final_probabilities() const override {
    return relearned().final_probabilities();
  }

 private:
  void pass_again() override {
    const std::uint64_t refits = this->refit_count_ + 1;
    static_cast<Pass&>(*this) = relearned();
    this->refit_count_ = refits;
  }

  /// A pass under the prior that a pass under the start has taught. A label is read by the beliefs
  /// before it: an item then says nothing about a worker that it has from this very label.
  Pass relearned() const {
    Pass first(options_, this->item_count(), this->worker_count());
    typename Pass::Evidence evidence(options_, this->worker_count());
    first.follow(*this, [&](const auto& given) { evidence.add(first, given); });
    CrowdOptions learned = options_;
    learned.worker_prior = beta_prior(prior_fit_(evidence.likelihoods));
    Pass second(learned, this->item_count(), this->worker_count());
    second.follow(*this, [](const auto&) {});
    return second;
  }

  const CrowdOptions options_;
  RefitSchedule schedule_;
  mutable GridPriorFit prior_fit_;  // caches masses
};

template <typename Pass>
std::unique_ptr<Crowd> one_pass_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                      std::uint32_t worker_count) {
  if (!options.learn_workers) return std::make_unique<Pass>(options, item_count, worker_count);
  return std::make_unique<LearningOnePassCrowd<Pass>>(options, item_count, worker_count);
}

}  // namespace allot::model
