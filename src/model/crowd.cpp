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

constexpr std::string_view kGrow = "Crowd::grow";

void save_shapes(const std::vector<ItemState>& items, ByteWriter& to) {
  to.number(items.size());
  for (const ItemState& item : items) {
    to.real(item.shape.a);
    to.real(item.shape.b);
  }
}

void load_shapes(std::vector<ItemState>& items, bool soft, ByteReader& from) {
  items.resize(from.count(2 * sizeof(double)));
  for (ItemState& item : items) {
    const double a = from.real();
    item = {{a, from.real()}, soft};
  }
}

void save_learned(const std::optional<math::BetaShape>& prior, ByteWriter& to) {
  to.array(prior ? std::vector{*prior} : std::vector<math::BetaShape>());
}

std::optional<math::BetaShape> load_learned(ByteReader& from) {
  std::vector<math::BetaShape> prior;
  from.array(prior);
  return prior.empty() ? std::nullopt : std::optional(prior.front());
}

[[noreturn]] void reject_revision(ItemId item) {
  reject("Crowd::revise", "item", position(item), "expected one that the worker labelled");
}

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
    const std::uint32_t items = item_count(), workers = worker_count();
    items_.clear();
    workers_.clear();
    coins_.clear();
    grow(items, workers, {});
    for (const Given& one : given_) absorb(one);
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::span<const Prior> priors) override {
    check_new_priors(kGrow, priors, false, this->worker_count(), worker_count);
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

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::span<const Prior> priors) override {
    check_new_priors(kGrow, priors, true, this->worker_count(), worker_count);
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

  void record_known(WorkerId worker, Label truth, Label label) final {
    const auto number = [](Label one) { return one == Label::positive ? 1U : 0U; };
    known_.record(position(worker), number(truth), number(label));
    move_worker(position(worker), number(truth), label);
  }

  void revise(ItemId item, WorkerId worker, Label label) final {
    auto& given = labels_[position(worker)];
    const auto place = std::ranges::find(given, position(item), &WorkerLabel::item);
    if (place == given.end()) reject_revision(item);
    place->label = label;
    refit();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::span<const Prior> priors) final {
    check_new_priors(kGrow, priors, learns_, this->worker_count(), worker_count);
    items_.resize(item_count, ItemState::class_odds(log_odds(prior_share_)));
    labels_.resize(worker_count);
    schedule_.set_items(item_count);
    add_workers(worker_count, priors);
  }

  void save(ByteWriter& to) const final {
    save_shapes(items_, to);
    to.number(labels_.size());
    for (const auto& given : labels_) {
      to.number(given.size());
      for (const auto& [item, label] : given) {
        to.number(std::uint64_t{item} << 1 | (label == Label::positive ? 1 : 0));
      }
    }
    known_.save(to);
    schedule_.save(to);
    save_workers(to);
  }

  void load(ByteReader& from) final {
    load_shapes(items_, false, from);
    labels_.assign(from.count(1), {});
    for (auto& given : labels_) {
      given.resize(from.count(1));
      for (WorkerLabel& one : given) {
        const std::uint64_t both = from.at_most<std::uint64_t>(2 * items_.size());
        one = {static_cast<std::uint32_t>(both >> 1),
               (both & 1) != 0 ? Label::positive : Label::negative};
      }
    }
    known_.load(from);
    schedule_.load(from);
    schedule_.set_items(item_count());
    load_workers(from);
  }

 protected:
  RefittedCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : Crowd({}, {}),
        labels_(worker_count),
        prior_share_(prior_share(options.item_prior)),
        learns_(options.learn_workers),
        schedule_(options.refit_every, item_count) {
    items_.assign(item_count, ItemState::class_odds(log_odds(prior_share_)));
  }

  virtual void refit() = 0;
  virtual void move_worker(std::uint32_t worker, double positive, Label label) = 0;
  /// Up to this number.
  virtual void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) = 0;
  virtual void save_workers(ByteWriter& to) const = 0;
  virtual void load_workers(ByteReader& from) = 0;

  void set_items(const std::vector<double>& odds) {
    std::ranges::transform(odds, items_.begin(), ItemState::class_odds);
  }
  static std::vector<ItemState> states(const std::vector<double>& odds) {
    std::vector<ItemState> result(odds.size());
    std::ranges::transform(odds, result.begin(), ItemState::class_odds);
    return result;
  }

  LabelsByWorker labels_;
  KnownLabels known_{2};
  const double prior_share_;

 private:
  static double prior_share(const Prior& prior) {
    double share = 0;
    for (const auto& [weight, a, b] : prior.components()) {
      share += weight * prob_positive(ItemState::soft_label(a, b));
    }
    return std::clamp(share, 1e-6, 1 - 1e-6);
  }

  const bool learns_;
  RefitSchedule schedule_;
};

class IntegratedCrowd final : public RefittedCrowd {
 public:
  IntegratedCrowd(const CrowdOptions& options, std::uint32_t item_count, std::uint32_t worker_count)
      : RefittedCrowd(options, item_count, worker_count),
        coins_(options.coins),
        grids_(options.worker_priors, options.worker_prior,
               [coins = options.coins](const Prior& prior) { return WorkerGrid(prior, coins); }) {
    if (options.learn_workers) learning_.emplace(worker_prior_fit(options));
    IntegratedCrowd::add_workers(worker_count, {});
  }

  std::vector<ItemState> settled() const override {
    return states(fit(kLastPropagationRounds, learned_prior()).log_odds);
  }

 private:
  /// None if nothing is learned.
  std::optional<math::BetaShape> learned_prior() const {
    if (!learning_) return {};
    // Weights over prior weights are what the labels say of a worker; nothing where a sharp start
    // has none.
    std::vector<double> likelihoods = fit(kPropagationRounds, {}).weights;
    const std::vector<double>& start = grids_[0].weight;
    for (std::size_t n = 0; n < likelihoods.size(); ++n) {
      const double prior = start[n % start.size()];
      likelihoods[n] = prior > 1e-100 ? likelihoods[n] / prior : 0;
    }
    return (*learning_)(likelihoods);
  }

  GridFit fit(int rounds, const std::optional<math::BetaShape>& learned) const {
    const auto under = [&](const ByWorker<WorkerGrid>& grids) {
      return belief_propagation(labels_, item_count(), grids, prior_share_, rounds, known_);
    };
    return learned ? under(WorkerGrid(beta_prior(*learned), coins_)) : under(grids_);
  }

  void refit() override {
    learned_ = learned_prior();
    GridFit fitted = fit(kPropagationRounds, learned_);
    set_items(fitted.log_odds);
    weights_ = std::move(fitted.weights);
    read_states();
  }

  void read_states() {
    for (std::size_t j = 0; j < workers_.size(); ++j) {
      workers_[j] = grids_[j].state(&weights_[j * grids_[j].size()]);
    }
  }

  void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) override {
    if (workers_.size() == worker_count) return;
    grids_.add(workers_.size(), priors);
    std::optional<WorkerGrid> learned;
    if (learned_) learned.emplace(beta_prior(*learned_), coins_);
    while (workers_.size() < worker_count) {
      const WorkerGrid& grid = learned ? *learned : grids_[workers_.size()];
      weights_.insert(weights_.end(), grid.weight.begin(), grid.weight.end());
      workers_.push_back(grid.state(grid.weight.data()));
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
    weights_.resize(from.failed() ? 0 : labels_.size() * grids_[0].size());
    workers_.resize(from.failed() ? 0 : labels_.size());
    read_states();
  }

  void move_worker(std::uint32_t worker, double positive, Label label) override {
    const WorkerGrid& grid = grids_[worker];
    double* const weights = &weights_[worker * grid.size()];
    absorb(grid, positive, label, weights);
    workers_[worker] = grid.state(weights);
  }

  const Coins coins_;
  ByWorker<WorkerGrid> grids_;
  std::vector<double> weights_;                   // by worker and point
  std::optional<math::BetaShape> learned_;        // by the last refit
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
    EmCrowd::add_workers(worker_count, {});
  }

  std::vector<ItemState> settled() const override {
    return states(fit(kLastEmRounds, learned_prior()).log_odds);
  }

 private:
  CoinBelief belief(const math::BetaShape& sensitivity, const math::BetaShape& specificity) const {
    return CoinBelief(sensitivity, specificity, coin_count_);
  }

  /// None if nothing is learned.
  std::optional<math::BetaShape> learned_prior() const {
    if (!learning_) return {};
    return (*learning_)(likelihoods(fit(kEmRounds, {})));
  }

  EmFit fit(int rounds, const std::optional<math::BetaShape>& learned) const {
    const auto under = [&](const ByWorker<math::BetaShape>& prior) {
      return em_fit(labels_, item_count(), coin_count_, prior, prior_share_, rounds, known_);
    };
    return learned ? under(*learned) : under(worker_prior_);
  }

  /// What the labels say of each worker, where items are what all other labels make of them.
  std::vector<double> likelihoods(const EmFit& fitted) const {
    std::vector<double> result(labels_.size() * grid_->size(), 1);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      absorb_known(*grid_, known_.of(j), &result[j * grid_->size()]);
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
    learned_ = learned_prior();
    const EmFit fitted = fit(kEmRounds, learned_);
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

  void add_workers(std::uint32_t worker_count, std::span<const Prior> priors) override {
    worker_prior_.add(workers_.size(), priors);
    while (workers_.size() < worker_count) {
      const math::BetaShape& prior = learned_ ? *learned_ : worker_prior_[workers_.size()];
      coins_.push_back(belief(prior, prior));
      workers_.push_back(coins_.back().state());
    }
  }

  void save_workers(ByteWriter& to) const override {
    worker_prior_.save(to);
    save_learned(learned_, to);
    for (const CoinBelief& one : coins_) one.save(to);
  }
  void load_workers(ByteReader& from) override {
    worker_prior_.load(from);
    learned_ = load_learned(from);
    coins_.clear();
    workers_.clear();
    if (from.failed()) return;
    add_workers(static_cast<std::uint32_t>(labels_.size()), {});
    for (std::size_t j = 0; j < coins_.size(); ++j) {
      coins_[j].load(from);
      workers_[j] = coins_[j].state();
    }
  }

  ByWorker<math::BetaShape> worker_prior_;
  const Coins coin_count_;
  std::vector<CoinBelief> coins_;
  std::optional<math::BetaShape> learned_;        // by the last refit
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
