// Nanoseconds per error probability, at real-valued parameters as moment-matched beliefs have.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/math/beta_tail.hpp"

namespace allot {
namespace {

struct States {
  std::vector<double> a, b, error;

  States() : error(4096) {
    Rng rng(1);
    for (std::size_t i = 0; i < error.size(); ++i) {
      a.push_back(1 + 59 * uniform(rng));
      b.push_back(1 + 59 * uniform(rng));
    }
  }
};

void batched(benchmark::State& state) {
  States states;
  for (auto _ : state) {
    math::error_probability(states.a, states.b, states.error);
    benchmark::DoNotOptimize(states.error.data());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(batched)->Name("error_probability/batched");

template <typename Function>
void one_by_one(benchmark::State& state, Function function) {
  const States states;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(function(states.a[i], states.b[i]));
    i = (i + 1) % 4096;
  }
  state.SetItemsProcessed(state.iterations());
}

double single(double a, double b) { return math::error_probability(a, b); }

double boost_default(double a, double b) {
  return boost::math::ibeta(std::max(a, b), std::min(a, b), 0.5);
}

double boost_unpromoted(double a, double b) {
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  return boost::math::ibeta(std::max(a, b), std::min(a, b), 0.5, Policy());
}

BENCHMARK_CAPTURE(one_by_one, single, single)->Name("error_probability/single");
BENCHMARK_CAPTURE(one_by_one, boost_unpromoted, boost_unpromoted)
    ->Name("error_probability/boost_unpromoted");
BENCHMARK_CAPTURE(one_by_one, boost, boost_default)->Name("error_probability/boost");

}  // namespace
}  // namespace allot
