#include <algorithm>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "model/by_worker.hpp"
#include "model/multiclass_crowd_kinds.hpp"
#include "model/refit_schedule.hpp"
#include "model/worker_hyper_prior.hpp"

namespace allot::model {
namespace {

/// The paper's: one pass by moment matching.
class OnePassClassCrowd final : public MulticlassCrowd {
 public:
  OnePassClassCrowd(const MulticlassCrowdOptions& options, std::uint32_t item_count,
                    std::uint32_t worker_count)
      : MulticlassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), true),
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
    pass_again();
  }
  void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) override {
    correct_known(worker, truth, before, label);
    pass_again();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    require(!design, kGrowClassCrowd, "design", 1, "expected none without refits");
    check_new_priors(kGrowClassCrowd, priors, false, this->worker_count(), worker_count);
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
    if (place == given_.end()) reject_class_revision(item);
    place->label = position(label);
  }
  void correct_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) {
    const auto place = std::find_if(given_.rbegin(), given_.rend(), [&](const Given& one) {
      return one.item == kKnown && one.worker == position(worker) && one.truth == position(truth) &&
             one.label == position(before);
    });
    if (place == given_.rend()) reject_known_class_revision(worker);
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

  void pass_again() {
    const std::uint32_t items = item_count(), workers = worker_count();
    items_.clear();
    tables_.clear();
    rows_.clear();
    reliability_.clear();
    grow(items, workers, nullptr, {});
    for (const Given& one : given_) absorb(one);
  }

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

/// One pass under a worker prior that is learned, as in one_pass_crowd.cpp.
class LearningOnePassClassCrowd final : public MulticlassCrowd {
 public:
  LearningOnePassClassCrowd(const MulticlassCrowdOptions& options, std::uint32_t item_count,
                            std::uint32_t worker_count)
      : MulticlassCrowd(static_cast<std::uint32_t>(options.item_prior.size()), true),
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
  void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) override {
    pass_->correct_known(worker, truth, before, label);
    relearn();
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_new_priors(kGrowClassCrowd, priors, true, this->worker_count(), worker_count);
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
    MulticlassCrowdOptions options = options_;
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
    std::vector<double> likelihoods(workers * reliability_grid_size(), 1);
    const auto first = start(options_.worker_prior, items, workers);
    first->follow(*pass_, [&](const OnePassClassCrowd::Given& one) {
      const double likely = first->likely(one);
      absorb_linear(likely, (1 - likely) / (classes_ - 1),
                    {&likelihoods[one.worker * reliability_grid_size()], reliability_grid_size()});
    });
    const auto [a, b] = learning_(likelihoods);
    auto second = start(Prior::beta(a, b), items, workers);
    second->follow(*pass_, [](const OnePassClassCrowd::Given&) {});
    return second;
  }

  const MulticlassCrowdOptions options_;
  RefitSchedule schedule_;
  mutable GridPriorFit learning_;  // keeps masses
  std::unique_ptr<OnePassClassCrowd> pass_;
};

}  // namespace

std::unique_ptr<MulticlassCrowd> one_pass_multiclass_crowd(const MulticlassCrowdOptions& options,
                                                           std::uint32_t item_count,
                                                           std::uint32_t worker_count) {
  if (options.learn_workers) {
    return std::make_unique<LearningOnePassClassCrowd>(options, item_count, worker_count);
  }
  return std::make_unique<OnePassClassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
