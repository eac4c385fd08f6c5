#include "sim/label_budgets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace allot::sim {
namespace {

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

}  // namespace

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

}  // namespace allot::sim
