#include "allot/policy/roster_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"

namespace allot::policy {
namespace {

/// Workers beyond the most reliable ones of a sequence count as one who is always right.
constexpr std::size_t kLongest = 128;
/// One-sided 99 % of the normal distribution.
constexpr double kMargin = 2.33;
/// Prices of money lie on a ladder; this many rungs halve the price.
constexpr int kRungs = 16;
/// Below this share of the highest price, labels are as good as free.
constexpr int kLastRung = 20 * kRungs;
/// Money whose worth is less is no limit.
constexpr double kNoLimit = 1e-5;
/// Coins that vary less are taken as known.
constexpr double kLeastVariance = 1e-12;

double draw_coin(double mean, double square, Rng& rng) {
  const double variance = square - mean * mean, limit = mean * (1 - mean);
  if (variance < kLeastVariance) return mean;
  const double strength = std::max(limit / variance - 1, 1e-3);
  return beta(rng, mean * strength, (1 - mean) * strength);
}

}  // namespace

double draw_label(const model::Channel& worker, Rng& rng) {
  const double reliability = model::dominating_reliability(worker);
  const double says = std::abs(worker.sensitivity + worker.specificity - 1);
  if (says == 0) return 0.5;
  if (worker.sensitivity == worker.specificity) return reliability;
  return uniform(rng) * (2 * reliability - 1) < says ? reliability : 0.5;
}

model::Channel draw_channel(const model::WorkerState& worker, Rng& rng) {
  const auto& [mean, sensitivity_squared, product, specificity_squared] = worker;
  const double first = draw_coin(mean.sensitivity, sensitivity_squared, rng);
  const bool one = mean.sensitivity == mean.specificity && product == sensitivity_squared &&
                   product == specificity_squared;
  if (one) return model::Channel::one_coin(first);
  return {first, draw_coin(mean.specificity, specificity_squared, rng)};
}

RosterBound::RosterBound(std::vector<double> prices, const std::vector<RosterDraw>& draws)
    : prices_(std::move(prices)), stack_(kLongest + 2) {
  require(!prices_.empty(), "RosterBound", "number of workers", 0, "expected at least 1");
  require(!draws.empty(), "RosterBound", "number of draws", 0, "expected at least 1");
  std::ranges::sort(prices_);
  require(prices_.front() > 0, "RosterBound", "price", prices_.front(), "expected more than 0");
  for (const RosterDraw& rosters : draws) {
    Draw draw{{}, 0};
    for (const Roster& roster : rosters) {
      draw.sequences.push_back(sequence_of(roster));
      draw.weight += roster.items.weight();
    }
    require(draw.weight > 0, "RosterBound", "number of items", draw.weight, "expected at least 1");
    // Neighbours then share as many steps as they can.
    std::ranges::sort(draw.sequences, {}, &Sequence::steps);
    for (std::size_t i = 1; i < draw.sequences.size(); ++i) {
      Sequence& here = draw.sequences[i];
      const auto apart = std::ranges::mismatch(here.steps, draw.sequences[i - 1].steps);
      here.shared = static_cast<std::size_t>(apart.in1 - here.steps.begin());
    }
    draws_.push_back(std::move(draw));
  }
}

RosterBound::Sequence RosterBound::sequence_of(const Roster& roster) const {
  std::vector<double> sorted;
  for (const double one : roster.reliabilities) {
    if (one != 0.5) sorted.push_back(std::max(one, 1 - one));
  }
  const std::size_t longest = std::min(sorted.size(), kLongest + 1);
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(longest),
                            std::ranges::greater());
  sorted.resize(longest);
  if (longest > kLongest) sorted.back() = 1;
  Sequence result{{}, 0, roster.items};
  for (std::size_t n = longest; n-- > 0;) {
    result.steps.push_back({sorted[n], std::min(n, prices_.size() - 1)});
  }
  // Steps with the same price are the same, wherever they stand.
  for (Step& step : result.steps) {
    step.price = static_cast<std::size_t>(std::ranges::lower_bound(prices_, prices_[step.price]) -
                                          prices_.begin());
  }
  return result;
}

/// No label is worth the highest price, half a right answer.
double RosterBound::price_at(int place) const {
  return 0.5 / prices_.front() * std::exp2(-static_cast<double>(place) / kRungs);
}

double RosterBound::value(const Draw& draw, double money_price) {
  double sum = 0;
  for (const Sequence& sequence : draw.sequences) {
    for (std::size_t n = sequence.shared; n < sequence.steps.size(); ++n) {
      const Step& step = sequence.steps[n];
      stack_[n + 1].put_before(stack_[n], step.reliability, money_price * prices_[step.price]);
    }
    sum += stack_[sequence.steps.size()].value(sequence.items);
  }
  return sum / draw.weight;
}

const RosterBound::Point& RosterBound::at(int place) {
  const auto known = points_.find(place);
  if (known != points_.end()) return known->second;
  double sum = 0, squares = 0;
  const auto count = static_cast<double>(draws_.size());
  std::vector<double> values;
  for (const Draw& draw : draws_) values.push_back(value(draw, price_at(place)));
  for (const double one : values) sum += one / count;
  for (const double one : values) squares += (one - sum) * (one - sum);
  const double error = count > 1 ? std::sqrt(squares / (count * (count - 1))) : 0;
  return points_[place] = {sum, error};
}

AccuracyBound RosterBound::accuracy_for_budget(double money) {
  require(money >= 0, "RosterBound::accuracy_for_budget", "money_per_item", money,
          "expected 0 or more");
  const auto bound = [&](int place) {
    const auto [value, error] = at(place);
    return value + kMargin * error + price_at(place) * money;
  };
  int best = 0;
  constexpr int kFirst = 2 * kRungs;
  while (best + kFirst <= kLastRung && bound(best + kFirst) < bound(best)) best += kFirst;
  // Where money is no limit, a finer price changes nothing.
  const bool is_scarce = price_at(best) * money > kNoLimit;
  for (int stride = is_scarce ? kFirst / 2 : 0; stride > 0; stride /= 2) {
    const int from = best;
    for (const int place : {from - stride, from + stride}) {
      if (place >= 0 && bound(place) < bound(best)) best = place;
    }
  }
  return {std::min(1.0, bound(best)), price_at(best)};
}

}  // namespace allot::policy
