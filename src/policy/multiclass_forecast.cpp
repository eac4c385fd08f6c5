#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <queue>

#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "allot/policy/forecast.hpp"

namespace allot::policy {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kMostItems = 300;
constexpr std::uint64_t kItemsPlayed = 6'000;
constexpr double kMostLabelsPerItem = 100;
/// The least index: a label that promises less is not asked for.
constexpr double kLeastIndex = 1e-4;
/// The most work, in labels.
constexpr std::uint64_t kMostWork = 3'000'000, kClearState = 60, kUnclearState = 100;
/// Pseudo-labels of an item's own distribution: how much workers differ from item to item.
constexpr double kSureOfWorkers = 40;

/// The state of an item, the most probable class first, and the numbers that follow from it.
struct CourseState {
  const std::vector<double>* known = nullptr;
  double sureness = 0, index = 0;
  /// Chances of a label of each class, summed up.
  std::vector<double> chance;
  /// The states after a label of each class; 0 if not computed yet.
  std::vector<std::uint32_t> next;
};

/// Unclear items: `known` are the parameters of the Dirichlet distribution.
void look_ahead_unclear(CourseState& state) {
  const std::vector<double>& alpha = *state.known;
  const math::WinOutlook outlook = math::win_outlook(alpha);
  state.sureness = 1 - outlook.error;
  state.chance = alpha;
  // The Opt-KG index of index::multiclass_reward, from the same outlook.
  for (std::size_t y = 0; y < alpha.size(); ++y) {
    const bool tied = alpha[y] == alpha[outlook.best];
    state.index =
        std::max(state.index, tied ? outlook.rise : outlook.overshoot[y] - outlook.fall[y]);
  }
}

/// Clear items: `known` are counts of labels.
class ClearLabels {
 public:
  explicit ClearLabels(const ClearItems& items)
      : right_(kSureOfWorkers * items.reliability),
        wrong_((kSureOfWorkers - right_) / (items.class_count - 1.0)) {}

  void operator()(CourseState& state) const {
    const std::vector<double>& counts = *state.known;
    const std::size_t classes = counts.size();
    // The odds of each class against the first, and their factor after a label.
    std::vector<double> odds(classes), then(classes);
    double all = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      odds[c] = std::exp(log_odds(counts[c]) - log_odds(counts[0]));
      then[c] = odds[c] * (right_ + counts[c]) / (wrong_ + counts[c]);
      all += odds[c];
    }
    state.sureness = 1 / all;
    const double labels = std::accumulate(counts.begin(), counts.end(), kSureOfWorkers);
    for (std::size_t y = 0; y < classes; ++y) {
      const double best = std::max(1.0, then[y]);
      state.index = std::max(state.index, best / (all + then[y] - odds[y]) - 1 / all);
      const double share = odds[y] / all;
      state.chance.push_back((share * (right_ + counts[y]) + (1 - share) * (wrong_ + counts[y])) /
                             labels);
    }
  }

 private:
  /// The log-odds of a class with this number of labels, but for a constant.
  double log_odds(double count) const {
    return std::lgamma(right_ + count) - std::lgamma(wrong_ + count);
  }

  const double right_, wrong_;
};

/// All states that occurred, each computed once.
class States {
 public:
  using Look = std::function<void(CourseState&)>;
  States(std::vector<double> start, Look look, std::uint64_t work)
      : look_(std::move(look)), work_a_state_(work) {
    std::ranges::sort(start, std::greater());
    find(std::move(start));
  }

  const CourseState& operator[](std::uint32_t state) const { return states_[state]; }
  std::uint64_t work() const { return work_; }

  /// The state after a label that a random number from 0 to 1 draws.
  std::uint32_t after_label(std::uint32_t from, double random) {
    ++work_;
    const std::vector<double>& up_to = states_[from].chance;
    const auto label = static_cast<std::size_t>(
        std::ranges::upper_bound(up_to.begin(), up_to.end() - 1, random * up_to.back()) -
        up_to.begin());
    if (const std::uint32_t known = states_[from].next[label]) return known;
    std::vector<double> after = *states_[from].known;
    ++after[label];
    std::ranges::sort(after, std::greater());
    return states_[from].next[label] = find(std::move(after));
  }

 private:
  std::uint32_t find(std::vector<double> known) {
    const auto [place, is_new] =
        numbers_.try_emplace(std::move(known), static_cast<std::uint32_t>(states_.size()));
    if (!is_new) return place->second;
    work_ += work_a_state_;
    CourseState state;
    state.known = &place->first;
    look_(state);
    std::partial_sum(state.chance.begin(), state.chance.end(), state.chance.begin());
    state.next.resize(place->first.size());
    states_.push_back(std::move(state));
    return place->second;
  }

  const Look look_;
  const std::uint64_t work_a_state_;
  std::uint64_t work_ = 0;
  std::deque<CourseState> states_;  // which stay where they are
  std::map<std::vector<double>, std::uint32_t> numbers_;
};

/// One campaign, played by both policies with the same labels.
class Game {
 public:
  Game(States& states, std::uint64_t items, std::uint64_t run)
      : states_(states), rng_(kSeed, Rng::Purpose::label, run), paths_(items, {0}), given_(items) {
    for (std::uint32_t i = 0; i < items; ++i) queue_.emplace(states_[0].index, ~i);
    sum_ = static_cast<double>(items) * states_[0].sureness;
  }

  /// Right answers of Opt-KG after this number of labels, which must not fall from call to call.
  double opt_kg(std::uint64_t labels) {
    for (; asked_ < labels && queue_.top().first > kLeastIndex; ++asked_) {
      const std::uint32_t item = ~queue_.top().second;
      queue_.pop();
      const CourseState& before = state(item, given_[item]);
      const CourseState& after = state(item, ++given_[item]);
      sum_ += after.sureness - before.sureness;
      queue_.emplace(after.index, ~item);
    }
    return sum_;
  }

  double equal(std::uint64_t labels) {
    double sum = 0;
    for (std::uint32_t item = 0; item < paths_.size(); ++item) {
      const std::uint64_t more = item < labels % paths_.size() ? 1 : 0;
      sum += state(item, labels / paths_.size() + more).sureness;
    }
    return sum;
  }

 private:
  /// The state of the item with this number of labels.
  const CourseState& state(std::uint32_t item, std::size_t labels) {
    std::vector<std::uint32_t>& path = paths_[item];
    while (path.size() <= labels) {
      path.push_back(states_.after_label(path.back(), random(item, path.size() - 1)));
    }
    return states_[path[labels]];
  }

  /// A random number for the next label of an item. The items share out the numbers from 0 to 1:
  /// each has one in a part of its own, so that their mean varies little.
  double random(std::uint32_t item, std::size_t had) {
    while (parts_.size() <= had) {
      std::vector<std::uint32_t>& parts = parts_.emplace_back(paths_.size());
      std::iota(parts.begin(), parts.end(), 0U);
      for (std::size_t n = parts.size(); n > 1; --n) std::swap(parts[n - 1], parts[below(rng_, n)]);
    }
    return (parts_[had][item] + uniform(rng_)) / static_cast<double>(paths_.size());
  }

  States& states_;
  Rng rng_;
  std::vector<std::vector<std::uint32_t>> paths_;
  std::vector<std::size_t> given_;
  std::vector<std::vector<std::uint32_t>> parts_;  // by the labels an item had
  std::priority_queue<std::pair<double, std::uint32_t>> queue_;
  std::uint64_t asked_ = 0;
  double sum_ = 0;
};

States states_of(const model::DirichletPrior& prior) {
  return {{prior.alpha().begin(), prior.alpha().end()}, look_ahead_unclear, kUnclearState};
}

States states_of(const ClearItems& items) {
  require(items.class_count >= 2, "multiclass_forecast", "class_count", items.class_count,
          "expected at least 2");
  require(items.reliability * items.class_count > 1 && items.reliability < 1, "multiclass_forecast",
          "reliability", items.reliability, "expected more than by chance and less than 1");
  return {std::vector<double>(items.class_count, 0.0), ClearLabels(items), kClearState};
}

}  // namespace

std::vector<MulticlassForecast> multiclass_forecast(
    const std::variant<model::DirichletPrior, ClearItems>& labels, std::uint64_t items,
    std::span<const double> budgets) {
  require(items >= 1, "multiclass_forecast", "items", 0, "expected at least 1");
  States states = std::visit([](const auto& one) { return states_of(one); }, labels);
  const std::uint64_t played = std::min(items, kMostItems);
  std::vector<MulticlassForecast> sums(budgets.size());
  std::uint64_t run = 0;
  for (; run * played < kItemsPlayed && (run == 0 || states.work() < kMostWork); ++run) {
    Game game(states, played, run);
    for (std::size_t n = 0; n < budgets.size(); ++n) {
      const double each = std::min(budgets[n] / static_cast<double>(items), kMostLabelsPerItem);
      const auto asked =
          static_cast<std::uint64_t>(std::llround(each * static_cast<double>(played)));
      sums[n].opt_kg += game.opt_kg(asked);
      sums[n].equal += game.equal(asked);
    }
  }
  const auto all = static_cast<double>(run * played);
  for (MulticlassForecast& one : sums) one = {one.opt_kg / all, one.equal / all};
  return sums;
}

}  // namespace allot::policy
