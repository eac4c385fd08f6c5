#include "allot/model/class_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/model/class_belief.hpp"
#include "allot/model/label_set.hpp"
#include "model/by_worker.hpp"
#include "model/class_em_fit.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {
namespace {

constexpr int kRounds = 8, kLastRounds = 50;

/// What a label leaves of an item's class: mean chances times the column of the table, scaled to
/// sum to 1. All 0 if the label cannot come.
std::vector<double> explained(std::span<const double> item, std::span<const double> table,
                              std::uint32_t label) {
  std::vector<double> weights(item.size());
  double sum = 0;
  for (std::size_t k = 0; k < item.size(); ++k) {
    sum += weights[k] = item[k] * table[k * item.size() + label];
  }
  for (double& weight : weights) weight = sum > 0 ? weight / sum : 0;
  return weights;
}

/// A table of zeros and ones may make a label impossible.
bool is_possible(const std::vector<double>& weights) {
  return std::ranges::any_of(weights, [](double w) { return w > 0; });
}

/// The paper's: one pass by moment matching.
class OnePassClassCrowd final : public ClassCrowd {
 public:
  OnePassClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
                    std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), true),
        coins_(options.coins) {
    const ByWorker<math::BetaShape> prior(options.worker_priors, options.worker_prior, matched);
    for (std::uint32_t j = 0; j < worker_count; ++j) reliability_.push_back(prior[j]);
    for (std::uint32_t i = 0; i < item_count; ++i) {
      items_.insert(items_.end(), options.item_prior.begin(), options.item_prior.end());
    }
    tables_.resize(std::size_t{worker_count} * classes_ * classes_);
    if (coins_ == Coins::two) rows_.resize(tables_.size());
    for (std::uint32_t j = 0; j < worker_count; ++j) start_worker(j);
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    const std::span<double> alpha(&items_[std::size_t{position(item)} * classes_], classes_);
    const std::vector<double> weights = explained(alpha, (*this)[worker], position(label));
    if (!is_possible(weights)) return false;
    const double all = std::accumulate(alpha.begin(), alpha.end(), 0.0);
    const double likely = alpha[position(label)] / all;
    math::match_grown(alpha, weights);
    if (coins_ == Coins::one) {
      math::BetaShape& rho = reliability_[position(worker)];
      rho = math::matched_after(rho, likely, (1 - likely) / (classes_ - 1));
      set_one_coin(position(worker));
    } else {
      move_rows(position(worker), position(label), weights);
    }
    return false;
  }

  std::vector<double> settled() const override {
    std::vector<double> result;
    for (std::uint32_t i = 0; i < item_count(); ++i) {
      const std::vector<double> win = math::win_outlook((*this)[ItemId{i}]).win;
      result.insert(result.end(), win.begin(), win.end());
    }
    return result;
  }

 private:
  double* row_of(std::vector<double>& tables, std::uint32_t worker, std::uint32_t row) const {
    return &tables[(std::size_t{worker} * classes_ + row) * classes_];
  }

  void start_worker(std::uint32_t worker) {
    if (coins_ == Coins::one) return set_one_coin(worker);
    const auto [right, wrong] = reliability_[worker];
    for (std::uint32_t k = 0; k < classes_; ++k) {
      double* const row = row_of(rows_, worker, k);
      for (std::uint32_t y = 0; y < classes_; ++y) row[y] = k == y ? right : wrong / (classes_ - 1);
      set_mean_row(worker, k);
    }
  }

  void set_one_coin(std::uint32_t worker) {
    const double right = reliability_[worker].mean();
    const double wrong = (1 - right) / (classes_ - 1);
    for (std::uint32_t k = 0; k < classes_; ++k) {
      double* const row = row_of(tables_, worker, k);
      for (std::uint32_t y = 0; y < classes_; ++y) row[y] = k == y ? right : wrong;
    }
  }

  void set_mean_row(std::uint32_t worker, std::uint32_t k) {
    const std::span<const double> row(row_of(rows_, worker, k), classes_);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    std::ranges::transform(row, row_of(tables_, worker, k), [=](double n) { return n / sum; });
  }

  /// The label belongs to the row of class k with probability weights[k], else it says nothing of
  /// it.
  void move_rows(std::uint32_t worker, std::uint32_t label, const std::vector<double>& weights) {
    std::vector<double> grown(classes_);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint32_t k = 0; k < classes_; ++k) {
      grown[label] = weights[k];
      math::match_grown({row_of(rows_, worker, k), classes_}, grown, all - weights[k]);
      set_mean_row(worker, k);
    }
  }

  const Coins coins_;
  std::vector<math::BetaShape> reliability_;  // with one coin
  std::vector<double> rows_;                  // Dirichlet pseudo-counts, without
};

GridPriorFit reliability_fit(const ClassCrowdOptions& options) {
  return {Coins::one, worker_hyper_prior(options.worker_prior)};
}

std::size_t grid_size() { return WorkerGrid({}, Coins::one).size(); }

/// One pass under a worker prior that is learned, as in model/crowd.cpp.
class LearningOnePassClassCrowd final : public ClassCrowd {
 public:
  LearningOnePassClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
                            std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), true),
        options_(options),
        workers_(worker_count),
        schedule_(kLearnEvery, item_count),
        learning_(reliability_fit(options)),
        pass_(start(options.worker_prior, item_count)) {
    take_over();
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    labels_.push_back({item, worker, label});
    const bool due = schedule_.is_due();
    if (due) {
      pass_ = relearned();
      take_over();
    } else {
      pass_->record(item, worker, label);
      std::ranges::copy((*pass_)[item], &items_[std::size_t{position(item)} * classes_]);
      std::ranges::copy((*pass_)[worker],
                        &tables_[std::size_t{position(worker)} * classes_ * classes_]);
    }
    return due;
  }

  std::vector<double> settled() const override { return relearned()->settled(); }

 private:
  std::unique_ptr<OnePassClassCrowd> start(const Prior& worker_prior, std::uint32_t items) const {
    ClassCrowdOptions options = options_;
    options.worker_prior = worker_prior;
    return std::make_unique<OnePassClassCrowd>(options, items, workers_);
  }

  void take_over() {
    items_.clear();
    tables_.clear();
    for (std::uint32_t i = 0; i < pass_->item_count(); ++i) {
      const auto item = (*pass_)[ItemId{i}];
      items_.insert(items_.end(), item.begin(), item.end());
    }
    for (std::uint32_t j = 0; j < workers_; ++j) {
      const auto table = (*pass_)[WorkerId{j}];
      tables_.insert(tables_.end(), table.begin(), table.end());
    }
  }

  std::unique_ptr<OnePassClassCrowd> relearned() const {
    std::vector<double> likelihoods(workers_ * grid_size(), 1);
    const auto first = start(options_.worker_prior, pass_->item_count());
    for (const auto& [item, worker, label] : labels_) {
      const std::span<const double> alpha = (*first)[item];
      const double likely =
          alpha[position(label)] / std::accumulate(alpha.begin(), alpha.end(), 0.0);
      absorb_linear(likely, (1 - likely) / (classes_ - 1),
                    {&likelihoods[position(worker) * grid_size()], grid_size()});
      first->record(item, worker, label);
    }
    const auto [a, b] = learning_(likelihoods);
    auto second = start(Prior::beta(a, b), pass_->item_count());
    for (const auto& [item, worker, label] : labels_) second->record(item, worker, label);
    return second;
  }

  const ClassCrowdOptions options_;
  const std::uint32_t workers_;
  RefitSchedule schedule_;
  mutable GridPriorFit learning_;  // keeps masses
  std::unique_ptr<OnePassClassCrowd> pass_;
  std::vector<GivenLabel> labels_;
};

class EmClassCrowd final : public ClassCrowd {
 public:
  EmClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
               std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), false),
        labels_(worker_count),
        start_(matched(options.worker_prior)),
        options_{item_count,
                 {classes_, options.coins, start_},
                 math::win_outlook(options.item_prior).win,
                 options.design,
                 options.weight_variance,
                 of_each(options.worker_priors)},
        schedule_(options.refit_every, item_count),
        counts_(std::size_t{worker_count} * classes_ * classes_) {
    if (options.design && options_.weight_variance == 0) {
      options_.weight_variance = 1.0 / options.design->column_count;
    }
    if (options.learn_workers) learning_.emplace(reliability_fit(options));
    tables_.resize(counts_.size());
    for (std::uint32_t i = 0; i < item_count; ++i) {
      items_.insert(items_.end(), options_.shares.begin(), options_.shares.end());
    }
    for (std::uint32_t j = 0; j < worker_count; ++j) set_table(j);
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    labels_[position(worker)].push_back({position(item), position(label)});
    if (schedule_.is_due()) {
      options_.tables.prior = learned_prior();
      ClassFit fitted = class_em_fit(labels_, options_, kRounds);
      items_ = std::move(fitted.probabilities);
      counts_ = std::move(fitted.counts);
      for (std::uint32_t j = 0; j < worker_count(); ++j) set_table(j);
      return true;
    }
    const std::vector<double> weights = explained((*this)[item], (*this)[worker], position(label));
    if (!is_possible(weights)) return false;
    std::ranges::copy(weights, &items_[std::size_t{position(item)} * classes_]);
    double* const counts = &counts_[std::size_t{position(worker)} * classes_ * classes_];
    for (std::uint32_t k = 0; k < classes_; ++k)
      counts[k * classes_ + position(label)] += weights[k];
    set_table(position(worker));
    return false;
  }

  std::vector<double> settled() const override {
    ClassFitOptions options = options_;
    options.tables.prior = learned_prior();
    return class_em_fit(labels_, options, kLastRounds).probabilities;
  }

 private:
  /// The start if nothing is learned.
  math::BetaShape learned_prior() const {
    if (!learning_) return start_;
    ClassFitOptions options = options_;
    options.tables.prior = start_;
    return (*learning_)(likelihoods(class_em_fit(labels_, options, kRounds), options.tables));
  }

  /// What the labels say of each worker's chance of a right label, where items are what all other
  /// labels make of them.
  std::vector<double> likelihoods(const ClassFit& fitted, const WorkerTables& tables) const {
    std::vector<double> result(labels_.size() * grid_size(), 1);
    std::vector<double> table(std::size_t{classes_} * classes_), others(classes_);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (labels_[j].empty()) continue;
      tables.mean(&fitted.counts[j * table.size()], table.data());
      for (const auto& [item, label] : labels_[j]) {
        const double* const p = &fitted.probabilities[std::size_t{item} * classes_];
        double sum = 0;
        for (std::uint32_t k = 0; k < classes_; ++k)
          sum += others[k] = p[k] / table[k * classes_ + label];
        const double likely = others[label] / sum;
        absorb_linear(likely, (1 - likely) / (classes_ - 1),
                      {&result[j * grid_size()], grid_size()});
      }
    }
    return result;
  }

  static std::vector<math::BetaShape> of_each(std::span<const Prior> priors) {
    std::vector<math::BetaShape> shapes;
    for (const Prior& prior : priors) shapes.push_back(matched(prior));
    return shapes;
  }

  void set_table(std::uint32_t worker) {
    const std::size_t at = std::size_t{worker} * classes_ * classes_;
    options_.tables_of(worker).mean(&counts_[at], &tables_[at]);
  }

  ClassLabelsByWorker labels_;
  const math::BetaShape start_;
  mutable std::optional<GridPriorFit> learning_;  // keeps masses
  ClassFitOptions options_;
  RefitSchedule schedule_;
  std::vector<double> counts_;
};

}  // namespace

std::unique_ptr<ClassCrowd> make_class_crowd(const ClassCrowdOptions& options,
                                             std::uint32_t item_count, std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_class_crowd";
  static_cast<void>(ClassPrior::dirichlet(options.item_prior));  // throws if it is none
  check_worker_priors(kName, options.worker_prior, options.worker_priors, options.learn_workers,
                      worker_count);
  require(options.weight_variance >= 0 && std::isfinite(options.weight_variance), kName,
          "weight variance", options.weight_variance, "expected a number, not negative");
  require(options.refit != Refit::integrated, kName, "refit", 0, "expected off or em");
  if (options.design) {
    require(options.refit == Refit::em, kName, "refit", 0, "expected em where items have features");
    require(options.design->item_count == item_count, kName, "items with features",
            options.design->item_count, "expected one row for every item");
  }
  if (options.refit == Refit::off && options.learn_workers) {
    return std::make_unique<LearningOnePassClassCrowd>(options, item_count, worker_count);
  }
  if (options.refit == Refit::off) {
    return std::make_unique<OnePassClassCrowd>(options, item_count, worker_count);
  }
  return std::make_unique<EmClassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
