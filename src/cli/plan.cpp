#include "cli/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allot/base/money.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/number_list.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/pool_plan.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

constexpr const char* kDefaultBudgets = "1x,2x,5x,10x,20x";
constexpr const char* kDefaultPrior = "uniform";
/// Largest budget with a forecast.
constexpr double kMostLabelsPerItem = 100;
constexpr std::array<const char*, 3> kPlanned{"least-labelled", "opt-kg", "label-price"};
/// Points per curve.
constexpr int kCurvePoints = 60;

/// Prior of the plan, and where it comes from.
struct Start {
  model::Prior prior;
  std::string prior_text;
  /// Size of the pilot; 0 if there is none.
  std::uint32_t pilot_items = 0;
  std::uint64_t pilot_labels = 0;
};

bool has_pilot(const PlanOptions& options) { return !options.pilot.labels.empty(); }

Result<void> check_pilot(const PlanOptions& options) {
  if (has_pilot(options)) {
    if (!options.prior) return {};
    return invalid(
        "--prior {} cannot be combined with --pilot, which learns it; expected one of them",
        in_quotes(*options.prior));
  }
  const char* const useless = options.pilot.duplicates != LabelFlags{}.duplicates ? "--duplicates"
                              : !options.pilot.classes.empty()                    ? "--classes"
                                                               : options.pilot.format.given();
  if (!useless) return {};
  return invalid("{} has no effect without a pilot; expected --pilot with it", useless);
}

/// The labels of the pilot, if there is one.
Result<std::optional<LabelFiles>> read_pilot(const PlanOptions& options) {
  TRY(check_pilot(options));
  if (!has_pilot(options)) return std::nullopt;
  const auto rules = TRY(read_label_rules(options.pilot));
  return std::optional(TRY(in_option("--pilot", read_label_files(options.pilot, rules))));
}

/// The prior that makes the labels of the pilot most probable (model/prior_fit.hpp).
Result<Start> learn(const PlanOptions& options, const LabelFiles& pilot) {
  const model::LabelSet& set = pilot.labels.set;
  if (set.class_count > 2) {
    return invalid("--pilot {} has {} classes; expected two", file_name(options.pilot.labels),
                   set.class_count);
  }
  model::Beliefs beliefs(set.item_count, model::Prior::uniform());
  for (const model::GivenLabel& given : set.labels) {
    // Swapping the classes does not change a plan, so a single class can be either.
    beliefs.record(given.item,
                   set.class_count == 1 ? Label::positive : model::to_label(given.label));
  }
  const auto [a, b] = model::fit_beta(model::count_groups(beliefs));
  return Start{model::Prior::beta(a, b), fmt::format("beta:{:.4g},{:.4g}", a, b), set.item_count,
               set.labels.size()};
}

Result<Start> read_start(const PlanOptions& options, const std::optional<LabelFiles>& pilot) {
  TRY(check_pilot(options));
  if (pilot) return learn(options, *pilot);
  const std::string text = options.prior.value_or(kDefaultPrior);
  const auto prior = TRY(in_option("--prior", io::parse_prior(text)));
  if (prior.is_proper()) return Start{prior, text};
  return invalid(
      "--prior {} is improper, so it has no expectation; expected uniform, jeffreys, beta:A,B or a "
      "mixture",
      in_quotes(text));
}

Result<std::uint32_t> read_items(const PlanOptions& options, const Start& start) {
  if (options.items) return read_whole<std::uint32_t>("--items", *options.items, 1, kMostItems);
  if (start.pilot_items > 0) return start.pilot_items;
  return invalid("--items is missing; expected the number of items, or a --pilot");
}

Result<std::vector<double>> read_targets(const PlanOptions& options) {
  if (!options.target) return std::vector<double>{};
  auto targets = io::parse_number_list(*options.target, "", std::nullopt);
  const auto outside = [](double target) { return !(target > 0 && target < 1); };
  if (targets && targets->size() <= 1000 && std::ranges::none_of(*targets, outside))
    return *std::move(targets);
  return invalid(
      "--target {} is not understood; expected shares between 0 and 1, such as 0.95, or a list "
      "0.9,0.95",
      in_quotes(*options.target));
}

Result<std::vector<double>> read_planned_budgets(const PlanOptions& options, std::uint32_t items) {
  if (!options.budget && options.target) return std::vector<double>{};
  const std::string text = options.budget.value_or(kDefaultBudgets);
  const auto budgets = TRY(io::parse_budgets(text, items));
  std::vector<double> labels;
  for (const io::Budget& budget : budgets) {
    labels.push_back(static_cast<double>(budget.labels));
    if (labels.back() <= kMostLabelsPerItem * items) continue;
    return invalid(
        "--budget {} is more than 100 labels per item ({} for {}); expected at most 100x",
        in_quotes(text), budget.labels, count_text(items, "item"));
  }
  return labels;
}

Result<std::optional<Money>> read_price(const PlanOptions& options) {
  if (!options.price) return std::optional<Money>{};
  return std::optional(TRY(in_option("--price", parse_price(*options.price))));
}

/// Forecasts of the policies and the bound, for workers who are alike.
class AlikePlanner {
 public:
  AlikePlanner(const model::Prior& prior, std::uint32_t items)
      : items_(items), bound_(policy::budget_curve(prior)) {
    for (const char* name : kPlanned) forecasts_.emplace_back(name, prior, items);
  }

  static std::size_t row_count() { return kPlanned.size() + 1; }

  /// Row of a policy for a budget; the last row is the bound.
  PlanRow for_budget(std::size_t row, double budget) {
    if (row == kPlanned.size()) {
      const auto [accuracy, price] = bound_.accuracy_for_budget(budget / items_);
      return {"bound", {}, budget, accuracy, price};
    }
    policy::Forecast& forecast = forecasts_[row];
    return {kPlanned[row], {}, budget, forecast.accuracy(budget), forecast.label_value(budget)};
  }

  PlanRow for_target(std::size_t row, double target) {
    const double most = kMostLabelsPerItem * items_;
    double budget = 0;
    if (row == kPlanned.size()) {
      budget = std::max(0.0, std::ceil(bound_.budget_for_accuracy(target) * items_ - 1e-6));
      if (budget > most) budget = std::numeric_limits<double>::infinity();
    } else {
      budget = forecasts_[row].budget_for_accuracy(target, most);
    }
    if (!std::isfinite(budget)) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      return {row == kPlanned.size() ? "bound" : kPlanned[row], target, budget, kUnknown, kUnknown};
    }
    PlanRow result = for_budget(row, budget);
    result.target = target;
    return result;
  }

 private:
  const double items_;
  policy::BudgetCurve bound_;
  std::vector<policy::Forecast> forecasts_;
};

/// End of the curves: the largest budget of the plan with some room, equal splitting for a target
/// excepted; 20 labels per item if there is none.
double curve_end(const Plan& plan) {
  double most = 0;
  for (const PlanRow& row : plan.rows) {
    if (row.target && row.policy == kPlanned[0]) continue;
    if (std::isfinite(row.budget)) most = std::max(most, row.budget);
  }
  if (most == 0) most = 20 * plan.items;
  return std::min(std::ceil(most * 1.2), kMostLabelsPerItem * plan.items);
}

/// Distinct budgets of a curve, denser at the start, where curves bend.
std::vector<double> curve_budgets(double end) {
  std::vector<double> budgets;
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double share = static_cast<double>(i) / kCurvePoints;
    const double budget = std::round(end * share * share);
    if (budgets.empty() || budget > budgets.back()) budgets.push_back(budget);
  }
  return budgets;
}

void fill(Plan& plan, AlikePlanner& planner, const std::vector<double>& budgets,
          const std::vector<double>& targets, bool curve) {
  Progress progress;
  const std::size_t all = AlikePlanner::row_count();
  progress.total = all * (budgets.size() + targets.size() + (curve ? kCurvePoints + 1 : 0));
  const ProgressBar bar("planning", progress);
  for (const double budget : budgets) {
    for (std::size_t i = 0; i < all; ++i, ++progress.done)
      plan.rows.push_back(planner.for_budget(i, budget));
  }
  for (const double target : targets) {
    for (std::size_t i = 0; i < all; ++i, ++progress.done)
      plan.rows.push_back(planner.for_target(i, target));
  }
  if (!curve) return;
  for (std::size_t i = 0; i < all; ++i) {
    for (const double budget : curve_budgets(curve_end(plan))) {
      plan.curve.push_back(planner.for_budget(i, budget));
      ++progress.done;
    }
  }
}

std::string prior_text(const Start& start) {
  if (start.pilot_items == 0) return "prior " + shortened(start.prior_text);
  return fmt::format("prior {} learned from {} of {}", start.prior_text,
                     count_text(start.pilot_labels, "label"),
                     count_text(start.pilot_items, "item"));
}

Plan heading(const PlanOptions& options, const Start& start, std::uint32_t items,
             const std::optional<Money>& price) {
  Plan plan{
      .conditions = fmt::format("{}, {}", count_text(items, "item"), prior_text(start)),
      .settings = {{"items", fmt::format("{}", items)}, {"prior", json_string(start.prior_text)}},
      .items = static_cast<double>(items),
      .price = {},
      .most_per_item = kMostLabelsPerItem};
  if (has_pilot(options)) {
    plan.settings.emplace_back("pilot_items", fmt::format("{}", start.pilot_items));
    plan.settings.emplace_back("pilot_labels", fmt::format("{}", start.pilot_labels));
  }
  if (price) {
    plan.price = price->value();
    plan.conditions += fmt::format(", {} per label", money_text(*price));
    plan.settings.emplace_back("price", money_text(*price));
  }
  return plan;
}

Result<Plan> with_alike(const PlanOptions& options, const Start& start, std::uint32_t items,
                        const std::vector<double>& targets, bool curve) {
  const auto budgets = TRY(read_planned_budgets(options, items));
  const auto price = TRY(read_price(options));
  Plan result = heading(options, start, items, price);
  AlikePlanner planner(start.prior, items);
  fill(result, planner, budgets, targets, curve);
  return result;
}

Result<Plan> with_pool(const PlanOptions& options, PoolRequest request, const Start& start) {
  if (options.budget || !options.target)
    request.budgets = TRY(read_pool_budgets(options.budget, request.pool, request.items));
  request.item_prior = start.prior;
  request.prob_positive = model::prob_positive({&start.prior, {}});
  Plan result = heading(options, start, request.items, {});
  result.in_labels = false;
  const auto simulated = TRY(fill_pool_plan(request, result));
  result.conditions += fmt::format(", workers {}, {}", *options.workers, simulated);
  result.settings.emplace_back("workers", json_string(*options.workers));
  return result;
}

Result<void> check_prices(const PlanOptions& options) {
  if (!options.workers || !options.price) return {};
  return invalid(
      "--price {} cannot be combined with --workers, where each type has its own; expected "
      "prices there, as in 20*beta(4,1)@0.08",
      in_quotes(*options.price));
}

Result<Output> plan(const PlanOptions& options) {
  const auto format = TRY(read_format(options.format));
  TRY(check_plot(options.plot));
  TRY(check_prices(options));
  if (options.workers) TRY(read_pool(*options.workers));
  const auto pilot = TRY(read_pilot(options));
  const auto made = TRY(make_plan(options, pilot, options.plot.has_value()));
  Output output{plan_text(made, format), {}, pilot ? pilot->notes : std::vector<std::string>{}};
  if (options.plot) output.files.push_back({*options.plot, plan_figure(made)});
  return output;
}

}  // namespace

void add_plan_options(Command& command, PlanOptions& options) {
  command.add("--items", &options.items, "N", "Number of items", "as many as the pilot has");
  command.add("--budget", &options.budget, "B",
              "Labels to buy, such as `50000` or `5x` per item; a list or a range compares several",
              fmt::format("`{}`, none with `--target`", kDefaultBudgets));
  command.add("--target", &options.target, "X",
              "Accuracy to reach, such as `0.95`, or a list: prints the budget it needs");
  command.add("--prior", &options.prior, "D",
              "Belief about every item before its first label: a distribution",
              fmt::format("`{}`, or learned from the pilot", kDefaultPrior));
  command.add("--pilot", &options.pilot.labels, "FILE",
              "Labels to learn the prior from, of two classes, in any format of `allot formats`");
  add_label_options(command, options.pilot);
  command.add("--price", &options.price, "P", "Price of a label: also prints what budgets cost");
  command.add(
      "--workers", &options.workers, "POOL",
      "Workers by type, `NAME=COUNT*RELIABILITY@PRICE`, behind `~` how often they repeat a shared "
      "view; budgets are then money",
      "all alike");
  add_format(command, options.format);
  add_plot(command, options.plot);
}

Result<Plan> make_plan(const PlanOptions& options, const std::optional<LabelFiles>& pilot,
                       bool curve) {
  TRY(check_prices(options));
  PoolRequest request{.curve = curve};
  if (options.workers) request.pool = TRY(read_pool(*options.workers));
  const auto start = TRY(read_start(options, pilot));
  request.items = TRY(read_items(options, start));
  request.targets = TRY(read_targets(options));
  if (options.workers) return with_pool(options, request, start);
  return with_alike(options, start, request.items, request.targets, curve);
}

Command plan_command() {
  return make_command(
      "plan", "Forecast the accuracy that a budget buys, or the budget for an accuracy", plan,
      add_plan_options,
      {fmt::format(
           "Budgets: `50000` labels, `5x` per item, lists `2x,5x,10x`, ranges `2x..20x` or "
           "`100..500:50`; at most {}x. With --workers budgets are money, or shares of what "
           "all labels cost; {} if not given.",
           kMostLabelsPerItem, default_pool_budgets()),
       "Distributions: `uniform`, `jeffreys`, `beta:A,B` or `mix:W*beta(A,B)+W*beta(A,B)`.",
       "Worker types are joined by `+`: `llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08`."},
      {"allot plan --items 10000 --budget 50000 --target 0.95 --price 0.05 --plot plan.svg"});
}

}  // namespace allot::cli
