// Policies compared on labels of workers who are alike, simulated or played back.
//
// In every run the true soft labels are drawn (or given), and the k-th label of an item is the same
// whichever policy asks for it, so that policies differ by their choices and not by luck. In a
// replay the k-th label of an item is the k-th of its recorded ones in an order drawn for the run.
// All random numbers follow from the seed, the run and the item: the results do not depend on the
// number of threads, nor on which other policies or budgets are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/sim/each_run.hpp"
#include "allot/sim/recording.hpp"
#include "allot/sim/row.hpp"

namespace allot::sim {

struct Experiment {
  std::uint32_t item_count = 0;
  /// Labels to be played back instead of simulated ones; budgets cannot exceed their number.
  std::shared_ptr<const Recording> recording = nullptr;
  /// In labels. Each gets a row for every policy.
  std::vector<std::uint64_t> budgets;
  /// Of simulated labels.
  model::SoftLabels truth = model::Prior::uniform();
  /// What the policies and the answers believe at the start.
  model::Prior prior;
  /// Whether that is learned from the labels, and how: the policies then believe `prior` until the
  /// first estimate and start anew with every other; the answers come from all labels of the
  /// budget.
  std::optional<model::PriorLearning> learn = {};
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  /// What ends a run before its budget is spent.
  policy::StopRules stop = {};
  /// Of a label.
  Money price = kUnitPrice;
};

/// One row a policy and budget, in the order given. Fails if a policy cannot be started, such as dp
/// on a large problem, under a prior that is learned, where items are settled, or on recorded
/// labels, which can run out.
/// `progress` counts labels.
Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress = nullptr);

/// The same with the accuracy of every run.
Result<EachRun> run_each(const Experiment& experiment, Progress* progress = nullptr);

}  // namespace allot::sim
