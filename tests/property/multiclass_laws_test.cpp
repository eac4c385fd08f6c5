// Laws of beliefs and rewards of multi-class items.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/math/dirichlet_win.hpp"

namespace allot::index::multiclass_laws_test {
namespace {

using math::win_outlook;
using math::WinOutlook;
using model::DirichletBelief;
using Parameters = std::vector<double>;

/// 2 to 12 classes: whole counts over a common or a ragged prior, or anything from 1e-5 to 1e5.
Parameters parameters(int fewest = 2, int most = 12) {
  const auto classes = static_cast<std::size_t>(*rc::gen::inRange(fewest, most + 1));
  const int kind = *rc::gen::inRange(0, 4);
  const std::vector<double> priors{0.1, 0.5, 1.0, 2.25};
  const double common = *rc::gen::elementOf(priors);
  Parameters alpha(classes);
  for (double& a : alpha) {
    const double prior = kind == 1 ? *rc::gen::elementOf(priors) : common;
    a = kind == 3   ? std::pow(10, *rc::gen::inRange(-5000, 5001) / 1000.0)
        : kind == 2 ? prior + *rc::gen::inRange(0, 3)
                    : prior + *rc::gen::inRange(0, 40);
  }
  return alpha;
}

Parameters after(Parameters alpha, std::size_t label) {
  ++alpha[label];
  return alpha;
}

RC_GTEST_PROP(MulticlassWins, AverageOverTheNextLabelStaysTheSame, ()) {
  const Parameters alpha = parameters();
  const WinOutlook now = win_outlook(alpha);
  const std::vector<double> chance = model::chances({alpha});
  Parameters mean(alpha.size());
  for (std::size_t y = 0; y < alpha.size(); ++y) {
    const WinOutlook then = win_outlook(after(alpha, y));
    for (std::size_t c = 0; c < alpha.size(); ++c) mean[c] += chance[y] * then.win[c];
  }
  for (std::size_t c = 0; c < alpha.size(); ++c) RC_ASSERT(std::abs(mean[c] - now.win[c]) < 1e-12);
}

RC_GTEST_PROP(MulticlassWins, AreLargestWhereTheParameterIs, ()) {
  const Parameters alpha = parameters();
  const WinOutlook outlook = win_outlook(alpha);
  for (std::size_t c = 0; c < alpha.size(); ++c) {
    for (std::size_t d = 0; d < alpha.size(); ++d) {
      if (alpha[c] == alpha[d]) RC_ASSERT(outlook.win[c] == outlook.win[d]);
      if (alpha[c] > alpha[d]) RC_ASSERT(outlook.win[c] >= outlook.win[d] - 1e-15);
    }
    RC_ASSERT(alpha[c] < alpha[outlook.best] ||
              (alpha[c] == alpha[outlook.best] && c >= outlook.best));
  }
  RC_ASSERT(std::abs(std::accumulate(outlook.win.begin(), outlook.win.end(), 0.0) - 1) < 1e-14);
  RC_ASSERT(std::abs(1 - outlook.win[outlook.best] - outlook.error) < 1e-15);
}

RC_GTEST_PROP(MulticlassWins, MoveByTheKernelsWhenALabelComes, ()) {
  const Parameters alpha = parameters();
  const WinOutlook now = win_outlook(alpha);
  double kernels = 0;
  for (std::size_t y = 0; y < alpha.size(); ++y) {
    const WinOutlook then = win_outlook(after(alpha, y));
    const double move = then.win[now.best] - now.win[now.best];
    RC_ASSERT(std::abs(move - (y == now.best ? now.rise : -now.fall[y])) < 1e-12);
    RC_ASSERT(now.fall[y] >= 0);
    kernels += now.fall[y] * alpha[y];
    if (y == now.best) continue;
    const double beyond = then.win[y] - then.win[now.best];
    RC_ASSERT(std::abs(now.overshoot[y] - std::max(0.0, beyond)) < 1e-11);
    if (alpha[y] + 1 <= alpha[now.best]) RC_ASSERT(now.overshoot[y] == 0);
  }
  RC_ASSERT(std::abs(now.rise * alpha[now.best] - kernels) <= 1e-12 * kernels + 1e-290);
}

RC_GTEST_PROP(MulticlassWins, OfPermutedClassesArePermutedToTheLastBit, ()) {
  const Parameters alpha = parameters();
  std::vector<std::size_t> order(alpha.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
  Parameters permuted;
  for (const std::size_t c : order) permuted.push_back(alpha[c]);
  const WinOutlook outlook = win_outlook(alpha), other = win_outlook(permuted);
  for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(other.win[i] == outlook.win[order[i]]);
  RC_ASSERT(outlook.error == other.error);
  RC_ASSERT(outlook.rise == other.rise);
  if (alpha.size() == 2) return;  // the bits of yes/no items, where one chance is 1 minus the other
  const MulticlassReward gain = multiclass_reward({alpha}), same = multiclass_reward({permuted});
  for (std::size_t i = 0; i < order.size(); ++i)
    RC_ASSERT(same.if_label[i] == gain.if_label[order[i]]);
  RC_ASSERT(gain.expected == same.expected);
  RC_ASSERT(cvar_kg(gain, 0.6) == cvar_kg(same, 0.6));
}

RC_GTEST_PROP(MulticlassReward, IsTheGainOfTheBetterAnswer, ()) {
  const Parameters alpha = parameters();
  const MulticlassReward reward = multiclass_reward({alpha});
  const double now = 1 - win_outlook(alpha).error;
  double mean = 0;
  for (std::size_t y = 0; y < alpha.size(); ++y) {
    const double then = std::ranges::max(win_outlook(after(alpha, y)).win);
    RC_ASSERT(std::abs(reward.if_label[y] - (then - now)) < 1e-11);
    mean += reward.chance[y] * reward.if_label[y];
  }
  RC_ASSERT(std::abs(mean - reward.expected) < 1e-12);
  RC_ASSERT(reward.expected >= 0);
  RC_ASSERT(opt_kg(reward) >= reward.expected - 1e-15);
  RC_ASSERT(pessimistic_kg(reward) <= reward.expected + 1e-15);
}

RC_GTEST_PROP(MulticlassReward, IsExpectedToBeExactlyZeroWhereNoLabelChangesTheAnswer, ()) {
  Parameters alpha = parameters();
  std::vector<double> sorted = alpha;
  std::ranges::sort(sorted, std::greater());
  const double margin = sorted[0] - sorted[1];
  const double expected = multiclass_reward({alpha}).expected;
  if (margin >= 1) RC_ASSERT(expected == 0);
  if (margin < 0.999) RC_ASSERT(expected > 0);
}

RC_GTEST_PROP(MulticlassReward, OfTwoClassesHasTheBitsOfBinaryItems, ()) {
  const Parameters alpha = parameters(2, 2);
  const MulticlassReward several = multiclass_reward({alpha});
  const Reward two = reward(model::beta_outlook(alpha[1], alpha[0]));
  RC_ASSERT(several.if_label[1] == two.if_positive);
  RC_ASSERT(several.if_label[0] == two.if_negative);
  RC_ASSERT(kg(several) == kg(two));
  RC_ASSERT(opt_kg(several) == opt_kg(two));
  RC_ASSERT(pessimistic_kg(several) == pessimistic_kg(two));
  const double share = *rc::gen::inRange(0, 1001) / 1000.0;
  RC_ASSERT(cvar_kg(several, share) == cvar_kg(two, share));
}

/// The largest value at a vertex: some q at their bounds, at most one between, the others 0.
double best_vertex(const MulticlassReward& reward, double alpha) {
  const std::size_t outcomes = reward.chance.size();
  double best = -INFINITY;
  for (unsigned full = 0; full < 1U << outcomes; ++full) {
    for (std::size_t part = 0; part < outcomes; ++part) {
      double value = 0, left = 1;
      for (std::size_t y = 0; y < outcomes; ++y) {
        if (y == part || !((full >> y) & 1U)) continue;
        value += reward.chance[y] / alpha * reward.if_label[y];
        left -= reward.chance[y] / alpha;
      }
      if (left < -1e-12 || left > reward.chance[part] / alpha + 1e-12) continue;
      best = std::max(best, value + left * reward.if_label[part]);
    }
  }
  return best;
}

RC_GTEST_PROP(MulticlassCvar, SolvesItsLinearProgram, ()) {
  const MulticlassReward reward = multiclass_reward({parameters(2, 6)});
  const double alpha = *rc::gen::inRange(1, 1001) / 1000.0;
  RC_ASSERT(std::abs(cvar_kg(reward, alpha) - best_vertex(reward, alpha)) < 1e-11);
}

RC_GTEST_PROP(MulticlassCvar, FallsFromOptKgToKgAsAlphaGrows, ()) {
  const MulticlassReward reward = multiclass_reward({parameters()});
  const int low = *rc::gen::inRange(0, 1001), high = *rc::gen::inRange(low, 1001);
  RC_ASSERT(cvar_kg(reward, low / 1000.0) >= cvar_kg(reward, high / 1000.0) - 1e-15);
  RC_ASSERT(cvar_kg(reward, 0) == opt_kg(reward));
  RC_ASSERT(cvar_kg(reward, 1) == kg(reward));
}

RC_GTEST_PROP(MulticlassOptKg, IsPositiveInEveryStateOfWholeCounts, ()) {  // [CLZ thm:opt_KG]
  Parameters alpha(static_cast<std::size_t>(*rc::gen::inRange(2, 12)));
  for (double& a : alpha) a = *rc::gen::inRange(1, 200);
  const MulticlassReward reward = multiclass_reward({alpha});
  RC_ASSERT(opt_kg(reward) > 0);
  // The label that supports the answer is the best possible one.
  RC_ASSERT(opt_kg(reward) == reward.if_label[win_outlook(alpha).best]);
}

/// Any reward of two to six outcomes.
MulticlassReward any_reward() {
  const std::size_t count = *rc::gen::inRange<std::size_t>(2, 7);
  MulticlassReward reward;
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) {
    reward.if_label.push_back(*rc::gen::inRange(-100, 100) / 64.0);
    reward.chance.push_back(*rc::gen::inRange(1, 100));
    sum += reward.chance.back();
  }
  reward.expected = 0;
  for (std::size_t c = 0; c < count; ++c) {
    reward.chance[c] /= sum;
    reward.expected += reward.chance[c] * reward.if_label[c];
  }
  return reward;
}

RC_GTEST_PROP(MulticlassIndices, OfTwoOutcomesMatchTheBinaryReward, ()) {
  const double p = *rc::gen::inRange(1, 100) / 100.0, alpha = *rc::gen::inRange(0, 101) / 100.0;
  const double yes = *rc::gen::inRange(-50, 50) / 8.0, no = *rc::gen::inRange(-50, 50) / 8.0;
  const Reward two{yes, no, p * yes + (1 - p) * no, p};
  const MulticlassReward same{{yes, no}, {p, 1 - p}, two.expected};
  RC_ASSERT(opt_kg(same) == opt_kg(two));
  RC_ASSERT(pessimistic_kg(same) == pessimistic_kg(two));
  RC_ASSERT(kg(same) == kg(two));
  RC_ASSERT(std::abs(cvar_kg(same, alpha) - cvar_kg(two, alpha)) < 1e-12);
}

RC_GTEST_PROP(MulticlassIndices, CvarFallsFromTheBestToTheMean, ()) {
  const MulticlassReward reward = any_reward();
  RC_ASSERT(cvar_kg(reward, 0) == opt_kg(reward));
  RC_ASSERT(std::abs(cvar_kg(reward, 1) - kg(reward)) < 1e-12);
  double last = opt_kg(reward);
  for (int step = 1; step <= 50; ++step) {
    const double here = cvar_kg(reward, step / 50.0);
    RC_ASSERT(here <= last + 1e-12);
    // The linear program's dual: the best threshold x + E(R - x)+ / alpha.
    double dual = std::numeric_limits<double>::infinity();
    for (const double x : reward.if_label) {
      double value = 0;
      for (std::size_t c = 0; c < reward.chance.size(); ++c) {
        value += reward.chance[c] * std::max(0.0, reward.if_label[c] - x);
      }
      dual = std::min(dual, x + value / (step / 50.0));
    }
    RC_ASSERT(std::abs(here - dual) < 1e-12);
    last = here;
  }
}

}  // namespace
}  // namespace allot::index::multiclass_laws_test
