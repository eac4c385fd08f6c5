#include "allot/index/gittins.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/math/beta_tail.hpp"
#include "index/reward_lattice.hpp"

namespace allot::index {
namespace {

using model::Counts;
using model::ItemBelief;
using model::Prior;

/// The two bounds of the header. The reward at a tie of the same depth is that of Beta(s/2, s/2);
/// rewards come at margins below 1 only, and m = R / (2 nu) must exceed the way there.
double bound(const ItemBelief& belief) {
  const double error = model::error_probability(belief);
  const double reward_now = kg(belief);
  if (reward_now > 0 || belief.prior->is_mixture()) return std::max(error, reward_now);
  const model::BetaComponent& prior = belief.prior->components().front();
  const double a = prior.a + belief.counts.positive, b = prior.b + belief.counts.negative;
  const double way = std::abs(a - b) - 2;
  if (way <= 0) return error;
  const double half = (a + b) / 2;
  return std::min(error, math::kernel_at_half(half, half) / half / (2 * way));
}

/// All indices under one prior.
class Lattice {
 public:
  Lattice(const Prior& prior, double discount)
      : prior_(prior), discount_(discount), spots_(prior_), chances_(prior_) {}
  Lattice(const Lattice&) = delete;

  double value(Counts counts) {
    if (prior_.is_symmetric() && counts.negative > counts.positive) {
      std::swap(counts.positive, counts.negative);  // mirrored states have equal bits
    }
    if (const auto known = values_.find(key(counts)); known != values_.end()) return known->second;
    const double index = solve(counts);
    values_.emplace(key(counts), index);
    return index;
  }

 private:
  /// The index is at most the error probability; below this it counts as 0.
  static constexpr double kNegligible = 1e-9;
  static constexpr double kHorizonTolerance = 3e-10;
  /// Steps towards the fee shrink quadratically; the next would be lost in rounding.
  static constexpr double kFeeTolerance = 1e-12;
  /// Longest look-ahead for one item.
  static constexpr std::size_t kMostAhead = std::size_t{1} << 17;

  static std::uint64_t key(Counts counts) {
    return (std::uint64_t{counts.positive} << 32) | counts.negative;
  }

  double solve(Counts counts) {
    const ItemBelief belief{&prior_, counts};
    const double reward_now = kg(belief);
    const double error = model::error_probability(belief);
    if (reward_now == 0 && error < kNegligible) return 0;
    const std::optional<std::size_t> way = labels_to_a_reward(counts);
    if (!way) return 0;
    double fee = reward_now > 0 ? reward_now : first_fee(counts);
    const std::size_t farthest = farthest_horizon(error);
    std::size_t horizon = std::min(8 * (*way + 2) * (*way + 2), farthest);
    while (true) {
      fee = best_fee(counts, fee, horizon);
      if (fee == 0 || horizon >= farthest) return fee;
      if (spots_.rewards_end_below(fee, counts.total() + horizon)) return fee;
      if (optimistic_excess(counts, fee, horizon) <= kHorizonTolerance) return fee;
      horizon = std::min(2 * horizon, farthest);
    }
  }

  /// Labels after which the discount leaves nothing of the gain possible with this error.
  std::size_t farthest_horizon(double error) const {
    if (discount_ == 1) return kMostAhead;
    const double labels =
        std::log(std::max(error, kHorizonTolerance) / kHorizonTolerance) / -std::log(discount_) + 1;
    return labels < static_cast<double>(kMostAhead) ? static_cast<std::size_t>(labels) : kMostAhead;
  }

  /// The fewest labels after which a label can change the answer.
  std::optional<std::size_t> labels_to_a_reward(Counts counts) {
    for (std::size_t ahead = 0; ahead <= kMostAhead; ++ahead) {
      const RewardSpots::Spot& spot = spots_.at(counts.total() + ahead);
      const Place fewest = counts.positive, most = fewest + static_cast<Place>(ahead);
      if (spot.reward > 0 && spot.place >= fewest && spot.place <= most) return ahead;
    }
    return {};
  }

  /// A fee near the index of a state: the index of the same margin two labels ago, else its bound.
  double first_fee(Counts counts) const {
    if (counts.positive > 0 && counts.negative > 0) {
      const auto known = values_.find(key({counts.positive - 1, counts.negative - 1}));
      if (known != values_.end() && known->second > kNegligible) return known->second;
    }
    return bound({&prior_, counts});
  }

  /// The fee that the best rule earns exactly, looking `horizon` labels ahead. After the first step
  /// the fees rise; a first fee at which nothing pays is halved.
  double best_fee(Counts counts, double fee, std::size_t horizon) {
    double found = 0;
    while (fee > kFeeTolerance) {
      clear_beyond(horizon);
      const Prospect prospect = best_prospect(counts, fee, horizon);
      const double better = prospect.gain / prospect.time;
      if (better == 0) {
        fee /= 2;
        continue;
      }
      if (better <= found + kFeeTolerance) return std::max(better, found);
      fee = found = better;
    }
    return found;
  }

  /// Upper bound on the rise of the fee if everything beyond the horizon were as good as possible.
  double optimistic_excess(Counts counts, double fee, std::size_t horizon) {
    const std::size_t depth = counts.total() + horizon + 1;
    const RewardSpots::Spot spot = spots_.at(depth);
    clear_beyond(horizon);
    next_.assume_most(
        spot.place - counts.positive, spot.reward + spots_.at(depth + 1).reward, fee, horizon,
        static_cast<Place>(horizon) + 1, [&](Place place) {
          return model::error_probability(belief_at(prior_, place + counts.positive, depth));
        });
    const Prospect prospect = best_prospect(counts, fee, horizon);
    return prospect.gain - fee * prospect.time;
  }

  /// Makes room for a sweep of `horizon` labels, with nothing beyond them.
  void clear_beyond(std::size_t horizon) {
    for (Layer* layer : {&next_, &current_}) {
      layer->gain.assign(horizon + 4, 0.0);
      layer->time.assign(horizon + 4, 0.0);
      layer->first = 0;
      layer->last = -1;
    }
    chance_.resize(horizon + 4);
  }

  /// Backward induction: buys one label from `counts`, then more as long as they pay. next_ holds
  /// the worth beyond the horizon. Places count from that of `counts`.
  Prospect best_prospect(Counts counts, double fee, std::size_t horizon) {
    for (std::size_t ahead = horizon; ahead > 0; --ahead) {
      const RewardSpots::Spot& spot = spots_.at(counts.total() + ahead);
      const Place at_spot = spot.place - counts.positive;
      const bool rewarding =
          spot.reward > fee && at_spot >= 0 && at_spot <= static_cast<Place>(ahead);
      if (current_.span_before(next_, at_spot, rewarding, static_cast<Place>(ahead))) {
        go_back(counts, fee, ahead, spot, at_spot);
      }
      std::swap(current_, next_);
    }
    for (const Place place : {0, 1}) {
      if (place < next_.first || place > next_.last) next_.set(place, {});
    }
    const RewardSpots::Spot& spot = spots_.at(counts.total());
    return going_on(counts, 0, 0, spot, spot.place - counts.positive);
  }

  /// Fills current_ from next_ and narrows it to the states where going on pays.
  void go_back(Counts counts, double fee, std::size_t ahead, const RewardSpots::Spot& spot,
               Place at_spot) {
    const auto low = static_cast<std::size_t>(current_.first);
    const std::size_t count = static_cast<std::size_t>(current_.last) - low + 1;
    chances_.fill(counts.total() + ahead, current_.first + counts.positive,
                  current_.last + counts.positive, chance_.data());
    step_back(count, {.fee = fee, .discount = discount_}, chance_.data(),
              {&next_.gain[low], &next_.time[low]}, {&current_.gain[low], &current_.time[low]});
    if (spot.reward > 0 && at_spot >= current_.first && at_spot <= current_.last) {
      const Prospect on = going_on(counts, at_spot, ahead, spot, at_spot);
      current_.set(at_spot, on.gain > fee * on.time ? on : Prospect{});
    }
    current_.narrow();
  }

  Prospect going_on(Counts counts, Place place, std::size_t ahead, const RewardSpots::Spot& spot,
                    Place at_spot) {
    double chance = 0;
    chances_.fill(counts.total() + ahead, place + counts.positive, place + counts.positive,
                  &chance);
    const double up = discount_ * chance, down = discount_ - up;
    const Prospect positive = next_.at(place + 1), negative = next_.at(place);
    const double now = place == at_spot ? spot.reward : 0;
    return {now + up * positive.gain + down * negative.gain,
            1 + up * positive.time + down * negative.time};
  }

  const Prior prior_;
  const double discount_;
  RewardSpots spots_;
  Chances chances_;
  Layer current_, next_;
  std::vector<double> chance_;
  std::unordered_map<std::uint64_t, double> values_;
};

class Table {
 public:
  explicit Table(double discount) : discount_(discount) {}

  double value(const ItemBelief& belief) {
    const std::lock_guard lock(mutex_);
    const auto entry = lattices_.try_emplace(*belief.prior, *belief.prior, discount_).first;
    return entry->second.value(belief.counts);
  }

 private:
  const double discount_;
  std::mutex mutex_;
  std::unordered_map<Prior, Lattice, PriorHash> lattices_;
};

}  // namespace

Index gittins(double discount) {
  require(discount >= 0 && discount <= 1, "gittins", "discount", discount, "expected 0 to 1");
  return {[table = std::make_shared<Table>(discount)](const ItemBelief& belief) {
            return table->value(belief);
          },
          bound};
}

Index label_price() { return gittins(1); }

}  // namespace allot::index
