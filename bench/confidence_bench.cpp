// Decisions with labels that say how sure their workers are, against the same labels without;
// refits included.
#include <benchmark/benchmark.h>

#include <cmath>

#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

/// The policy chooses item and worker, two labels per item; workers are surer where they are right.
void confident_decisions(benchmark::State& state, bool confident) {
  const auto items = static_cast<std::uint32_t>(state.range(0));
  const std::uint32_t workers = 14, classes = 3, labels = 2 * items;
  const model::CrowdOptions options{.item_prior = model::DirichletPrior::symmetric(classes)};
  const auto policy = policy::make_policy("kg-eig", policy::TieBreak::random).value();
  for (auto _ : state) {
    policy::Desk desk(model::make_crowd(options, items, workers), policy,
                      policy::Offers::everyone(items, workers));
    Rng ties(1), drawn(2);
    for (std::uint32_t t = 0; t < labels; ++t) {
      const policy::Pair pair = *desk.choose(ties);
      const std::uint32_t truth = position(pair.item) % classes;
      const bool right = uniform(drawn) < 0.75;
      const double u = uniform(drawn), odds = (right ? 2.5 : 0) + std::log(u / (1 - u));
      const auto sure = static_cast<float>(1 / (1 + std::exp(-odds)));
      desk.record(pair, ClassId{right ? truth : (truth + 1) % classes},
                  confident ? sure : model::kNoConfidence);
    }
  }
  state.SetItemsProcessed(state.iterations() * std::int64_t{labels});
}
BENCHMARK_CAPTURE(confident_decisions, with, true)
    ->Name("confident_decisions_1000_items/with")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(confident_decisions, without, false)
    ->Name("confident_decisions_1000_items/without")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
