#include "allot/policy/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/index/coin_price.hpp"
#include "allot/index/stopping.hpp"

namespace allot::policy {
namespace {

using model::Counts;

/// The largest reward.
constexpr double kHighestPrice = 0.5;
/// The lowest price that is tried.
constexpr double kLowestPrice = 1e-6;

/// The different states under one prior, and how many items are in each.
struct Group {
  index::StoppingLattice lattice;
  std::vector<Counts> states;
  std::vector<double> items;
};

class ItemGroups {
 public:
  ItemGroups(const model::Beliefs& beliefs, double slack)
      : item_count_(beliefs.item_count()), slack_(slack) {
    std::vector<std::unordered_map<std::uint64_t, std::size_t>> places(beliefs.priors().size());
    for (const model::Prior& prior : beliefs.priors()) {
      groups_.push_back({index::StoppingLattice(prior), {}, {}});
    }
    double sum = 0;
    for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
      const std::uint32_t prior = beliefs.prior_of(ItemId{i});
      const Counts counts = beliefs.counts(ItemId{i});
      Group& group = groups_[prior];
      const std::uint64_t key = (std::uint64_t{counts.positive} << 32) | counts.negative;
      const auto [entry, is_new] = places[prior].try_emplace(key, group.states.size());
      if (is_new) {
        group.states.push_back(counts);
        group.items.push_back(0);
      }
      ++group.items[entry->second];
    }
    for (std::size_t prior = 0; prior < groups_.size(); ++prior) {
      const Group& group = groups_[prior];
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        const model::ItemBelief belief{&beliefs.priors()[prior], group.states[i]};
        sum += group.items[i] * (1 - model::error_probability(belief));
      }
    }
    accuracy_now_ = sum / item_count_;
  }

  double accuracy_now() const { return accuracy_now_; }

  PricedMean at(double price) {
    double gain = 0, labels = 0;
    for (Group& group : groups_) {
      const auto values = group.lattice.values(price, group.states, slack_);
      for (std::size_t i = 0; i < values.size(); ++i) {
        gain += group.items[i] * (values[i].gain + values[i].slack);
        labels += group.items[i] * values[i].labels;
      }
    }
    return {accuracy_now_ + gain / item_count_, labels / item_count_};
  }

 private:
  std::vector<Group> groups_;
  double item_count_;
  double slack_;
  double accuracy_now_ = 0;
};

}  // namespace

BudgetCurve::BudgetCurve(Evaluate evaluate, double accuracy_now, double tolerance)
    : evaluate_(std::move(evaluate)), tolerance_(tolerance) {
  points_[kHighestPrice] = {kHighestPrice, accuracy_now, 0};
}

const BudgetCurve::Point& BudgetCurve::at(double price) {
  const auto known = points_.find(price);
  if (known != points_.end()) return known->second;
  const PricedMean mean = evaluate_(price);
  return points_[price] = {price, mean.value, mean.labels};
}

/// Neighbouring known prices of which the lower has enough; prices are halved until one has. If
/// none has, both are the lowest price.
template <typename Enough>
BudgetCurve::Bracket BudgetCurve::bracket(Enough enough) {
  while (!enough(points_.begin()->second) && points_.begin()->first > kLowestPrice) {
    at(std::max(points_.begin()->first / 2, kLowestPrice));
  }
  const auto first_short =
      std::ranges::find_if(points_, [&](const auto& entry) { return !enough(entry.second); });
  if (first_short == points_.end()) return {points_.rbegin()->second, points_.rbegin()->second};
  if (first_short == points_.begin()) return {first_short->second, first_short->second};
  return {std::prev(first_short)->second, first_short->second};
}

/// The next price to try: where the tangents at both ends meet, which is the answer if the curve
/// has one corner between them. Kept away from the ends, so that the bracket shrinks.
double BudgetCurve::between(const Bracket& bracket) const {
  const auto& [low, high] = bracket;
  const double meet = (low.accuracy() - high.accuracy()) / (low.labels - high.labels);
  const double edge = 0.05 * (high.price - low.price);
  return std::clamp(meet, low.price + edge, high.price - edge);
}

AccuracyBound BudgetCurve::accuracy_for_budget(double labels) {
  require(labels >= 0, "BudgetCurve::accuracy_for_budget", "labels_per_item", labels,
          "expected 0 or more");
  const auto value = [&](const Point& point) { return point.value + point.price * labels; };
  while (true) {
    const Bracket found = bracket([&](const Point& point) {
      return point.labels > labels || point.accuracy() >= 1 - tolerance_ / 2;
    });
    const auto& [low, high] = found;
    // There is nothing left to gain, or labels are left over.
    if (low.labels <= labels && low.accuracy() >= 1 - tolerance_ / 2) return {1, 0};
    const Point& best = value(low) < value(high) ? low : high;
    const AccuracyBound bound{std::min(1.0, value(best)), best.price};
    // The curve lies above both tangents; where they meet it can be no lower.
    const double meet = (low.accuracy() - high.accuracy()) / (low.labels - high.labels);
    const double lowest = high.value + high.labels * (high.price - meet) + meet * labels;
    const bool alike = low.labels == high.labels || high.price - low.price < 1e-15;
    if (alike || value(best) - lowest <= tolerance_ / 2) return bound;
    at(between(found));
  }
}

double BudgetCurve::budget_for_accuracy(double accuracy) {
  require(accuracy >= 0 && accuracy <= 1, "BudgetCurve::budget_for_accuracy", "accuracy", accuracy,
          "expected 0 to 1");
  if (accuracy == 1) return std::numeric_limits<double>::infinity();
  const auto least = [&](const Point& point) { return (accuracy - point.value) / point.price; };
  while (true) {
    const Bracket found = bracket([&](const Point& point) { return point.accuracy() > accuracy; });
    const auto& [low, high] = found;
    const double budget = std::max({0.0, least(low), least(high)});
    // The labels that a mixture of both prices' rules needs.
    const double share = (accuracy - high.accuracy()) / (low.accuracy() - high.accuracy());
    const double enough = high.labels + share * (low.labels - high.labels);
    const bool alike = low.labels == high.labels || high.price - low.price < 1e-15;
    if (alike || enough - budget <= tolerance_ * std::max(1.0, budget)) return budget;
    at(between(found));
  }
}

BudgetCurve budget_curve(const model::Beliefs& beliefs, double tolerance) {
  // Half of the tolerance is left to the search for the price.
  const auto groups = std::make_shared<ItemGroups>(beliefs, tolerance / 4);
  return {[groups](double price) { return groups->at(price); }, groups->accuracy_now(), tolerance};
}

BudgetCurve budget_curve(const model::Prior& prior) {
  const auto& [weight, a, b] = prior.components().front();
  const bool ties = !prior.is_mixture() && a - b == std::round(a - b);
  return budget_curve(model::Beliefs(1, prior), ties ? 1e-9 : 1e-6);  // one stands for all
}

BudgetCurve coin_budget_curve(std::span<const double> log_odds, double reliability) {
  require(!log_odds.empty(), "coin_budget_curve", "number of items", 0, "expected at least 1");
  std::map<double, double> items;  // by the distance of the log-odds from 0
  for (const double odds : log_odds) ++items[std::abs(odds)];
  const auto count = static_cast<double>(log_odds.size());
  double now = 0;
  for (const auto& [odds, number] : items) now += number / (1 + std::exp(-odds));
  now /= count;
  return {[=](double price) {
            PricedMean mean{0, 0};
            for (const auto& [odds, number] : items) {
              const auto [gain, labels] = index::coin_stopping(odds, reliability, price);
              mean.value += number * gain;
              mean.labels += number * labels;
            }
            return PricedMean{now + mean.value / count, mean.labels / count};
          },
          now};
}

AccuracyBound accuracy_bound(const model::Beliefs& beliefs, std::uint64_t budget) {
  return budget_curve(beliefs).accuracy_for_budget(static_cast<double>(budget) /
                                                   beliefs.item_count());
}

}  // namespace allot::policy
