// Multi-class items and their workers fitted to all labels.
//
// Every fit starts from the shares of votes, as in model/binary_fits.hpp, and then repeats rounds:
// the items as believed give the workers and the shares of classes, and these give the items. With
// features a regression takes the place of the shares. There are two ways:
//
//   em      expectation-maximisation [DS79]. A worker's errors spread evenly over the other
//           classes, until labels say otherwise. 3 sqrt(items) pseudo-items hold the shares of
//           classes at their start.
//   pooled  Workers share what the crowd has in common. Where the errors of a class go is
//           counted over all workers and used for each of them, so a worker with few labels who
//           errs is believed to err as others do. The mean reliability of the crowd is learned too.
//           An item is believed as its labels say, each read through a table that the same label
//           did not help to make (cavity updates). Otherwise a worker with few labels would
//           confirm themselves. 12 n / sqrt(L) pseudo-items hold the shares, of n labelled items
//           with L labels. Groups of workers who err together are read through the views that
//           their members share (model/group_fit.hpp). Confidences of labels are learned after a
//           fit without them (model/confidence_fit.hpp).
//
// Answers of a pooled fit choose between several fits (model/multiclass_answers.hpp). Decisions can
// rest now on even shares of classes, now on those of the labels (CrowdOptions::shares_in_turn).
//
// Cost of a round: O(items C + labels C + workers C^2), with a logarithm per label and class in a
// pooled fit.
#pragma once

#include <optional>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/features.hpp"
#include "allot/model/worker_state.hpp"
#include "model/by_worker.hpp"
#include "model/confidence_fit.hpp"
#include "model/group_fit.hpp"
#include "model/spammers.hpp"

namespace allot::model {

/// Confusion tables from counts of labels.
struct WorkerTables {
  std::uint32_t class_count;
  Coins coins;
  math::BetaShape prior;
  /// Where errors go: by true class and given class, each row but its diagonal sums to 1. Even if
  /// empty.
  std::vector<double> errors = {};
  /// Labels' worth of the worker's one coin in a row of the table.
  double row_strength = 4;

  /// The mean table from counts of labels, true class by true class: with one coin
  ///   rho = (a + right labels) / (a + b + labels),
  /// and errors by their shares; else rows (s one-coin row + counts) / (s + labels in the row), s
  /// the row strength.
  void mean(const double* counts, double* table) const { mean(prior, counts, table); }
  /// The same for a worker with a prior of their own.
  void mean(const math::BetaShape& of_worker, const double* counts, double* table) const;
};

/// Rounds of a refit of a crowd, and of the answers of a pooled one.
inline constexpr int kFitRounds = 8;

struct MulticlassFit {
  std::vector<double> probabilities;  // item by item, class by class
  std::vector<double> counts;         // worker by worker, true class by true class, given class
  /// Rounds made, and by how much the last one moved some probability at most.
  int rounds = 0;
  double moved = 0;
  /// log Pr(all labels) under the estimates before the last round; of a pooled fit, the sum of what
  /// each item's labels say through tables without them.
  double log_likelihood = 0;
  /// Of a pooled fit for answers, the sum over the labels of workers in no group of log Pr(label
  /// given the item's other labels), read through tables alone.
  double label_log_likelihood = 0;
  /// The prior of workers and the shares of errors: those given, or those learned in a pooled fit.
  WorkerTables tables;
  /// Empty if no worker belongs to a group. The counts of members are those of their own tables.
  FittedGroups groups = {};
  FittedConfidences confidences = {};
  /// Set if the fit looked for spammers and found some.
  std::optional<Spammers> spammers = {};
  /// Whether features were used.
  bool features = false;
};

struct MulticlassFitOptions {
  std::uint32_t item_count;
  WorkerTables tables;
  /// Shares of classes before the first label.
  std::vector<double> shares;
  /// None if empty.
  std::shared_ptr<const Design> design;
  /// Prior variance of the weights of features; learned from the labels if empty
  /// (model/feature_strength.hpp).
  std::optional<double> weight_variance;
  /// Replaces the prior of the tables by one per worker; none if empty.
  std::optional<ByWorker<math::BetaShape>> worker_priors = {};
  bool pooled = false;
  /// Whether a pooled fit learns the mean reliability of the crowd; the prior's is the start.
  bool learn_mean = false;
  /// How many times its own weight the prior with a learned mean has, and the start of where errors
  /// go.
  double prior_strength = 1, error_strength = 1;
  /// Whether a pooled fit looks for workers whose labels do not depend on the item.
  bool find_spammers = false;
  /// By worker, whether a pooled fit takes them for such workers from the start; nobody if empty.
  std::vector<bool> spammers = {};
  /// Whether classes have an order: a pooled fit expects errors to go to neighbours.
  bool ordered = false;
  /// Groups of the workers (model/group_views.hpp); none if empty. Only for pooled fits.
  std::vector<std::uint32_t> groups = {};
  /// Whether the shares of the labels replace `shares`.
  bool voted_shares = false;
  /// Whether a pooled fit says how well it predicts labels; decisions do without.
  bool for_answers = false;
  /// Whether answers believe even shares, as they believe uneven ones.
  bool shares_known = false;

  /// Whether answers ask the labels how common the classes are.
  bool are_shares_open() const;
};

/// The row strength of pooled fits. It grows with the classes, because so do the numbers in a row.
double pooled_row_strength(std::uint32_t classes);

/// With a tolerance the fit ends early, when no probability moves by more. If the strength of
/// features is learned, a fit without them comes first. It is the result if the labels do not
/// favour features, and another fit starts from it if they do. Confidences follow in the same way.
/// Labels of known items count with their true class.
MulticlassFit multiclass_fit(const MulticlassLabelsByWorker& labels,
                             const MulticlassFitOptions& options, int rounds,
                             std::optional<double> tolerance = {},
                             const KnownLabels* known = nullptr);

}  // namespace allot::model
