// Whom to ask about what: the lazy search against the double loop over all pairs, choices compared;
// and how long one arriving worker waits.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>

#include "allot/policy/registry.hpp"
#include "allot/sim/crowd_experiment.hpp"

namespace allot {
namespace {

using policy::Offers;
using policy::Pair;
using policy::TieBreak;

/// Algorithm 2 as it stands in the paper: the index of every pair, then the first of the best.
class DoubleLoop {
 public:
  DoubleLoop(const model::Crowd& crowd, const Offers& offers) : crowd_(crowd), offers_(offers) {}

  Pair choose() const {
    const index::PairIndex index = index::pair_opt_kg();
    const std::size_t items = crowd_.item_count(), workers = crowd_.worker_count();
    std::vector<double> values(items * workers, -1);
    for (std::uint32_t i = 0; i < items; ++i) {
      for (std::uint32_t j = 0; j < workers; ++j) {
        const Pair pair{ItemId{i}, WorkerId{j}};
        if (!offers_.is_open(pair)) continue;
        values[i * workers + j] =
            policy::steady(index.value({crowd_[pair.item], 0, crowd_[pair.worker], 0, 0}));
      }
    }
    const double threshold = policy::tie_threshold(*std::ranges::max_element(values));
    const auto best = static_cast<std::size_t>(
        std::ranges::find_if(values, [&](double value) { return value >= threshold; }) -
        values.begin());
    return {ItemId{static_cast<std::uint32_t>(best / workers)},
            WorkerId{static_cast<std::uint32_t>(best % workers)}};
  }

 private:
  const model::Crowd& crowd_;
  const Offers& offers_;
};

/// A simulated campaign of opt-kg, one pass with one coin.
class Campaign {
 public:
  Campaign(std::uint32_t items, std::uint32_t workers, TieBreak ties)
      : offers_(Offers::everyone(items, workers)),
        crowd_(model::make_crowd({.item_prior = model::Prior::uniform(),
                                  .worker_prior = model::Prior::beta(4, 1),
                                  .coins = model::Coins::one,
                                  .refit = model::Refit::off},
                                 items, workers)),
        chooser_(policy::make_pair_policy("opt-kg", ties).value()->start(*crowd_, offers_)),
        rng_(1) {}

  Pair choose() { return *chooser_->choose(rng_); }
  Pair choose_for(WorkerId worker) { return {*chooser_->choose(worker, rng_), worker}; }
  WorkerId arriving() {
    return WorkerId{static_cast<std::uint32_t>(below(rng_, crowd_->worker_count()))};
  }
  void record(const Pair& pair) {
    const double theta = unit_interval(Rng(2, Rng::Purpose::soft_label, 0, position(pair.item))());
    const double rho =
        0.5 + 0.5 * unit_interval(Rng(2, Rng::Purpose::reliability, 0, position(pair.worker))());
    const bool yes = uniform(rng_) < theta * rho + (1 - theta) * (1 - rho);
    const bool all =
        crowd_->record(pair.item, pair.worker, yes ? Label::positive : Label::negative);
    offers_.close(pair);
    chooser_->refresh(pair, all);
  }
  void push(int labels) {
    for (int i = 0; i < labels; ++i) record(choose());
  }
  DoubleLoop double_loop() const { return {*crowd_, offers_}; }

 private:
  Offers offers_;
  std::unique_ptr<model::Crowd> crowd_;
  std::unique_ptr<policy::PairChooser> chooser_;
  Rng rng_;
};

/// Labels before the comparison: the items have some, and workers are told apart.
int head_start(std::uint32_t items) { return static_cast<int>(2 * items); }

void push_lazily(benchmark::State& state, std::uint32_t items, std::uint32_t workers) {
  Campaign campaign(items, workers, TieBreak::first);
  campaign.push(head_start(items));
  for (auto _ : state) campaign.record(campaign.choose());
  state.SetItemsProcessed(state.iterations());
}

void push_by_double_loop(benchmark::State& state, std::uint32_t items, std::uint32_t workers) {
  Campaign campaign(items, workers, TieBreak::first);
  campaign.push(head_start(items));
  const DoubleLoop loop = campaign.double_loop();
  int equal = 0;
  for (auto _ : state) {
    const Pair pair = loop.choose();
    state.PauseTiming();
    if (pair != campaign.choose()) return state.SkipWithError("the choices differ");
    ++equal;
    campaign.record(pair);
    state.ResumeTiming();
  }
  state.counters["equal_choices"] = equal;
  state.SetItemsProcessed(state.iterations());
}

#define ALLOT_PUSH(items, workers, steps)                      \
  BENCHMARK_CAPTURE(push_lazily, push, items, workers)         \
      ->Name("push/K:" #items "/M:" #workers "/lazy")          \
      ->Iterations(1000)                                       \
      ->Unit(benchmark::kMicrosecond);                         \
  BENCHMARK_CAPTURE(push_by_double_loop, push, items, workers) \
      ->Name("push/K:" #items "/M:" #workers "/double_loop")   \
      ->Iterations(steps)                                      \
      ->Unit(benchmark::kMicrosecond)
ALLOT_PUSH(100, 20, 200);
ALLOT_PUSH(10000, 1000, 5);

/// Choices for workers as they come, each timed by itself.
void pull(benchmark::State& state, std::uint32_t items, int labels) {
  using Clock = std::chrono::steady_clock;
  Campaign campaign(items, 1000, TieBreak::random);
  const auto step = [&] {
    const WorkerId worker = campaign.arriving();
    const auto begin = Clock::now();
    const Pair pair = campaign.choose_for(worker);
    const auto end = Clock::now();
    campaign.record(pair);
    return std::chrono::duration<double, std::micro>(end - begin).count();
  };
  for (int i = 0; i < labels; ++i) step();
  std::vector<double> waits;
  for (auto _ : state) waits.push_back(step());
  std::ranges::sort(waits);
  const auto share = [&](double part) {
    return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
  };
  state.counters["choice_median_us"] = share(0.5);
  state.counters["choice_p99_us"] = share(0.99);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(pull, early, 1'000'000, 10'000)
    ->Name("pull_1e6_items_after_1e4_labels")
    ->Iterations(20'000);
BENCHMARK_CAPTURE(pull, almost_all_labelled, 1'000'000, 900'000)
    ->Name("pull_1e6_items_after_9e5_labels")
    ->Iterations(20'000);
// Once every item has labels, a good policy has made all items about equally worth asking; then no
// bound sets many of them apart.
BENCHMARK_CAPTURE(pull, all_labelled, 100'000, 110'000)
    ->Name("pull_1e5_items_after_1.1e5_labels")
    ->Iterations(500);

/// The paper's simulated crowd, on one thread.
void simulate(benchmark::State& state, const char* policy) {
  sim::CrowdExperiment experiment{
      .world = sim::SimulatedCrowd{50, 100, model::Prior::uniform(), model::Prior::beta(4, 1)},
      .beliefs = {.item_prior = model::Prior::uniform(),
                  .worker_prior = model::Prior::beta(4, 1),
                  .coins = model::Coins::one,
                  .refit = model::Refit::off},
      .budgets = {1000},
      .policies = {policy::make_pair_policy(policy, TieBreak::random).value()}};
  for (auto _ : state) benchmark::DoNotOptimize(sim::run(experiment));
}
#define ALLOT_CROWD(policy)                          \
  BENCHMARK_CAPTURE(simulate, policies, policy)      \
      ->Name("crowd_20_runs_K50_M100_T1000_" policy) \
      ->Iterations(1)                                \
      ->Unit(benchmark::kMillisecond)
ALLOT_CROWD("opt-kg");
ALLOT_CROWD("kg");
ALLOT_CROWD("scout");

}  // namespace
}  // namespace allot
