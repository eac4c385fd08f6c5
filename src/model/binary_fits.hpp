// Binary items and workers fitted to all labels, by belief propagation or expectation-maximisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/features.hpp"
#include "allot/model/worker_state.hpp"
#include "model/by_worker.hpp"
#include "model/worker_grid.hpp"

namespace allot::model {

/// A fit with every worker's coins integrated out.
struct GridFit {
  /// Log-odds of positive for every item.
  std::vector<double> log_odds;
  /// Weights of the grid's points for every worker, one after the other.
  std::vector<double> weights;
  double positive_share;
};

/// Features of the items, if any, that a fit may use.
struct FitFeatures {
  std::shared_ptr<const Design> design = nullptr;
  /// Prior variance of the weights; learned from the labels if empty (model/feature_strength.hpp).
  std::optional<double> weight_variance = {};
};

/// Items y_i are positive or negative, and worker j's coins (s, t) lie on a grid. A label connects
/// one item with one worker. Sum-product messages [Pearl88] pass along labels:
///   item to worker   m = Pr(y_i = positive) from everything but this label,
///   worker to item   log E(Pr(label | y_i = positive)) / E(Pr(label | y_i = negative)), the mean
///                    over the coins as the worker's other labels leave them.
/// No estimate is plugged in as if it were known, so few labels are not believed too much. Starts
/// from the workers' priors and their labels of known items. All grids must have the same points.
/// `prior_share` is the share of positive items before the first label.
///
/// Features take the place of the share once the workers are fitted, if the labels favour them: a
/// regression (model/multiclass_regression.hpp) says what an item is before its labels. It does not
/// judge workers. Those who go by what the features measure would look reliable, be asked more
/// often, and confirm the features.
GridFit belief_propagation(const LabelsByWorker& labels, std::uint32_t item_count,
                           const ByWorker<WorkerGrid>& grids, double prior_share, int rounds,
                           const KnownLabels& known = KnownLabels(2),
                           const FitFeatures& features = {});

/// Multiplies the weights by the likelihood of a label of an item that is positive with the given
/// probability, and scales them to sum to 1.
void absorb(const WorkerGrid& grid, double positive, Label label, double* weights);

/// Multiplies in all labels of known items, counted as in KnownLabels. Empty counts change nothing.
void absorb_known(const WorkerGrid& grid, std::span<const std::uint32_t> counts, double* weights);
/// The same for counts that a worker inherits.
void absorb_known(const WorkerGrid& grid, std::span<const double> counts, double* weights);

/// Two coins as Betas; equal if a worker has one coin.
struct CoinShapes {
  math::BetaShape sensitivity, specificity;

  /// The coins of a worker who inherits these counts, as in KnownLabels.
  static CoinShapes inherited(const math::BetaShape& prior, Coins coins,
                              std::span<const double> counts);
};

struct EmFit {
  std::vector<double> log_odds;
  std::vector<math::BetaShape> sensitivity, specificity;  // by worker
};

/// Expectation-maximisation [DS79], always from the shares of votes: a start from the last result
/// can stay in a bad optimum. The worker prior and labels of known items are added to the counts.
EmFit em_fit(const LabelsByWorker& labels, std::uint32_t item_count, Coins coins,
             const ByWorker<math::BetaShape>& worker_prior, double prior_share, int rounds,
             const KnownLabels& known = KnownLabels(2));

inline double log_odds(double probability) { return std::log(probability / (1 - probability)); }

/// The share of positive labels; one half if there are none.
inline double positive_share(const LabelsByWorker& labels) {
  double positive = 0.5, all = 1;
  for (const auto& given : labels) {
    all += static_cast<double>(given.size());
    for (const WorkerLabel& one : given) positive += one.label == Label::positive ? 1 : 0;
  }
  return positive / all;
}

/// The share of positive items, learned slowly. A flat share ruins a skewed set; a freely learned
/// one collapses while there is one label per item. 3 sqrt(K) pseudo-items for K items hold it near
/// the prior (docs/replays.md). Unlabelled items are ignored; imputing them at the current share
/// converges to the same value.
class PositiveShare {
 public:
  /// `prior` is the share before the first label.
  PositiveShare(const LabelsByWorker& labels, std::uint32_t item_count, double prior)
      : pseudo_items_(3 * std::sqrt(static_cast<double>(item_count))), prior_(prior) {
    std::vector<bool> labelled(item_count);
    for (const auto& given : labels) {
      for (const WorkerLabel& label : given) labelled[label.item] = true;
    }
    for (std::uint32_t i = 0; i < item_count; ++i) {
      if (labelled[i]) labelled_.push_back(i);
    }
  }

  const std::vector<std::uint32_t>& labelled() const { return labelled_; }
  double pseudo_items() const { return pseudo_items_; }

  /// The share after these probabilities of the items to be positive.
  double operator()(const std::vector<double>& positive) const {
    double sum = pseudo_items_ * prior_;
    for (const std::uint32_t item : labelled_) sum += positive[item];
    return sum / (pseudo_items_ + static_cast<double>(labelled_.size()));
  }

 private:
  double pseudo_items_, prior_;
  std::vector<std::uint32_t> labelled_;
};

/// Keeps a probability 1e-9 away from 0 and 1: a label against a certain item could not change the
/// belief, and labels of a certain worker would outweigh those of all others.
inline double clamp_probability(double probability) {
  return std::clamp(probability, 1e-9, 1 - 1e-9);
}

}  // namespace allot::model
