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
constexpr std::string_view kGrow = "ClassCrowd::grow";

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

[[noreturn]] void reject_revision(ItemId item) {
  reject("ClassCrowd::revise", "item", position(item), "expected one that the worker labelled");
}

/// The paper's: one pass by moment matching.
class OnePassClassCrowd final : public ClassCrowd {
 public:
  OnePassClassCrowd(const ClassCrowdOptions& options, std::uint32_t item_count,
                    std::uint32_t worker_count)
      : ClassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), true),
        coins_(options.coins),
        item_prior_(options.item_prior),
        worker_prior_(options.worker_priors, options.worker_prior, matched) {
    OnePassClassCrowd::grow(item_count, worker_count, nullptr, {});
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    given_.push_back({position(item), position(worker), position(label), 0});
    absorb(given_.back());
    return false;
  }

  void record_known(WorkerId worker, ClassId truth, ClassId label) override {
    given_.push_back({kKnown, position(worker), position(label), position(truth)});
    absorb(given_.back());
  }

  void revise(ItemId item, WorkerId worker, ClassId label) override {
    correct(item, worker, label);
    const std::uint32_t items = item_count(), workers = worker_count();
    items_.clear();
    tables_.clear();
    rows_.clear();
    reliability_.clear();
    grow(items, workers, nullptr, {});
    for (const Given& one : given_) absorb(one);
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    require(!design, kGrow, "design", 1, "expected none without refits");
    check_new_priors(kGrow, priors, false, this->worker_count(), worker_count);
    worker_prior_.add(this->worker_count(), priors);
    while (this->item_count() < item_count) {
      items_.insert(items_.end(), item_prior_.begin(), item_prior_.end());
    }
    std::uint32_t next = this->worker_count();
    while (reliability_.size() < worker_count) {
      reliability_.push_back(worker_prior_[reliability_.size()]);
    }
    tables_.resize(std::size_t{worker_count} * classes_ * classes_);
    if (coins_ == Coins::two) rows_.resize(tables_.size());
    for (; next < worker_count; ++next) start_worker(next);
  }

  void save(ByteWriter& to) const override {
    to.array(items_);
    to.array(tables_);
    to.array(rows_);
    to.array(reliability_);
    to.array(given_);
    worker_prior_.save(to);
  }

  void load(ByteReader& from) override {
    from.array(items_);
    from.array(tables_);
    from.array(rows_);
    from.array(reliability_);
    from.array(given_);
    worker_prior_.load(from);
  }

  struct Given {
    std::uint32_t item, worker, label;  // kKnown: an item whose class is known
    std::uint32_t truth;
  };

  /// The chance that the label's item is of the class it names, as it is believed now.
  double likely(const Given& one) const {
    if (one.item == kKnown) return one.truth == one.label ? 1 : 0;
    const std::span<const double> alpha = (*this)[ItemId{one.item}];
    return alpha[one.label] / std::accumulate(alpha.begin(), alpha.end(), 0.0);
  }

  /// The label becomes another, and beliefs stay as they are.
  void correct(ItemId item, WorkerId worker, ClassId label) {
    const auto place = std::ranges::find_if(given_, [&](const Given& one) {
      return one.item == position(item) && one.worker == position(worker);
    });
    if (place == given_.end()) reject_revision(item);
    place->label = position(label);
  }

  /// All labels of another crowd, in order; calls before(label) before each.
  template <typename Before>
  void follow(const OnePassClassCrowd& other, Before before) {
    given_ = other.given_;
    for (const Given& one : given_) {
      before(one);
      absorb(one);
    }
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
  static constexpr std::uint32_t kKnown = UINT32_MAX;

  void absorb(const Given& one) {
    const double right = likely(one);
    std::vector<double> weights(classes_);
    if (one.item == kKnown) {
      weights[one.truth] = 1;
    } else {
      const std::span<double> alpha(&items_[std::size_t{one.item} * classes_], classes_);
      weights = explained(alpha, (*this)[WorkerId{one.worker}], one.label);
      if (!is_possible(weights)) return;
      math::match_grown(alpha, weights);
    }
    if (coins_ == Coins::one) {
      math::BetaShape& rho = reliability_[one.worker];
      rho = math::matched_after(rho, right, (1 - right) / (classes_ - 1));
      set_one_coin(one.worker);
    } else {
      move_rows(one.worker, one.label, weights);
    }
  }

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
  const std::vector<double> item_prior_;
  ByWorker<math::BetaShape> worker_prior_;
  std::vector<math::BetaShape> reliability_;  // with one coin
  std::vector<double> rows_;                  // Dirichlet pseudo-counts, without
  std::vector<Given> given_;                  // in order
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
        schedule_(kLearnEvery, item_count),
        learning_(reliability_fit(options)),
        pass_(start(options.worker_prior, item_count, worker_count)) {
    take_over();
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    pass_->record(item, worker, label);
    if (schedule_.is_due()) {
      relearn();
      return true;
    }
    std::ranges::copy((*pass_)[item], &items_[std::size_t{position(item)} * classes_]);
    take_over(worker);
    return false;
  }

  void record_known(WorkerId worker, ClassId truth, ClassId label) override {
    pass_->record_known(worker, truth, label);
    take_over(worker);
  }

  void revise(ItemId item, WorkerId worker, ClassId label) override {
    pass_->correct(item, worker, label);
    relearn();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_priors(kGrow, priors, true, this->worker_count(), worker_count);
    std::uint32_t item = this->item_count(), worker = this->worker_count();
    pass_->grow(item_count, worker_count, std::move(design), {});
    schedule_.set_items(item_count);
    for (; item < item_count; ++item) append((*pass_)[ItemId{item}], items_);
    for (; worker < worker_count; ++worker) append((*pass_)[WorkerId{worker}], tables_);
  }

  /// The prior learned last is that of all workers of the pass.
  void save(ByteWriter& to) const override {
    schedule_.save(to);
    pass_->save(to);
  }

  void load(ByteReader& from) override {
    schedule_.load(from);
    pass_->load(from);
    schedule_.set_items(pass_->item_count());
    take_over();
  }

  std::vector<double> settled() const override { return relearned()->settled(); }

 private:
  std::unique_ptr<OnePassClassCrowd> start(const Prior& worker_prior, std::uint32_t items,
                                           std::uint32_t workers) const {
    ClassCrowdOptions options = options_;
    options.worker_prior = worker_prior;
    return std::make_unique<OnePassClassCrowd>(options, items, workers);
  }

  static void append(std::span<const double> values, std::vector<double>& to) {
    to.insert(to.end(), values.begin(), values.end());
  }

  void take_over(WorkerId worker) {
    std::ranges::copy((*pass_)[worker],
                      &tables_[std::size_t{position(worker)} * classes_ * classes_]);
  }

  void take_over() {
    items_.clear();
    tables_.clear();
    for (std::uint32_t i = 0; i < pass_->item_count(); ++i) append((*pass_)[ItemId{i}], items_);
    for (std::uint32_t j = 0; j < pass_->worker_count(); ++j)
      append((*pass_)[WorkerId{j}], tables_);
  }

  void relearn() {
    pass_ = relearned();
    take_over();
  }

  std::unique_ptr<OnePassClassCrowd> relearned() const {
    const std::uint32_t items = pass_->item_count(), workers = pass_->worker_count();
    std::vector<double> likelihoods(workers * grid_size(), 1);
    const auto first = start(options_.worker_prior, items, workers);
    first->follow(*pass_, [&](const OnePassClassCrowd::Given& one) {
      const double likely = first->likely(one);
      absorb_linear(likely, (1 - likely) / (classes_ - 1),
                    {&likelihoods[one.worker * grid_size()], grid_size()});
    });
    const auto [a, b] = learning_(likelihoods);
    auto second = start(Prior::beta(a, b), items, workers);
    second->follow(*pass_, [](const OnePassClassCrowd::Given&) {});
    return second;
  }

  const ClassCrowdOptions options_;
  RefitSchedule schedule_;
  mutable GridPriorFit learning_;  // keeps masses
  std::unique_ptr<OnePassClassCrowd> pass_;
};

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
    if (place == given.end()) reject_revision(item);
    place->label = position(label);
    refit();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_priors(kGrow, priors, learning_.has_value(), this->worker_count(), worker_count);
    if (options_.worker_priors) options_.worker_priors->add(this->worker_count(), priors);
    if (design) {
      require(design->item_count == item_count, kGrow, "items with features", design->item_count,
              "expected one row for every item");
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
    std::vector<double> result(labels_.size() * grid_size(), 1);
    std::vector<double> table(std::size_t{classes_} * classes_), others(classes_);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      const std::span<double> likelihood(&result[j * grid_size()], grid_size());
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
