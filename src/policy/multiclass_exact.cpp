#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "allot/base/check.hpp"
#include "allot/policy/exact.hpp"
#include "policy/planned_chooser.hpp"

namespace allot::policy {
namespace {

using model::MulticlassBeliefs;

/// The most items times states; fewer than 500 MB.
constexpr double kMostCounts = 1e7;

/// An item's prior and labels of each class, in order of size: items with the same key are alike.
using ItemKey = std::vector<std::pair<double, std::uint32_t>>;
/// The kinds of all items, in order.
using State = std::vector<std::uint32_t>;

struct StateHash {
  std::size_t operator()(const State& state) const {
    std::size_t hash = 0;
    for (const std::uint32_t kind : state) hash = (hash ^ kind) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32);
  }
};
using Layer = std::unordered_map<State, double, StateHash>;

std::vector<ItemKey> keys_of(const MulticlassBeliefs& beliefs) {
  std::vector<ItemKey> keys(beliefs.item_count());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const auto prior = beliefs.prior_of(ItemId{i}).alpha();
    const auto counts = beliefs.counts(ItemId{i});
    for (std::size_t c = 0; c < counts.size(); ++c) keys[i].emplace_back(prior[c], counts[c]);
    std::ranges::sort(keys[i]);
  }
  return keys;
}

/// The state with an item of one kind turned into another.
State replaced(const State& state, std::uint32_t before, std::uint32_t after) {
  State next = state;
  next.erase(std::ranges::lower_bound(next, before));
  next.insert(std::ranges::upper_bound(next, after), after);
  return next;
}

/// Every kind of item that can occur, numbered.
class Kinds {
 public:
  struct Step {
    std::uint32_t kind;
    double chance;
  };
  struct Kind {
    double confidence, expected_reward;
    std::vector<Step> steps;     // by label, those to the same kind together
    std::uint64_t foreseen = 0;  // so many labels ahead
  };

  /// Adds a kind with all kinds that follow from it by this number of labels.
  std::uint32_t add(const ItemKey& key, std::uint64_t labels) {
    const auto [entry, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
    const std::uint32_t number = entry->second;
    if (is_new) kinds_.push_back(described(key));
    if (labels <= kinds_[number].foreseen) return number;
    kinds_[number].foreseen = labels;
    const std::vector<double> chances = model::chances(belief_of(key));
    std::map<std::uint32_t, double> chance_of;
    for (std::size_t c = 0; c < key.size(); ++c) {
      ItemKey next = key;
      ++next[c].second;
      std::ranges::sort(next);
      chance_of[add(next, labels - 1)] += chances[c];
    }
    kinds_[number].steps.clear();
    for (const auto& [kind, chance] : chance_of) kinds_[number].steps.push_back({kind, chance});
    return number;
  }

  std::uint32_t number(const ItemKey& key) const { return numbers_.at(key); }
  const Kind& operator[](std::uint32_t number) const { return kinds_[number]; }

 private:
  static model::DirichletBelief belief_of(const ItemKey& key) {
    model::DirichletBelief belief;
    for (const auto& [prior, count] : key) belief.alpha.push_back(prior + count);
    return belief;
  }
  static Kind described(const ItemKey& key) {
    const model::DirichletBelief belief = belief_of(key);
    return {1 - model::error_probability(belief), index::multiclass_reward(belief).expected, {}, 0};
  }

  std::map<ItemKey, std::uint32_t> numbers_;
  std::vector<Kind> kinds_;
};

/// The values of all states that can be reached with labels left to buy.
class MulticlassTables {
 public:
  using Beliefs = MulticlassBeliefs;
  using Start = std::vector<ItemKey>;

  static Start start_of(const MulticlassBeliefs& beliefs) { return keys_of(beliefs); }
  static Result<std::shared_ptr<const MulticlassTables>> create(const MulticlassBeliefs& beliefs,
                                                                std::uint64_t budget) {
    const std::vector<ItemKey> items = keys_of(beliefs);
    const auto refusal = fail(
        ErrorCode::too_large,
        fmt::format("{} items of {} classes with a budget of {} are too much for dynamic "
                    "programming: it keeps at most {:.0e} states of one item and {:.0e} counts",
                    items.size(), items.front().size(), budget, kMostKinds, kMostCounts));
    if (kinds_at_least(items.front().size(), budget) > kMostKinds) return refusal;
    std::shared_ptr<MulticlassTables> tables(new MulticlassTables(budget));
    if (!tables->find_states(items)) return refusal;
    tables->fill_values();
    return tables;
  }

  /// The number of right answers to expect from the start.
  double at_start() const { return budget_ == 0 ? confidence(start_) : layers_.front().at(start_); }

  /// The number of right answers to expect if each item is asked next, t labels after the start.
  std::vector<double> choices(const MulticlassBeliefs& beliefs, std::uint64_t t) const {
    require(t < budget_, "dp", "labels bought", static_cast<double>(t),
            "expected fewer than the budget");
    State state;
    for (const ItemKey& key : keys_of(beliefs)) state.push_back(kinds_.number(key));
    const State by_item = state;
    std::ranges::sort(state);
    std::vector<double> values;
    for (const std::uint32_t kind : by_item) values.push_back(value_of_asking(state, kind, t));
    return values;
  }

 private:
  explicit MulticlassTables(std::uint64_t budget) : budget_(budget), layers_(budget) {}

  static constexpr double kMostKinds = 1e5;

  /// A lower bound of the kinds of one item: ways to share out the labels, over class orders.
  static double kinds_at_least(std::size_t classes, std::uint64_t budget) {
    double ways = 1;
    for (std::size_t c = 1; c <= classes; ++c) {
      const auto k = static_cast<double>(c);
      ways *= (static_cast<double>(budget) + k) / (k * k);
    }
    return ways;
  }

  /// False if the states are too many.
  bool find_states(const std::vector<ItemKey>& items) {
    for (const ItemKey& key : items) start_.push_back(kinds_.add(key, budget_));
    std::ranges::sort(start_);
    if (budget_ > 0) layers_.front().emplace(start_, 0.0);
    double states = 1;
    for (std::uint64_t t = 0; t + 1 < budget_; ++t) {
      for (const auto& [state, unset] : layers_[t]) {
        for (const std::uint32_t kind : different(state)) {
          for (const Kinds::Step& step : kinds_[kind].steps) {
            states += layers_[t + 1].emplace(replaced(state, kind, step.kind), 0.0).second;
          }
        }
        if (states * static_cast<double>(items.size()) > kMostCounts) return false;
      }
    }
    return true;
  }

  void fill_values() {
    for (std::uint64_t t = budget_; t-- > 0;) {
      for (auto& [state, value] : layers_[t]) {
        for (const std::uint32_t kind : different(state)) {
          value = std::max(value, value_of_asking(state, kind, t));
        }
      }
    }
  }

  double value_of_asking(const State& state, std::uint32_t kind, std::uint64_t t) const {
    if (t + 1 == budget_) return confidence(state) + kinds_[kind].expected_reward;
    double value = 0;
    for (const Kinds::Step& step : kinds_[kind].steps) {
      value += step.chance * layers_[t + 1].at(replaced(state, kind, step.kind));
    }
    return value;
  }

  double confidence(const State& state) const {
    double sum = 0;
    for (const std::uint32_t kind : state) sum += kinds_[kind].confidence;
    return sum;
  }

  /// The kinds of a state, each once.
  static State different(State state) {
    const auto repeated = std::ranges::unique(state);
    state.erase(repeated.begin(), repeated.end());
    return state;
  }

  const std::uint64_t budget_;
  Kinds kinds_;
  State start_;
  std::vector<Layer> layers_;  // by labels bought
};

}  // namespace

Result<double> optimal_accuracy(const MulticlassBeliefs& beliefs, std::uint64_t budget) {
  return MulticlassTables::create(beliefs, budget)
      .map([&](const std::shared_ptr<const MulticlassTables>& tables) {
        return tables->at_start() / beliefs.item_count();
      });
}

DpForm<MulticlassBeliefs> multiclass_dp_form() { return dp_form<MulticlassTables>(); }

}  // namespace allot::policy
