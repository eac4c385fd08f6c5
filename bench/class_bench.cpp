// The index of an item of several classes: all numbers from one set of nodes, against an adaptive
// quadrature for each class of each next state. Then decisions of whole campaigns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/index/class_reward.hpp"
#include "allot/policy/class_policy.hpp"

namespace allot {
namespace {

using model::ClassBelief;
using model::ClassBeliefs;
using model::ClassPrior;

/// States as campaigns meet them, whole counts over the uniform prior, or any real parameters.
std::vector<ClassBelief> states(std::size_t classes, bool whole) {
  Rng rng(1);
  std::vector<ClassBelief> result(64);
  for (ClassBelief& belief : result) {
    for (std::size_t c = 0; c < classes; ++c) {
      belief.alpha.push_back(whole ? 1 + static_cast<double>(below(rng, 15))
                                   : 0.5 + 15 * uniform(rng));
    }
  }
  return result;
}

/// I_c by [CLZ eq:I_C] as it stands, to 1e-9.
double win_by_quadrature(const std::vector<double>& alpha, std::size_t c) {
  using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const double largest = *std::max_element(alpha.begin(), alpha.end());
  const auto integrand = [&](double x) {
    double value = boost::math::gamma_p_derivative(alpha[c], x, Policy());
    for (std::size_t k = 0; k < alpha.size(); ++k) {
      if (k != c) value *= boost::math::gamma_p(alpha[k], x, Policy());
    }
    return value;
  };
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      integrand, 0.0, largest + 8 * std::sqrt(largest) + 30, 10, 1e-9);
}

double confidence_by_quadrature(const std::vector<double>& alpha) {
  double best = 0;
  for (std::size_t c = 0; c < alpha.size(); ++c) best = std::max(best, win_by_quadrature(alpha, c));
  return best;
}

double opt_kg_by_quadrature(const ClassBelief& belief) {
  const double now = confidence_by_quadrature(belief.alpha);
  double best = -1;
  for (std::uint32_t y = 0; y < belief.alpha.size(); ++y) {
    best = std::max(best, confidence_by_quadrature(belief.after(ClassId{y}).alpha) - now);
  }
  return best;
}

double opt_kg_by_nodes(const ClassBelief& belief) {
  return index::opt_kg(index::class_reward(belief));
}

void by_nodes(benchmark::State& state, std::size_t classes, bool whole) {
  const auto beliefs = states(classes, whole);
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(opt_kg_by_nodes(beliefs[i++ % beliefs.size()]));
  state.SetItemsProcessed(state.iterations());
}

void by_quadrature(benchmark::State& state, std::size_t classes, bool whole) {
  const auto beliefs = states(classes, whole);
  if (std::abs(opt_kg_by_quadrature(beliefs[0]) - opt_kg_by_nodes(beliefs[0])) > 1e-7) {
    return state.SkipWithError("the indices differ");
  }
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(opt_kg_by_quadrature(beliefs[i++ % beliefs.size()]));
  state.SetItemsProcessed(state.iterations());
}

#define ALLOT_CLASS_INDEX(classes, kind, whole)                      \
  BENCHMARK_CAPTURE(by_nodes, classes##_##kind, classes, whole)      \
      ->Name("class_index/C:" #classes "_" #kind "/nodes");          \
  BENCHMARK_CAPTURE(by_quadrature, classes##_##kind, classes, whole) \
      ->Name("class_index/C:" #classes "_" #kind "/quadrature")
ALLOT_CLASS_INDEX(4, whole, true);
ALLOT_CLASS_INDEX(4, real, false);
ALLOT_CLASS_INDEX(10, whole, true);
ALLOT_CLASS_INDEX(10, real, false);

/// Decisions of an opt-kg campaign from its start; half of the labels are the item's class.
void decisions(benchmark::State& state, std::uint32_t classes) {
  const std::uint32_t items = 1000, labels = 10'000;
  const auto policy = policy::make_class_policy("opt-kg", policy::TieBreak::random).value();
  for (auto _ : state) {
    ClassBeliefs beliefs(items, ClassPrior::symmetric(classes));
    const auto chooser = policy->start(beliefs, labels).value();
    Rng ties(1), drawn(2);
    for (std::uint32_t t = 0; t < labels; ++t) {
      const ItemId item = chooser->choose(ties);
      const auto any = static_cast<std::uint32_t>(below(drawn, classes));
      beliefs.record(item, ClassId{uniform(drawn) < 0.5 ? position(item) % classes : any});
      chooser->refresh(item);
    }
  }
  state.SetItemsProcessed(state.iterations() * labels);
}
BENCHMARK_CAPTURE(decisions, 4, 4)->Name("class_decisions_C:4")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decisions, 10, 10)->Name("class_decisions_C:10")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
