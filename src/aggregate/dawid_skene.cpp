#include "allot/aggregate/dawid_skene.hpp"

#include "aggregate/em.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

/// One array: per worker, per label, per true class, so that the cells a label needs are adjacent.
/// It holds counts while learning, the logarithms of shares afterwards.
class Tables {
 public:
  Tables(const model::LabelSet& labels, double smoothing)
      : class_count_(labels.class_count),
        cells_(labels.worker_count * class_count_ * class_count_),
        totals_(class_count_),
        labelled_(labels.worker_count),
        smoothing_(smoothing) {
    for (const model::GivenLabel& label : labels.labels) labelled_[position(label.worker)] = true;
  }

  void forget() { std::ranges::fill(cells_, smoothing_); }

  void learn(const ItemLabels::Entry& entry, std::span<const double> classes) {
    double* row = cells_.data() + start(entry);
    for (std::size_t k = 0; k < class_count_; ++k) row[k] += classes[k];
  }

  double estimate() {
    double sum = 0;
    for (std::size_t j = 0; j < labelled_.size(); ++j) {
      const std::span<double> table = table_of(j);
      std::ranges::fill(totals_, 0);
      for (std::size_t i = 0; i < table.size(); ++i) totals_[i % class_count_] += table[i];
      for (double& total : totals_) total = std::log(total);
      for (std::size_t i = 0; i < table.size(); ++i)
        sum += table[i] = std::log(table[i]) - totals_[i % class_count_];
    }
    return smoothing_ * sum;
  }

  void weigh(const ItemLabels::Entry& entry, std::span<double> scores) const {
    const double* row = cells_.data() + start(entry);
    for (std::size_t k = 0; k < class_count_; ++k) scores[k] += row[k];
  }

  WorkerEstimates estimates(std::span<const double> prior) {
    WorkerEstimates workers{std::vector<double>(labelled_.size(), std::nan("")), {}};
    for (std::size_t j = 0; j < labelled_.size(); ++j) {
      transpose(table_of(j));
      if (!labelled_[j]) continue;
      workers.reliability[j] = 0;
      for (std::size_t k = 0; k < class_count_; ++k)
        workers.reliability[j] += prior[k] * table_of(j)[k * class_count_ + k];
    }
    workers.confusion = std::move(cells_);
    return workers;
  }

 private:
  std::size_t start(const ItemLabels::Entry& entry) const {
    return (entry.worker * class_count_ + entry.label) * class_count_;
  }
  std::span<double> table_of(std::size_t worker) {
    const std::size_t size = class_count_ * class_count_;
    return {cells_.data() + worker * size, size};
  }
  /// Turns logarithms by label and class into chances by class and label.
  void transpose(std::span<double> table) const {
    for (double& cell : table) cell = std::exp(cell);
    for (std::size_t k = 0; k < class_count_; ++k) {
      for (std::size_t l = 0; l < k; ++l)
        std::swap(table[k * class_count_ + l], table[l * class_count_ + k]);
    }
  }

  std::size_t class_count_;
  std::vector<double> cells_;
  std::vector<double> totals_;  // of one worker, by true class
  std::vector<bool> labelled_;
  double smoothing_;
};

}  // namespace

Result<Aggregation> dawid_skene(const model::LabelSet& labels, const EmOptions& options) {
  check_options("dawid_skene", options);
  const double classes = labels.class_count;
  const double numbers = labels.item_count * classes + labels.worker_count * classes * classes;
  TRY(check_size("dawid-skene", labels, numbers));
  Tables tables(labels, options.smoothing);
  Em em(labels, tables);
  Aggregation result;
  result.fit = em.run(options);
  result.answers = with_answers(em.take_classes(), labels);
  result.workers = tables.estimates(em.prior());
  return result;
}

}  // namespace allot::aggregate
