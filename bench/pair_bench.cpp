// Choices of pairs: the lazy search against the double loop over all pairs, choices compared; and
// the waiting time of one arriving worker.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot {
namespace {

using policy::Offers;
using policy::Pair;
using policy::TieBreak;

/// Algorithm 2 as in the paper: the index of every pair, then the first of the best.
class DoubleLoop {
 public:
  DoubleLoop(const model::BinaryCrowd& crowd, const Offers& offers)
      : crowd_(crowd), offers_(offers) {}

  Pair choose() const {
    const index::PairIndex index = index::pair_opt_kg();
    const std::size_t items = crowd_.item_count(), workers = crowd_.worker_count();
    std::vector<double> values(items * workers, -1);
    for (std::uint32_t i = 0; i < items; ++i) {
      for (std::uint32_t j = 0; j < workers; ++j) {
        const Pair pair{ItemId{i}, WorkerId{j}};
        if (!offers_.is_open(pair)) continue;
        values[i * workers + j] =
            policy::quantised(index.value({crowd_[pair.item], 0, crowd_[pair.worker], 0, 0}));
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
  const model::BinaryCrowd& crowd_;
  const Offers& offers_;
};

/// Offers where every pair may be asked, every third worker at a tenth of the price of the others.
Offers priced(std::uint32_t items, std::uint32_t workers) {
  Offers offers = Offers::everyone(items, workers);
  std::vector<Money> prices(workers, kUnitPrice * 10);
  for (std::uint32_t j = 0; j < workers; j += 3) prices[j] = kUnitPrice;
  offers.set_prices(std::move(prices));
  return offers;
}

/// A simulated campaign of opt-kg, one pass with one coin.
class Campaign {
 public:
  Campaign(std::uint32_t items, std::uint32_t workers, TieBreak ties)
      : Campaign(Offers::everyone(items, workers), items, workers, ties) {}
  Campaign(Offers offers, std::uint32_t items, std::uint32_t workers, TieBreak ties)
      : desk_(model::make_crowd({.item_prior = model::Prior::uniform(),
                                 .worker_prior = model::Prior::beta(4, 1),
                                 .coins = model::Coins::one,
                                 .refit = model::Refit::off},
                                items, workers),
              policy::make_policy("opt-kg", ties).value(), std::move(offers)),
        rng_(1) {
    desk_.prepare();
  }

  Pair choose() { return *desk_.choose(rng_); }
  Pair choose_for(WorkerId worker) { return {*desk_.choose(worker, rng_), worker}; }
  WorkerId arriving() {
    return WorkerId{static_cast<std::uint32_t>(below(rng_, desk_.crowd().worker_count()))};
  }
  void record(const Pair& pair) {
    const double theta = unit_interval(Rng(2, Rng::Purpose::soft_label, 0, position(pair.item))());
    const double rho =
        0.5 + 0.5 * unit_interval(Rng(2, Rng::Purpose::reliability, 0, position(pair.worker))());
    const bool yes = uniform(rng_) < theta * rho + (1 - theta) * (1 - rho);
    desk_.record(pair, ClassId{yes ? 1U : 0U});
  }
  void push(int labels) {
    for (int i = 0; i < labels; ++i) record(choose());
  }
  DoubleLoop double_loop() const { return {*desk_.crowd().binary(), desk_.offers()}; }

 private:
  policy::Desk desk_;
  Rng rng_;
};

/// Labels before the comparison, so that items and workers differ.
int head_start(std::uint32_t items) { return static_cast<int>(2 * items); }

void push_lazily(benchmark::State& state, std::uint32_t items, std::uint32_t workers) {
  Campaign campaign(items, workers, TieBreak::first);
  campaign.push(head_start(items));
  for (auto _ : state) campaign.record(campaign.choose());
  state.SetItemsProcessed(state.iterations());
}

void push_priced(benchmark::State& state, std::uint32_t items, std::uint32_t workers) {
  Campaign campaign(priced(items, workers), items, workers, TieBreak::first);
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
  BENCHMARK_CAPTURE(push_priced, push, items, workers)         \
      ->Name("push/K:" #items "/M:" #workers "/priced")        \
      ->Iterations(1000)                                       \
      ->Unit(benchmark::kMicrosecond);                         \
  BENCHMARK_CAPTURE(push_by_double_loop, push, items, workers) \
      ->Name("push/K:" #items "/M:" #workers "/double_loop")   \
      ->Iterations(steps)                                      \
      ->Unit(benchmark::kMicrosecond)
ALLOT_PUSH(100, 20, 200);
ALLOT_PUSH(10000, 1000, 5);

/// Items and workers with only their present beliefs: those of a crowd after many labels, without a
/// refit.
class PlacedCrowd final : public model::BinaryCrowd {
 public:
  PlacedCrowd(std::vector<model::ItemState> items, std::vector<model::WorkerState> workers)
      : BinaryCrowd(std::move(items), std::move(workers)) {}

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    items_[position(item)] =
        after(items_[position(item)], workers_[position(worker)].mean, model::to_label(label));
    return false;
  }
  void record_known(WorkerId, ClassId, ClassId) override {}
  void revise(ItemId, WorkerId, ClassId, float) override {}
  void revise_known(WorkerId, ClassId, ClassId, ClassId) override {}
  bool review(std::span<const model::KnownChange>) override { return false; }
  void grow(std::uint32_t, std::uint32_t, std::shared_ptr<const model::Design>,
            std::span<const model::Prior>) override {}
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}
  std::vector<double> final_probabilities() const override {
    return model::class_probabilities(items_);
  }
};

enum class Belief { soft, classes };

/// Workers who differ, each coin a Beta(c,d) after `labels` labels.
std::vector<model::WorkerState> placed_workers(std::uint32_t count, model::Coins coins,
                                               double labels, Rng& rng) {
  std::vector<model::WorkerState> workers;
  for (std::uint32_t j = 0; j < count; ++j) {
    const double n = 5 + labels;
    const double s = 0.55 + 0.42 * uniform(rng);
    const double t = coins == model::Coins::one ? s : 0.55 + 0.42 * uniform(rng);
    const auto squared = [&](double mean) { return mean * (mean * n + 1) / (n + 1); };
    workers.push_back(
        {{s, t}, squared(s), coins == model::Coins::one ? squared(s) : s * t, squared(t)});
  }
  return workers;
}

/// Beliefs after `labels` labels per item by random workers, equally many for each item.
std::vector<model::ItemState> placed_items(std::uint32_t count, Belief belief, double labels,
                                           const std::vector<model::WorkerState>& workers,
                                           Rng& rng) {
  std::vector<model::ItemState> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    model::ItemState item = belief == Belief::soft ? model::ItemState::soft_label(1, 1)
                                                   : model::ItemState::hard_odds(0.1);
    const double theta = belief == Belief::soft ? uniform(rng) : (uniform(rng) < 0.5 ? 0 : 1);
    for (double left = labels; left > 0 && uniform(rng) < left; --left) {
      const model::Channel& channel = workers[below(rng, workers.size())].mean;
      const double yes = theta * channel.sensitivity + (1 - theta) * (1 - channel.specificity);
      item = after(item, channel, uniform(rng) < yes ? Label::positive : Label::negative);
    }
    items.push_back(item);
  }
  return items;
}

/// Processor time of this thread, without the load of the machine.
double own_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

struct Regime {
  Belief belief;
  model::Coins coins;
  double labels;  // per item, on average
};

/// Choices for arriving workers, each timed separately. The policy has labels enough beforehand to
/// level the gains, and every worker has been asked about many items.
void pull(benchmark::State& state, std::uint32_t items, const char* policy, Regime regime) {
  constexpr std::uint32_t kWorkers = 50;
  Rng rng(1);
  const auto workers =
      placed_workers(kWorkers, regime.coins, items * regime.labels / kWorkers, rng);
  PlacedCrowd crowd(placed_items(items, regime.belief, regime.labels, workers, rng), workers);
  Offers offers = Offers::everyone(items, kWorkers);
  for (std::uint32_t i = 0; i < items; i += 4) {
    offers.close({ItemId{i}, WorkerId{static_cast<std::uint32_t>(below(rng, kWorkers))}});
  }
  const auto chooser = policy::make_policy(policy, TieBreak::random).value()->start(crowd, offers);
  const auto step = [&](WorkerId worker) {
    const double begin = own_microseconds();
    const Pair pair{*chooser->choose(worker, rng), worker};
    const double end = own_microseconds();
    const double yes = chance_positive(crowd[pair.item], crowd[worker].mean);
    crowd.record(pair.item, worker, ClassId{uniform(rng) < yes ? 1U : 0U});
    offers.close(pair);
    chooser->refresh(pair, false);
    return end - begin;
  };
  const auto arriving = [&] { return WorkerId{static_cast<std::uint32_t>(below(rng, kWorkers))}; };
  double warm_up = 0;
  for (std::uint32_t j = 0; j < kWorkers; ++j) warm_up += step(WorkerId{j});
  for (std::uint32_t i = 0; i < std::min(items / 10, 20'000U); ++i) step(arriving());
  std::vector<double> waits;
  for (auto _ : state) waits.push_back(step(arriving()));
  std::ranges::sort(waits);
  const auto share = [&](double part) {
    return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
  };
  state.counters["first_50_ms"] = warm_up / 1000;
  state.counters["p50_us"] = share(0.5);
  state.counters["p99_us"] = share(0.99);
  state.counters["most_us"] = waits.back();
}

constexpr Regime kSoftFew{Belief::soft, model::Coins::one, 0.5};
constexpr Regime kSoftOnce{Belief::soft, model::Coins::one, 1};
constexpr Regime kSoftSeveral{Belief::soft, model::Coins::one, 4};
constexpr Regime kSoftTwoCoins{Belief::soft, model::Coins::two, 4};
constexpr Regime kClassFew{Belief::classes, model::Coins::two, 0.5};
constexpr Regime kClassOnce{Belief::classes, model::Coins::two, 1};
constexpr Regime kClassSeveral{Belief::classes, model::Coins::two, 4};

#define ALLOT_PULL(items, policy, regime)               \
  BENCHMARK_CAPTURE(pull, items, items, policy, regime) \
      ->Name("pull_K:" #items "_" policy "_" #regime)   \
      ->Iterations(2000)
#define ALLOT_PULL_ALL(items, policy)       \
  ALLOT_PULL(items, policy, kSoftFew);      \
  ALLOT_PULL(items, policy, kSoftOnce);     \
  ALLOT_PULL(items, policy, kSoftSeveral);  \
  ALLOT_PULL(items, policy, kSoftTwoCoins); \
  ALLOT_PULL(items, policy, kClassFew);     \
  ALLOT_PULL(items, policy, kClassOnce);    \
  ALLOT_PULL(items, policy, kClassSeveral)
ALLOT_PULL_ALL(10000, "opt-kg");
ALLOT_PULL_ALL(10000, "eig");
ALLOT_PULL_ALL(10000, "scout");
ALLOT_PULL_ALL(100000, "opt-kg");
ALLOT_PULL_ALL(100000, "eig");
ALLOT_PULL_ALL(100000, "scout");
ALLOT_PULL_ALL(1000000, "opt-kg");
ALLOT_PULL_ALL(1000000, "eig");
ALLOT_PULL_ALL(1000000, "scout");

/// The paper's simulated crowd, on one thread.
void simulate(benchmark::State& state, const char* policy) {
  sim::DifferingWorkers workers;
  workers.beliefs = {.item_prior = model::Prior::uniform(),
                     .worker_prior = model::Prior::beta(4, 1),
                     .coins = model::Coins::one,
                     .refit = model::Refit::off};
  const sim::Experiment experiment{
      .world = sim::Simulation{50, 100, model::Prior::uniform(), model::Prior::beta(4, 1)},
      .workers = workers,
      .policies = {policy::make_policy(policy, TieBreak::random).value()},
      .budgets = {1000}};
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
