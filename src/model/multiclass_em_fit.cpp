#include "model/multiclass_em_fit.hpp"

#include <algorithm>
#include <cmath>

#include "model/multiclass_regression.hpp"

namespace allot::model {
namespace {

/// Labels' worth of the worker's one coin in a row of the table; chosen on the label sets of
/// docs/replays.md.
constexpr double kRowStrength = 4;
/// Climbing steps of the regression in a round.
constexpr int kSteps = 10;

class Fit {
 public:
  Fit(const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& options,
      const KnownLabels* known)
      : labels_(labels),
        known_(known),
        options_(options),
        classes_(options.tables.class_count),
        probabilities_(std::size_t{options.item_count} * classes_),
        counts_(labels.size() * classes_ * classes_) {
    start_from_votes();
    if (options.design) {
      regression_.emplace(*options.design, options.shares, options.weight_variance, labelled_);
    }
  }

  void round() {
    before_ = probabilities_;
    count();
    start_items();
    std::vector<double> table(classes_ * classes_);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      if (!labels_[j].empty()) add_labels(j, table);
    }
    normalise();
    ++rounds_;
  }

  /// By how much the last round moved some probability at most.
  double moved() const {
    double most = 0;
    for (std::size_t n = 0; n < before_.size(); ++n) {
      most = std::max(most, std::abs(probabilities_[n] - before_[n]));
    }
    return most;
  }

  MulticlassFit result() && {
    count();
    const double last = moved();
    return {std::move(probabilities_), std::move(counts_), rounds_, last, log_likelihood_};
  }

 private:
  /// The shares of votes with one vote shared between all classes.
  void start_from_votes() {
    std::ranges::fill(probabilities_, 1.0 / static_cast<double>(classes_));
    std::vector<double> votes(options_.item_count, 1);
    for (const auto& given : labels_) {
      for (const auto& [item, label] : given) {
        probabilities_[item * classes_ + label] += 1;
        votes[item] += 1;
      }
    }
    for (std::uint32_t i = 0; i < options_.item_count; ++i) {
      for (double& p : of(i)) p /= votes[i];
      if (votes[i] > 1) labelled_.push_back(i);
    }
  }

  std::span<double> of(std::uint32_t item) { return {&probabilities_[item * classes_], classes_}; }

  void count() {
    std::ranges::fill(counts_, 0);
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      double* const counts = &counts_[j * classes_ * classes_];
      if (known_) std::ranges::copy(known_->of(j), counts);
      for (const auto& [item, label] : labels_[j]) {
        const std::span<const double> p = of(item);
        for (std::size_t k = 0; k < classes_; ++k) counts[k * classes_ + label] += p[k];
      }
    }
  }

  /// What is known of an item apart from its labels, in logarithms.
  void start_items() {
    if (regression_) {
      regression_->climb(probabilities_, kSteps);
      probabilities_ = regression_->log_predictions();
      return;
    }
    const double pseudo_items = 3 * std::sqrt(static_cast<double>(options_.item_count));
    std::vector<double> shares = options_.shares;
    for (double& share : shares) share *= pseudo_items;
    for (const std::uint32_t item : labelled_) {
      for (std::size_t k = 0; k < classes_; ++k) shares[k] += of(item)[k];
    }
    const double all = pseudo_items + static_cast<double>(labelled_.size());
    for (double& share : shares) share = std::log(share / all);
    for (std::uint32_t i = 0; i < options_.item_count; ++i)
      std::ranges::copy(shares, of(i).begin());
  }

  void add_labels(std::size_t worker, std::vector<double>& table) {
    options_.tables_of(worker).mean(&counts_[worker * classes_ * classes_], table.data());
    for (double& chance : table) chance = std::log(chance);
    for (const auto& [item, label] : labels_[worker]) {
      const std::span<double> p = of(item);
      for (std::size_t k = 0; k < classes_; ++k) p[k] += table[k * classes_ + label];
    }
  }

  void normalise() {
    log_likelihood_ = 0;
    for (std::uint32_t i = 0; i < options_.item_count; ++i) {
      const std::span<double> p = of(i);
      const double most = *std::ranges::max_element(p);
      double sum = 0;
      for (double& one : p) sum += one = std::exp(one - most);
      for (double& one : p) one /= sum;
      log_likelihood_ += most + std::log(sum);
    }
  }

  const MulticlassLabelsByWorker& labels_;
  const KnownLabels* const known_;
  const MulticlassFitOptions& options_;
  const std::size_t classes_;
  std::vector<double> probabilities_, counts_;
  std::vector<double> before_;  // the probabilities before the last round
  int rounds_ = 0;
  double log_likelihood_ = 0;
  std::vector<std::uint32_t> labelled_;
  std::optional<MulticlassRegression> regression_;
};

}  // namespace

void WorkerTables::mean(const double* counts, double* table) const {
  double right = prior.a, wrong = prior.b;
  for (std::size_t k = 0; k < class_count; ++k) {
    for (std::size_t y = 0; y < class_count; ++y) (k == y ? right : wrong) += *counts++;
  }
  counts -= std::size_t{class_count} * class_count;
  const double if_right = right / (right + wrong);
  const double if_wrong = wrong / (right + wrong) / (class_count - 1);
  for (std::size_t k = 0; k < class_count; ++k) {
    const std::span<const double> row(counts + k * class_count, class_count);
    double in_row = kRowStrength;
    for (const double count : row) in_row += count;
    for (std::size_t y = 0; y < class_count; ++y) {
      const double one_coin = k == y ? if_right : if_wrong;
      *table++ = coins == Coins::one ? one_coin : (kRowStrength * one_coin + row[y]) / in_row;
    }
  }
}

MulticlassFit multiclass_em_fit(const MulticlassLabelsByWorker& labels,
                                const MulticlassFitOptions& options, int rounds,
                                std::optional<double> tolerance, const KnownLabels* known) {
  Fit fit(labels, options, known);
  for (int i = 0; i < rounds; ++i) {
    fit.round();
    if (tolerance && fit.moved() <= *tolerance) break;
  }
  return std::move(fit).result();
}

}  // namespace allot::model
