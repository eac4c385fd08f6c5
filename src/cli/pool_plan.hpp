// Plans where workers differ: a pool of types, each with a reliability prior and a price. Budgets
// are money; policies are simulated, the bound is that of policy/pool_bound.hpp.
#pragma once

#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/worker_pool.hpp"
#include "cli/plan_text.hpp"

namespace allot::cli {

struct PoolRequest {
  model::WorkerPool pool = {};
  /// The probability that an item is positive.
  double prob_positive = 0.5;
  model::Prior item_prior = {};
  std::uint32_t items = 1;
  /// For all items.
  std::vector<Money> budgets = {};
  std::vector<double> targets = {};
  bool curve = false;
};

/// The types of --workers.
Result<model::WorkerPool> read_pool(const std::string& text);

/// "0.1%,0.3%,1%": the budgets if none are given.
std::string usual_pool_budgets();

/// The budgets of a pool as written; a few shares of all labels if nothing is.
Result<std::vector<Money>> read_pool_budgets(const std::optional<std::string>& text,
                                             const model::WorkerPool& pool, std::uint32_t items);

/// Adds rows and curve to a plan; says how much was simulated.
Result<std::string> fill_pool_plan(const PoolRequest& request, Plan& plan);

}  // namespace allot::cli
