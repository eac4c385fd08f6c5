// Dawid-Skene on a set of the size and shape of a real one (8,315 items, 176 workers, three labels
// per item, two classes), 50 iterations, against the textbook's loops; and the parsing of labels.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>

#include "allot/aggregate/em.hpp"
#include "allot/base/rng.hpp"
#include "allot/io/label_csv.hpp"

namespace allot {
namespace {

constexpr std::uint32_t kItems = 8315, kWorkers = 176, kLabelsPerItem = 3, kIterations = 50;

/// A set where workers are right six to ten times in ten, positives are rare, and a few workers
/// give most labels.
model::LabelSet crowd() {
  Rng rng(1);
  model::LabelSet set{kItems, kWorkers, 2, {}};
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const std::uint32_t truth = uniform(rng) < 0.12;
    const auto first = static_cast<std::uint32_t>(kWorkers * std::pow(uniform(rng), 3));
    for (std::uint32_t n = 0; n < kLabelsPerItem; ++n) {
      const std::uint32_t worker = (first + 5 * n) % kWorkers;
      const bool wrong = uniform(rng) < 0.04 * (worker % 10);
      set.labels.push_back({ItemId{i}, WorkerId{worker}, ClassId{truth ^ wrong}});
    }
  }
  return set;
}

using Table = std::vector<std::vector<double>>;

/// The formulas as written: for every item a product over all workers, for every worker a sum over
/// all items.
Table textbook(const model::LabelSet& set) {
  constexpr std::size_t kClasses = 2;
  std::vector<std::vector<int>> given(kItems, std::vector<int>(kWorkers, -1));
  Table classes(kItems, std::vector<double>(kClasses));
  for (const auto& [item, worker, label] : set.labels) {
    given[position(item)][position(worker)] = static_cast<int>(position(label));
    classes[position(item)][position(label)] += 1.0 / kLabelsPerItem;
  }
  std::vector<Table> tables(kWorkers);
  for (std::uint32_t iteration = 0; iteration < kIterations; ++iteration) {
    std::vector<double> prior(kClasses);
    for (std::size_t j = 0; j < kWorkers; ++j) {
      tables[j].assign(kClasses, std::vector<double>(kClasses, 0.01));
      for (std::size_t k = 0; k < kClasses; ++k) {
        double sum = 0.01 * kClasses;
        for (std::size_t i = 0; i < kItems; ++i) {
          if (given[i][j] < 0) continue;
          tables[j][k][static_cast<std::size_t>(given[i][j])] += classes[i][k];
          sum += classes[i][k];
        }
        for (double& cell : tables[j][k]) cell /= sum;
      }
    }
    for (const auto& row : classes)
      for (std::size_t k = 0; k < kClasses; ++k) prior[k] += row[k] / kItems;
    for (std::size_t i = 0; i < kItems; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < kClasses; ++k) {
        classes[i][k] = prior[k];
        for (std::size_t j = 0; j < kWorkers; ++j)
          if (given[i][j] >= 0)
            classes[i][k] *= tables[j][k][static_cast<std::size_t>(given[i][j])];
        sum += classes[i][k];
      }
      for (double& chance : classes[i]) chance /= sum;
    }
  }
  return classes;
}

Table ours(const model::LabelSet& set) {
  const auto result =
      aggregate::dawid_skene(set, {.most_iterations = kIterations, .tolerance = 0}).value();
  Table classes;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const auto row = result.answers.of(ItemId{i});
    classes.emplace_back(row.begin(), row.end());
  }
  return classes;
}

template <typename Function>
void dawid_skene(benchmark::State& state, Function function) {
  const model::LabelSet set = crowd();
  for (auto _ : state) benchmark::DoNotOptimize(function(set));
  state.SetItemsProcessed(state.iterations() * kIterations);
}
BENCHMARK_CAPTURE(dawid_skene, ours, ours)
    ->Name("dawid_skene_50_iterations/ours")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dawid_skene, textbook, textbook)
    ->Name("dawid_skene_50_iterations/textbook")
    ->Unit(benchmark::kMillisecond);

/// Both must agree before their speed is compared.
void equal_answers(benchmark::State& state) {
  const model::LabelSet set = crowd();
  const Table mine = ours(set), plain = textbook(set);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (std::abs(mine[i][1] - plain[i][1]) > 1e-6) state.SkipWithError("answers differ");
  }
  for (auto _ : state) benchmark::DoNotOptimize(mine.data());
}
BENCHMARK(equal_answers)->Name("dawid_skene_equal_answers")->Iterations(1);

void read_labels(benchmark::State& state) {
  std::string text = "task,worker,label\n";
  for (const auto& [item, worker, label] : crowd().labels) {
    text += fmt::format("item{},worker{},{}\n", position(item), position(worker), position(label));
  }
  for (auto _ : state) benchmark::DoNotOptimize(io::parse_labels(text).value());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_labels)->Name("read_25000_labels")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
