// Whole campaigns: a million items, the paper's table of CPU time, exact dynamic programming, and
// questions and answers of a campaign in memory.
#include <benchmark/benchmark.h>

#include <string>

#include "allot/campaign/campaign.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"
#include "allot/store/memory_store.hpp"

namespace allot {
namespace {

void simulate(benchmark::State& state, const char* policy, std::uint32_t items,
              std::uint64_t budget) {
  for (auto _ : state) {
    // A new policy each time, so that its tables count.
    const sim::Experiment experiment{
        .world = sim::Simulation{.item_count = items},
        .policies = {policy::make_policy(policy, policy::TieBreak::random).value()},
        .budgets = {budget},
        .runs = 1,
        .seed = 1,
        .threads = 1};
    benchmark::DoNotOptimize(sim::run(experiment).value());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(budget));
}
BENCHMARK_CAPTURE(simulate, million, "opt-kg", 1'000'000, 10'000'000)
    ->Name("simulate_1e6_items_1e7_labels")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, opt_kg, "opt-kg", 800, 8000)
    ->Name("simulate_K800_T8000_opt-kg")
    ->Unit(benchmark::kMillisecond);  // 5.48 s in [CLZ tab:comp_time]
BENCHMARK_CAPTURE(simulate, gittins, "gittins", 800, 8000)
    ->Name("simulate_K800_T8000_gittins")
    ->Unit(benchmark::kMillisecond);  // 130.68 s

void exact(benchmark::State& state, std::uint32_t items, std::uint64_t budget) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        policy::optimal_accuracy(model::Beliefs(items, model::Prior::uniform()), budget).value());
  }
}
BENCHMARK_CAPTURE(exact, small, 8, 24)
    ->Name("exact_8_items_24_labels")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(exact, large, 10, 30)
    ->Name("exact_10_items_30_labels")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

/// One question and its answer, by three workers in turn. bench/python asks and answers the same.
void ask_and_tell(benchmark::State& state) {
  campaign::Options options;
  options.budget = Money::billionths(1'000'000'000) * 1'000'000;
  std::vector<campaign::ItemDraft> items(100'000);
  for (std::size_t n = 0; n < items.size(); ++n) items[n].id = std::to_string(n);
  const auto store = store::memory_store();
  const auto made =
      campaign::Campaign::create(*store, "bench", options, campaign::now(), {items, {}}).value();
  std::uint64_t n = 0;
  for (auto _ : state) {
    const std::string worker = "w" + std::to_string(n++ % 3);
    const auto handed = made->next(worker, 1, campaign::now()).value();
    const std::string& item = handed.assignments.front().item;
    made->record({item, worker, item.back() % 2 == 0 ? "no" : "yes"}, campaign::now()).value();
  }
}
BENCHMARK(ask_and_tell)
    ->Name("memory_campaign_ask_and_tell_K100000")
    ->Iterations(3000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace allot
