#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "model/binary_fits.hpp"
#include "model/by_worker.hpp"
#include "model/coin_belief.hpp"
#include "model/one_pass.hpp"

namespace allot::model {
namespace {

/// A label as snapshots store it.
struct GivenBinaryLabel {
  static constexpr std::uint32_t kKnownItem = UINT32_MAX;

  std::uint32_t item, worker;
  std::uint32_t number;  // the label, and 2 more if a known item is positive

  static GivenBinaryLabel open(ItemId item, WorkerId worker, ClassId label) {
    return {position(item), position(worker), position(label)};
  }
  static GivenBinaryLabel known(WorkerId worker, ClassId truth, ClassId label) {
    return {kKnownItem, position(worker), position(label) | position(truth) << 1};
  }
  ClassId label() const { return ClassId{number & 1}; }
  ClassId truth() const { return ClassId{number >> 1}; }
  void set_label(ClassId label) { number = (number & ~1U) | position(label); }
};

/// The paper's crowd: one pass by moment matching.
class OnePassBinaryCrowd : public OnePassCrowd<BinaryCrowd, GivenBinaryLabel> {
 public:
  OnePassBinaryCrowd(const CrowdOptions& options, std::uint32_t item_count,
                     std::uint32_t worker_count)
      : item_prior_(std::get<Prior>(options.item_prior).components().front()),
        worker_prior_(
            options.worker_priors, options.worker_prior,
            [coins = options.coins](const Prior& prior) { return CoinBelief(prior, coins); }),
        inherited_(2, options.inherited) {
    OnePassBinaryCrowd::grow(item_count, worker_count, nullptr, {});
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_no_design(design);
    check_new_workers(priors, false, this->worker_count(), worker_count);
    worker_prior_.add(workers_.size(), priors);
    items_.resize(item_count, ItemState::soft_label(item_prior_.a, item_prior_.b));
    while (workers_.size() < worker_count) {
      coins_.push_back(worker_prior_[workers_.size()]);
      coins_.back().inherit(inherited_.inherited(workers_.size()));
      workers_.push_back(coins_.back().state());
    }
  }

  void save(ByteWriter& to) const override {
    save_shapes(items_, to);
    to.array(given_);
    worker_prior_.save(to);
    to.number(coins_.size());
    for (const CoinBelief& coins : coins_) coins.save(to);
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

  std::vector<double> final_probabilities() const override { return class_probabilities(items_); }

  /// Likelihoods of each worker's coins at the points of a WorkerGrid.
  struct Evidence {
    Evidence(const CrowdOptions& options, std::uint32_t worker_count)
        : grid(options.worker_prior, options.coins), likelihoods(worker_count * grid.size(), 1) {}
    static Coins coins(const CrowdOptions& options) { return options.coins; }
    void add(const OnePassBinaryCrowd& pass, const GivenBinaryLabel& given) {
      model::absorb(grid, pass.positive(given), to_label(given.label()),
                    &likelihoods[given.worker * grid.size()]);
    }

    WorkerGrid grid;
    std::vector<double> likelihoods;
  };

 protected:
  void absorb(const GivenBinaryLabel& given) override {
    const double before = positive(given);
    const Label label = to_label(given.label());
    WorkerState& worker = workers_[given.worker];
    if (given.item != GivenBinaryLabel::kKnownItem) {
      ItemState& item = items_[given.item];
      item = after(item, worker.mean, label);
    }
    coins_[given.worker].record(before, label);
    worker = coins_[given.worker].state();
  }

  void clear() override {
    items_.clear();
    workers_.clear();
    coins_.clear();
  }

 private:
  /// Probability that the label's item is positive, as believed now.
  double positive(const GivenBinaryLabel& given) const {
    return given.item == GivenBinaryLabel::kKnownItem ? position(given.truth())
                                                      : items_[given.item].mean();
  }

  BetaComponent item_prior_;
  ByWorker<CoinBelief> worker_prior_;
  KnownLabels inherited_;  // no labels, only what workers inherit
  std::vector<CoinBelief> coins_;
};

}  // namespace

std::unique_ptr<Crowd> one_pass_binary_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                             std::uint32_t worker_count) {
  return one_pass_crowd<OnePassBinaryCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
