// Decisions with groups of workers, confidences or features, against the same labels without;
// refits included. The policy chooses item and worker.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

constexpr std::uint32_t kWorkers = 14, kClasses = 3;

struct Said {
  std::uint32_t label;
  float confidence = model::kNoConfidence;
};

std::uint32_t truth_of(ItemId item) { return position(item) % kClasses; }

/// Buys two labels per item; `say` draws a label.
template <typename Say>
void decisions(benchmark::State& state, const model::CrowdOptions& options, const Say& say) {
  const auto items = static_cast<std::uint32_t>(state.range(0));
  const auto policy = policy::make_policy("even-kg", policy::TieBreak::random).value();
  for (auto _ : state) {
    policy::Desk desk(model::make_crowd(options, items, kWorkers), policy,
                      policy::Offers::everyone(items, kWorkers));
    Rng ties(1), drawn(2);
    for (std::uint32_t t = 0; t < 2 * items; ++t) {
      const policy::Pair pair = *desk.choose(ties);
      const Said said = say(pair, drawn);
      desk.record(pair, ClassId{said.label}, said.confidence);
    }
  }
  state.SetItemsProcessed(state.iterations() * 2 * std::int64_t{items});
}

model::CrowdOptions three_classes() {
  return {.item_prior = model::DirichletPrior::symmetric(kClasses)};
}

/// Right seven times in ten, and one time in three by luck besides.
Said plain_label(const policy::Pair& pair, Rng& drawn) {
  const auto any = static_cast<std::uint32_t>(below(drawn, kClasses));
  return {uniform(drawn) < 0.7 ? truth_of(pair.item) : any};
}

/// Nine of the workers repeat one view two times in three.
void group_decisions(benchmark::State& state, bool declared) {
  constexpr std::uint32_t kJudges = 9;
  model::CrowdOptions options = three_classes();
  if (declared) options.groups.assign(kJudges, 1);
  decisions(state, options, [](const policy::Pair& pair, Rng& drawn) {
    const std::uint32_t truth = truth_of(pair.item);
    const std::uint32_t view = position(pair.item) % 4 == 0 ? (truth + 1) % kClasses : truth;
    if (position(pair.worker) < kJudges && uniform(drawn) < 0.67) return Said{view};
    return plain_label(pair, drawn);
  });
}
BENCHMARK_CAPTURE(group_decisions, declared, true)
    ->Name("group_decisions_1000_items/declared")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(group_decisions, alone, false)
    ->Name("group_decisions_1000_items/alone")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(group_decisions, declared, true)
    ->Name("group_decisions_10000_items/declared")
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(group_decisions, alone, false)
    ->Name("group_decisions_10000_items/alone")
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

/// Workers are surer where they are right.
void confident_decisions(benchmark::State& state, bool confident) {
  decisions(state, three_classes(), [&](const policy::Pair& pair, Rng& drawn) {
    const std::uint32_t truth = truth_of(pair.item);
    const bool right = uniform(drawn) < 0.75;
    const double u = uniform(drawn), odds = (right ? 2.5 : 0) + std::log(u / (1 - u));
    const auto sure = static_cast<float>(1 / (1 + std::exp(-odds)));
    return Said{right ? truth : (truth + 1) % kClasses, confident ? sure : model::kNoConfidence};
  });
}
BENCHMARK_CAPTURE(confident_decisions, with, true)
    ->Name("confident_decisions_1000_items/with")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(confident_decisions, without, false)
    ->Name("confident_decisions_1000_items/without")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

/// Fifty features, of which ten tell classes apart.
std::shared_ptr<const model::Design> fifty_features(std::uint32_t items) {
  constexpr std::uint32_t kFeatures = 50, kUseful = 10;
  model::Features features{.item_count = items, .names = {}, .values = {}};
  for (std::uint32_t f = 0; f < kFeatures; ++f) features.names.push_back(std::to_string(f));
  Rng drawn(3);
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t f = 0; f < kFeatures; ++f) {
      const bool tells = f < kUseful && f % kClasses == truth_of(ItemId{i});
      features.values.push_back(2 * uniform(drawn) + (tells ? 0.3 : 0));
    }
  }
  return std::make_shared<const model::Design>(model::prepare(features).value());
}

void feature_decisions(benchmark::State& state, bool given) {
  model::CrowdOptions options = three_classes();
  if (given) options.design = fifty_features(static_cast<std::uint32_t>(state.range(0)));
  decisions(state, options, plain_label);
}
BENCHMARK_CAPTURE(feature_decisions, fifty, true)
    ->Name("feature_decisions_1000_items/fifty")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(feature_decisions, none, false)
    ->Name("feature_decisions_1000_items/none")
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
