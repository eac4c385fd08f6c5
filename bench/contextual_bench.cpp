// A decision among items with features: rewards in scalar form against Newton's method in p
// dimensions and a fresh covariance for every candidate and label; their values are compared. Then
// the cost of a decision with many items.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/index/contextual_reward.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

using model::Contextual;
using model::Design;

Design random_design(std::uint32_t items, std::uint32_t columns) {
  Rng rng(1);
  Design design{items, columns, {}, std::vector<std::string>(columns), {}};
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) design.values.push_back(j == 0 ? 1 : normal(rng));
  }
  return design;
}

/// A belief after as many labels as features, half of them positive.
Contextual some_belief(const Design& design) {
  Contextual belief(design, {.prior_variance = 1.0 / design.column_count});
  for (std::uint32_t i = 0; i < design.column_count; ++i) {
    belief.record(ItemId{i * 7 % design.item_count}, i % 2 ? Label::positive : Label::negative);
  }
  return belief;
}

/// The paper's method [CLZ eq:post_mean, eq:reward_feature].
class Newton {
 public:
  Newton(const Design& design, const Contextual& belief)
      : design_(
            Eigen::Map<const Rows>(design.values.data(), design.item_count, design.column_count)),
        mean_(Eigen::Map<const Eigen::VectorXd>(belief.weights().data(), design.column_count)),
        covariance_(Eigen::Map<const Eigen::MatrixXd>(belief.covariance().data(),
                                                      design.column_count, design.column_count)),
        precision_(covariance_.llt().solve(
            Eigen::MatrixXd::Identity(design.column_count, design.column_count))),
        before_(confidence(mean_, covariance_)) {}

  double opt_kg(Eigen::Index item) const {
    return std::max(confidence_after(item, 1), confidence_after(item, 0)) - before_;
  }

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  double confidence(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) const {
    const Eigen::VectorXd m = design_ * mean;
    const Eigen::VectorXd s2 = (design_ * covariance).cwiseProduct(design_).rowwise().sum();
    double sum = 0;
    for (Eigen::Index i = 0; i < m.size(); ++i) {
      sum += 1 - 0.5 * std::erfc(std::abs(m[i]) / std::sqrt(2 * s2[i]));
    }
    return sum;
  }

  double confidence_after(Eigen::Index item, double label) const {
    const Eigen::VectorXd x = design_.row(item);
    Eigen::VectorXd w = mean_;
    for (int step = 0; step < 50; ++step) {
      const double s = 1 / (1 + std::exp(-x.dot(w)));
      const Eigen::VectorXd gradient = (label - s) * x - precision_ * (w - mean_);
      const Eigen::VectorXd move =
          (precision_ + s * (1 - s) * x * x.transpose()).eval().llt().solve(gradient);
      w += move;
      if (move.norm() < 1e-12 * (1 + w.norm())) break;
    }
    const double s = 1 / (1 + std::exp(-x.dot(w)));
    const Eigen::VectorXd along = covariance_ * x;
    return confidence(w, covariance_ - s * (1 - s) / (1 + s * (1 - s) * x.dot(along)) * along *
                                           along.transpose());
  }

  const Rows design_;
  const Eigen::VectorXd mean_;
  const Eigen::MatrixXd covariance_, precision_;
  const double before_;
};

void by_scalar(benchmark::State& state, std::uint32_t items, std::uint32_t columns) {
  const Design design = random_design(items, columns);
  const Contextual belief = some_belief(design);
  std::vector<std::uint32_t> rows(items);
  std::iota(rows.begin(), rows.end(), 0U);
  for (auto _ : state) benchmark::DoNotOptimize(index::contextual_rewards(belief, rows));
  state.SetItemsProcessed(state.iterations() * items);
}

void by_newton(benchmark::State& state, std::uint32_t items, std::uint32_t columns) {
  const Design design = random_design(items, columns);
  const Contextual belief = some_belief(design);
  const Newton plain(design, belief);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 20; ++i) rows.push_back(i * (items / 20));
  const auto rewards = index::contextual_rewards(belief, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double slow = plain.opt_kg(rows[i]);
    if (std::abs(index::opt_kg(rewards[i]) - slow) > 1e-9 * (1 + std::abs(slow))) {
      return state.SkipWithError("the indices differ");
    }
  }
  state.counters["equal_indices"] = static_cast<double>(rows.size());
  Eigen::Index item = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plain.opt_kg(item));
    item = (item + 1) % items;
  }
  state.SetItemsProcessed(state.iterations());
}

#define ALLOT_CONTEXTUAL(items, columns)                      \
  BENCHMARK_CAPTURE(by_scalar, items, items, columns)         \
      ->Name("contextual/K:" #items "/p:" #columns "/scalar") \
      ->Unit(benchmark::kMillisecond);                        \
  BENCHMARK_CAPTURE(by_newton, items, items, columns)         \
      ->Name("contextual/K:" #items "/p:" #columns "/newton") \
      ->Unit(benchmark::kMillisecond)
ALLOT_CONTEXTUAL(100, 10);
ALLOT_CONTEXTUAL(2000, 50);

/// Choice, label and refresh. The number of items processed is the number of decisions.
void decision(benchmark::State& state, std::uint32_t items, std::uint32_t columns, double limit) {
  const Design design = random_design(items, columns);
  Contextual belief = some_belief(design);
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  const auto chooser = policy->start(belief, {.cost_limit = limit});
  Rng rng(2);
  for (auto _ : state) {
    const ItemId item = chooser->choose(rng);
    belief.record(item, position(item) % 2 ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(decision, sample, 10'000, 100, policy::FeatureSearch{}.cost_limit)
    ->Name("contextual_decision/K:10000/p:100/sample")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decision, all, 10'000, 100, 1e300)
    ->Name("contextual_decision/K:10000/p:100/all")
    ->Unit(benchmark::kMillisecond);

/// Quality of the best of the drawn candidates: its reward over that of the best of all.
void sampled_quality(benchmark::State& state) {
  const Design design = random_design(2000, 50);
  Contextual belief = some_belief(design);
  const double cost = 2000 * 170.0;
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  const auto chooser = policy->start(belief, {.cost_limit = 200 * cost});
  std::vector<std::uint32_t> rows(2000);
  std::iota(rows.begin(), rows.end(), 0U);
  Rng rng(3);
  double sum = 0;
  for (auto _ : state) {
    const ItemId item = chooser->choose(rng);
    const auto rewards = index::contextual_rewards(belief, rows);
    double best = 0;
    for (const index::Reward& reward : rewards) best = std::max(best, index::opt_kg(reward));
    sum += index::opt_kg(rewards[position(item)]) / best;
    belief.record(item, position(item) % 2 ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
  state.counters["share_of_best"] = sum / static_cast<double>(state.iterations());
}
BENCHMARK(sampled_quality)
    ->Name("contextual_sampled_tenth")
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
