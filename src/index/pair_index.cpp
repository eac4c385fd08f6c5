#include "allot/index/pair_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "allot/index/coin_price.hpp"
#include "allot/index/information_gain.hpp"
#include "allot/math/beta_tail.hpp"

namespace allot::index {
namespace {

using model::Channel;
using model::ItemState;
using model::WorkerState;

/// Whether both labels are equally likely either way, up to rounding: 0.3 and 1 - 0.7 differ.
bool says_nothing(const Channel& channel) {
  const auto [u, v] = channel.likelihood(Label::positive);
  return std::abs(u - v) <= 1e-15;
}

bool is_perfect(const Channel& channel) {
  return channel.sensitivity == channel.specificity &&
         (channel.sensitivity == 1 || channel.sensitivity == 0);
}

Reward perfect_reward(const math::BetaShape& shape, bool reversed) {
  const Reward r = reward(model::beta_outlook(shape.a, shape.b));
  return reversed ? Reward{r.if_negative, r.if_positive, r.expected, 1 - r.chance_positive} : r;
}

/// Error probabilities now, after a positive label and after a negative one.
struct Errors {
  double now, if_positive, if_negative;
};

Errors soft_errors(const ItemState& item, const Channel& channel) {
  const math::BetaShape yes = after(item, channel, Label::positive).shape;
  const math::BetaShape no = after(item, channel, Label::negative).shape;
  const std::array a{item.shape.a, yes.a, no.a}, b{item.shape.b, yes.b, no.b};
  std::array<double, 3> error{};
  math::error_probability(a, b, error);
  return {error[0], error[1], error[2]};
}

/// The same by Bayes' rule, without matching: the label leaves w Beta(a+1,b) + (1-w) Beta(a,b+1).
/// Only so is knowing more never worth less, as the bound of the information gain needs; the
/// matched Beta's entropy may even rise.
Errors mixture_errors(const ItemState& item, const Channel& channel) {
  const auto [more, fewer] = std::minmax(item.shape.a, item.shape.b, std::greater<>());
  const std::array a{more, more + 1, more}, b{fewer, fewer, fewer + 1};
  std::array<double, 3> error{};
  math::error_probability(a, b, error);
  // Mass on the side of fewer labels after one more label for either side.
  const double along = error[1], against = more >= fewer + 1 ? error[2] : 1 - error[2];
  const auto error_after = [&](Label label) {
    const auto [u, v] = channel.likelihood(label);
    const double yes = item.shape.a * u, no = item.shape.b * v;
    if (yes + no == 0) return error[0];
    const bool positive = item.shape.a >= item.shape.b;
    const double wrong =
        ((positive ? yes : no) * along + (positive ? no : yes) * against) / (yes + no);
    return std::min(wrong, 1 - wrong);
  };
  return {error[0], error_after(Label::positive), error_after(Label::negative)};
}

/// Joint probabilities of class and label.
struct Joint {
  double positive, negative;

  double chance() const { return positive + negative; }
  double error() const { return std::min(positive, negative) / chance(); }
};

Joint joint(const ItemState& item, const Channel& channel, Label label) {
  const auto [u, v] = channel.likelihood(label);
  return {item.shape.a * u, item.shape.b * v};
}

Errors errors(const ItemState& item, const Channel& channel) {
  if (item.soft) return soft_errors(item, channel);
  const Joint yes = joint(item, channel, Label::positive);
  const Joint no = joint(item, channel, Label::negative);
  const double now = error_probability(item);
  // A label that cannot come changes nothing.
  return {now, yes.chance() > 0 ? yes.error() : now, no.chance() > 0 ? no.error() : now};
}

/// What the answer of an item that is positive or not gains on average: only a label that turns it
/// adds anything, so this is exactly 0 where none does.
double class_gain(const ItemState& item, const Channel& channel) {
  double gain = 0;
  for (const Label label : {Label::positive, Label::negative}) {
    const Joint one = joint(item, channel, label);
    const double against =
        answer(item) == Label::positive ? one.negative - one.positive : one.positive - one.negative;
    gain += std::max(0.0, against);
  }
  return gain;
}

/// Information of a label about an item that is positive with probability 1/2.
double information(const Channel& channel) {
  const auto [s, t] = channel;
  const auto h = [](double x) { return entropy(std::min(x, 1 - x)); };
  return h(0.5 * (s + 1 - t)) - 0.5 * (h(s) + h(t));
}

/// `room` is a share of the present entropy that is added: the gain is a difference of entropies
/// and carries their rounding errors.
double information_gain(const ItemState& item, const Channel& channel, double room) {
  if (says_nothing(channel)) return room == 0 ? 0 : room * entropy(error_probability(item));
  const Errors error = item.soft ? mixture_errors(item, channel) : errors(item, channel);
  // Not 1 less the other: a chance may be small and what its label would leave open large.
  const auto chance = [&](Label label) {
    return joint(item, channel, label).chance() / (item.shape.a + item.shape.b);
  };
  return (1 + room) * entropy(error.now) - chance(Label::positive) * entropy(error.if_positive) -
         chance(Label::negative) * entropy(error.if_negative);
}

/// Between two items that are positive or not, the one with the most even odds.
ItemState most_even(const ItemState& low, const ItemState& high) {
  if (low.shape.a >= low.shape.b) return low;
  if (high.shape.a <= high.shape.b) return high;
  return ItemState::hard_odds(0);
}

/// For differences of error probabilities, which carry the rounding errors of these. By Markov's
/// inequality an error is at most twice the mean of the weaker side, which costs no tail.
double with_room(double reward, const ItemState& item) {
  const auto [a, b] = item.shape;
  return reward + 2e-13 * std::min(a, b) / (a + b);
}

/// What the gain grows by with the probability of positive: labels are  c = p u + (1-p) v positive,
/// the gain is the entropy of the label less its mean given the class.
double gain_slope(const ItemState& item, const Channel& channel) {
  const auto [s, t] = channel;
  const auto h = [](double x) { return entropy(std::min(x, 1 - x)); };
  const double yes = joint(item, channel, Label::positive).chance();
  const double no = joint(item, channel, Label::negative).chance();
  return (s + t - 1) * std::log(no / yes) - h(s) + h(t);
}

/// The gain is concave in the probability, so it stays below its tangents at both ends.
double most_information(const ItemState& low, const ItemState& high, const Channel& channel) {
  const ItemState even = most_even(low, high);
  const double most = entropy(error_probability(even));
  const double room = 1e-14 * most;
  if (says_nothing(channel)) return room;
  const double at_low = information_gain(low, channel, 0), up = gain_slope(low, channel);
  if (up <= 0) return at_low + room;
  const double at_high = information_gain(high, channel, 0), down = -gain_slope(high, channel);
  if (down <= 0) return at_high + room;
  // From below where the item is rather negative, as p keeps its digits there.
  const double width = low.shape.a < 0.5 ? high.shape.a - low.shape.a : low.shape.b - high.shape.b;
  const double rise = up * (at_high - at_low + down * width) / (up + down);
  if (!std::isfinite(rise)) return most + room;  // a tangent stands upright
  return std::min(most, std::max(at_low + std::max(0.0, rise), at_high)) + room;
}

/// R+ is convex in this, with the beliefs matched or not.
double reward_scale(double reliability) { return -1 / (reliability * reliability * reliability); }

/// With m_y the chance of a positive label of a perfect worker if the answer is y, and m their
/// mean,
///   gain = sum_n (2q-1)^2n (E (2 m_y - 1)^2n - (2m-1)^2n) / (2n (2n-1)),
/// no term of which is negative: convex in the square.
double gain_scale(double reliability) { return (2 * reliability - 1) * (2 * reliability - 1); }

template <typename Function>
PairIndex by_reward(Function index) {
  return {.value = [=](const PairView& view) { return index(reward(view.item, view.worker.mean)); },
          // R and CVaR are means of R_1 and R_2, so R+ bounds them all.
          .bound =
              [](const ItemState& item, std::uint32_t, double reliability) {
                return with_room(opt_kg(reward(item, Channel::one_coin(reliability))), item);
              },
          .scale = reward_scale,
          // With the answer positive, p >= 1/2 and x = 1-p, a label leaves
          //   R_z = max(x p (u-v), x (p u + x v) - p u) / (p u + x v),
          // which falls as p grows wherever it is not negative.
          .hard_bound =
              [](const ItemState& low, const ItemState& high, const Channel& channel) {
                const ItemState even = most_even(low, high);
                return with_room(opt_kg(reward(even, channel)), even);
              }};
}

template <typename Function>
PairIndex by_item(Function index) {
  return {.value = [=](const PairView& view) { return index(view.item, view.item_labels); },
          .bound = [=](const ItemState& item, std::uint32_t labels,
                       double) { return index(item, labels); },
          .scale = {}};
}

}  // namespace

Reward reward(const ItemState& item, const Channel& channel) {
  const double chance = chance_positive(item, channel);
  if (says_nothing(channel)) return {0, 0, 0, chance};
  if (item.soft && is_perfect(channel)) return perfect_reward(item.shape, channel.sensitivity == 0);
  const Errors error = errors(item, channel);
  const double if_positive = error.now - error.if_positive;
  const double if_negative = error.now - error.if_negative;
  const double expected =
      item.soft ? chance * if_positive + (1 - chance) * if_negative : class_gain(item, channel);
  return {if_positive, if_negative, expected, chance};
}

double information_gain(const ItemState& item, const Channel& channel) {
  return information_gain(item, channel, 0);
}

double worker_information(double positive, const WorkerState& worker) {
  const double chance =
      positive * worker.mean.sensitivity + (1 - positive) * (1 - worker.mean.specificity);
  double later = 0;
  if (chance > 0) later += chance * information(mean_after(worker, positive, Label::positive));
  if (chance < 1) {
    later += (1 - chance) * information(mean_after(worker, positive, Label::negative));
  }
  return std::max(0.0, later - information(worker.mean));
}

PairIndex pair_kg() {
  PairIndex index = by_reward([](const Reward& r) { return kg(r); });
  // Sums of what labels turn: these, too, fall from even odds.
  index.hard_bound = [](const ItemState& low, const ItemState& high, const Channel& channel) {
    const ItemState even = most_even(low, high);
    return with_room(kg(reward(even, channel)), even);
  };
  return index;
}

PairIndex pair_opt_kg() {
  return by_reward([](const Reward& r) { return opt_kg(r); });
}

PairIndex pair_pessimistic_kg() {
  return by_reward([](const Reward& r) { return pessimistic_kg(r); });
}

PairIndex pair_cvar_kg(double alpha) {
  return by_reward([=](const Reward& r) { return cvar_kg(r, alpha); });
}

PairIndex pair_information_gain() {
  return {
      .value = [](const PairView& view) { return information_gain(view.item, view.worker.mean); },
      .bound =
          [](const ItemState& item, std::uint32_t, double reliability) {
            return information_gain(item, Channel::one_coin(reliability), 1e-14);
          },
      .scale = gain_scale,
      .hard_bound = most_information};
}

PairIndex pair_scout() {
  PairIndex index = pair_information_gain();
  index.value = [](const PairView& view) {
    return information_gain(view.item, view.worker.mean) +
           view.worker_left * worker_information(view.item.mean(), view.worker);
  };
  index.worker_bound = [](const WorkerState& worker, std::uint32_t left, double low, double high) {
    // With room for the rounding of worker_information, which counts `left` times.
    return left *
           (std::max(worker_information(low, worker), worker_information(high, worker)) + 1e-14);
  };
  return index;
}

/// Labels that say less are worth less than 1e-10, and the sequential test loses digits.
constexpr double kLeastAdvantage = 1e-5;

PairIndex pair_label_price() {
  const auto price = [](const ItemState& item, const Channel& channel) {
    const double error = error_probability(item);
    const double advantage = channel.sensitivity + channel.specificity - 1;
    if (error == 0 || std::abs(advantage) < kLeastAdvantage) return 0.0;
    return coin_label_price(std::log1p(-error) - std::log(error), (1 + advantage) / 2);
  };
  return {
      .value = [=](const PairView& view) { return price(view.item, view.worker.mean); },
      // One label cannot do more than make the answer right.
      .bound = [](const ItemState& item, std::uint32_t, double) { return error_probability(item); },
      .scale = {},
      .hard_bound =
          [=](const ItemState& low, const ItemState& high, const Channel& channel) {
            return (1 + 1e-7) * price(most_even(low, high), channel);
          }};
}

PairIndex pair_label_uncertainty() {
  return by_item([](const ItemState& item, std::uint32_t) { return error_probability(item); });
}

PairIndex pair_least_labelled() {
  PairIndex index =
      by_item([](const ItemState&, std::uint32_t labels) { return -static_cast<double>(labels); });
  index.is_gain = false;
  return index;
}

PairIndex pair_balanced() {
  constexpr double kItemsFirst = 0x1p24;  // no worker gives that many
  PairIndex index =
      by_item([](const ItemState&, std::uint32_t labels) { return -kItemsFirst * labels; });
  index.value = [](const PairView& view) {
    return -kItemsFirst * view.item_labels - view.worker_labels;
  };
  index.is_gain = false;
  return index;
}

}  // namespace allot::index
