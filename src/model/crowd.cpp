#include "allot/model/crowd.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allot/base/check.hpp"
#include "model/belief_propagation.hpp"
#include "model/by_worker.hpp"
#include "model/class_share.hpp"
#include "model/coin_belief.hpp"
#include "model/doubt.hpp"
#include "model/em_fit.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {
namespace {

/// Rounds of a refit between decisions, and of the one that answers come from.
constexpr int kPropagationRounds = 5, kLastPropagationRounds = 20;
constexpr int kEmRounds = 8, kLastEmRounds = 50;

/// The paper's: one pass by moment matching.
class OnePassCrowd final : public Crowd {
 public:
  OnePassCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : Crowd({}, {}) {
    const BetaComponent& prior = options.item_prior.components().front();
    items_.assign(item_count, ItemState::soft_label(prior.a, prior.b));
    const ByWorker<CoinBelief> coins(
        options.worker_priors, options.worker_prior,
        [&](const Prior& one) { return CoinBelief(one, options.coins); });
    for (std::uint32_t j = 0; j < worker_count; ++j) {
      coins_.push_back(coins[j]);
      workers_.push_back(coins_.back().state());
    }
  }

  bool record(ItemId item, WorkerId worker, Label label) override {
    ItemState& belief = items_[position(item)];
    WorkerState& trust = workers_[position(worker)];
    const double positive = belief.mean();
    belief = after(belief, trust.mean, label);
    coins_[position(worker)].record(positive, label);
    trust = coins_[position(worker)].state();
    return false;
  }

  std::vector<ItemState> settled() const override { return items_; }

 private:
  std::vector<CoinBelief> coins_;
};

GridPriorFit worker_prior_fit(const CrowdOptions& options) {
  return {options.coins, worker_hyper_prior(options.worker_prior)};
}

Prior beta_prior(const math::BetaShape& shape) { return Prior::beta(shape.a, shape.b); }

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
    labels_.push_back({item, worker, label});
    if (schedule_.is_due()) {
      pass_ = relearned();
      take_over();
      return true;
    }
    pass_.record(item, worker, label);
    items_[position(item)] = pass_[item];
    workers_[position(worker)] = pass_[worker];
    return false;
  }

  std::vector<ItemState> settled() const override { return relearned().settled(); }

 private:
  struct Given {
    ItemId item;
    WorkerId worker;
    Label label;
  };

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
    for (const auto& [item, worker, label] : labels_) {
      absorb(grid, first[item].mean(), label, &likelihoods[position(worker) * grid.size()]);
      first.record(item, worker, label);
    }
    CrowdOptions learned = options_;
    learned.worker_prior = beta_prior(learning_(likelihoods));
    OnePassCrowd second(learned, pass_.item_count(), pass_.worker_count());
    for (const auto& [item, worker, label] : labels_) second.record(item, worker, label);
    return second;
  }

  const CrowdOptions options_;
  RefitSchedule schedule_;
  mutable GridPriorFit learning_;  // keeps masses
  OnePassCrowd pass_;
  std::vector<Given> labels_;
};

/// Counts labels and says when to refit.
class RefittedCrowd : public Crowd {
 public:
  bool record(ItemId item, WorkerId worker, Label label) final {
    labels_[position(worker)].push_back({position(item), label});
    if (schedule_.is_due()) {
      refit();
      return true;
    }
    ItemState& belief = items_[position(item)];
    const double positive = belief.mean();
    belief = after(belief, workers_[position(worker)].mean, label);
    move_worker(position(worker), positive, label);
    return false;
  }

 protected:
  RefittedCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : Crowd({}, {}),
        labels_(worker_count),
        prior_share_(prior_share(options.item_prior)),
        schedule_(options.refit_every, item_count) {
    items_.assign(item_count, ItemState::class_odds(log_odds(prior_share_)));
  }

  virtual void refit() = 0;
  virtual void move_worker(std::uint32_t worker, double positive, Label label) = 0;

  void set_items(const std::vector<double>& odds) {
    std::ranges::transform(odds, items_.begin(), ItemState::class_odds);
  }
  static std::vector<ItemState> states(const std::vector<double>& odds) {
    std::vector<ItemState> result(odds.size());
    std::ranges::transform(odds, result.begin(), ItemState::class_odds);
    return result;
  }

  LabelsByWorker labels_;
  const double prior_share_;

 private:
  static double prior_share(const Prior& prior) {
    double share = 0;
    for (const auto& [weight, a, b] : prior.components()) {
      share += weight * prob_positive(ItemState::soft_label(a, b));
    }
    return std::clamp(share, 1e-6, 1 - 1e-6);
  }

  RefitSchedule schedule_;
};

class IntegratedCrowd final : public RefittedCrowd {
 public:
  IntegratedCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : RefittedCrowd(options, item_count, worker_count),
        coins_(options.coins),
        grids_(options.worker_priors, options.worker_prior,
               [&](const Prior& prior) { return WorkerGrid(prior, options.coins); }) {
    if (options.learn_workers) learning_.emplace(worker_prior_fit(options));
    for (std::uint32_t j = 0; j < worker_count; ++j) {
      const std::vector<double>& weight = grids_[j].weight;
      weights_.insert(weights_.end(), weight.begin(), weight.end());
      workers_.push_back(grids_[j].state(weight.data()));
    }
  }

  std::vector<ItemState> settled() const override {
    return states(fit(kLastPropagationRounds).log_odds);
  }

 private:
  GridFit fit(int rounds) const {
    if (!learning_) return fit(rounds, grids_);
    // Weights over prior weights are what the labels say of a worker; nothing where a sharp start
    // has none.
    std::vector<double> likelihoods = fit(kPropagationRounds, grids_).weights;
    const std::vector<double>& start = grids_[0].weight;
    for (std::size_t n = 0; n < likelihoods.size(); ++n) {
      const double prior = start[n % start.size()];
      likelihoods[n] = prior > 1e-100 ? likelihoods[n] / prior : 0;
    }
    return fit(rounds, WorkerGrid(beta_prior((*learning_)(likelihoods)), coins_));
  }

  GridFit fit(int rounds, const ByWorker<WorkerGrid>& grids) const {
    return belief_propagation(labels_, item_count(), grids, prior_share_, rounds);
  }

  void refit() override {
    GridFit fitted = fit(kPropagationRounds);
    set_items(fitted.log_odds);
    weights_ = std::move(fitted.weights);
    for (std::size_t j = 0; j < workers_.size(); ++j) {
      workers_[j] = grids_[j].state(&weights_[j * grids_[j].size()]);
    }
  }

  void move_worker(std::uint32_t worker, double positive, Label label) override {
    const WorkerGrid& grid = grids_[worker];
    double* const weights = &weights_[worker * grid.size()];
    absorb(grid, positive, label, weights);
    workers_[worker] = grid.state(weights);
  }

  const Coins coins_;
  const ByWorker<WorkerGrid> grids_;
  std::vector<double> weights_;                   // by worker and point
  mutable std::optional<GridPriorFit> learning_;  // keeps masses
};

class EmCrowd final : public RefittedCrowd {
 public:
  EmCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : RefittedCrowd(options, item_count, worker_count),
        worker_prior_(options.worker_priors, options.worker_prior, matched),
        coin_count_(options.coins) {
    if (options.learn_workers) {
      learning_.emplace(worker_prior_fit(options));
      grid_.emplace(options.worker_prior, options.coins);
    }
    for (std::uint32_t j = 0; j < worker_count; ++j) {
      coins_.push_back(belief(worker_prior_[j], worker_prior_[j]));
      workers_.push_back(coins_.back().state());
    }
  }

  std::vector<ItemState> settled() const override { return states(fit(kLastEmRounds).log_odds); }

 private:
  CoinBelief belief(const math::BetaShape& sensitivity, const math::BetaShape& specificity) const {
    return CoinBelief(sensitivity, specificity, coin_count_);
  }

  EmFit fit(int rounds) const {
    if (!learning_) return fit(rounds, worker_prior_);
    return fit(rounds, (*learning_)(likelihoods(fit(kEmRounds, worker_prior_))));
  }

  EmFit fit(int rounds, const ByWorker<math::BetaShape>& prior) const {
    return em_fit(labels_, item_count(), coin_count_, prior, prior_share_, rounds);
  }

  /// What the labels say of each worker, where items are what all other labels make of them.
  std::vector<double> likelihoods(const EmFit& fitted) const {
    std::vector<double> result(labels_.size() * grid_->size(), 1);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      const Channel mean{doubted(fitted.sensitivity[j].mean()),
                         doubted(fitted.specificity[j].mean())};
      for (const auto& [item, label] : labels_[j]) {
        const auto [u, v] = mean.likelihood(label);
        const double others = fitted.log_odds[item] - std::log(u / v);
        absorb(*grid_, 1 / (1 + std::exp(-others)), label, &result[j * grid_->size()]);
      }
    }
    return result;
  }

  void refit() override {
    const EmFit fitted = fit(kEmRounds);
    set_items(fitted.log_odds);
    for (std::size_t j = 0; j < workers_.size(); ++j) {
      coins_[j] = belief(fitted.sensitivity[j], fitted.specificity[j]);
      workers_[j] = coins_[j].state();
    }
  }

  void move_worker(std::uint32_t worker, double positive, Label label) override {
    coins_[worker].record(positive, label);
    workers_[worker] = coins_[worker].state();
  }

  const ByWorker<math::BetaShape> worker_prior_;
  const Coins coin_count_;
  std::vector<CoinBelief> coins_;
  mutable std::optional<GridPriorFit> learning_;  // keeps masses
  std::optional<WorkerGrid> grid_;                // where priors are learned
};

}  // namespace

std::unique_ptr<Crowd> make_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                  std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_crowd";
  require(options.item_prior.is_proper(), kName, "item prior", 0, "expected a proper one");
  check_worker_priors(kName, options.worker_prior, options.worker_priors, options.learn_workers,
                      worker_count);
  switch (options.refit) {
    case Refit::integrated:
      return std::make_unique<IntegratedCrowd>(options, item_count, worker_count);
    case Refit::em:
      return std::make_unique<EmCrowd>(options, item_count, worker_count);
    case Refit::off:
      break;
  }
  require(!options.item_prior.is_mixture(), kName, "components of the item prior",
          static_cast<double>(options.item_prior.components().size()), "expected one");
  if (options.learn_workers)
    return std::make_unique<LearningOnePassCrowd>(options, item_count, worker_count);
  return std::make_unique<OnePassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
