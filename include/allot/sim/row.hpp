// The results of an experiment: one row per policy and budget.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "allot/aggregate/calibration.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::sim {

/// Results of one policy with one budget.
struct Row {
  /// Name of the policy: "opt-kg", "cvar:0.7".
  std::string policy;
  /// The budget in labels; for a budget in money the most labels that it can buy.
  std::uint64_t budget;
  /// The budget per item; for money that buys different numbers of labels, the mean of those
  /// bought.
  double labels_per_item;
  /// Share of right answers, mean over runs [CLZ sec:exp].
  double accuracy;
  /// Standard error of that mean; NaN for a single run, which cannot tell.
  double standard_error;
  /// The accuracy expected by the answers' probabilities, mean over runs; equals the accuracy on
  /// average if the beliefs are right. NaN if the answers have no probabilities.
  double expected_accuracy;
  /// Processor time of a run until it reaches the budget: decisions, updates and labels, without
  /// scoring.
  double seconds;
  /// The lowest accuracy of any run: far below the mean if one has gone wrong for good.
  double worst;
  /// Probabilities of the answers of all runs against the truth; without counts where answers have
  /// none.
  aggregate::Calibration calibration = {};
  /// Labels bought, mean over runs: the budget, unless a rule stops runs before it or prices
  /// differ.
  double labels = 0;
  /// The cost of the labels, mean over runs; a label costs 1 where nothing has a price.
  double spent = 0;
  /// The number of runs that ended for each reason, in the order of policy::kStopReasons.
  std::array<std::uint32_t, policy::kStopReasons.size()> stopped = {};
};

/// Rows of an experiment with the accuracies of their runs. Policies meet the same labels in a run,
/// so their difference run by run is known far better than either mean.
struct EachRun {
  /// Means over the runs, one row per policy and budget.
  std::vector<Row> rows;
  /// Share of right answers, by row and run.
  std::vector<std::vector<double>> accuracies;
};

}  // namespace allot::sim
