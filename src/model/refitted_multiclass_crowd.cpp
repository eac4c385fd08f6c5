#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "model/binary_answers.hpp"
#include "model/by_worker.hpp"
#include "model/refits.hpp"
#include "model/uneven_classes.hpp"

namespace allot::model {
namespace {

/// Whether loaded confidences can be used.
bool is_sound(const FittedConfidences& loaded) {
  const auto is_factor = [](double odds) { return odds > 0 && std::isfinite(odds); };
  return loaded.strength >= 0 && (loaded.strength == 0 || !loaded.readings.empty()) &&
         std::ranges::all_of(loaded.readings, [&](const ConfidenceReading& one) {
           return std::ranges::all_of(one.odds, is_factor);
         });
}

/// Rounds of the last refit by EM, which gives the answers.
constexpr int kLastRounds = 50;

/// What decisions add to the logarithm of the odds that classes are uneven: where classes are in
/// truth, a policy that believes them even asks the wrong workers and learns too late.
constexpr double kVotedTurns = 2.5;

/// Items are of one class. A row of a worker's table starts as four pseudo-labels of the worker's
/// own single coin: few labels say how reliable a worker is, many say which classes the worker
/// confuses.
class RefittedMulticlassCrowd final : public RefittedCrowd<MulticlassCrowd, WorkerClassLabel> {
 public:
  RefittedMulticlassCrowd(const CrowdOptions& options, std::uint32_t item_count,
                          std::uint32_t worker_count)
      : RefittedCrowd(0, KnownLabels(options.class_count(), options.inherited),
                      RefitSchedule(options.refit_every, item_count, options.background_refit_gap),
                      options.class_count(), false, options.groups),
        start_(matched(options.worker_prior)),
        options_{
            .item_count = item_count,
            .tables = {classes_, options.coins, start_},
            .shares = math::win_outlook(std::get<DirichletPrior>(options.item_prior).alpha()).win,
            .design = options.design,
            .weight_variance = options.weight_variance,
            .pooled = options.refit == Refit::pooled,
            .learn_mean = options.learn_workers,
            .ordered = options.ordered,
            .groups = groups_.groups()},
        weight_variance_(options.weight_variance),
        takes_turns_(options_.pooled && options.shares_in_turn),
        mean_answers_(options.mean_answers && classes_ == 2) {
    if (options_.pooled) options_.tables.row_strength = pooled_row_strength(classes_);
    if (options.learn_workers && !options_.pooled) {
      learning_.emplace(worker_prior_fit(options, Coins::one));
    } else if (!options.learn_workers) {
      options_.worker_priors.emplace(options.worker_priors, options.worker_prior, matched);
    }
    start_groups();
    RefittedMulticlassCrowd::grow(item_count, worker_count, options.design, {});
  }

  ~RefittedMulticlassCrowd() override { drop(); }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_workers(priors, !options_.worker_priors, this->worker_count(), worker_count);
    set_counts(item_count, worker_count);
    if (options_.worker_priors) options_.worker_priors->add(this->worker_count(), priors);
    const bool new_features = design != nullptr;
    if (new_features) {
      check_rows(*design, item_count);
      if (weight_variance_ == 0) options_.weight_variance = 1.0 / design->column_count;
      options_.design = std::move(design);
    }
    add_items(item_count);
    options_.item_count = item_count;
    add_workers(worker_count);
    if (new_features) restart_pending();
  }

  void save(ByteWriter& to) const override {
    to.array(items_);
    to.array(counts_);
    save_labels(to);
    to.real(options_.tables.prior.a);
    to.real(options_.tables.prior.b);
    if (options_.pooled) to.array(options_.tables.errors);
    if (options_.worker_priors) options_.worker_priors->save(to);
    if (groups_.group_count() > 0) groups_.save(to);
    to.real(confidences_.strength);
    to.array(confidences_.readings);
  }

  void load(ByteReader& from) override {
    from.array(items_);
    from.array(counts_);
    load_labels(from, classes_);
    options_.tables.prior.a = from.real();
    options_.tables.prior.b = from.real();
    if (options_.pooled) load_errors(from);
    if (options_.worker_priors) options_.worker_priors->load(from);
    if (groups_.group_count() > 0) groups_.load(from);
    confidences_.strength = from.real();
    from.array(confidences_.readings);
    if (!is_sound(confidences_)) from.refuse();
    if (from.failed()) return;
    counts_.resize(std::size_t{counted_workers()} * classes_ * classes_);
    tables_.resize(counts_.size());
    for (std::uint32_t j = 0; j < counted_workers(); ++j) set_table(j);
    options_.item_count = item_count();
    begin_loaded();
  }

  std::vector<double> final_probabilities() const override {
    return fit_to_all([&](const MulticlassLabelsByWorker& labels, const KnownLabels& known) {
      MulticlassFitOptions options = options_;
      options.tables.prior = learned_prior(labels, known, options);
      if (options.pooled && mean_answers_)
        return binary_answers(labels, options, grids(), known).fit.probabilities;
      const int rounds = options.pooled ? kFitRounds : kLastRounds;
      return multiclass_answers(labels, options, rounds, &known).fit.probabilities;
    });
  }

 private:
  /// The coins that workers of two classes may have.
  ByWorker<WorkerGrid> grids() const {
    const auto grid = [coins = options_.tables.coins](const Prior& prior) {
      return WorkerGrid(prior, coins);
    };
    if (options_.worker_priors) return options_.worker_priors->remade<WorkerGrid>(grid);
    return grid(beta_prior(start_));
  }

  /// The worker prior that EM estimates from all labels; the start if it estimates none.
  math::BetaShape learned_prior(const MulticlassLabelsByWorker& labels, const KnownLabels& known,
                                MulticlassFitOptions options) const {
    if (!learning_) return start_;
    options.tables.prior = start_;
    const MulticlassFit fitted = multiclass_fit(labels, options, kFitRounds, std::nullopt, &known);
    return (*learning_)(likelihoods(labels, known, fitted, options.tables));
  }

  /// Likelihoods of reliabilities; an item is believed as all other labels leave it.
  std::vector<double> likelihoods(const MulticlassLabelsByWorker& labels, const KnownLabels& known,
                                  const MulticlassFit& fitted, const WorkerTables& tables) const {
    std::vector<double> result(labels.size() * reliability_grid_size(), 1);
    std::vector<double> table(std::size_t{classes_} * classes_), others(classes_);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const std::span<double> likelihood(&result[j * reliability_grid_size()],
                                         reliability_grid_size());
      absorb_known(known.of(j), likelihood);
      if (labels[j].empty()) continue;
      tables.mean(&fitted.counts[j * table.size()], table.data());
      for (const auto& [item, label, confidence] : labels[j]) {
        const double* const p = &fitted.probabilities[std::size_t{item} * classes_];
        double sum = 0;
        for (std::uint32_t k = 0; k < classes_; ++k)
          sum += others[k] = p[k] / table[k * classes_ + label];
        const double likely = others[label] / sum;
        absorb_linear(likely, (1 - likely) / (classes_ - 1), likelihood);
      }
    }
    return result;
  }

  /// Multiplies in the right and wrong labels of known items.
  void absorb_known(std::span<const std::uint32_t> counts, std::span<double> likelihood) const {
    for (std::uint32_t cell = 0; cell < counts.size(); ++cell) {
      const bool right = cell % (classes_ + 1) == 0;
      for (std::uint32_t n = 0; n < counts[cell]; ++n) {
        absorb_linear(right ? 1 : 0, right ? 0 : 1.0 / (classes_ - 1), likelihood);
      }
    }
  }

  /// The part of the refits that take the shares of classes from the labels.
  double voted_part() const {
    if (classes_ == 2) return 1.0 / 3;
    const double log_odds = kVotedTurns + log_odds_of_uneven_classes(labels_, classes_);
    return 1 / (1 + std::exp(-log_odds));
  }

  Fit make_fit(std::uint32_t items) override {
    MulticlassFitOptions options = options_;
    options.item_count = items;
    options.voted_shares = takes_turns_ && is_voted_turn(voted_part());
    return [this, options]() mutable -> Install {
      options.tables.prior = learned_prior(labels_, known_, options);
      return [this, fitted = multiclass_fit(labels_, options, kFitRounds, std::nullopt, &known_)] {
        options_.tables = fitted.tables;
        std::ranges::copy(fitted.probabilities, items_.begin());
        std::ranges::copy(fitted.counts, counts_.begin());
        set_groups(fitted.groups);
        confidences_ = fitted.confidences;
        for (std::uint32_t j = 0; j < worker_count(); ++j) set_table(j);
      };
    };
  }

  /// Groups before the first label: views are like workers of whom nothing is known.
  void start_groups() {
    const std::vector<double> none(std::size_t{classes_} * classes_);
    std::vector<double> table(none.size());
    options_.tables.mean(none.data(), table.data());
    for (std::uint32_t g = 1; g <= groups_.group_count(); ++g) groups_.set_group(g, table);
    for (std::uint32_t j = 0; j < groups_.groups().size(); ++j)
      groups_.set_repeats(WorkerId{j}, kRepeatsBefore);
  }

  /// Takes over what a fit learned about groups; views of other items are forgotten.
  void set_groups(const FittedGroups& fitted) {
    if (groups_.group_count() == 0) return;
    const std::size_t cells = std::size_t{classes_} * classes_;
    groups_.forget_all();
    for (std::uint32_t g = 0; g < groups_.group_count(); ++g)
      groups_.set_group(g + 1, std::span(&fitted.tables[g * cells], cells));
    for (std::size_t n = 0; n < fitted.places.size(); ++n) {
      const auto& [group, item] = fitted.places[n];
      groups_.set_view(group, ItemId{item}, std::span(&fitted.views[n * cells], cells));
    }
    const std::size_t members = std::min(groups_.groups().size(), fitted.repeats.size());
    for (std::uint32_t j = 0; j < members; ++j) groups_.set_repeats(WorkerId{j}, fitted.repeats[j]);
  }

  void move(std::uint32_t worker, const WorkerClassLabel& given) override {
    const ItemId item{given.item};
    std::vector<double> memory(groups_.group_count() > 0 ? std::size_t{classes_} * classes_ : 0);
    std::vector<double> weights =
        explained((*this)[item], table(item, WorkerId{worker}, memory), given.label);
    if (!is_possible(weights)) return;
    weigh_confidence(worker, given, weights);
    std::ranges::copy(weights, &items_[std::size_t{given.item} * classes_]);
    if (groups_.group_of(WorkerId{worker}) != 0) {
      keep_own_part(item, WorkerId{worker}, given.label, weights);
      groups_.absorb(item, WorkerId{worker}, ClassId{given.label});
    }
    double* const counts = &counts_[std::size_t{worker} * classes_ * classes_];
    for (std::uint32_t k = 0; k < classes_; ++k) counts[k * classes_ + given.label] += weights[k];
    set_table(worker);
  }
  /// Multiplies the odds of the class named by what the worker's confidence says.
  void weigh_confidence(std::uint32_t worker, const WorkerClassLabel& given,
                        std::vector<double>& weights) const {
    if (confidences_.strength == 0 || !has_confidence(given.confidence)) return;
    weights[given.label] *= confidences_.factor(worker, given.confidence);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
  }
  /// The part of a member's label that does not repeat the view, by class.
  void keep_own_part(ItemId item, WorkerId worker, std::uint32_t label,
                     std::vector<double>& weights) const {
    const auto view = groups_.view(groups_.group_of(worker), item), own = groups_.own(worker);
    const double r = groups_.repeats(worker);
    for (std::size_t k = 0; k < classes_; ++k) {
      const double alone = (1 - r) * own[k * classes_ + label];
      const double all = r * view[k * classes_ + label] + alone;
      weights[k] *= all > 0 ? alone / all : 0;
    }
  }

  void move_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) override {
    const bool is_member = groups_.group_of(WorkerId{worker}) != 0;
    counts_[std::size_t{worker} * classes_ * classes_ + truth * classes_ + label] +=
        is_member ? 1 - groups_.repeats(WorkerId{worker}) : 1;
    set_table(worker);
  }
  void restart_item(std::uint32_t item) override {
    groups_.forget(ItemId{item});
    std::ranges::copy(options_.shares, &items_[std::size_t{item} * classes_]);
  }
  void restart_from(std::uint32_t first_item, std::uint32_t first_worker) override {
    const std::uint32_t items = item_count(), workers = worker_count();
    items_.resize(std::size_t{first_item} * classes_);
    add_items(items);
    counts_.resize(std::size_t{first_worker} * classes_ * classes_);
    add_workers(workers);
  }

  void load_errors(ByteReader& from) {
    from.array(options_.tables.errors);
    const std::size_t size = options_.tables.errors.size();
    if (size != 0 && size != std::size_t{classes_} * classes_) from.refuse();
  }

  void add_items(std::uint32_t up_to) {
    while (item_count() < up_to) {
      items_.insert(items_.end(), options_.shares.begin(), options_.shares.end());
    }
  }
  void add_workers(std::uint32_t up_to) {
    auto next = static_cast<std::uint32_t>(counts_.size() / classes_ / classes_);
    counts_.resize(std::size_t{up_to} * classes_ * classes_);
    tables_.resize(counts_.size());
    for (; next < up_to; ++next) {
      start_counts(next);
      set_table(next);
    }
  }
  /// Counts what the worker inherits; of a member's, the part that does not repeat the view.
  void start_counts(std::uint32_t worker) {
    const std::span<const double> inherited = known_.inherited(worker);
    const WorkerId id{worker};
    const double own = groups_.group_of(id) != 0 ? 1 - groups_.repeats(id) : 1;
    for (std::size_t n = 0; n < inherited.size(); ++n)
      counts_[std::size_t{worker} * classes_ * classes_ + n] = own * inherited[n];
  }

  void set_table(std::uint32_t worker) {
    const std::size_t at = std::size_t{worker} * classes_ * classes_;
    const math::BetaShape& prior =
        options_.worker_priors ? (*options_.worker_priors)[worker] : options_.tables.prior;
    if (groups_.group_of(WorkerId{worker}) == 0) {
      return options_.tables.mean(prior, &counts_[at], &tables_[at]);
    }
    options_.tables.mean(prior, &counts_[at], groups_.own(WorkerId{worker}).data());
    groups_.write_table(WorkerId{worker},
                        std::span(&tables_[at], std::size_t{classes_} * classes_));
  }

  const math::BetaShape start_;
  mutable std::optional<GridPriorFit> learning_;  // caches masses
  MulticlassFitOptions options_;
  const std::optional<double> weight_variance_;
  const bool takes_turns_;         // whether some refits take the shares from the labels
  const bool mean_answers_;        // with belief propagation
  FittedConfidences confidences_;  // by the last refit
  std::vector<double> counts_;     // of labels, by worker, true class and given class
};

}  // namespace

std::unique_ptr<Crowd> refitted_multiclass_crowd(const CrowdOptions& options,
                                                 std::uint32_t item_count,
                                                 std::uint32_t worker_count) {
  return std::make_unique<RefittedMulticlassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
