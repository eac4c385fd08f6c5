#include "cli/pool_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "allot/io/budget_text.hpp"
#include "allot/io/pool_text.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"
#include "base/errors.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::array kPoolShares{0.1, 0.3, 1.0, 3.0, 10.0, 30.0};  // in percent
constexpr std::uint32_t kMostPoolWorkers = 1000;
constexpr std::uint64_t kPoolSeed = 1;
/// Simulated items, which stand for all; more if the budget pays few labels of the most expensive
/// worker.
constexpr std::uint32_t kSimulatedItems = 100, kMostSimulatedItems = 1000;
constexpr double kExpensiveLabels = 50, kItemsPerPriceRatio = 20;
/// Simulated labels per policy and budget, so that a plan takes a few seconds.
constexpr double kSimulatedLabels = 8'000;
constexpr std::uint32_t kFewestRunsPerPoint = 8, kMostRunsPerPoint = 60;
/// Draws of the workers' reliabilities for the bound.
constexpr std::uint64_t kPools = 16;
/// Steps between the budgets for targets and curves: from one label per item by the cheapest worker
/// to all labels.
constexpr int kLadder = 9;
constexpr int kPoolCurvePoints = 60;
constexpr std::array<const char*, 2> kPlannedForPool{"least-labelled", "opt-kg"};

Money all_labels(const model::WorkerPool& pool, std::uint32_t items) {
  Money sum;
  for (const model::WorkerType& type : pool.types) sum += type.price * type.count;
  return sum * items;
}

Money cheapest(const model::WorkerPool& pool) {
  return std::ranges::min(pool.types, {}, &model::WorkerType::price).price;
}

/// Beliefs that know the priors of the types, and groups of workers who err together. Those need
/// the multi-class form of beliefs, which starts with the probability that an item is positive:
/// nearly all of such a Dirichlet lies at a plain yes or no.
model::CrowdOptions beliefs_of(const PoolRequest& request) {
  constexpr double kPlain = 0.02, kLeast = 0.001;
  model::CrowdOptions beliefs;
  beliefs.worker_priors = model::reliability_priors(request.pool);
  beliefs.groups = model::groups(request.pool);
  if (beliefs.groups.empty()) {
    beliefs.item_prior = request.item_prior;
    beliefs.coins = model::Coins::one;
  } else {
    const double positive = std::clamp(request.prob_positive, kLeast, 1 - kLeast);
    beliefs.item_prior =
        model::DirichletPrior::dirichlet({kPlain * (1 - positive), kPlain * positive});
  }
  return beliefs;
}

/// A crowd whose items are a plain yes or no, with the expected share of positive ones.
sim::Experiment experiment_of(const PoolRequest& request, std::uint32_t items) {
  const auto positive = static_cast<std::uint32_t>(std::lround(request.prob_positive * items));
  std::vector<double> truth(items, 0.0);
  std::fill_n(truth.begin(), positive, 1.0);
  sim::Simulation world{.item_count = items,
                        .worker_count = model::worker_count(request.pool),
                        .truth = std::move(truth),
                        .reliabilities = model::reliability_priors(request.pool)};
  world.groups = model::groups(request.pool);
  if (!world.groups.empty()) world.repeats = model::repeat_chances(request.pool);
  sim::Experiment experiment{.world = std::move(world),
                             .workers = sim::DifferingWorkers{.beliefs = beliefs_of(request)},
                             .prices = model::prices(request.pool),
                             .seed = kPoolSeed,
                             .threads = std::max(1U, std::thread::hardware_concurrency())};
  for (const char* name : kPlannedForPool)
    experiment.policies.push_back(policy::make_policy(name, policy::TieBreak::random).value());
  return experiment;
}

/// Number of items to simulate.
std::uint32_t simulated_items(const PoolRequest& request, Money budget) {
  const double highest =
      std::ranges::max(request.pool.types, {}, &model::WorkerType::price).price.value();
  // The money left when no expensive worker can be paid buys cheap labels: few per item.
  const double items = std::max(kExpensiveLabels * highest / budget.value() * request.items,
                                kItemsPerPriceRatio * highest / cheapest(request.pool).value());
  return std::min(request.items, static_cast<std::uint32_t>(std::clamp(
                                     items, double{kSimulatedItems}, double{kMostSimulatedItems})));
}

/// Simulates policies on some of the items and adds one row per policy; `budget` is for all items.
Result<void> simulate(const PoolRequest& request, Money budget, std::vector<PlanRow>& result) {
  const std::uint32_t items = simulated_items(request, budget);
  const double share = static_cast<double>(items) / request.items;
  const Money all = all_labels(request.pool, items), least = cheapest(request.pool);
  const Money part = std::clamp(budget.part(share), least, all);
  sim::Experiment experiment = experiment_of(request, items);
  experiment.money = {part};
  const double labels = std::min(static_cast<double>(part.pays(least)),
                                 static_cast<double>(items) * model::worker_count(request.pool));
  experiment.runs = static_cast<std::uint32_t>(std::clamp(
      kSimulatedLabels / labels, double{kFewestRunsPerPoint}, double{kMostRunsPerPoint}));
  const auto rows = TRY(sim::run(experiment));
  for (const sim::Row& row : rows) {
    result.push_back({row.policy, {}, budget.value(), row.accuracy, kUnknown, row.standard_error});
  }
  return {};
}

policy::PoolBound bound_of(const PoolRequest& request) {
  std::vector<std::vector<policy::LabelOffer>> pools;
  const std::vector<model::Prior> priors = model::reliability_priors(request.pool);
  for (std::uint64_t draw = 0; draw < kPools; ++draw) {
    const std::vector<double> reliable =
        model::soft_labels(priors, kPoolSeed, draw, Rng::Purpose::reliability);
    std::vector<policy::LabelOffer> offers;
    std::size_t first = 0;
    for (const model::WorkerType& type : request.pool.types) {
      double best = 0.5;
      for (std::size_t j = first; j < first + type.count; ++j)
        best = std::max({best, reliable[j], 1 - reliable[j]});
      offers.push_back({best, type.price.value(), type.count});
      first += type.count;
    }
    pools.push_back(std::move(offers));
  }
  return {request.prob_positive, std::move(pools)};
}

/// The bound takes workers who err together for independent, so what one more unit adds to it says
/// nothing about them.
PlanRow bound_row(const PoolRequest& request, policy::PoolBound& bound, double budget) {
  const auto [accuracy, price] = bound.accuracy_for_budget(budget / request.items);
  const bool err_together = !model::groups(request.pool).empty();
  return {"bound", {}, budget, accuracy, err_together ? kUnknown : price, kUnknown};
}

/// Budgets with evenly spaced logarithms.
std::vector<Money> ladder(const PoolRequest& request) {
  const double low = cheapest(request.pool).value() * request.items;
  const Money all = all_labels(request.pool, request.items);
  std::vector<Money> budgets;
  for (int i = 0; i <= kLadder; ++i)
    budgets.push_back(all.part(std::pow(low / all.value(), 1 - static_cast<double>(i) / kLadder)));
  return budgets;
}

/// Budget at which a policy first reaches the target, interpolated on the logarithm.
double budget_for(const std::vector<PlanRow>& rows, const std::string& policy, double target) {
  const PlanRow* last = nullptr;
  for (const PlanRow& row : rows) {
    if (row.policy != policy) continue;
    if (row.accuracy >= target) {
      if (!last) return row.budget;
      const double share = (target - last->accuracy) / (row.accuracy - last->accuracy);
      return last->budget * std::pow(row.budget / last->budget, share);
    }
    last = &row;
  }
  return std::numeric_limits<double>::infinity();
}

void add_targets(const PoolRequest& request, const std::vector<PlanRow>& rungs,
                 policy::PoolBound& bound, Plan& plan) {
  for (const double target : request.targets) {
    for (const char* name : kPlannedForPool) {
      const double budget = budget_for(rungs, name, target);
      plan.rows.push_back(
          {name, target, budget, std::isfinite(budget) ? target : kUnknown, kUnknown, kUnknown});
    }
    const double least = bound.budget_for_accuracy(target) * request.items;
    plan.rows.push_back({"bound", target, least, target, kUnknown, kUnknown});
  }
}

/// Adds curves up to the largest budget of the plan with some room, equal splitting for a target
/// excepted.
void add_curve(const PoolRequest& request, std::vector<PlanRow> simulated, policy::PoolBound& bound,
               Plan& plan) {
  double end = 0;
  for (const PlanRow& row : plan.rows) {
    if (!row.target) simulated.push_back(row);
    const bool counts = !row.target || row.policy != kPlannedForPool[0];
    if (counts && std::isfinite(row.budget)) end = std::max(end, 1.2 * row.budget);
  }
  end = std::min(end, all_labels(request.pool, request.items).value());
  for (const char* name : kPlannedForPool) {
    std::ranges::copy_if(simulated, std::back_inserter(plan.curve), [&](const PlanRow& row) {
      return row.policy == name && row.budget <= end;
    });
  }
  for (int i = 0; i <= kPoolCurvePoints; ++i) {
    const double share = static_cast<double>(i) / kPoolCurvePoints;
    plan.curve.push_back(bound_row(request, bound, end * share * share));
  }
}

/// Default shares of the price of all labels that pay at least one label.
std::string default_budgets(const model::WorkerPool& pool, Money all) {
  std::string text;
  for (const double percent : kPoolShares) {
    if (all.part(percent / 100) < cheapest(pool)) continue;
    text += fmt::format("{}{}%", text.empty() ? "" : ",", percent);
  }
  return text.empty() ? "100%" : text;
}

}  // namespace

Result<model::WorkerPool> read_pool(const std::string& text) {
  if (parse_whole(text)) {
    return invalid(
        "--workers {} has no reliability; expected types such as 20*beta(4,1)@0.08 or "
        "llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08",
        in_quotes(text));
  }
  auto pool = TRY(in_option("--workers", io::parse_pool(text)));
  if (model::worker_count(pool) <= kMostPoolWorkers) return pool;
  return invalid("--workers {} has {} workers; expected at most {}, which can stand for more",
                 in_quotes(text), model::worker_count(pool), kMostPoolWorkers);
}

std::string default_pool_budgets() { return fmt::format("{}%", fmt::join(kPoolShares, "%,")); }

Result<std::vector<Money>> read_pool_budgets(const std::optional<std::string>& text,
                                             const model::WorkerPool& pool, std::uint32_t items) {
  double all = 0;
  for (const model::WorkerType& type : pool.types) all += type.price.value() * type.count * items;
  if (all > static_cast<double>(Money::kMost)) {
    return invalid(
        "--workers: one label per worker and item costs {1:.3g} for {0} items; expected at most "
        "{2}, with other units or fewer items",
        items, all, Money::kMost);
  }
  const auto prices = model::prices(pool);
  const Money sum = all_labels(pool, items);
  const io::LabelPrices labels{cheapest(pool), std::ranges::max(prices),
                               std::uint64_t{items} * model::worker_count(pool), sum};
  const auto budgets =
      TRY(io::parse_money_budgets(text.value_or(default_budgets(pool, sum)), items, labels));
  std::vector<Money> money;
  for (const io::Budget& budget : budgets) money.push_back(*budget.money);
  return money;
}

Result<std::string> fill_pool_plan(const PoolRequest& request, Plan& plan) {
  policy::PoolBound bound = bound_of(request);
  const bool rungs_needed = request.curve || !request.targets.empty();
  const std::vector<Money> rungs_at = rungs_needed ? ladder(request) : std::vector<Money>{};
  Progress progress;
  progress.total = request.budgets.size() + rungs_at.size();
  const ProgressBar bar("simulating", progress);
  for (const Money budget : request.budgets) {
    TRY(simulate(request, budget, plan.rows));
    plan.rows.push_back(bound_row(request, bound, budget.value()));
    ++progress.done;
  }
  std::vector<PlanRow> rungs;
  for (const Money budget : rungs_at) {
    TRY(simulate(request, budget, rungs));
    ++progress.done;
  }
  add_targets(request, rungs, bound, plan);
  if (request.curve) add_curve(request, std::move(rungs), bound, plan);
  const std::uint32_t most = std::min(request.items, kMostSimulatedItems);
  return fmt::format("simulated with up to {} (seed {})", count_text(most, "item"), kPoolSeed);
}

}  // namespace allot::cli
