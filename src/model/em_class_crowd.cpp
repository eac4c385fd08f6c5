#include <algorithm>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/model/class_belief.hpp"
#include "allot/model/label_set.hpp"
#include "model/by_worker.hpp"
#include "model/class_crowd_kinds.hpp"
#include "model/class_em_fit.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {
namespace {

/// Rounds of a refit between decisions, and of the one that answers come from.
constexpr int kRounds = 8, kLastRounds = 50;

class EmClassCrowd final : public ClassCrowd {
 public:
  EmClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
               std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), false),
        start_(matched(options.worker_prior)),
        options_{item_count,
                 {classes_, options.coins, start_},
                 math::win_outlook(options.item_prior).win,
                 options.design,
                 options.weight_variance,
                 {}},
        weight_variance_(options.weight_variance),
        schedule_(options.refit_every, item_count) {
    if (options.learn_workers) {
      learning_.emplace(reliability_fit(options));
    } else {
      options_.worker_priors.emplace(options.worker_priors, options.worker_prior, matched);
    }
    EmClassCrowd::grow(item_count, worker_count, options.design, {});
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    labels_[position(worker)].push_back({position(item), position(label)});
    if (schedule_.is_due()) {
      refit();
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

  void record_known(WorkerId worker, ClassId truth, ClassId label) override {
    known_.record(position(worker), position(truth), position(label));
    const std::size_t table = std::size_t{position(worker)} * classes_ * classes_;
    counts_[table + position(truth) * classes_ + position(label)] += 1;
    set_table(position(worker));
  }

  void revise(ItemId item, WorkerId worker, ClassId label) override {
    auto& given = labels_[position(worker)];
    const auto place = std::ranges::find(given, position(item), &WorkerClassLabel::item);
    if (place == given.end()) reject_class_revision(item);
    place->label = position(label);
    refit();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_priors(kGrowClassCrowd, priors, learning_.has_value(), this->worker_count(),
                     worker_count);
    if (options_.worker_priors) options_.worker_priors->add(this->worker_count(), priors);
    if (design) {
      require(design->item_count == item_count, kGrowClassCrowd, "items with features",
              design->item_count, "expected one row for every item");
      options_.weight_variance =
          weight_variance_ == 0 ? 1.0 / design->column_count : weight_variance_;
      options_.design = std::move(design);
    }
    while (this->item_count() < item_count) {
      items_.insert(items_.end(), options_.shares.begin(), options_.shares.end());
    }
    options_.item_count = item_count;
    schedule_.set_items(item_count);
    std::uint32_t next = this->worker_count();
    labels_.resize(worker_count);
    counts_.resize(std::size_t{worker_count} * classes_ * classes_);
    tables_.resize(counts_.size());
    for (; next < worker_count; ++next) set_table(next);
  }

  void save(ByteWriter& to) const override {
    to.array(items_);
    to.array(counts_);
    to.number(labels_.size());
    for (const auto& given : labels_) {
      to.number(given.size());
      for (const auto& [item, label] : given) {
        to.number(item);
        to.number(label);
      }
    }
    known_.save(to);
    schedule_.save(to);
    to.real(options_.tables.prior.a);
    to.real(options_.tables.prior.b);
    if (options_.worker_priors) options_.worker_priors->save(to);
  }

  void load(ByteReader& from) override {
    from.array(items_);
    from.array(counts_);
    labels_.assign(from.count(1), {});
    for (auto& given : labels_) {
      given.resize(from.count(2));
      for (WorkerClassLabel& one : given) {
        one.item = from.at_most(items_.size() / classes_);
        one.label = from.at_most(classes_ - 1);
      }
    }
    known_.load(from);
    schedule_.load(from);
    options_.tables.prior.a = from.real();
    options_.tables.prior.b = from.real();
    if (options_.worker_priors) options_.worker_priors->load(from);
    counts_.resize(labels_.size() * classes_ * classes_);
    tables_.resize(counts_.size());
    for (std::uint32_t j = 0; j < labels_.size(); ++j) set_table(j);
    options_.item_count = item_count();
    schedule_.set_items(item_count());
  }

  std::vector<double> settled() const override {
    ClassFitOptions options = options_;
    options.tables.prior = learned_prior();
    return fit(options, kLastRounds).probabilities;
  }

 private:
  /// The start if nothing is learned.
  math::BetaShape learned_prior() const {
    if (!learning_) return start_;
    ClassFitOptions options = options_;
    options.tables.prior = start_;
    return (*learning_)(likelihoods(fit(options, kRounds), options.tables));
  }

  /// What the labels say of each worker's chance of a right label, where items are what all other
  /// labels make of them.
  std::vector<double> likelihoods(const ClassFit& fitted, const WorkerTables& tables) const {
    std::vector<double> result(labels_.size() * reliability_grid_size(), 1);
    std::vector<double> table(std::size_t{classes_} * classes_), others(classes_);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      const std::span<double> likelihood(&result[j * reliability_grid_size()],
                                         reliability_grid_size());
      absorb_known(known_.of(j), likelihood);
      if (labels_[j].empty()) continue;
      tables.mean(&fitted.counts[j * table.size()], table.data());
      for (const auto& [item, label] : labels_[j]) {
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

  /// Right and wrong labels of known items.
  void absorb_known(std::span<const std::uint32_t> counts, std::span<double> likelihood) const {
    for (std::uint32_t cell = 0; cell < counts.size(); ++cell) {
      const bool right = cell % (classes_ + 1) == 0;
      for (std::uint32_t n = 0; n < counts[cell]; ++n) {
        absorb_linear(right ? 1 : 0, right ? 0 : 1.0 / (classes_ - 1), likelihood);
      }
    }
  }

  ClassFit fit(const ClassFitOptions& options, int rounds) const {
    return class_em_fit(labels_, options, rounds, std::nullopt, &known_);
  }

  void refit() {
    options_.tables.prior = learned_prior();
    ClassFit fitted = fit(options_, kRounds);
    items_ = std::move(fitted.probabilities);
    counts_ = std::move(fitted.counts);
    for (std::uint32_t j = 0; j < worker_count(); ++j) set_table(j);
  }

  void set_table(std::uint32_t worker) {
    const std::size_t at = std::size_t{worker} * classes_ * classes_;
    options_.tables_of(worker).mean(&counts_[at], &tables_[at]);
  }

  ClassLabelsByWorker labels_;
  KnownLabels known_{classes_};
  const math::BetaShape start_;
  mutable std::optional<GridPriorFit> learning_;  // keeps masses
  ClassFitOptions options_;
  const double weight_variance_;
  RefitSchedule schedule_;
  std::vector<double> counts_;
};

}  // namespace

std::unique_ptr<ClassCrowd> em_class_crowd(const ClassCrowdOptions& options,
                                           std::uint32_t item_count, std::uint32_t worker_count) {
  return std::make_unique<EmClassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
