#include "allot/index/class_pair_index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"

namespace allot::index {
namespace {

using Shares = std::vector<double>;
using Table = std::span<const double>;

/// Whether every class has the same chances of labels, up to rounding.
bool says_nothing(Table table, std::size_t classes) {
  for (std::size_t at = classes; at < table.size(); ++at) {
    if (std::abs(table[at] - table[at % classes]) > 1e-15) return false;
  }
  return true;
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Mean chances of what a perfect worker says.
Shares means(const ClassItemView& item) {
  Shares result(item.classes.begin(), item.classes.end());
  if (!item.soft) return result;
  const double all = sum(result);
  for (double& share : result) share /= all;
  return result;
}

/// Joint chances of a perfect worker's label and the worker's label y, by class.
Shares joint(const Shares& means, Table table, std::size_t label) {
  Shares result(means.size());
  for (std::size_t k = 0; k < means.size(); ++k) {
    result[k] = means[k] * table[k * means.size() + label];
  }
  return result;
}

std::size_t largest(const Shares& shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

/// The share of all but the largest, not as a difference from 1.
double others(const Shares& shares) {
  const std::size_t best = largest(shares);
  double result = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) result += k == best ? 0 : shares[k];
  return result;
}

double entropy(const Shares& shares) {
  double result = 0;
  for (const double share : shares) result -= share > 0 ? share * std::log(share) : 0;
  return std::max(result, 0.0);
}

Shares scaled(Shares shares, double all) {
  for (double& share : shares) share /= all;
  return shares;
}

double error_now(const ClassItemView& item) {
  return item.soft ? math::win_outlook(item.classes).error
                   : others({item.classes.begin(), item.classes.end()});
}

/// After a label that leaves these joint chances.
double error_after(const ClassItemView& item, const Shares& joint, double chance) {
  if (!item.soft) return others(joint) / chance;
  Shares alpha(item.classes.begin(), item.classes.end());
  math::match_grown(alpha, scaled(joint, chance));
  return math::win_outlook(alpha).error;
}

/// What the answer of an item of one class gains on average: only a label that turns it adds
/// anything, so this is exactly 0 where none does.
double turning_gain(const Shares& joint, std::size_t answer) {
  return std::ranges::max(joint) - joint[answer];
}

/// Probabilities of the classes of an item with soft labels, after each label of a perfect worker.
std::vector<Shares> next_wins(const ClassItemView& item) {
  std::vector<Shares> result;
  Shares alpha(item.classes.begin(), item.classes.end());
  for (double& count : alpha) {
    count += 1;
    result.push_back(math::win_outlook(alpha).win);
    count -= 1;
  }
  return result;
}

double class_entropy(const ClassItemView& item) {
  return entropy(item.soft ? math::win_outlook(item.classes).win
                           : Shares(item.classes.begin(), item.classes.end()));
}

template <typename Function>
ClassPairIndex by_reward(Function index) {
  return {[=](const ClassItemView& item, Table table) { return index(class_reward(item, table)); },
          error_now};
}

template <typename Function>
ClassPairIndex by_item(Function index) {
  return {[=](const ClassItemView& item, Table) { return index(item); }, index};
}

}  // namespace

ClassReward class_reward(const ClassItemView& item, std::span<const double> table) {
  const std::size_t classes = item.classes.size();
  const Shares mean = means(item);
  ClassReward result{Shares(classes, 0), Shares(classes, 0), 0};
  const bool nothing = says_nothing(table, classes);
  const double now = nothing ? 0 : error_now(item);
  const std::size_t answer = largest(mean);
  for (std::size_t y = 0; y < classes; ++y) {
    const Shares both = joint(mean, table, y);
    const double chance = result.chance[y] = sum(both);
    if (nothing || chance == 0) continue;
    result.if_label[y] = now - error_after(item, both, chance);
    result.expected += item.soft ? chance * result.if_label[y] : turning_gain(both, answer);
  }
  return result;
}

double information_gain(const ClassItemView& item, std::span<const double> table) {
  const std::size_t classes = item.classes.size();
  if (says_nothing(table, classes)) return 0;
  const Shares mean = means(item);
  const std::vector<Shares> wins = item.soft ? next_wins(item) : std::vector<Shares>();
  double left = 0;
  for (std::size_t y = 0; y < classes; ++y) {
    const Shares both = joint(mean, table, y);
    const double chance = sum(both);
    if (chance == 0) continue;
    if (!item.soft) {
      left += chance * entropy(scaled(both, chance));
      continue;
    }
    Shares after(classes, 0);
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t c = 0; c < classes; ++c) after[c] += both[k] / chance * wins[k][c];
    }
    left += chance * entropy(after);
  }
  return std::max(0.0, class_entropy(item) - left);
}

ClassPairIndex class_pair_kg() {
  return by_reward([](const ClassReward& r) { return kg(r); });
}

ClassPairIndex class_pair_opt_kg() {
  return by_reward([](const ClassReward& r) { return opt_kg(r); });
}

ClassPairIndex class_pair_pessimistic_kg() {
  return by_reward([](const ClassReward& r) { return pessimistic_kg(r); });
}

ClassPairIndex class_pair_cvar_kg(double alpha) {
  return by_reward([=](const ClassReward& r) { return cvar_kg(r, alpha); });
}

ClassPairIndex class_pair_information_gain() {
  return {[](const ClassItemView& item, Table table) { return information_gain(item, table); },
          class_entropy};
}

ClassPairIndex class_pair_label_uncertainty() { return by_item(error_now); }

ClassPairIndex class_pair_least_labelled() {
  return by_item([](const ClassItemView& item) { return -static_cast<double>(item.labels); });
}

}  // namespace allot::index
