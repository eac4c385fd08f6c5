#include "allot/index/pair_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "allot/index/coin_price.hpp"
#include "allot/math/beta_tail.hpp"
#include "allot/math/entropy.hpp"

namespace allot::index {
namespace {

using math::entropy;
using model::Channel;
using model::ItemState;
using model::WorkerState;

/// Chances closer than this are equal: 0.3 and 1 - 0.7 differ in the last bit.
constexpr double kSamePairChance = 1e-15;
/// Margin of bounds for the rounding errors of entropies, which are sums of a few logarithms.
constexpr double kEntropyNoise = 1e-14;
/// Margin of bounds for the rounding errors of label prices, relative.
constexpr double kPriceNoise = 1e-7;

/// True if both labels are equally likely either way, up to rounding.
bool says_nothing(const Channel& channel) {
  const auto [u, v] = channel.likelihood(Label::positive);
  return std::abs(u - v) <= kSamePairChance;
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

/// Errors by Bayes' rule, without matching: the label leaves w Beta(a+1,b) + (1-w) Beta(a,b+1).
/// Only then is more information never worth less, as the bound of the information gain needs. The
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
  // An impossible label changes nothing.
  return {now, yes.chance() > 0 ? yes.error() : now, no.chance() > 0 ? no.error() : now};
}

/// Expected gain of an item of hard class: exactly 0 where no label changes the answer.
double class_gain(const ItemState& item, const Channel& channel) {
  double gain = 0;
  for (const Label label : {Label::positive, Label::negative}) {
    const Joint both = joint(item, channel, label);
    const double against = favoured_label(item) == Label::positive ? both.negative - both.positive
                                                                   : both.positive - both.negative;
    gain += std::max(0.0, against);
  }
  return gain;
}

/// Entropy of a label that comes with this chance.
double label_entropy(double chance) { return entropy(std::min(chance, 1 - chance)); }

/// Information (nats) of a label about an item with even odds.
double information(const Channel& channel) {
  const auto [s, t] = channel;
  return label_entropy(0.5 * (s + 1 - t)) - 0.5 * (label_entropy(s) + label_entropy(t));
}

/// Information gain with a margin: `room` is the share of the present entropy to add. The gain is a
/// difference of entropies and carries their rounding errors.
double information_gain(const ItemState& item, const Channel& channel, double room) {
  if (says_nothing(channel)) return room == 0 ? 0 : room * entropy(error_probability(item));
  const Errors error = item.soft ? mixture_errors(item, channel) : errors(item, channel);
  // Computed directly, not as 1 less the other chance: a small chance can leave a large error.
  const auto chance = [&](Label label) {
    return joint(item, channel, label).chance() / (item.shape.a + item.shape.b);
  };
  return (1 + room) * entropy(error.now) - chance(Label::positive) * entropy(error.if_positive) -
         chance(Label::negative) * entropy(error.if_negative);
}

/// The item with the most even odds between two items of hard class.
ItemState most_even(const ItemState& low, const ItemState& high) {
  if (low.shape.a >= low.shape.b) return low;
  if (high.shape.a <= high.shape.b) return high;
  return ItemState::hard_odds(0);
}

/// A margin for differences of error probabilities, which carry rounding errors. By Markov's
/// inequality an error is at most twice the mean of the weaker side, which costs no tail.
double with_room(double reward, const ItemState& item) {
  const auto [a, b] = item.shape;
  return reward + 2e-13 * std::min(a, b) / (a + b);
}

/// Slope of the gain in the probability of positive. Labels are positive with chance c = p u +
/// (1-p) v, and the gain is the entropy of the label less its mean entropy given the class.
double gain_slope(const ItemState& item, const Channel& channel) {
  const auto [s, t] = channel;
  const double yes = joint(item, channel, Label::positive).chance();
  const double no = joint(item, channel, Label::negative).chance();
  return (s + t - 1) * std::log(no / yes) - label_entropy(s) + label_entropy(t);
}

/// Upper bound of the gain between two items: concave, it stays below its tangents. With one coin it
/// is symmetric too, and therefore largest at the most even odds.
double most_information(const ItemState& low, const ItemState& high, const Channel& channel) {
  const ItemState even = most_even(low, high);
  const double most = entropy(error_probability(even));
  const double room = kEntropyNoise * most;
  if (says_nothing(channel)) return room;
  if (channel.sensitivity == channel.specificity) {
    return information_gain(even, channel, 0) + room;
  }
  const double at_low = information_gain(low, channel, 0), up = gain_slope(low, channel);
  if (up <= 0) return at_low + room;
  const double at_high = information_gain(high, channel, 0), down = -gain_slope(high, channel);
  if (down <= 0) return at_high + room;
  // Measured from the smaller side, because p keeps its digits there.
  const double width = low.shape.a < 0.5 ? high.shape.a - low.shape.a : low.shape.b - high.shape.b;
  const double rise = up * (at_high - at_low + down * width) / (up + down);
  if (!std::isfinite(rise)) return most + room;  // a tangent is vertical
  return std::min(most, std::max(at_low + std::max(0.0, rise), at_high)) + room;
}

/// R+ is convex in this scale, with the beliefs matched or not.
double reward_scale(double reliability) { return -1 / (reliability * reliability * reliability); }

/// With m_y the chance of a perfect worker's positive label if the answer is y, and m their mean,
///   gain = sum_n (2q-1)^2n (E (2 m_y - 1)^2n - (2m-1)^2n) / (2n (2n-1)).
/// No term is negative, so the gain is convex in the square.
double gain_scale(double reliability) { return (2 * reliability - 1) * (2 * reliability - 1); }

constexpr auto kOptimistic = [](const Reward& r) { return opt_kg(r); };

template <typename Function, typename Most>
PairIndex by_reward(Function index, Most most) {
  return {.value = [=](const PairView& view) { return index(reward(view.item, view.worker.mean)); },
          // R and CVaR are means of R_1 and R_2, so R+ bounds them all.
          .bound =
              [](const ItemState& item, std::uint32_t, double reliability) {
                return with_room(opt_kg(reward(item, Channel::one_coin(reliability))), item);
              },
          .scale = reward_scale,
          // With the answer positive, p >= 1/2 and x = 1-p, a label leaves
          //   R_z = max(x p (u-v), x (p u + x v) - p u) / (p u + x v),
          // which falls as p grows wherever it is not negative. So do their sums.
          .hard_bound =
              [=](const ItemState& low, const ItemState& high, const Channel& channel) {
                const ItemState even = most_even(low, high);
                return with_room(most(reward(even, channel)), even);
              }};
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
  const auto expected = [](const Reward& r) { return kg(r); };
  return by_reward(expected, expected);
}

PairIndex pair_opt_kg() { return by_reward(kOptimistic, kOptimistic); }

PairIndex pair_pessimistic_kg() {
  return by_reward([](const Reward& r) { return pessimistic_kg(r); }, kOptimistic);
}

PairIndex pair_cvar_kg(double alpha) {
  return by_reward([=](const Reward& r) { return cvar_kg(r, alpha); }, kOptimistic);
}

PairIndex pair_information_gain() {
  return {
      .value = [](const PairView& view) { return information_gain(view.item, view.worker.mean); },
      .bound =
          [](const ItemState& item, std::uint32_t, double reliability) {
            return information_gain(item, Channel::one_coin(reliability), kEntropyNoise);
          },
      .scale = gain_scale,
      .hard_bound = most_information};
}

PairIndex pair_kg_eig() {
  const auto sum = [](const auto& first, const auto& second) {
    return [=](const auto&... arguments) {
      return first(arguments...) + kInformationWorth * second(arguments...);
    };
  };
  const PairIndex gain = pair_kg(), information = pair_information_gain();
  return {.value = sum(gain.value, information.value),
          .bound = sum(gain.bound, information.bound),
          // With s = -1/q^3, d(2q-1)^2/ds = 4/3 (2q-1) q^4 grows with s: what is convex in
          // gain_scale is convex in this one too.
          .scale = reward_scale,
          .hard_bound = sum(gain.hard_bound, information.hard_bound)};
}

PairIndex pair_even_kg() {
  const auto even = [](const Channel& channel) {
    return Channel::one_coin((channel.sensitivity + channel.specificity) / 2);
  };
  PairIndex index = pair_kg_eig();
  // The dominating reliability is at least the mean of both, so that `bound` holds as it is.
  index.value = [=](const PairView& view) {
    const Channel channel = even(view.worker.mean);
    return kg(reward(view.item, channel)) +
           kInformationWorth * information_gain(view.item, channel);
  };
  index.hard_bound = [=, bound = index.hard_bound](const ItemState& low, const ItemState& high,
                                                   const Channel& channel) {
    return bound(low, high, even(channel));
  };
  return index;
}

PairIndex pair_scout() {
  PairIndex index = pair_information_gain();
  index.value = [](const PairView& view) {
    return information_gain(view.item, view.worker.mean) +
           view.worker_left * worker_information(view.item.mean(), view.worker);
  };
  index.worker_bound = [](const WorkerState& worker, std::uint32_t left, double low, double high) {
    // A margin for the rounding of worker_information, which counts `left` times.
    return left * (std::max(worker_information(low, worker), worker_information(high, worker)) +
                   kEntropyNoise);
  };
  return index;
}

/// Less informative labels are worth less than 1e-10, and the sequential test loses digits there.
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
      // One label can at most make the answer right.
      .bound = [](const ItemState& item, std::uint32_t, double) { return error_probability(item); },
      .scale = {},
      .hard_bound =
          [=](const ItemState& low, const ItemState& high, const Channel& channel) {
            return (1 + kPriceNoise) * price(most_even(low, high), channel);
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
  constexpr double kItemsFirst = 0x1p24;  // no worker gives that many labels
  PairIndex index =
      by_item([](const ItemState&, std::uint32_t labels) { return -kItemsFirst * labels; });
  index.value = [](const PairView& view) {
    return -kItemsFirst * view.item_labels - view.worker_labels;
  };
  index.is_gain = false;
  return index;
}

}  // namespace allot::index
