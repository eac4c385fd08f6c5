// Plans for a pool of workers: types with a reliability prior and a price each. Budgets are money.
// Policies are simulated; policy/bound.hpp computes the bound.
#pragma once

#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/worker_pool.hpp"
#include "cli/plan_report.hpp"

namespace allot::cli {

struct PoolRequest {
  model::WorkerPool pool = {};
  /// Probability that an item is positive.
  double prob_positive = 0.5;
  model::Prior item_prior = {};
  std::uint32_t items = 1;
  /// Budgets for all items together.
  std::vector<Money> budgets = {};
  std::vector<double> targets = {};
  bool curve = false;
};

/// Reads the types of --workers.
Result<model::WorkerPool> read_pool(const std::string& text);

/// Default budgets: "0.1%,0.3%,1%".
std::string default_pool_budgets();

/// Budgets of a pool, or the default ones that pay at least one label.
Result<std::vector<Money>> read_pool_budgets(const std::optional<std::string>& text,
                                             const model::WorkerPool& pool, std::uint32_t items);

/// Adds rows and curves to a plan. Returns how much was simulated, for the heading.
Result<std::string> fill_pool_plan(const PoolRequest& request, Plan& plan);

}  // namespace allot::cli
