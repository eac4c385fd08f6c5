#include "allot/sim/experiment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "allot/base/check.hpp"
#include "sim/run_schedule.hpp"

namespace allot::sim {
namespace {

using policy::Form;

constexpr std::string_view kName = "sim::run";

bool is_alike(const Experiment& experiment) {
  return std::holds_alternative<AlikeWorkers>(experiment.workers);
}

const Simulation& simulation_of(const Experiment& experiment) {
  return std::get<Simulation>(experiment.world);
}

/// Labels that each worker can give, all together where workers are alike.
std::vector<std::uint64_t> labels_by_worker(const Experiment& experiment) {
  if (is_alike(experiment)) return {label_count(experiment)};
  std::vector<std::uint64_t> labels(worker_count(experiment));
  if (const Recording* recording = recording_of(experiment)) {
    for (const model::GivenLabel& given : recording->labels.labels) {
      ++labels[position(given.worker)];
    }
  } else {
    std::ranges::fill(labels, item_count(experiment));
  }
  return labels;
}

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
    const std::size_t members = simulated->groups.size();
    require((members == 0 || members == simulated->worker_count) &&
                simulated->repeats.size() == members,
            kName, "number of groups", static_cast<double>(members), "expected one per worker");
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

void check(const Recording& recording) {
  constexpr std::string_view kRecording = "sim::Recording";
  const model::LabelSet& labels = recording.labels;
  for (const auto& [item, worker, label] : labels.labels) {
    require(position(item) < labels.item_count, kRecording, "item", position(item),
            "expected less than item_count");
    require(position(worker) < labels.worker_count, kRecording, "worker", position(worker),
            "expected less than worker_count");
    require(position(label) < labels.class_count, kRecording, "label", position(label),
            "expected less than class_count");
  }
  require(recording.truth.size() == labels.item_count, kRecording, "size of truth",
          static_cast<double>(recording.truth.size()), "expected one per item");
  require(std::ranges::any_of(recording.truth, [](const auto& one) { return one.has_value(); }),
          kRecording, "number of known truths", 0, "expected at least 1");
}

const Recording* recording_of(const Experiment& experiment) {
  const auto* recorded = std::get_if<std::shared_ptr<const Recording>>(&experiment.world);
  return recorded ? recorded->get() : nullptr;
}

std::uint32_t item_count(const Experiment& experiment) {
  const Recording* recording = recording_of(experiment);
  return recording ? recording->labels.item_count : simulation_of(experiment).item_count;
}

std::uint32_t class_count(const Experiment& experiment) {
  if (const Recording* recording = recording_of(experiment)) return recording->labels.class_count;
  const auto& several = simulation_of(experiment).class_truth;
  return several ? several->class_count() : 2;
}

std::uint32_t worker_count(const Experiment& experiment) {
  if (is_alike(experiment)) return 0;
  const Recording* recording = recording_of(experiment);
  return recording ? recording->labels.worker_count : simulation_of(experiment).worker_count;
}

std::uint64_t label_count(const Experiment& experiment) {
  if (const Recording* recording = recording_of(experiment)) return recording->labels.labels.size();
  if (is_alike(experiment)) return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{item_count(experiment)} * worker_count(experiment);
}

std::vector<Money> worker_prices(const Experiment& experiment) {
  std::vector<Money> prices = experiment.prices;
  if (prices.empty()) prices.push_back(kUnitPrice);
  prices.resize(std::max<std::size_t>(1, worker_count(experiment)), prices.front());
  return prices;
}

std::vector<std::uint64_t> label_budgets(const Experiment& experiment) {
  if (experiment.money.empty()) return experiment.budgets;
  const std::vector<Money> prices = worker_prices(experiment);
  // Labels of the cheapest workers first, as many as each can give.
  std::vector<std::uint32_t> cheapest(prices.size());
  std::iota(cheapest.begin(), cheapest.end(), 0U);
  std::ranges::sort(cheapest, {}, [&](std::uint32_t j) { return prices[j]; });
  const std::vector<std::uint64_t> labels = labels_by_worker(experiment);
  std::vector<std::uint64_t> budgets;
  for (Money money : experiment.money) {
    std::uint64_t bought_labels = 0;
    for (const std::uint32_t j : cheapest) {
      const std::uint64_t bought = std::min(money.pays(prices[j]), labels[j]);
      money -= prices[j] * bought;
      bought_labels += bought;
    }
    budgets.push_back(bought_labels);
  }
  return budgets;
}

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
