// Whole campaigns: a million items, the paper's table of CPU time, exact dynamic programming.
#include <benchmark/benchmark.h>

#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

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

}  // namespace
}  // namespace allot
