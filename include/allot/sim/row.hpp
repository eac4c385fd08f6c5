// What a comparison of policies says: one row a policy and budget.
#pragma once

#include <cstdint>
#include <string>

#include "allot/aggregate/calibration.hpp"

namespace allot::sim {

struct Row {
  std::string policy;
  std::uint64_t budget;
  double labels_per_item;
  /// Share of right answers, mean over runs [CLZ sec:exp].
  double accuracy;
  /// Standard error of that mean; NaN for a single run, which cannot tell.
  double standard_error;
  /// What the answers' probabilities promised, mean over runs; equals the accuracy on average if
  /// the beliefs are right. NaN if the answers have no probabilities.
  double expected_accuracy;
  /// Processor time a run takes to reach the budget: decisions, updates and labels, without
  /// scoring.
  double seconds;
  /// The lowest accuracy of any run: far below the mean if one has gone wrong for good.
  double worst;
  /// Probabilities of the answers of all runs against the truth; without counts where answers have
  /// none.
  aggregate::Calibration calibration = {};
};

}  // namespace allot::sim
