#include <algorithm>

#include "allot/base/check.hpp"
#include "model/belief_propagation.hpp"
#include "model/by_worker.hpp"
#include "model/coin_belief.hpp"
#include "model/crowd_kinds.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {
namespace {

/// The paper's: one pass by moment matching.
class OnePassCrowd final : public Crowd {
 public:
  OnePassCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : Crowd({}, {}),
        item_prior_(options.item_prior.components().front()),
        worker_prior_(
            options.worker_priors, options.worker_prior,
            [coins = options.coins](const Prior& one) { return CoinBelief(one, coins); }) {
    OnePassCrowd::grow(item_count, worker_count, {});
  }

  bool record(ItemId item, WorkerId worker, Label label) override {
    given_.push_back({position(item), position(worker), to_number(label)});
    absorb(given_.back());
    return false;
  }

  void record_known(WorkerId worker, Label truth, Label label) override {
    given_.push_back({kKnown, position(worker), to_number(label) | to_number(truth) << 1});
    absorb(given_.back());
  }

  void revise(ItemId item, WorkerId worker, Label label) override {
    correct(item, worker, label);
    pass_again();
  }
  void revise_known(WorkerId worker, Label truth, Label before, Label label) override {
    correct_known(worker, truth, before, label);
    pass_again();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::span<const Prior> priors) override {
    check_new_priors(kGrowCrowd, priors, false, this->worker_count(), worker_count);
    worker_prior_.add(workers_.size(), priors);
    items_.resize(item_count, ItemState::soft_label(item_prior_.a, item_prior_.b));
    while (workers_.size() < worker_count) {
      coins_.push_back(worker_prior_[workers_.size()]);
      workers_.push_back(coins_.back().state());
    }
  }

  void save(ByteWriter& to) const override {
    save_shapes(items_, to);
    to.array(given_);
    worker_prior_.save(to);
    to.number(coins_.size());
    for (const CoinBelief& one : coins_) one.save(to);
  }

  void load(ByteReader& from) override {
    load_shapes(items_, true, from);
    from.array(given_);
    worker_prior_.load(from);
    coins_.clear();
    workers_.clear();
    for (std::size_t left = from.count(1); left > 0; --left) {
      coins_.push_back(worker_prior_[coins_.size()]);
      coins_.back().load(from);
      workers_.push_back(coins_.back().state());
    }
  }

  std::vector<ItemState> settled() const override { return items_; }

  struct Given {
    std::uint32_t item, worker;  // kKnown: an item whose class is known
    std::uint32_t number;        // 1 if the label is positive; 2 more if a known item is

    Label label() const { return (number & 1) != 0 ? Label::positive : Label::negative; }
  };
  const std::vector<Given>& given() const { return given_; }

  /// The chance that the label's item is positive, as it is believed now.
  double positive(const Given& one) const {
    return one.item == kKnown ? one.number >> 1 : items_[one.item].mean();
  }

  /// The label becomes another, and beliefs stay as they are.
  void correct(ItemId item, WorkerId worker, Label label) {
    const auto place = std::ranges::find_if(given_, [&](const Given& one) {
      return one.item == position(item) && one.worker == position(worker);
    });
    if (place == given_.end()) reject_revision(item);
    place->number = to_number(label);
  }
  void correct_known(WorkerId worker, Label truth, Label before, Label label) {
    const std::uint32_t known = to_number(truth) << 1;
    const auto place = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& one) {
      return one.item == kKnown && one.worker == position(worker) &&
             one.number == (to_number(before) | known);
    });
    if (place == given_.rend()) reject_known_revision(worker);
    place->number = to_number(label) | known;
  }

  /// All labels of another crowd, in order; calls before(label) before each.
  template <typename Before>
  void follow(const OnePassCrowd& other, Before before) {
    given_ = other.given_;
    for (const Given& one : given_) {
      before(one);
      absorb(one);
    }
  }

 private:
  static constexpr std::uint32_t kKnown = UINT32_MAX;

  static std::uint32_t to_number(Label label) { return label == Label::positive ? 1 : 0; }

  void pass_again() {
    const std::uint32_t items = item_count(), workers = worker_count();
    items_.clear();
    workers_.clear();
    coins_.clear();
    grow(items, workers, {});
    for (const Given& one : given_) absorb(one);
  }

  void absorb(const Given& one) {
    const double before = positive(one);
    WorkerState& trust = workers_[one.worker];
    if (one.item != kKnown) {
      ItemState& belief = items_[one.item];
      belief = after(belief, trust.mean, one.label());
    }
    coins_[one.worker].record(before, one.label());
    trust = coins_[one.worker].state();
  }

  BetaComponent item_prior_;
  ByWorker<CoinBelief> worker_prior_;
  std::vector<CoinBelief> coins_;
  std::vector<Given> given_;  // in order
};

/// One pass under a worker prior that is learned: every so often all labels are passed again.
class LearningOnePassCrowd final : public Crowd {
 public:
  LearningOnePassCrowd(const CrowdOptions& options, std::uint32_t item_count,
                       std::uint32_t worker_count)
      : Crowd({}, {}),
        options_(options),
        schedule_(kLearnEvery, item_count),
        learning_(worker_prior_fit(options)),
        pass_(options, item_count, worker_count) {
    take_over();
  }

  bool record(ItemId item, WorkerId worker, Label label) override {
    pass_.record(item, worker, label);
    if (schedule_.is_due()) {
      relearn();
      return true;
    }
    items_[position(item)] = pass_[item];
    workers_[position(worker)] = pass_[worker];
    return false;
  }

  void record_known(WorkerId worker, Label truth, Label label) override {
    pass_.record_known(worker, truth, label);
    workers_[position(worker)] = pass_[worker];
  }

  void revise(ItemId item, WorkerId worker, Label label) override {
    pass_.correct(item, worker, label);
    relearn();
  }
  void revise_known(WorkerId worker, Label truth, Label before, Label label) override {
    pass_.correct_known(worker, truth, before, label);
    relearn();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::span<const Prior> priors) override {
    check_new_priors(kGrowCrowd, priors, true, this->worker_count(), worker_count);
    std::uint32_t item = this->item_count(), worker = this->worker_count();
    pass_.grow(item_count, worker_count, {});
    schedule_.set_items(item_count);
    for (; item < item_count; ++item) items_.push_back(pass_[ItemId{item}]);
    for (; worker < worker_count; ++worker) workers_.push_back(pass_[WorkerId{worker}]);
  }

  /// The prior learned last is that of all workers of the pass.
  void save(ByteWriter& to) const override {
    schedule_.save(to);
    pass_.save(to);
  }

  void load(ByteReader& from) override {
    schedule_.load(from);
    pass_.load(from);
    schedule_.set_items(pass_.item_count());
    take_over();
  }

  std::vector<ItemState> settled() const override { return relearned().settled(); }

 private:
  void relearn() {
    pass_ = relearned();
    take_over();
  }

  void take_over() {
    items_.assign(pass_.items().begin(), pass_.items().end());
    workers_.clear();
    for (std::uint32_t j = 0; j < pass_.worker_count(); ++j) workers_.push_back(pass_[WorkerId{j}]);
  }

  /// A pass under what a pass under the start has taught. A label is read by what was believed
  /// before it: an item says of a worker nothing that it has from the label itself.
  OnePassCrowd relearned() const {
    const WorkerGrid grid(options_.worker_prior, options_.coins);
    std::vector<double> likelihoods(pass_.worker_count() * grid.size(), 1);
    OnePassCrowd first(options_, pass_.item_count(), pass_.worker_count());
    first.follow(pass_, [&](const OnePassCrowd::Given& one) {
      absorb(grid, first.positive(one), one.label(), &likelihoods[one.worker * grid.size()]);
    });
    CrowdOptions learned = options_;
    learned.worker_prior = beta_prior(learning_(likelihoods));
    OnePassCrowd second(learned, pass_.item_count(), pass_.worker_count());
    second.follow(pass_, [](const OnePassCrowd::Given&) {});
    return second;
  }

  const CrowdOptions options_;
  RefitSchedule schedule_;
  mutable GridPriorFit learning_;  // keeps masses
  OnePassCrowd pass_;
};

}  // namespace

std::unique_ptr<Crowd> one_pass_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                      std::uint32_t worker_count) {
  if (options.learn_workers)
    return std::make_unique<LearningOnePassCrowd>(options, item_count, worker_count);
  return std::make_unique<OnePassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
