// An upper bound on every policy, for a million items in a thousand states: all states of a prior
// in one sweep per price, against a separate sweep for every state; values compared.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>

#include "allot/index/coin_price.hpp"
#include "allot/index/gittins.hpp"
#include "allot/index/price_table.hpp"
#include "allot/index/stopping.hpp"
#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"

namespace allot {
namespace {

using model::Beliefs;
using model::Counts;
using model::Prior;

constexpr double kPrice = 0.002;

/// 1,035 states: all with at most 44 labels.
std::vector<Counts> states() {
  std::vector<Counts> all;
  for (std::uint32_t labels = 0; labels < 45; ++labels) {
    for (std::uint32_t positive = 0; positive <= labels; ++positive) {
      all.push_back({positive, labels - positive});
    }
  }
  return all;
}

double one_sweep(index::StoppingLattice& lattice, const std::vector<Counts>& all) {
  double sum = 0;
  for (const index::StoppingValue& value : lattice.values(kPrice, all)) sum += value.gain;
  return sum;
}

double sweep_a_state(index::StoppingLattice& lattice, const std::vector<Counts>& all) {
  double sum = 0;
  for (const Counts state : all) sum += lattice.values(kPrice, std::array{state})[0].gain;
  return sum;
}

template <double (*work)(index::StoppingLattice&, const std::vector<Counts>&)>
void value_of_states(benchmark::State& state) {
  index::StoppingLattice lattice(Prior::uniform());
  const std::vector<Counts> all = states();
  if (std::abs(work(lattice, all) - one_sweep(lattice, all)) > 1e-9) {
    state.SkipWithError("the values differ");
  }
  for (auto _ : state) benchmark::DoNotOptimize(work(lattice, all));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}
BENCHMARK(value_of_states<one_sweep>)->Name("stopping_1035_states/K:1000/one_sweep");
BENCHMARK(value_of_states<sweep_a_state>)->Name("stopping_1035_states/K:1000/sweep_a_state");

void bound(benchmark::State& state, std::uint32_t items) {
  const std::vector<Counts> all = states();
  Beliefs beliefs(items, Prior::uniform());
  for (std::uint32_t i = 0; i < items; ++i) {
    const Counts counts = all[i % all.size()];
    for (std::uint32_t n = 0; n < counts.positive; ++n) beliefs.record(ItemId{i}, Label::positive);
    for (std::uint32_t n = 0; n < counts.negative; ++n) beliefs.record(ItemId{i}, Label::negative);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(policy::accuracy_bound(beliefs, std::uint64_t{2} * items));
  }
}
BENCHMARK_CAPTURE(bound, small, 1000U)->Name("bound/K:1000/whole")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bound, large, 1000000U)
    ->Name("bound_K1000000_whole")
    ->Unit(benchmark::kMillisecond);

/// Label prices above 0.02 by the sweep of prices, and state by state with a bisection each.
double table_swept() {
  double sum = 0;
  for (const double price : index::label_price_table(Prior::uniform(), 40, 1e-9, 0.02))
    sum += price;
  return sum;
}

double table_bisected() {
  index::StoppingLattice lattice(Prior::uniform());
  double sum = 0;
  for (std::uint32_t labels = 0; labels <= 40; ++labels) {
    for (std::uint32_t positive = 0; positive <= labels; ++positive) {
      const std::array state{Counts{positive, labels - positive}};
      const auto pays = [&](double price) { return lattice.values(price, state)[0].labels > 0; };
      if (!pays(0.02)) continue;
      double low = 0.02, high = 0.5;
      while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        (pays(middle) ? low : high) = middle;
      }
      sum += low;
    }
  }
  return sum;
}

template <double (*work)()>
void label_prices(benchmark::State& state) {
  if (std::abs(work() - table_swept()) > 1e-6) state.SkipWithError("the prices differ");
  for (auto _ : state) benchmark::DoNotOptimize(work());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(label_prices<table_swept>)->Name("label_prices_depth_40/K:1000/swept");
BENCHMARK(label_prices<table_bisected>)->Name("label_prices_depth_40/K:1000/bisected");

void large_table(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(index::label_price_table(Prior::uniform(), 1000));
  }
}
BENCHMARK(large_table)->Name("label_prices_depth_1000")->Unit(benchmark::kMillisecond);

void coin_price(benchmark::State& state) {
  double log_odds = 0;
  for (auto _ : state) {
    log_odds = log_odds > 5 ? 0 : log_odds + 0.01;
    benchmark::DoNotOptimize(index::coin_label_price(log_odds, 0.7));
  }
}
BENCHMARK(coin_price)->Name("coin_label_price_q0.7");

/// A plan of one policy for 5, 10 and 20 labels per item.
void forecast(benchmark::State& state, const char* policy, std::uint64_t items) {
  for (auto _ : state) {
    policy::Forecast forecast(policy, Prior::uniform(), items);
    for (const double labels : {5.0, 10.0, 20.0}) {
      benchmark::DoNotOptimize(forecast.accuracy(labels * static_cast<double>(items)));
    }
  }
}
BENCHMARK_CAPTURE(forecast, few, "label-price", 50)
    ->Name("forecast_label-price_K50")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, many, "label-price", 1000000)
    ->Name("forecast_label-price_K1000000")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(forecast, many_opt_kg, "opt-kg", 1000000)
    ->Name("forecast_opt-kg_K1000000")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
