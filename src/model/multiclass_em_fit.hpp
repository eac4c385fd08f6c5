// Multi-class items and their workers fitted to all labels by expectation-maximisation [DS79].
//
// Every fit starts from the shares of votes, as in model/binary_fits.hpp. Shares of classes are
// learned slowly, held by 3 sqrt(K) pseudo-items; with features the regression takes their place.
#pragma once

#include <optional>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/features.hpp"
#include "allot/model/worker_state.hpp"
#include "model/by_worker.hpp"

namespace allot::model {

/// Confusion tables from counts of labels.
struct WorkerTables {
  std::uint32_t class_count;
  Coins coins;
  math::BetaShape prior;

  /// The mean table from counts of labels, true class by true class: with one coin
  ///   rho = (a + right labels) / (a + b + labels),
  /// else rows (4 one-coin row + counts) / (4 + labels in the row).
  void mean(const double* counts, double* table) const;
};

struct MulticlassFit {
  std::vector<double> probabilities;  // item by item, class by class
  std::vector<double> counts;         // worker by worker, true class by true class, given class
  /// Rounds made, and by how much the last one moved some probability at most.
  int rounds = 0;
  double moved = 0;
  /// log Pr(all labels) under the estimates before the last round.
  double log_likelihood = 0;
};

struct MulticlassFitOptions {
  std::uint32_t item_count;
  WorkerTables tables;
  /// Shares of classes before the first label.
  std::vector<double> shares;
  /// None if empty.
  std::shared_ptr<const Design> design;
  double weight_variance;
  /// Replaces the prior of the tables by one per worker; none if empty.
  std::optional<ByWorker<math::BetaShape>> worker_priors = {};

  WorkerTables tables_of(std::size_t worker) const {
    if (!worker_priors) return tables;
    return {tables.class_count, tables.coins, (*worker_priors)[worker]};
  }
};

/// With a tolerance the fit ends early, when no probability moves by more. Labels of known items
/// count with their true class.
MulticlassFit multiclass_em_fit(const MulticlassLabelsByWorker& labels,
                                const MulticlassFitOptions& options, int rounds,
                                std::optional<double> tolerance = {},
                                const KnownLabels* known = nullptr);

}  // namespace allot::model
