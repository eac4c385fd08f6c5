#include "allot/index/multiclass_pair_index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/math/entropy.hpp"

namespace allot::index {
namespace {

using Shares = std::span<const double>;
using ConfusionTable = std::span<const double>;
using math::entropy;

/// Chances closer than this are equal: 0.3 and 1 - 0.7 differ in the last bit.
constexpr double kSameRow = 1e-15;

/// True if every class has the same chances of labels, up to rounding.
bool says_nothing(ConfusionTable table, std::size_t classes) {
  for (std::size_t row = classes; row < table.size(); row += classes) {
    for (std::size_t y = 0; y < classes; ++y) {
      if (std::abs(table[row + y] - table[y]) > kSameRow) return false;
    }
  }
  return true;
}

double sum(Shares shares) { return std::accumulate(shares.begin(), shares.end(), 0.0); }

std::size_t largest(Shares shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

/// The share of all but the largest, summed without a difference.
double others(Shares shares) {
  const std::size_t best = largest(shares);
  double result = 0;
  for (std::size_t k = 0; k < shares.size(); ++k) result += k == best ? 0 : shares[k];
  return result;
}

/// Mean chances of a perfect worker's labels.
std::vector<double> soft_means(Shares alpha) {
  std::vector<double> result(alpha.begin(), alpha.end());
  const double all = sum(alpha);
  for (double& share : result) share /= all;
  return result;
}

double error_now(const MulticlassItemView& item) {
  return item.soft ? math::win_outlook(item.classes).error : others(item.classes);
}

/// The error probability after a label, from joint chances of a perfect label and this one.
double error_after(const MulticlassItemView& item, Shares joint, double chance) {
  if (!item.soft) return others(joint) / chance;
  std::vector<double> alpha(item.classes.begin(), item.classes.end());
  std::vector<double> explained(joint.begin(), joint.end());
  for (double& share : explained) share /= chance;
  math::match_grown(alpha, explained);
  return math::win_outlook(alpha).error;
}

/// Expected gain of an item of hard class: exactly 0 where no label changes the answer.
double turning_gain(Shares joint, std::size_t answer) {
  return std::ranges::max(joint) - joint[answer];
}

/// Probabilities of the classes of an item with soft labels, after each label of a perfect worker.
std::vector<std::vector<double>> next_wins(const MulticlassItemView& item) {
  std::vector<std::vector<double>> result;
  std::vector<double> alpha(item.classes.begin(), item.classes.end());
  for (double& count : alpha) {
    const double before = count;
    count += 1;
    result.push_back(math::win_outlook(alpha).win);
    count = before;
  }
  return result;
}

double multiclass_entropy(const MulticlassItemView& item) {
  return item.soft ? entropy(math::win_outlook(item.classes).win) : entropy(item.classes);
}

/// Calls visit(label, joint chances, chance) for each possible label. The joint chances are those
/// of a perfect worker's label and this one, in memory that all labels share.
template <typename Visit>
void for_each_label(const MulticlassItemView& item, ConfusionTable table, Visit visit) {
  const std::size_t classes = item.classes.size();
  const std::vector<double> owned = item.soft ? soft_means(item.classes) : std::vector<double>();
  const Shares mean = item.soft ? owned : item.classes;
  std::vector<double> joint(classes);
  for (std::size_t y = 0; y < classes; ++y) {
    for (std::size_t k = 0; k < classes; ++k) joint[k] = mean[k] * table[k * classes + y];
    const double chance = sum(joint);
    if (chance > 0) visit(y, joint, chance);
  }
}

double entropy_left(const MulticlassItemView& item, ConfusionTable table) {
  double left = 0;
  for_each_label(item, table, [&](std::size_t, Shares joint, double chance) {
    left += chance * entropy(joint, chance);
  });
  return left;
}

/// The expected entropy left after a label of an item with soft labels: the classes' probabilities
/// are mixed in the proportions the label implies.
double soft_entropy_left(const MulticlassItemView& item, ConfusionTable table) {
  const std::vector<std::vector<double>> wins = next_wins(item);
  double left = 0;
  for_each_label(item, table, [&](std::size_t, Shares joint, double chance) {
    std::vector<double> after(joint.size());
    for (std::size_t k = 0; k < joint.size(); ++k) {
      for (std::size_t c = 0; c < joint.size(); ++c) after[c] += joint[k] / chance * wins[k][c];
    }
    left += chance * entropy(after);
  });
  return left;
}

template <typename Function>
MulticlassPairIndex by_reward(Function index) {
  return {[=](const MulticlassItemView& item, ConfusionTable table) {
            return index(multiclass_reward(item, table));
          },
          error_now};
}

}  // namespace

MulticlassReward multiclass_reward(const MulticlassItemView& item, std::span<const double> table) {
  const std::size_t classes = item.classes.size();
  MulticlassReward result{std::vector<double>(classes), std::vector<double>(classes), 0};
  const bool nothing = says_nothing(table, classes);
  const double now = nothing ? 0 : error_now(item);
  const std::size_t answer = largest(item.classes);
  for_each_label(item, table, [&](std::size_t y, Shares joint, double chance) {
    result.chance[y] = chance;
    if (nothing) return;
    result.if_label[y] = now - error_after(item, joint, chance);
    result.expected += item.soft ? chance * result.if_label[y] : turning_gain(joint, answer);
  });
  return result;
}

double information_gain(const MulticlassItemView& item, std::span<const double> table) {
  if (says_nothing(table, item.classes.size())) return 0;
  const double left = item.soft ? soft_entropy_left(item, table) : entropy_left(item, table);
  return std::max(0.0, multiclass_entropy(item) - left);
}

MulticlassPairIndex multiclass_pair_kg() {
  return by_reward([](const MulticlassReward& r) { return kg(r); });
}

MulticlassPairIndex multiclass_pair_opt_kg() {
  return by_reward([](const MulticlassReward& r) { return opt_kg(r); });
}

MulticlassPairIndex multiclass_pair_pessimistic_kg() {
  return by_reward([](const MulticlassReward& r) { return pessimistic_kg(r); });
}

MulticlassPairIndex multiclass_pair_cvar_kg(double alpha) {
  return by_reward([=](const MulticlassReward& r) { return cvar_kg(r, alpha); });
}

MulticlassPairIndex multiclass_pair_information_gain() {
  return {[](const MulticlassItemView& item, ConfusionTable table) {
            return information_gain(item, table);
          },
          multiclass_entropy};
}

MulticlassPairIndex multiclass_pair_label_uncertainty() { return multiclass_by_item(error_now); }

MulticlassPairIndex multiclass_pair_least_labelled() {
  MulticlassPairIndex index = multiclass_by_item(
      [](const MulticlassItemView& item) { return -static_cast<double>(item.labels); });
  index.is_gain = false;
  return index;
}

}  // namespace allot::index
