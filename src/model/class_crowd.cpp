#include "allot/model/class_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/model/class_belief.hpp"
#include "model/by_worker.hpp"
#include "model/class_em_fit.hpp"
#include "model/refit_schedule.hpp"

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

class EmClassCrowd final : public ClassCrowd {
 public:
  EmClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
               std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), false),
        labels_(worker_count),
        options_{item_count,
                 {classes_, options.coins, matched(options.worker_prior)},
                 math::win_outlook(options.item_prior).win,
                 options.design,
                 options.weight_variance,
                 of_each(options.worker_priors)},
        schedule_(options.refit_every, item_count),
        counts_(std::size_t{worker_count} * classes_ * classes_) {
    if (options.design && options_.weight_variance == 0) {
      options_.weight_variance = 1.0 / options.design->column_count;
    }
    tables_.resize(counts_.size());
    for (std::uint32_t i = 0; i < item_count; ++i) {
      items_.insert(items_.end(), options_.shares.begin(), options_.shares.end());
    }
    for (std::uint32_t j = 0; j < worker_count; ++j) set_table(j);
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    labels_[position(worker)].push_back({position(item), position(label)});
    if (schedule_.is_due()) {
      ClassFit fitted = fit(kRounds);
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

  std::vector<double> settled() const override { return fit(kLastRounds).probabilities; }

 private:
  ClassFit fit(int rounds) const { return class_em_fit(labels_, options_, rounds); }

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
  ClassFitOptions options_;
  RefitSchedule schedule_;
  std::vector<double> counts_;
};

}  // namespace

std::unique_ptr<ClassCrowd> make_class_crowd(const ClassCrowdOptions& options,
                                             std::uint32_t item_count, std::uint32_t worker_count) {
  constexpr std::string_view kName = "make_class_crowd";
  static_cast<void>(ClassPrior::dirichlet(options.item_prior));  // throws if it is none
  check_worker_priors(kName, options.worker_prior, options.worker_priors, worker_count);
  require(options.weight_variance >= 0 && std::isfinite(options.weight_variance), kName,
          "weight variance", options.weight_variance, "expected a number, not negative");
  require(options.refit != Refit::integrated, kName, "refit", 0, "expected off or em");
  if (options.design) {
    require(options.refit == Refit::em, kName, "refit", 0, "expected em where items have features");
    require(options.design->item_count == item_count, kName, "items with features",
            options.design->item_count, "expected one row for every item");
  }
  if (options.refit == Refit::off) {
    return std::make_unique<OnePassClassCrowd>(options, item_count, worker_count);
  }
  return std::make_unique<EmClassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
