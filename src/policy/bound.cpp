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

constexpr double kStep = 0.05;
/// Log-odds from 0 on; the last point of the grid is certainty.
constexpr std::size_t kPoints = 320;
constexpr double kSettled = 1e-9;
/// The ratio of two prices of money.
constexpr double kRatio = 0.9;
/// The least worth of the most expensive label at the prices of money that are tried.
constexpr double kLowest = 1e-5;
constexpr std::size_t kMostStates = 300;
constexpr int kMostRounds = 5000;

/// The probability of the more probable class at a point of the grid.
double probability(std::size_t point) {
  return point + 1 == kPoints ? 1 : 1 / (1 + std::exp(-kStep * static_cast<double>(point)));
}

/// The place of a probability between two points of the grid; the weights sum to 1.
struct Between {
  std::size_t low;
  double share;  // of the point above
};

Between place_of(double prob) {
  const double p = std::max(prob, 1 - prob);
  const double odds = std::log(p) - std::log1p(-p);
  const auto low =
      std::min(kPoints - 2, odds > 0 ? static_cast<std::size_t>(std::min(odds / kStep, 1e6)) : 0);
  const double from = probability(low), to = probability(low + 1);
  return {low, std::clamp((p - from) / (to - from), 0.0, 1.0)};
}

/// Both outcomes of a label at one point.
struct Outcomes {
  double chance;  // of the first
  Between first, second;
};

/// The most informative of the labels with the same price.
std::vector<LabelOffer> worth_asking(std::vector<LabelOffer> offers) {
  for (LabelOffer& offer : offers) {
    offer.reliability = std::max(offer.reliability, 1 - offer.reliability);
  }
  std::ranges::sort(offers, [](const LabelOffer& one, const LabelOffer& other) {
    return one.price != other.price ? one.price < other.price : one.reliability > other.reliability;
  });
  std::vector<LabelOffer> best;
  for (const LabelOffer& offer : offers) {
    if (offer.reliability > (best.empty() ? 0.5 : best.back().reliability)) best.push_back(offer);
  }
  return best;
}

double at(const std::vector<double>& values, const Between& place) {
  return values[place.low] + place.share * (values[place.low + 1] - values[place.low]);
}

/// The better of `best` and one more label, which leads to `after`.
double with_one_more(double best, const Outcomes& outcome, double cost,
                     const std::vector<double>& after) {
  return std::max(best, outcome.chance * at(after, outcome.first) +
                            (1 - outcome.chance) * at(after, outcome.second) - cost);
}

/// The outcomes of a label of each offer at each point.
using Tables = std::vector<std::vector<Outcomes>>;

Tables tables_of(const std::vector<LabelOffer>& offers) {
  Tables tables(offers.size());
  for (std::size_t j = 0; j < offers.size(); ++j) {
    const double q = offers[j].reliability;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double p = probability(i), chance = p * q + (1 - p) * (1 - q), other = 1 - chance;
      tables[j].push_back({chance, place_of(p * q / chance),
                           other > 0 ? place_of(p * (1 - q) / other) : Between{kPoints - 2, 1}});
    }
  }
  return tables;
}

/// The value if labels of every offer are unlimited.
std::vector<double> without_end(const std::vector<LabelOffer>& offers, double money_price) {
  const Tables tables = tables_of(offers);
  std::vector<double> value(kPoints, 1.0), next(kPoints);
  double change = 1;
  for (int round = 0; round < kMostRounds && change > kSettled; ++round, std::swap(value, next)) {
    change = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      double best = probability(i);
      for (std::size_t j = 0; j < offers.size(); ++j) {
        best = with_one_more(best, tables[j][i], money_price * offers[j].price, value);
      }
      next[i] = std::min(best, value[i]);
      change = std::max(change, value[i] - next[i]);
    }
  }
  return value;
}

/// Numbers of remaining labels are digits, that of the first offer the lowest.
std::vector<double> with_counts(const std::vector<LabelOffer>& offers, std::size_t states,
                                double money_price) {
  const Tables tables = tables_of(offers);
  std::vector<std::vector<double>> values(states, std::vector<double>(kPoints));
  for (std::size_t state = 0; state < states; ++state) {
    for (std::size_t i = 0; i < kPoints; ++i) values[state][i] = probability(i);
    std::size_t place = 1;
    for (std::size_t j = 0; j < offers.size(); ++j) {
      const std::size_t digits = offers[j].count + std::size_t{1};
      if (state / place % digits > 0) {
        const std::vector<double>& after = values[state - place];
        const double cost = money_price * offers[j].price;
        for (std::size_t i = 0; i < kPoints; ++i) {
          values[state][i] = with_one_more(values[state][i], tables[j][i], cost, after);
        }
      }
      place *= digits;
    }
  }
  return values.back();
}

/// The number of different remaining offers; 0 if unlimited or too many to look at.
std::size_t state_count(const std::vector<LabelOffer>& offers) {
  std::size_t states = 1;
  for (const LabelOffer& offer : offers) {
    if (offer.count == 0) return 0;
    states *= offer.count + std::size_t{1};
    if (states > kMostStates) return 0;
  }
  return states;
}

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

/// Neighbouring known prices of which the lower has enough, or twice the lowest price.
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

double pool_value(double prob_positive, std::vector<LabelOffer> offers, double money_price) {
  require(money_price > 0, "pool_value", "money_price", money_price, "expected more than 0");
  const std::size_t states = state_count(offers);
  const std::vector<double> value = states > 0
                                        ? with_counts(offers, states, money_price)
                                        : without_end(worth_asking(std::move(offers)), money_price);
  return at(value, place_of(prob_positive));
}

PoolBound::PoolBound(double prob_positive, std::vector<std::vector<LabelOffer>> pools)
    : prob_positive_(prob_positive), pools_(std::move(pools)) {
  require(!pools_.empty() && !pools_.front().empty(), "PoolBound", "number of pools", 0,
          "expected at least 1 with a worker");
  cheapest_ = std::numeric_limits<double>::infinity();
  most_expensive_ = 0;
  for (const auto& pool : pools_) {
    for (const LabelOffer& offer : pool) {
      cheapest_ = std::min(cheapest_, offer.price);
      most_expensive_ = std::max(most_expensive_, offer.price);
    }
  }
}

const PoolBound::Point* PoolBound::point(std::size_t number) {
  while (points_.size() <= number) {
    // Above half of the cheapest label's price nothing is bought.
    const double price = 0.5 / cheapest_ * std::pow(kRatio, static_cast<double>(points_.size()));
    if (price * most_expensive_ < kLowest) return nullptr;
    double sum = 0;
    for (const auto& pool : pools_) sum += pool_value(prob_positive_, pool, price);
    points_.push_back({price, sum / static_cast<double>(pools_.size())});
  }
  return &points_[number];
}

AccuracyBound PoolBound::accuracy_for_budget(double money) {
  require(money >= 0, "PoolBound::accuracy_for_budget", "money_per_item", money,
          "expected 0 or more");
  AccuracyBound best{1, 0};
  for (std::size_t i = 0; const Point* one = point(i); ++i) {
    const double bound = one->value + one->price * money;
    if (bound >= best.accuracy && i > 0 && best.price > 0) break;
    if (bound < best.accuracy) best = {bound, one->price};
  }
  return best;
}

double PoolBound::budget_for_accuracy(double accuracy) {
  require(accuracy >= 0 && accuracy <= 1, "PoolBound::budget_for_accuracy", "accuracy", accuracy,
          "expected 0 to 1");
  if (accuracy == 1) return std::numeric_limits<double>::infinity();
  double least = 0;
  for (std::size_t i = 0; const Point* one = point(i); ++i) {
    const double budget = (accuracy - one->value) / one->price;
    if (budget < least && least > 0) break;
    least = std::max(least, budget);
  }
  return least;
}

}  // namespace allot::policy
