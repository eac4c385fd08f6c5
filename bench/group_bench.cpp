// Decisions where nine of fourteen workers are a group that errs together, against the same labels
// with every worker alone; refits included.
#include <benchmark/benchmark.h>

#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

/// The policy chooses item and worker, two labels per item; labels of the group repeat one view
/// two times out of three.
void decisions(benchmark::State& state, bool declared) {
  const auto items = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t workers = 14, judges = 9, classes = 3, labels = 2 * items;
  model::CrowdOptions options{.item_prior = model::DirichletPrior::symmetric(classes)};
  if (declared) options.groups.assign(judges, 1);
  const auto policy = policy::make_policy("kg-eig", policy::TieBreak::random).value();
  for (auto _ : state) {
    policy::Desk desk(model::make_crowd(options, items, workers), policy,
                      policy::Offers::everyone(items, workers));
    Rng ties(1), drawn(2);
    for (std::uint32_t t = 0; t < labels; ++t) {
      const policy::Pair pair = *desk.choose(ties);
      const std::uint32_t truth = position(pair.item) % classes;
      const std::uint32_t view = position(pair.item) % 4 == 0 ? (truth + 1) % classes : truth;
      const bool repeats = position(pair.worker) < judges && uniform(drawn) < 0.67;
      const auto any = static_cast<std::uint32_t>(below(drawn, classes));
      const std::uint32_t own = uniform(drawn) < 0.7 ? truth : any;
      desk.record(pair, ClassId{repeats ? view : own});
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t{labels});
}
BENCHMARK_CAPTURE(decisions, declared, true)
    ->Name("group_decisions_1000_items/declared")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decisions, alone, false)
    ->Name("group_decisions_1000_items/alone")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decisions, declared, true)
    ->Name("group_decisions_10000_items/declared")
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decisions, alone, false)
    ->Name("group_decisions_10000_items/alone")
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
