#include "allot/index/multiclass_pair_index.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/math/entropy.hpp"
#include "index/expected_reward.hpp"
#include "index/worker_index.hpp"

namespace allot::index {
namespace {

using Shares = std::span<const double>;
using ConfusionTable = std::span<const double>;
using math::entropy;

/// Margin of the reach for rounding errors.
constexpr double kReachNoise = 1e-14;

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

/// The error probability of soft labels after a label, from joint chances of a perfect label and
/// this one.
double soft_error_after(const MulticlassItemView& item, Shares joint, double chance) {
  std::vector<double> alpha(item.classes.begin(), item.classes.end());
  std::vector<double> explained(joint.begin(), joint.end());
  for (double& share : explained) share /= chance;
  math::match_grown(alpha, explained);
  return math::win_outlook(alpha).error;
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

/// Calls visit(label, joint chances, chance) for each possible label of soft labels. The joint
/// chances are those of a perfect worker's label and this one, in memory that all labels share.
template <typename Visit>
void for_each_label(const MulticlassItemView& item, ConfusionTable table, Visit visit) {
  const std::size_t classes = item.classes.size();
  const std::vector<double> mean = soft_means(item.classes);
  std::vector<double> joint(classes);
  for (std::size_t y = 0; y < classes; ++y) {
    for (std::size_t k = 0; k < classes; ++k) joint[k] = mean[k] * table[k * classes + y];
    const double chance = sum(joint);
    if (chance > 0) visit(y, joint, chance);
  }
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

MulticlassReward soft_reward(const MulticlassItemView& item, ConfusionTable table) {
  const std::size_t classes = item.classes.size();
  MulticlassReward result{std::vector<double>(classes), std::vector<double>(classes), 0};
  const bool nothing = says_nothing(table, classes);
  const double now = nothing ? 0 : error_now(item);
  for_each_label(item, table, [&](std::size_t y, Shares joint, double chance) {
    result.chance[y] = chance;
    if (nothing) return;
    result.if_label[y] = now - soft_error_after(item, joint, chance);
    result.expected += chance * result.if_label[y];
  });
  return result;
}

/// Part of a label that depends on the class: otherwise, with the chance sum_y min_k T_ky of all
/// classes together, it is drawn without looking. Information is convex in the table, so that no
/// more than this share of the potential is reached.
double informed_part(ConfusionTable table) {
  const std::size_t classes = class_count_of(table);
  double blind = 0;
  for (std::size_t y = 0; y < classes; ++y) {
    double least = table[y];
    for (std::size_t at = y; at < table.size(); at += classes) least = std::min(least, table[at]);
    blind += least;
  }
  return std::max(0.0, 1 - blind) + kReachNoise;
}

/// kg for one worker.
class Gain final : public WorkerIndex {
 public:
  explicit Gain(ConfusionTable table) : reward_(table) {}

  double value(Shares p) override { return reward_.value(p); }
  double bound(Shares low, Shares high, double, std::span<double> slope) override {
    return reward_.bound(low, high, slope);
  }
  double bound_at(Shares p, double) override { return reward_.quick_bound(p); }

 private:
  ExpectedReward reward_;
};

/// kg-eig for one worker.
class GainAndInformation final : public WorkerIndex {
 public:
  explicit GainAndInformation(ConfusionTable table)
      : reward_(table), information_(worker_information(table)), slope_(class_count_of(table)) {}

  double value(Shares p) override {
    return reward_.value(p) + kInformationWorth * information_->value(p);
  }
  double bound(Shares low, Shares high, double, std::span<double> slope) override {
    constexpr double kAnyValue = -std::numeric_limits<double>::infinity();
    offset_ = information_->bound(low, high, kAnyValue, slope_);
    const double offset = reward_.bound(low, high, slope);
    for (std::size_t k = 0; k < slope_.size(); ++k) slope[k] += kInformationWorth * slope_[k];
    return offset + kInformationWorth * offset_;
  }
  /// The information by the bound of the box; the reward by a bound, and itself if that is not
  /// enough.
  double bound_at(Shares p, double least) override {
    const double informed = kInformationWorth * (offset_ + quick_product(p, slope_.data()));
    const double quick = informed + reward_.quick_bound(p);
    return quick < least ? quick : informed + reward_.value(p);
  }

 private:
  ExpectedReward reward_;
  const std::unique_ptr<WorkerIndex> information_;
  double offset_ = 0;  // of the last bound of the information, so below
  std::vector<double> slope_;
};

template <typename Function>
MulticlassPairIndex by_reward(Function index) {
  return {.value = [=](const MulticlassItemView& item,
                       ConfusionTable table) { return index(multiclass_reward(item, table)); },
          .potential = error_now,
          .prepare = [=](ConfusionTable table) { return worker_reward(table, index); },
          .has_item_bounds = true};
}

}  // namespace

MulticlassReward multiclass_reward(const MulticlassItemView& item, std::span<const double> table) {
  return item.soft ? soft_reward(item, table) : WorkerReward(table)(item.classes);
}

double information_gain(const MulticlassItemView& item, std::span<const double> table) {
  if (!item.soft) return worker_information(table)->value(item.classes);
  if (says_nothing(table, item.classes.size())) return 0;
  return std::max(0.0, multiclass_entropy(item) - soft_entropy_left(item, table));
}

double WorkerIndex::bound_at(std::span<const double>, double) {
  return std::numeric_limits<double>::infinity();
}

MulticlassPairIndex multiclass_pair_kg() {
  MulticlassPairIndex index = by_reward([](const MulticlassReward& r) { return kg(r); });
  index.prepare = [](ConfusionTable table) { return std::make_unique<Gain>(table); };
  return index;
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
  return {.value = information_gain,
          .potential = multiclass_entropy,
          .prepare = worker_information,
          .reach = informed_part};
}

MulticlassPairIndex multiclass_pair_kg_eig() {
  const MulticlassPairIndex gain = multiclass_pair_kg(),
                            information = multiclass_pair_information_gain();
  return {
      .value =
          [=](const MulticlassItemView& item, ConfusionTable table) {
            return gain.value(item, table) + kInformationWorth * information.value(item, table);
          },
      .potential =
          [](const MulticlassItemView& item) {
            return error_now(item) + kInformationWorth * multiclass_entropy(item);
          },
      .prepare = [](ConfusionTable table) { return std::make_unique<GainAndInformation>(table); },
      // The expected reward is convex in the table as well.
      .reach = informed_part,
      .has_item_bounds = true};
}

MulticlassPairIndex multiclass_pair_label_uncertainty() { return multiclass_by_item(error_now); }

MulticlassPairIndex multiclass_pair_least_labelled() {
  MulticlassPairIndex index = multiclass_by_item(
      [](const MulticlassItemView& item) { return -static_cast<double>(item.labels); });
  index.is_gain = false;
  return index;
}

}  // namespace allot::index
