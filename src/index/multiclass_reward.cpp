#include "allot/index/multiclass_reward.hpp"

#include <algorithm>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/math/dirichlet_win.hpp"

namespace allot::index {
namespace {

MulticlassReward binary_reward(double negative, double positive) {
  const Reward r = reward(model::beta_outlook(positive, negative));
  return {{r.if_negative, r.if_positive}, {1 - r.chance_positive, r.chance_positive}, r.expected};
}

/// Outcomes from the best to the worst, with their chances.
std::vector<std::pair<double, double>> ranked(const MulticlassReward& reward) {
  std::vector<std::pair<double, double>> outcomes;
  for (std::size_t y = 0; y < reward.if_label.size(); ++y) {
    outcomes.emplace_back(reward.if_label[y], reward.chance[y]);
  }
  std::ranges::sort(outcomes, std::greater());
  return outcomes;
}

}  // namespace

MulticlassReward multiclass_reward(const model::DirichletBelief& belief) {
  const std::vector<double>& alpha = belief.alpha;
  if (alpha.size() == 2) return binary_reward(alpha[0], alpha[1]);
  const math::WinOutlook outlook = math::win_outlook(alpha);
  MulticlassReward result{std::vector<double>(alpha.size()), chances(belief), 0};
  std::vector<double> gains;
  for (std::size_t y = 0; y < alpha.size(); ++y) {
    const bool tied = alpha[y] == alpha[outlook.best];
    result.if_label[y] = tied ? outlook.rise : outlook.overshoot[y] - outlook.fall[y];
    if (outlook.overshoot[y] > 0) gains.push_back(result.chance[y] * outlook.overshoot[y]);
  }
  std::ranges::sort(gains);
  result.expected = std::accumulate(gains.begin(), gains.end(), 0.0);
  return result;
}

double kg(const MulticlassReward& reward) { return reward.expected; }
double opt_kg(const MulticlassReward& reward) { return std::ranges::max(reward.if_label); }
double pessimistic_kg(const MulticlassReward& reward) { return std::ranges::min(reward.if_label); }

double cvar_kg(const MulticlassReward& reward, double alpha) {
  require(alpha >= 0 && alpha <= 1, "cvar_kg", "alpha", alpha, "expected 0 to 1");
  if (alpha == 1) return reward.expected;
  const auto outcomes = ranked(reward);
  const double best = outcomes.front().first, worst = outcomes.back().first;
  double chance_of_best = 0;
  for (const auto& [value, chance] : outcomes) chance_of_best += value == best ? chance : 0.0;
  if (chance_of_best >= alpha) return best;
  // Adds sum (q - p) (R - worst) to R, whose zeros are exact.
  double result = reward.expected, left = 1;
  for (const auto& [value, chance] : outcomes) {
    const double share = std::min(chance / alpha, left);
    left -= share;
    result += (share - chance) * (value - worst);
  }
  return result;
}

}  // namespace allot::index
