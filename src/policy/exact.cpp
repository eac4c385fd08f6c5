#include "allot/policy/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "allot/base/check.hpp"
#include "base/try.hpp"
#include "policy/planned_chooser.hpp"
#include "policy/state_space.hpp"

namespace allot::policy {
namespace {

using model::Beliefs;
using model::Counts;
using State = StateSpace::State;
using Values = std::vector<double>;

/// The values; with the table of counts (state_space) at most 2 GiB.
constexpr double kMostBytes = 1.5 * (1U << 30);

/// The space, refused if the values of its states are too many to keep: those of all layers, or
/// those of two neighbours. Layer t has the states with t labels; the labels of the last step are
/// foreseen by their expected reward, so layer `budget` has no values.
Result<StateSpace> checked_space(const Beliefs& beliefs, std::uint64_t budget, Sharing sharing,
                                 bool all_layers) {
  StateSpace space = TRY(StateSpace::create(beliefs, budget, sharing));
  double states = 0;
  for (std::uint64_t t = 0; t < budget; ++t) {
    const auto here = static_cast<double>(space.size(t));
    const double two = here + (t > 0 ? static_cast<double>(space.size(t - 1)) : 0.0);
    states = all_layers ? states + here : std::max(states, two);
  }
  const double bytes = states * sizeof(double);
  if (bytes <= kMostBytes) return space;
  return fail(ErrorCode::too_large,
              fmt::format("{} items with a budget of {} need {:.3g} states, {:.3g} GiB of values; "
                          "exact dynamic programming keeps at most "
                          "1.5 GiB of them (2 GiB with its tables)",
                          space.item_count(), budget, states, bytes / (1U << 30)));
}

double accuracy_now(const StateSpace& space, const State& state) {
  double sum = 0;
  for (std::uint32_t place = 0; place < state.size(); ++place)
    sum += space.type(place, state).confidence;
  return sum;
}

/// Right answers to expect if the item at `place` is asked next; `later`: values of layer t + 1.
double value_of_asking(const StateSpace& space, const State& state, std::uint64_t t,
                       std::uint32_t place, double now, const Values& later) {
  const ItemType& type = space.type(place, state);
  if (t + 1 == space.budget()) return now + type.expected_reward;
  const auto after = [&](std::uint32_t next) {
    return later[space.rank_after(state, t, place, next)];
  };
  const double p = type.chance_positive;
  // A belief that is certain (Haldane's prior) has one next state only.
  return (p > 0 ? p * after(type.after_positive) : 0) +
         (p < 1 ? (1 - p) * after(type.after_negative) : 0);
}

/// Values of asking each place; equal for neighbours of the same kind.
void fill_choices(const StateSpace& space, const State& state, std::uint64_t t, const Values& later,
                  Values& choices) {
  const double now = accuracy_now(space, state);
  choices.resize(state.size());
  for (std::uint32_t place = 0; place < state.size(); ++place) {
    const bool repeats = space.continues_group(place) && state[place] == state[place - 1];
    choices[place] =
        repeats ? choices[place - 1] : value_of_asking(space, state, t, place, now, later);
  }
}

/// The value of a state by a rule, from the values of asking each place.
using Rule = std::function<double(const State&, const Values& choices)>;

Rule optimal_rule() {
  return [](const State&, const Values& choices) { return *std::ranges::max_element(choices); };
}

/// The index of every type, group by group.
std::vector<Values> index_of_types(const StateSpace& space, const index::Index& index) {
  std::vector<Values> result(space.group_count());
  for (std::uint32_t group = 0; group < space.group_count(); ++group) {
    for (const ItemType& type : space.types(group)) {
      result[group].push_back(quantised(index({&space.prior(group), type.counts})));
    }
  }
  return result;
}

/// Whether swapping the labels of items with a symmetric belief leaves the index as it is.
bool ignores_which_label(const Beliefs& beliefs, std::uint64_t budget, const index::Index& index) {
  for (const model::Prior& prior : beliefs.priors()) {
    if (!prior.is_symmetric()) continue;
    for (std::uint32_t more = 1; more <= budget; ++more) {
      for (std::uint32_t fewer = 0; fewer < more && more + fewer <= budget; ++fewer) {
        if (quantised(index({&prior, {more, fewer}})) != quantised(index({&prior, {fewer, more}})))
          return false;
      }
    }
  }
  return true;
}

/// The value of several tied choices.
double value_of_tie(const std::vector<std::uint32_t>& tied, const Values& choices, TieBreak rule,
                    Ties ties) {
  double sum = 0, best = 0;
  for (const std::uint32_t place : tied) {
    sum += choices[place];
    best = std::max(best, choices[place]);
  }
  if (ties == Ties::at_best) return best;
  return rule == TieBreak::first ? choices[tied.front()] : sum / static_cast<double>(tied.size());
}

Rule ranking_rule(const StateSpace& space, const Ranking& ranking, Ties ties) {
  return [&space, ties, rule = ranking.ties, index = index_of_types(space, ranking.index),
          values = Values()](const State& state, const Values& choices) mutable {
    values.resize(state.size());
    for (std::uint32_t place = 0; place < state.size(); ++place) {
      values[place] = index[space.group_of(place)][state[place]];
    }
    return value_of_tie(best_candidates(values), choices, rule, ties);
  };
}

/// Reports how many states are done, in steps.
class Meter {
 public:
  Meter(const StateSpace& space, Progress* progress) : progress_(progress) {
    if (!progress) return;
    for (std::uint64_t t = 0; t < space.budget(); ++t) progress->total += space.size(t);
  }
  void count() {
    if (++done_ % kStep == 0 && progress_) progress_->done += kStep;
  }

 private:
  static constexpr std::uint64_t kStep = 1024;
  Progress* progress_;
  std::uint64_t done_ = 0;
};

Values layer_values(const StateSpace& space, std::uint64_t t, const Values& later, const Rule& rule,
                    Meter& meter) {
  Values values;
  values.reserve(space.size(t));
  State state = space.first(t);
  Values choices;
  do {
    fill_choices(space, state, t, later, choices);
    values.push_back(rule(state, choices));
    meter.count();
  } while (space.next(state));
  return values;
}

/// The value of the start under a rule.
double value_at_start(const StateSpace& space, const Rule& rule, Progress* progress) {
  if (space.budget() == 0) return accuracy_now(space, space.first(0)) / space.item_count();
  Meter meter(space, progress);
  Values later;
  for (std::uint64_t t = space.budget(); t-- > 0;)
    later = layer_values(space, t, later, rule, meter);
  return later.front() / space.item_count();
}

/// Values of asking each item, in order of items.
Values choices_by_item(const StateSpace& space, const Beliefs& beliefs, std::uint64_t t,
                       const Values& later) {
  std::vector<Counts> counts(beliefs.item_count());
  for (std::uint32_t i = 0; i < counts.size(); ++i) counts[i] = beliefs.counts(ItemId{i});
  std::vector<std::uint32_t> place_of;
  const State state = space.state_of(counts, place_of);
  Values by_place;
  fill_choices(space, state, t, later, by_place);
  Values by_item(by_place.size());
  for (std::size_t item = 0; item < by_item.size(); ++item)
    by_item[item] = by_place[place_of[item]];
  return by_item;
}

/// The optimal values of all layers.
class DpTables {
 public:
  using Beliefs = model::Beliefs;
  using Start = std::vector<std::pair<model::Prior, Counts>>;

  static Start start_of(const Beliefs& beliefs) {
    Start start;
    for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
      const model::ItemBelief belief = beliefs[ItemId{i}];
      start.emplace_back(*belief.prior, belief.counts);
    }
    return start;
  }
  static Result<std::shared_ptr<const DpTables>> create(const Beliefs& beliefs,
                                                        std::uint64_t budget) {
    return checked_space(beliefs, budget, {}, true).map([](StateSpace space) {
      return std::shared_ptr<const DpTables>(new DpTables(std::move(space)));
    });
  }

  /// Value of asking each item in a state reached from the start by t labels.
  Values choices(const Beliefs& beliefs, std::uint64_t t) const {
    require(t < space_.budget(), "dp", "labels bought", static_cast<double>(t),
            "expected fewer than the budget");
    return choices_by_item(space_, beliefs, t, layers_[t + 1]);
  }

 private:
  explicit DpTables(StateSpace space) : space_(std::move(space)), layers_(space_.budget() + 1) {
    Meter meter(space_, nullptr);
    for (std::uint64_t t = space_.budget(); t-- > 0;) {
      layers_[t] = layer_values(space_, t, layers_[t + 1], optimal_rule(), meter);
    }
  }

  StateSpace space_;
  std::vector<Values> layers_;
};

class DpPolicy final : public Policy {
 public:
  explicit DpPolicy(TieBreak ties) : ties_(ties) {}

  std::string name() const override { return "dp"; }
  bool has(Form form) const override {
    return form == Form::items || form == Form::multiclass_items;
  }
  bool depends_on_budget() const override { return true; }
  bool plans_ahead() const override { return true; }
  Result<std::unique_ptr<Chooser>> start(const Beliefs& beliefs,
                                         std::uint64_t budget) const override {
    return binary_(beliefs, budget, ties_);
  }
  Result<std::unique_ptr<Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                         std::uint64_t budget) const override {
    return multiclass_(beliefs, budget, ties_);
  }

 private:
  const TieBreak ties_;
  const DpForm<Beliefs> binary_ = dp_form<DpTables>();
  const DpForm<model::MulticlassBeliefs> multiclass_ = multiclass_dp_form();
};

}  // namespace

Result<double> optimal_accuracy(const Beliefs& beliefs, std::uint64_t budget, Progress* progress) {
  return checked_space(beliefs, budget, {}, false).map([&](const StateSpace& space) {
    return value_at_start(space, optimal_rule(), progress);
  });
}

Result<double> policy_accuracy(const Beliefs& beliefs, std::uint64_t budget, const Policy& policy,
                               Ties ties, Progress* progress) {
  if (policy.plans_ahead()) return optimal_accuracy(beliefs, budget, progress);
  const std::optional<Ranking> ranking = policy.ranking(budget);
  if (!ranking) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' has no ranking: its exact value cannot be computed",
                            policy.name()));
  }
  const Sharing sharing{.items = ties == Ties::at_best || ranking->ties == TieBreak::random,
                        .labels = ignores_which_label(beliefs, budget, ranking->index)};
  return checked_space(beliefs, budget, sharing, false).map([&](const StateSpace& space) {
    return value_at_start(space, ranking_rule(space, *ranking, ties), progress);
  });
}

Result<std::vector<double>> accuracy_by_choice(const Beliefs& beliefs, std::uint64_t budget,
                                               Progress* progress) {
  require(budget > 0, "accuracy_by_choice", "budget", 0, "expected at least 1");
  return checked_space(beliefs, budget, {}, false).map([&](const StateSpace& space) {
    Meter meter(space, progress);
    Values later;
    for (std::uint64_t t = budget; t-- > 1;)
      later = layer_values(space, t, later, optimal_rule(), meter);
    Values by_item = choices_by_item(space, beliefs, 0, later);
    for (double& right_answers : by_item) right_answers /= space.item_count();
    return by_item;
  });
}

std::shared_ptr<const Policy> dp_policy(TieBreak ties) { return std::make_shared<DpPolicy>(ties); }

}  // namespace allot::policy
