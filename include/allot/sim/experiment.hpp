// Policies compared on simulated labels.
//
// In every run the true soft labels are drawn (or given), and the k-th label of an item is the same
// whichever policy asks for it, so that policies differ by their choices and not by luck. All
// random numbers follow from the seed, the run and the item: the results do not depend on the
// number of threads, nor on which other policies or budgets are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/policy/policy.hpp"

namespace allot::sim {

struct Experiment {
  std::uint32_t item_count = 0;
  /// In labels. Each gets a row for every policy.
  std::vector<std::uint64_t> budgets;
  model::SoftLabels truth;
  /// What the policies and the answers believe at the start.
  model::Prior prior;
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
};

struct Row {
  std::string policy;
  std::uint64_t budget;
  double labels_per_item;
  /// Share of right answers, mean over runs [CLZ sec:exp].
  double accuracy;
  /// Standard error of that mean; NaN for a single run, which cannot tell.
  double standard_error;
  /// What the posterior promised, mean over runs; equals the accuracy on average if the prior is
  /// the truth.
  double expected_accuracy;
  /// Processor time a run takes to reach the budget: decisions and drawing labels, without scoring.
  double seconds;
};

/// One row a policy and budget, in the order given. Fails if a policy cannot be started, such as dp
/// on a large problem. `progress` counts labels.
Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress = nullptr);

}  // namespace allot::sim
