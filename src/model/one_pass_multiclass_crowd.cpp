#include <algorithm>
#include <numeric>

#include "allot/math/dirichlet_match.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "model/by_worker.hpp"
#include "model/one_pass.hpp"

namespace allot::model {
namespace {

/// A label as snapshots store it.
struct GivenClassLabel {
  static constexpr std::uint32_t kKnownItem = UINT32_MAX;

  std::uint32_t item, worker, label_number;
  std::uint32_t truth_number;  // of a known item

  static GivenClassLabel open(ItemId item, WorkerId worker, ClassId label) {
    return {position(item), position(worker), position(label), 0};
  }
  static GivenClassLabel known(WorkerId worker, ClassId truth, ClassId label) {
    return {kKnownItem, position(worker), position(label), position(truth)};
  }
  ClassId label() const { return ClassId{label_number}; }
  ClassId truth() const { return ClassId{truth_number}; }
  void set_label(ClassId label) { label_number = position(label); }
};

/// The paper's crowd: one pass by moment matching. Items and the rows of tables are Dirichlets; a
/// label leaves a mixture, which is matched (math/dirichlet_match.hpp) [CLZ sec:worker, sec:multi].
class OnePassMulticlassCrowd : public OnePassCrowd<MulticlassCrowd, GivenClassLabel> {
 public:
  OnePassMulticlassCrowd(const CrowdOptions& options, std::uint32_t item_count,
                         std::uint32_t worker_count)
      : OnePassCrowd(options.class_count(), true),
        coins_(options.coins),
        item_prior_(std::get<DirichletPrior>(options.item_prior)),
        worker_prior_(options.worker_priors, options.worker_prior, matched),
        inherited_(options.class_count(), options.inherited) {
    OnePassMulticlassCrowd::grow(item_count, worker_count, nullptr, {});
  }

  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const Design> design, std::span<const Prior> priors) override {
    check_no_design(design);
    check_new_workers(priors, false, this->worker_count(), worker_count);
    worker_prior_.add(this->worker_count(), priors);
    const std::span<const double> alpha = item_prior_.alpha();
    while (this->item_count() < item_count) items_.insert(items_.end(), alpha.begin(), alpha.end());
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

  std::vector<double> final_probabilities() const override {
    std::vector<double> result(items_.size());
    for (std::uint32_t i = 0; i < item_count(); ++i) {
      probabilities(ItemId{i}, {&result[std::size_t{i} * classes_], classes_});
    }
    return result;
  }

  /// Likelihoods of each worker's reliability at the points of a WorkerGrid.
  struct Evidence {
    Evidence(const CrowdOptions&, std::uint32_t worker_count)
        : likelihoods(worker_count * points, 1) {}
    static Coins coins(const CrowdOptions&) { return Coins::one; }
    void add(const OnePassMulticlassCrowd& pass, const GivenClassLabel& given) {
      const double right = pass.likely(given);
      absorb_linear(right, (1 - right) / (pass.classes_ - 1),
                    {&likelihoods[given.worker * points], points});
    }

    std::size_t points = reliability_grid_size();
    std::vector<double> likelihoods;
  };

 protected:
  void absorb(const GivenClassLabel& given) override {
    const double right = likely(given);
    std::vector<double> weights(classes_);
    if (given.item == GivenClassLabel::kKnownItem) {
      weights[given.truth_number] = 1;
    } else {
      const std::span<double> alpha(&items_[std::size_t{given.item} * classes_], classes_);
      weights = explained(alpha, (*this)[WorkerId{given.worker}], given.label_number);
      if (!is_possible(weights)) return;
      math::match_grown(alpha, weights);
    }
    if (coins_ == Coins::one) {
      math::BetaShape& rho = reliability_[given.worker];
      rho = math::matched_after(rho, right, (1 - right) / (classes_ - 1));
      set_one_coin(given.worker);
    } else {
      move_rows(given.worker, given.label_number, weights);
    }
  }

  void clear() override {
    items_.clear();
    tables_.clear();
    rows_.clear();
    reliability_.clear();
  }

 private:
  /// Probability that the label's item is of the class it names, as believed now.
  double likely(const GivenClassLabel& given) const {
    if (given.item == GivenClassLabel::kKnownItem) return given.truth() == given.label() ? 1 : 0;
    const std::span<const double> alpha = (*this)[ItemId{given.item}];
    return alpha[given.label_number] / std::accumulate(alpha.begin(), alpha.end(), 0.0);
  }

  double* row_of(std::vector<double>& tables, std::uint32_t worker, std::uint32_t row) const {
    return &tables[(std::size_t{worker} * classes_ + row) * classes_];
  }

  void start_worker(std::uint32_t worker) {
    const std::span<const double> inherited = inherited_.inherited(worker);
    if (coins_ == Coins::one) {
      math::BetaShape& rho = reliability_[worker];
      for (std::uint32_t n = 0; n < inherited.size(); ++n)
        (n % (classes_ + 1) == 0 ? rho.a : rho.b) += inherited[n];
      return set_one_coin(worker);
    }
    const auto [right, wrong] = reliability_[worker];
    for (std::uint32_t k = 0; k < classes_; ++k) {
      double* const row = row_of(rows_, worker, k);
      for (std::uint32_t y = 0; y < classes_; ++y) {
        row[y] = k == y ? right : wrong / (classes_ - 1);
        if (!inherited.empty()) row[y] += inherited[k * classes_ + y];
      }
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

  /// The label belongs to row k with probability weights[k], else it says nothing about it.
  void move_rows(std::uint32_t worker, std::uint32_t label, const std::vector<double>& weights) {
    std::vector<double> grown(classes_);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::uint32_t k = 0; k < classes_; ++k) {
      grown[label] = weights[k];
      math::match_grown({row_of(rows_, worker, k), classes_}, grown, all - weights[k]);
      set_mean_row(worker, k);
    }
  }

  Coins coins_;
  DirichletPrior item_prior_;
  ByWorker<math::BetaShape> worker_prior_;
  KnownLabels inherited_;                     // no labels, only what workers inherit
  std::vector<math::BetaShape> reliability_;  // with one coin
  std::vector<double> rows_;                  // with two: Dirichlet pseudo-counts of the rows
};

}  // namespace

std::unique_ptr<Crowd> one_pass_multiclass_crowd(const CrowdOptions& options,
                                                 std::uint32_t item_count,
                                                 std::uint32_t worker_count) {
  return one_pass_crowd<OnePassMulticlassCrowd>(options, item_count, worker_count);
}

}  // namespace allot::model
