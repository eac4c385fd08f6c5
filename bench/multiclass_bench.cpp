// The index of a multi-class item: all numbers from one set of nodes, against an adaptive
// quadrature for each class of each next state. The index of a pair with hard classes, against a
// version with a vector for every step. Then decisions of whole campaigns.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

using model::DirichletBelief;
using model::DirichletPrior;
using model::MulticlassBeliefs;

/// States as in campaigns, whole counts over the uniform prior, or any real parameters.
std::vector<DirichletBelief> states(std::size_t classes, bool whole) {
  Rng rng(1);
  std::vector<DirichletBelief> result(64);
  for (DirichletBelief& belief : result) {
    for (std::size_t c = 0; c < classes; ++c) {
      belief.alpha.push_back(whole ? 1 + static_cast<double>(below(rng, 15))
                                   : 0.5 + 15 * uniform(rng));
    }
  }
  return result;
}

/// I_c by [CLZ eq:I_C] as written, to 1e-9.
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

double opt_kg_by_quadrature(const DirichletBelief& belief) {
  const double now = confidence_by_quadrature(belief.alpha);
  double best = -1;
  for (std::uint32_t y = 0; y < belief.alpha.size(); ++y) {
    best = std::max(best, confidence_by_quadrature(belief.after(ClassId{y}).alpha) - now);
  }
  return best;
}

double opt_kg_by_nodes(const DirichletBelief& belief) {
  return index::opt_kg(index::multiclass_reward(belief));
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
      ->Name("multiclass_index/C:" #classes "_" #kind "/nodes");     \
  BENCHMARK_CAPTURE(by_quadrature, classes##_##kind, classes, whole) \
      ->Name("multiclass_index/C:" #classes "_" #kind "/quadrature")
ALLOT_CLASS_INDEX(4, whole, true);
ALLOT_CLASS_INDEX(4, real, false);
ALLOT_CLASS_INDEX(10, whole, true);
ALLOT_CLASS_INDEX(10, real, false);

/// Decisions of an opt-kg campaign from its start; half of the labels are the item's class.
void decisions(benchmark::State& state, std::uint32_t classes) {
  const std::uint32_t items = 1000, labels = 10'000;
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  for (auto _ : state) {
    MulticlassBeliefs beliefs(items, DirichletPrior::symmetric(classes));
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

/// An item of hard class and a worker.
struct PairState {
  std::vector<double> classes, table;
};

std::vector<double> random_shares(Rng& rng, std::size_t count) {
  std::vector<double> shares;
  for (std::size_t k = 0; k < count; ++k) shares.push_back(0.01 + uniform(rng));
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= all;
  return shares;
}

std::vector<PairState> pair_states(std::size_t classes) {
  Rng rng(1);
  std::vector<PairState> result(64);
  for (PairState& state : result) {
    state.classes = random_shares(rng, classes);
    for (std::size_t k = 0; k < classes; ++k) {
      const std::vector<double> row = random_shares(rng, classes);
      state.table.insert(state.table.end(), row.begin(), row.end());
    }
  }
  return result;
}

/// The index by its definition, label by label: Bayes' rule, then a function of the posterior.
template <typename Visit>
void for_each_posterior(const PairState& pair, Visit visit) {
  const std::size_t classes = pair.classes.size();
  for (std::size_t y = 0; y < classes; ++y) {
    std::vector<double> joint;
    for (std::size_t k = 0; k < classes; ++k) {
      joint.push_back(pair.classes[k] * pair.table[k * classes + y]);
    }
    const double chance = std::accumulate(joint.begin(), joint.end(), 0.0);
    std::vector<double> posterior;
    for (const double share : joint) posterior.push_back(share / chance);
    visit(chance, posterior);
  }
}

double plain_opt_kg(const PairState& pair) {
  double best = -1;
  for_each_posterior(pair, [&](double, const std::vector<double>& posterior) {
    best = std::max(best, std::ranges::max(posterior) - std::ranges::max(pair.classes));
  });
  return best;
}

double plain_entropy(const std::vector<double>& shares) {
  double result = 0;
  for (const double share : shares) result -= share * std::log(share);
  return result;
}

double plain_information(const PairState& pair) {
  double gain = plain_entropy(pair.classes);
  for_each_posterior(pair, [&](double chance, const std::vector<double>& posterior) {
    gain -= chance * plain_entropy(posterior);
  });
  return gain;
}

using PlainIndex = double (*)(const PairState&);

void pair_index(benchmark::State& state, std::size_t classes,
                const index::MulticlassPairIndex& index) {
  const auto pairs = pair_states(classes);
  std::size_t i = 0;
  for (auto _ : state) {
    const PairState& pair = pairs[i++ % pairs.size()];
    benchmark::DoNotOptimize(index.value({pair.classes, false, 0}, pair.table));
  }
  state.SetItemsProcessed(state.iterations());
}

void plain_pair_index(benchmark::State& state, std::size_t classes,
                      const index::MulticlassPairIndex& index, PlainIndex plain) {
  const auto pairs = pair_states(classes);
  for (const PairState& pair : pairs) {
    if (std::abs(index.value({pair.classes, false, 0}, pair.table) - plain(pair)) > 1e-14) {
      return state.SkipWithError("the indices differ");
    }
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(plain(pairs[i++ % pairs.size()]));
  state.SetItemsProcessed(state.iterations());
}

#define ALLOT_PAIR_INDEX(classes, name, index, plain)                          \
  BENCHMARK_CAPTURE(pair_index, name##_##classes, classes, index)              \
      ->Name("class_pair_" #name "/C:" #classes "/in_place");                  \
  BENCHMARK_CAPTURE(plain_pair_index, name##_##classes, classes, index, plain) \
      ->Name("class_pair_" #name "/C:" #classes "/vectors")
ALLOT_PAIR_INDEX(4, opt_kg, index::multiclass_pair_opt_kg(), plain_opt_kg);
ALLOT_PAIR_INDEX(10, opt_kg, index::multiclass_pair_opt_kg(), plain_opt_kg);
ALLOT_PAIR_INDEX(4, eig, index::multiclass_pair_information_gain(), plain_information);
ALLOT_PAIR_INDEX(10, eig, index::multiclass_pair_information_gain(), plain_information);

/// A recorded campaign with refits, like the dog pictures of docs/replays.md: 807 items of 4
/// classes, 109 workers, 10 labels per item, four of five right, all of them bought.
void recorded_decisions(benchmark::State& state, const char* name) {
  const std::uint32_t items = 807, workers = 109, each = 10, classes = 4;
  std::vector<policy::Pair> pairs;
  for (std::uint32_t n = 0; n < items * each; ++n) {
    pairs.push_back({ItemId{n / each}, WorkerId{(n / each * 7 + n % each * 11) % workers}});
  }
  const auto policy = policy::make_policy(name, policy::TieBreak::random).value();
  for (auto _ : state) {
    policy::Desk desk(model::make_crowd({.item_prior = model::DirichletPrior::symmetric(classes)},
                                        items, workers),
                      policy, policy::Offers::recorded(items, workers, pairs));
    Rng ties(1), drawn(2);
    for (std::size_t t = 0; t < pairs.size(); ++t) {
      const policy::Pair pair = *desk.choose(ties);
      const auto any = static_cast<std::uint32_t>(below(drawn, classes));
      const bool right = uniform(drawn) < 0.8;
      const ClassId label{right ? position(pair.item) % classes : any};
      desk.record(pair, label);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pairs.size()));
}
BENCHMARK_CAPTURE(recorded_decisions, opt_kg, "opt-kg")
    ->Name("class_replay_807_items_opt-kg")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recorded_decisions, eig, "eig")
    ->Name("class_replay_807_items_eig")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
