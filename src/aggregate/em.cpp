// The loop of expectation maximisation over the items' classes, and the two models of workers.
//
//   M:  p_k = mean over labelled items of T_ik,   workers from the sums of T_ik over their labels
//   E:  T_ik ~ p_k prod_j Pr(label of j | class k),   scaled to sum to 1
//
// Products are sums of logarithms. Each pass walks through the labels twice in the same order, so
// the result depends on the labels alone.
#include "allot/aggregate/em.hpp"

#include <algorithm>
#include <cmath>

#include "aggregate/item_labels.hpp"
#include "allot/base/check.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

void check_options(std::string_view method, const EmOptions& options) {
  require(options.most_iterations >= 1, method, "most_iterations", options.most_iterations,
          "expected at least 1");
  require(options.tolerance >= 0, method, "tolerance", options.tolerance, "expected at least 0");
  require(options.smoothing > 0 && std::isfinite(options.smoothing), method, "smoothing",
          options.smoothing, "expected a positive number");
}

/// Workers is the model of the workers:
///   forget()               clears the sums
///   learn(entry, classes)  adds one label, given the item's class probabilities
///   estimate()             turns the sums into chances; returns their log density under the
///                          smoothing
///   weigh(entry, scores)   adds log Pr(label | class) to the score of every class
///   estimates(prior)       the result; may move the chances away
template <typename Workers>
class Em {
 public:
  Em(const model::LabelSet& labels, double smoothing)
      : items_(labels),
        workers_(labels, smoothing),
        class_count_(labels.class_count),
        prior_(labels.class_count),
        scores_(labels.class_count),
        classes_(vote_shares(items_, class_shares(labels))) {}

  Aggregation run(const model::LabelSet& labels, const EmOptions& options) && {
    Fit fit;
    while (fit.iterations < options.most_iterations && !fit.converged) {
      const double log_density = maximise();
      const auto [log_likelihood, moved] = expect();
      fit.log_likelihood = log_likelihood;
      fit.objective.push_back(log_likelihood + log_density);
      fit.converged = moved <= options.tolerance;
      ++fit.iterations;
    }
    return {with_answers(std::move(classes_), labels), workers_.estimates(prior_), std::move(fit)};
  }

 private:
  struct Step {
    double log_likelihood = 0;
    double moved = 0;
  };

  std::span<double> classes(std::uint32_t item) {
    return {classes_.data() + item * class_count_, class_count_};
  }

  double maximise() {
    workers_.forget();
    std::ranges::fill(prior_, 0);
    double labelled = 0;
    for (std::uint32_t i = 0; i < items_.item_count(); ++i) {
      if (items_.of(i).empty()) continue;
      const std::span<const double> row = classes(i);
      for (const ItemLabels::Entry& entry : items_.of(i)) workers_.learn(entry, row);
      for (std::size_t k = 0; k < class_count_; ++k) prior_[k] += row[k];
      ++labelled;
    }
    // Without any label all classes are equally probable.
    for (double& p : prior_)
      p = labelled > 0 ? p / labelled : 1 / static_cast<double>(class_count_);
    return workers_.estimate();
  }

  Step expect() {
    std::vector<double> log_prior;
    for (const double p : prior_) log_prior.push_back(std::log(p));
    Step step;
    for (std::uint32_t i = 0; i < items_.item_count(); ++i) {
      std::ranges::copy(log_prior, scores_.begin());
      for (const ItemLabels::Entry& entry : items_.of(i)) workers_.weigh(entry, scores_);
      normalise(classes(i), step);
    }
    return step;
  }

  /// Turns the scores of an item into its class probabilities.
  void normalise(std::span<double> row, Step& step) {
    const double top = std::ranges::max(scores_);
    double sum = 0;
    for (double& score : scores_) sum += score = score == top ? 1 : std::exp(score - top);
    for (std::size_t k = 0; k < class_count_; ++k) {
      const double chance = scores_[k] / sum;
      step.moved = std::max(step.moved, std::abs(chance - row[k]));
      row[k] = chance;
    }
    step.log_likelihood += top + std::log(sum);
  }

  ItemLabels items_;
  Workers workers_;
  std::size_t class_count_;
  std::vector<double> prior_;
  std::vector<double> scores_;
  std::vector<double> classes_;  // per item, per class
};

class Coins {
 public:
  Coins(const model::LabelSet& labels, double smoothing)
      : coins_(labels.worker_count),
        smoothing_(smoothing),
        log_others_(std::log(std::max(1.0, labels.class_count - 1.0))) {}

  void forget() { std::ranges::fill(coins_, Coin{}); }

  void learn(const ItemLabels::Entry& entry, std::span<const double> classes) {
    coins_[entry.worker].right += classes[entry.label];
    ++coins_[entry.worker].all;
  }

  double estimate() {
    double log_density = 0;
    for (Coin& coin : coins_) {
      const double right = coin.right + smoothing_, all = coin.all + 2 * smoothing_;
      // A sum of probabilities may exceed their number by rounding.
      const double wrong = std::max(coin.all - coin.right, 0.0) + smoothing_;
      coin.reliability = right / all;
      coin.log_right = std::log(right / all);
      coin.log_wrong = std::log(wrong / all);
      log_density += smoothing_ * (coin.log_right + coin.log_wrong);
    }
    return log_density;
  }

  void weigh(const ItemLabels::Entry& entry, std::span<double> scores) const {
    const Coin& coin = coins_[entry.worker];
    const double wrong = coin.log_wrong - log_others_;
    for (std::size_t k = 0; k < scores.size(); ++k)
      scores[k] += k == entry.label ? coin.log_right : wrong;
  }

  WorkerEstimates estimates(std::span<const double>) const {
    WorkerEstimates workers;
    for (const Coin& coin : coins_)
      workers.reliability.push_back(coin.all > 0 ? coin.reliability : std::nan(""));
    return workers;
  }

 private:
  struct Coin {
    double right = 0, all = 0;  // right ones as expected
    double reliability = 0, log_right = 0, log_wrong = 0;
  };
  std::vector<Coin> coins_;
  double smoothing_;
  double log_others_;
};

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

Result<Aggregation> one_coin(const model::LabelSet& labels, const EmOptions& options) {
  check_options("one_coin", options);
  const double numbers =
      static_cast<double>(labels.item_count) * labels.class_count + 5.0 * labels.worker_count;
  TRY(check_size("one-coin", labels, numbers));
  return Em<Coins>(labels, options.smoothing).run(labels, options);
}

Result<Aggregation> dawid_skene(const model::LabelSet& labels, const EmOptions& options) {
  check_options("dawid_skene", options);
  const double classes = labels.class_count;
  const double numbers = labels.item_count * classes + labels.worker_count * classes * classes;
  TRY(check_size("dawid-skene", labels, numbers));
  return Em<Tables>(labels, options.smoothing).run(labels, options);
}

}  // namespace allot::aggregate
