// Items and workers fitted to all labels, with every worker's coins integrated out.
//
// Items y_i are positive or negative, and worker j's coins (s, t) lie on a grid. A label connects
// one item with one worker. Sum-product messages [Pearl88] pass along labels:
//   item to worker   m = Pr(y_i = positive) from everything but this label,
//   worker to item   log E(Pr(label | y_i = positive)) / E(Pr(label | y_i = negative)), the mean
//                    over the coins as the worker's other labels leave them.
// No estimate is plugged in as if it were known, so few labels are not believed too much. The share
// of positive items is learned slowly between the rounds (positive_share).
//
// Cost: about labels x nodes x rounds x 4 operations.
#pragma once

#include "model/by_worker.hpp"
#include "model/worker_grid.hpp"
#include "model/worker_labels.hpp"

namespace allot::model {

struct GridFit {
  /// Log-odds of positive for every item.
  std::vector<double> log_odds;
  /// Weights of the grid's points for every worker, one after the other.
  std::vector<double> weights;
  double positive_share;
};

/// Starts from the workers' priors and their labels of known items. All grids must have the same
/// points. `prior_share` is the share of positive items before the first label.
GridFit belief_propagation(const LabelsByWorker& labels, std::uint32_t item_count,
                           const ByWorker<WorkerGrid>& grids, double prior_share, int rounds,
                           const KnownLabels& known = KnownLabels(2));

/// Multiplies the weights by the likelihood of a label of an item that is positive with the given
/// probability, and scales them to sum to 1.
void absorb(const WorkerGrid& grid, double positive, Label label, double* weights);

/// Multiplies in all labels of known items, counted as in KnownLabels. Empty counts change nothing.
void absorb_known(const WorkerGrid& grid, std::span<const std::uint32_t> counts, double* weights);

}  // namespace allot::model
