// Expectation maximisation over the items' classes: the loop that one_coin and dawid_skene share.
//
//   M:  p_k = mean over labelled items of T_ik,   workers from the sums of T_ik over their labels
//   E:  T_ik ~ p_k prod_j Pr(label of j | class k),   scaled to sum to 1
//
// Products are sums of logarithms. Each pass walks through the labels twice in the same order, so
// the result depends on the labels alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "aggregate/vote_shares.hpp"
#include "allot/aggregate/em_options.hpp"
#include "allot/base/check.hpp"

namespace allot::aggregate {

inline void check_options(std::string_view method, const EmOptions& options) {
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
///   smoothing weigh(entry, scores)   adds log Pr(label | class) to the score of every class
template <typename Workers>
class Em {
 public:
  Em(const model::LabelSet& labels, Workers& workers)
      : items_(labels),
        workers_(workers),
        class_count_(labels.class_count),
        prior_(labels.class_count),
        scores_(labels.class_count),
        classes_(vote_shares(items_, class_shares(labels))) {}

  Fit run(const EmOptions& options) {
    Fit fit;
    while (fit.iterations < options.most_iterations && !fit.converged) {
      const double log_density = maximise();
      const auto [log_likelihood, moved] = expect();
      fit.log_likelihood = log_likelihood;
      fit.objective.push_back(log_likelihood + log_density);
      fit.converged = moved <= options.tolerance;
      ++fit.iterations;
    }
    return fit;
  }

  std::span<const double> prior() const { return prior_; }
  std::vector<double> take_classes() { return std::move(classes_); }

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
  Workers& workers_;
  std::size_t class_count_;
  std::vector<double> prior_;
  std::vector<double> scores_;
  std::vector<double> classes_;  // per item, per class
};

}  // namespace allot::aggregate
