#include "allot/policy/pool_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/base/check.hpp"

namespace allot::policy {
namespace {

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

std::vector<Outcomes> outcomes(const LabelOffer& offer) {
  std::vector<Outcomes> result;
  const double q = offer.reliability;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double p = probability(i), chance = p * q + (1 - p) * (1 - q);
    const double other = 1 - chance;
    result.push_back({chance, place_of(p * q / chance),
                      other > 0 ? place_of(p * (1 - q) / other) : Between{kPoints - 2, 1}});
  }
  return result;
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

using Tables = std::vector<std::vector<Outcomes>>;

Tables tables_of(const std::vector<LabelOffer>& offers) {
  Tables tables;
  for (const LabelOffer& offer : offers) tables.push_back(outcomes(offer));
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
