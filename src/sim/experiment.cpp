#include "allot/sim/experiment.hpp"

#include <algorithm>

#include "allot/base/check.hpp"
#include "sim/label_budgets.hpp"
#include "sim/run_schedule.hpp"

namespace allot::sim {
namespace {

using policy::Form;

constexpr std::string_view kName = "sim::run";

Form form_of(const AlikeWorkers& workers) {
  if (workers.design) return Form::feature_items;
  return std::holds_alternative<model::Prior>(workers.prior) ? Form::items : Form::multiclass_items;
}

Form form_of(const DifferingWorkers& workers) {
  return workers.beliefs.is_multiclass() ? Form::multiclass_pairs : Form::pairs;
}

/// The number of classes of the beliefs; nothing if any number suits them.
std::optional<std::uint32_t> believed_classes(const AlikeWorkers& workers) {
  if (workers.design) return {};
  const auto* several = std::get_if<model::DirichletPrior>(&workers.prior);
  return several ? several->class_count() : 2;
}

std::optional<std::uint32_t> believed_classes(const DifferingWorkers& workers) {
  return workers.beliefs.class_count();
}

void check_world(const Experiment& experiment, bool alike) {
  if (const auto* simulated = std::get_if<Simulation>(&experiment.world)) {
    require(alike == (simulated->worker_count == 0), kName, "number of workers",
            simulated->worker_count,
            alike ? "expected 0, as they are alike" : "expected at least 1");
    const std::size_t types = simulated->reliabilities.size();
    require(types == 0 || types == simulated->worker_count, kName, "number of reliabilities",
            static_cast<double>(types), "expected one per worker");
  } else {
    const auto& recording = std::get<std::shared_ptr<const Recording>>(experiment.world);
    require(recording != nullptr, kName, "recording", 0, "expected one");
    check(*recording);
    require(alike || recording->labels.worker_count > 0, kName, "number of workers", 0,
            "expected at least 1");
  }
  require(item_count(experiment) > 0, kName, "number of items", 0, "expected at least 1");
  const auto believed =
      std::visit([](const auto& workers) { return believed_classes(workers); }, experiment.workers);
  require(!believed || class_count(experiment) == *believed, kName, "number of classes",
          class_count(experiment), "expected as many as the beliefs have");
}

void check_features(const Experiment& experiment) {
  const auto* workers = std::get_if<AlikeWorkers>(&experiment.workers);
  if (!workers || !workers->design) return;
  require(!std::holds_alternative<Simulation>(experiment.world), kName, "recording", 0,
          "expected one: labels of items with features cannot be simulated");
  require(workers->design->item_count == item_count(experiment), kName, "item_count of the design",
          workers->design->item_count, "expected that of the recording");
}

void check_prices(const Experiment& experiment) {
  require(experiment.money.empty() || experiment.budgets.empty(), kName, "number of budgets",
          static_cast<double>(experiment.budgets.size()), "expected none in labels beside money");
  const std::size_t prices = experiment.prices.size();
  require(prices <= 1 || prices == worker_count(experiment), kName, "number of prices",
          static_cast<double>(prices), "expected one, or one per worker");
  for (const Money price : experiment.prices)
    require(price > Money(), kName, "price", price.value(), "expected more than 0");
}

void check_plan(const Experiment& experiment) {
  const Form form = form_of(experiment);
  for (const auto& policy : experiment.policies) {
    require(policy->has(form), kName, "form of a policy", static_cast<double>(form),
            "expected one that every policy has");
  }
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  check_prices(experiment);
  policy::check(experiment.stop);
  require(!experiment.stop.worth || form == Form::items || form == Form::pairs, kName,
          "worth of a right answer", experiment.stop.worth.value_or(Money()).value(),
          "expected none but for binary items");
  const std::vector<std::uint64_t> budgets = label_budgets(experiment);
  require(!budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  const std::uint64_t most = std::ranges::max(budgets);
  require(most <= label_count(experiment), kName, "budget", static_cast<double>(most),
          "expected at most as many as labels can be had");
}

}  // namespace

policy::Form form_of(const Experiment& experiment) {
  return std::visit([](const auto& workers) { return form_of(workers); }, experiment.workers);
}

Result<EachRun> run_each(const Experiment& experiment, Progress* progress) {
  check_world(experiment, std::holds_alternative<AlikeWorkers>(experiment.workers));
  check_features(experiment);
  check_plan(experiment);
  return RunSchedule::check(experiment).and_then([&]() -> Result<EachRun> {
    if (const auto* alike = std::get_if<AlikeWorkers>(&experiment.workers)) {
      return run_alike(experiment, *alike, progress);
    }
    return run_crowd(experiment, std::get<DifferingWorkers>(experiment.workers), progress);
  });
}

Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress) {
  return run_each(experiment, progress).map([](EachRun&& all) { return std::move(all.rows); });
}

}  // namespace allot::sim
