#include <algorithm>
#include <cmath>

#include "allot/model/binary_crowd.hpp"
#include "model/binary_answers.hpp"
#include "model/binary_fits.hpp"
#include "model/by_worker.hpp"
#include "model/coin_belief.hpp"
#include "model/refits.hpp"

namespace allot::model {
namespace {

/// The labels that beliefs are fitted to.
struct Evidence {
  const LabelsByWorker& labels;
  const KnownLabels& known;
  std::uint32_t items;
  FitFeatures features;
  double share;  // of positive items before the first label
};

std::vector<double> by_log_odds(const std::vector<double>& log_odds) {
  std::vector<ItemState> states(log_odds.size());
  std::ranges::transform(log_odds, states.begin(), ItemState::hard_odds);
  return class_probabilities(states);
}

/// `Fitted` is a fit to all labels: the items' log_odds, and the workers.
template <typename Fitted>
class RefittedBinaryCrowd : public RefittedCrowd<BinaryCrowd, WorkerLabel> {
 public:
  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) final {
    const bool new_features = design != nullptr;
    if (new_features) set_design(std::move(design), item_count);
    check_new_workers(priors, learning_.has_value(), this->worker_count(), worker_count);
    set_counts(item_count, worker_count);
    items_.resize(item_count, unknown_item());
    if (!priors.empty()) wait();  // a fit reads priors
    add_workers(worker_count, priors);
    if (new_features) restart_pending();
  }

  void save(ByteWriter& to) const final {
    save_shapes(items_, to);
    save_labels(to);
    save_workers(to);
  }

  void load(ByteReader& from) final {
    load_shapes(items_, false, from);
    load_labels(from, 2);
    load_workers(from);
    if (!from.failed()) begin_loaded();
  }

  std::vector<double> final_probabilities() const final {
    return fit_to_all([&](const LabelsByWorker& labels, const KnownLabels& known) {
      const Evidence evidence{labels, known, item_count(), features_, prior_share_};
      return answers(evidence, learned_prior(evidence));
    });
  }

 protected:
  RefittedBinaryCrowd(const CrowdOptions& options, std::uint32_t item_count,
                      std::uint32_t worker_count, int rounds)
      : RefittedCrowd(worker_count, KnownLabels(2, options.inherited),
                      RefitSchedule(options.refit_every, item_count, options.background_refit_gap)),
        prior_share_(prior_share(std::get<Prior>(options.item_prior))),
        coin_count_(options.coins),
        rounds_(rounds),
        takes_features_(options.refit != Refit::em),
        takes_turns_(options.shares_in_turn && options.refit != Refit::em),
        weight_variance_(options.weight_variance) {
    if (options.learn_workers) learning_.emplace(worker_prior_fit(options, options.coins));
    if (options.design) set_design(options.design, item_count);
    items_.assign(item_count, unknown_item());
  }

  /// A fit under the learned prior, or under the given ones if there is none.
  virtual Fitted fit(const Evidence& evidence, int rounds,
                     const std::optional<math::BetaShape>& learned) const = 0;
  /// Probabilities of both classes, item by item, to answer from.
  virtual std::vector<double> answers(const Evidence& evidence,
                                      const std::optional<math::BetaShape>& learned) const = 0;
  /// Likelihoods of coins at the points of a WorkerGrid, from a fit under the given prior.
  virtual std::vector<double> likelihoods(const Evidence& evidence, Fitted fitted) const = 0;
  virtual void set_workers(const Fitted& fitted) = 0;
  /// Moves the belief about a worker, who labelled an item that is positive with this probability.
  virtual void move_worker(std::uint32_t worker, double positive, Label label) = 0;
  /// Adds workers up to this number.
  virtual void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) = 0;
  virtual void drop_workers(std::uint32_t first) = 0;
  virtual void save_workers(ByteWriter& to) const = 0;
  virtual void load_workers(ByteReader& from) = 0;

  const double prior_share_;
  const Coins coin_count_;
  std::optional<math::BetaShape> learned_;  // by the last refit

 private:
  /// The worker prior estimated from all labels; none if no prior is learned.
  std::optional<math::BetaShape> learned_prior(const Evidence& evidence) const {
    if (!learning_) return {};
    return (*learning_)(likelihoods(evidence, fit(evidence, rounds_, {})));
  }

  Fit make_fit(std::uint32_t items) final {
    const double share = takes_turns_ && is_voted_turn(1.0 / 3) ? positive_share(labels_) : prior_share_;
    return [this, items, share, features = features_]() -> Install {
      const Evidence evidence{labels_, known_, items, features, share};
      const auto learned = learned_prior(evidence);
      return [this, learned, fitted = fit(evidence, rounds_, learned)] {
        learned_ = learned;
        std::ranges::transform(fitted.log_odds, items_.begin(), ItemState::hard_odds);
        set_workers(fitted);
      };
    };
  }

  void move(std::uint32_t worker, const WorkerLabel& given) final {
    ItemState& belief = items_[given.item];
    const double positive = belief.mean();
    belief = after(belief, workers_[worker].mean, given.label);
    move_worker(worker, positive, given.label);
  }
  void move_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) final {
    move_worker(worker, truth, label == 1 ? Label::positive : Label::negative);
  }
  void restart_item(std::uint32_t item) final { items_[item] = unknown_item(); }
  void restart_from(std::uint32_t first_item, std::uint32_t first_worker) final {
    std::fill(items_.begin() + first_item, items_.end(), unknown_item());
    const std::uint32_t workers = worker_count();
    drop_workers(first_worker);
    add_workers(workers, {});
  }

  void set_design(std::shared_ptr<const Design> design, std::uint32_t items) {
    if (!takes_features_) check_no_design(design);
    check_rows(*design, items);
    features_.weight_variance = weight_variance_;
    if (weight_variance_ == 0) features_.weight_variance = 1.0 / design->column_count;
    features_.design = std::move(design);
  }

  ItemState unknown_item() const { return ItemState::hard_odds(log_odds(prior_share_)); }

  static double prior_share(const Prior& prior) {
    double share = 0;
    for (const auto& [weight, a, b] : prior.components()) {
      share += weight * prob_positive(ItemState::soft_label(a, b));
    }
    return std::clamp(share, 1e-6, 1 - 1e-6);
  }

  const int rounds_;  // of a refit between decisions
  const bool takes_features_;
  const bool takes_turns_;  // whether some refits take the share from the labels
  const std::optional<double> weight_variance_;
  FitFeatures features_;
  mutable std::optional<GridPriorFit> learning_;  // caches masses
};

class IntegratedCrowd final : public RefittedBinaryCrowd<GridFit> {
  /// Rounds of the fit that gives the answers, if there is no other model.
  static constexpr int kLastRounds = 20;

 public:
  IntegratedCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : RefittedBinaryCrowd(options, item_count, worker_count, 5),
        grids_(options.worker_priors, options.worker_prior,
               [coins = options.coins](const Prior& prior) { return WorkerGrid(prior, coins); }),
        mean_answers_(options.mean_answers) {
    IntegratedCrowd::add_workers(worker_count, {});
  }

  ~IntegratedCrowd() override { drop(); }

 private:
  /// A weight divided by its weight before the first label is the likelihood of the labels. It is
  /// unknown, and taken as 0, where a sharp start has no weight.
  std::vector<double> likelihoods(const Evidence& evidence, GridFit fitted) const override {
    const std::size_t size = grids_[0].size();
    for (std::size_t j = 0; j < evidence.labels.size(); ++j) {
      const std::vector<double> start = start_weights(j, grids_[0]);
      for (std::size_t n = 0; n < size; ++n) {
        double& weight = fitted.weights[j * size + n];
        weight = start[n] > 1e-100 ? weight / start[n] : 0;
      }
    }
    return std::move(fitted.weights);
  }

  /// The weights of the points before the first label.
  std::vector<double> start_weights(std::size_t worker, const WorkerGrid& grid) const {
    std::vector<double> weights = grid.weight;
    absorb_known(grid, known_.inherited(worker), weights.data());
    return weights;
  }

  GridFit fit(const Evidence& evidence, int rounds,
              const std::optional<math::BetaShape>& learned) const override {
    const auto under = [&](const ByWorker<WorkerGrid>& grids) {
      return belief_propagation(evidence.labels, evidence.items, grids, evidence.share, rounds,
                                evidence.known, evidence.features);
    };
    return learned ? under(WorkerGrid(beta_prior(*learned), coin_count_)) : under(grids_);
  }

  std::vector<double> answers(const Evidence& evidence,
                              const std::optional<math::BetaShape>& learned) const override {
    if (!mean_answers_) return by_log_odds(fit(evidence, kLastRounds, learned).log_odds);
    const auto under = [&](const ByWorker<WorkerGrid>& grids) {
      return binary_answers(as_multiclass(evidence.labels), pooled_options(evidence), grids,
                            evidence.known)
          .fit.probabilities;
    };
    return learned ? under(WorkerGrid(beta_prior(*learned), coin_count_)) : under(grids_);
  }

  /// A pooled fit learns how reliable workers are in general, unless they have priors of their own.
  MulticlassFitOptions pooled_options(const Evidence& evidence) const {
    const auto priors = grids_.remade<math::BetaShape>(matched);
    MulticlassFitOptions options{.item_count = evidence.items,
                                 .tables = {.class_count = 2,
                                            .coins = coin_count_,
                                            .prior = priors[0],
                                            .row_strength = pooled_row_strength(2)},
                                 .shares = {1 - evidence.share, evidence.share},
                                 .design = evidence.features.design,
                                 .weight_variance = evidence.features.weight_variance,
                                 .pooled = true,
                                 .learn_mean = true};
    if (grids_.differs(worker_count())) {
      options.worker_priors = priors;
      options.learn_mean = false;
    }
    return options;
  }

  void set_workers(const GridFit& fitted) override {
    std::ranges::copy(fitted.weights, weights_.begin());
    read_states();
  }

  void read_states() {
    for (std::size_t j = 0; j < workers_.size(); ++j) {
      workers_[j] = grids_[j].state(&weights_[j * grids_[j].size()]);
    }
  }

  void drop_workers(std::uint32_t first) override {
    workers_.resize(first);
    weights_.resize(first * grids_[0].size());
  }

  void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) override {
    if (workers_.size() == worker_count) return;
    grids_.add(workers_.size(), priors);
    std::optional<WorkerGrid> learned;
    if (learned_) learned.emplace(beta_prior(*learned_), coin_count_);
    while (workers_.size() < worker_count) {
      const WorkerGrid& grid = learned ? *learned : grids_[workers_.size()];
      const std::vector<double> start = start_weights(workers_.size(), grid);
      weights_.insert(weights_.end(), start.begin(), start.end());
      workers_.push_back(grid.state(start.data()));
    }
  }

  void save_workers(ByteWriter& to) const override {
    to.array(weights_);
    grids_.save(to);
    save_learned(learned_, to);
  }
  void load_workers(ByteReader& from) override {
    from.array(weights_);
    grids_.load(from);
    learned_ = load_learned(from);
    weights_.resize(from.failed() ? 0 : counted_workers() * grids_[0].size());
    workers_.resize(from.failed() ? 0 : counted_workers());
    read_states();
  }

  void move_worker(std::uint32_t worker, double positive, Label label) override {
    const WorkerGrid& grid = grids_[worker];
    double* const weights = &weights_[worker * grid.size()];
    absorb(grid, positive, label, weights);
    workers_[worker] = grid.state(weights);
  }

  ByWorker<WorkerGrid> grids_;
  const bool mean_answers_;      // with pooled fits
  std::vector<double> weights_;  // by worker and point
};

class EmCrowd final : public RefittedBinaryCrowd<EmFit> {
  /// Rounds of the fit that gives the answers.
  static constexpr int kLastRounds = 50;

 public:
  EmCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : RefittedBinaryCrowd(options, item_count, worker_count, 8),
        worker_prior_(options.worker_priors, options.worker_prior, matched) {
    if (options.learn_workers) grid_.emplace(options.worker_prior, options.coins);
    EmCrowd::add_workers(worker_count, {});
  }

  ~EmCrowd() override { drop(); }

 private:
  EmFit fit(const Evidence& evidence, int rounds,
            const std::optional<math::BetaShape>& learned) const override {
    const auto under = [&](const ByWorker<math::BetaShape>& prior) {
      return em_fit(evidence.labels, evidence.items, coin_count_, prior, evidence.share, rounds,
                    evidence.known);
    };
    return learned ? under(*learned) : under(worker_prior_);
  }

  std::vector<double> answers(const Evidence& evidence,
                              const std::optional<math::BetaShape>& learned) const override {
    return by_log_odds(fit(evidence, kLastRounds, learned).log_odds);
  }

  /// For each label, its item is believed as all other labels leave it.
  std::vector<double> likelihoods(const Evidence& evidence, EmFit fitted) const override {
    std::vector<double> result(evidence.labels.size() * grid_->size(), 1);
    for (std::size_t j = 0; j < evidence.labels.size(); ++j) {
      absorb_known(*grid_, evidence.known.of(j), &result[j * grid_->size()]);
      const Channel mean{clamp_probability(fitted.sensitivity[j].mean()),
                         clamp_probability(fitted.specificity[j].mean())};
      for (const auto& [item, label] : evidence.labels[j]) {
        const auto [u, v] = mean.likelihood(label);
        const double others = fitted.log_odds[item] - std::log(u / v);
        absorb(*grid_, 1 / (1 + std::exp(-others)), label, &result[j * grid_->size()]);
      }
    }
    return result;
  }

  void set_workers(const EmFit& fitted) override {
    for (std::size_t j = 0; j < fitted.sensitivity.size(); ++j) {
      coins_[j] = CoinBelief(fitted.sensitivity[j], fitted.specificity[j], coin_count_);
      workers_[j] = coins_[j].state();
    }
  }

  void drop_workers(std::uint32_t first) override {
    workers_.resize(first);
    coins_.erase(coins_.begin() + first, coins_.end());
  }

  void move_worker(std::uint32_t worker, double positive, Label label) override {
    coins_[worker].record(positive, label);
    workers_[worker] = coins_[worker].state();
  }

  void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) override {
    worker_prior_.add(workers_.size(), priors);
    while (workers_.size() < worker_count) {
      const math::BetaShape& prior = learned_ ? *learned_ : worker_prior_[workers_.size()];
      const auto [sensitivity, specificity] =
          CoinShapes::inherited(prior, coin_count_, known_.inherited(workers_.size()));
      coins_.emplace_back(sensitivity, specificity, coin_count_);
      workers_.push_back(coins_.back().state());
    }
  }

  void save_workers(ByteWriter& to) const override {
    worker_prior_.save(to);
    save_learned(learned_, to);
    for (const CoinBelief& coins : coins_) coins.save(to);
  }
  void load_workers(ByteReader& from) override {
    worker_prior_.load(from);
    learned_ = load_learned(from);
    coins_.clear();
    workers_.clear();
    if (from.failed()) return;
    add_workers(counted_workers(), {});
    for (std::size_t j = 0; j < coins_.size(); ++j) {
      coins_[j].load(from);
      workers_[j] = coins_[j].state();
    }
  }

  ByWorker<math::BetaShape> worker_prior_;
  std::vector<CoinBelief> coins_;
  std::optional<WorkerGrid> grid_;  // only if the prior is learned
};

}  // namespace

std::unique_ptr<Crowd> refitted_binary_crowd(const CrowdOptions& options, std::uint32_t item_count,
                                             std::uint32_t worker_count) {
  if (options.refit == Refit::em)
    return std::make_unique<EmCrowd>(options, item_count, worker_count);
  return std::make_unique<IntegratedCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
