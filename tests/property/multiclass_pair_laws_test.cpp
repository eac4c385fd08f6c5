// What a label through a worker's table is worth where items have several classes: against the
// plain definitions, against two classes, and what it means for spammers and workers who mix up
// classes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/pair_index.hpp"
#include "support/pair_states.hpp"

namespace allot::index::multiclass_pair_laws_test {
namespace {

struct State {
  std::vector<double> classes;
  std::vector<double> table;
  bool soft;

  MulticlassItemView item() const { return {classes, soft, 0}; }
  std::size_t count() const { return classes.size(); }
};

std::vector<double> random_shares(Rng& rng, std::size_t count) {
  std::vector<double> shares;
  for (std::size_t k = 0; k < count; ++k) shares.push_back(test::log_uniform(rng, 1e-4, 1));
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= all;
  return shares;
}

State random_state(Rng& rng, bool soft) {
  State state{{}, {}, soft};
  const std::size_t count = 2 + below(rng, 4);
  if (soft) {
    for (std::size_t k = 0; k < count; ++k)
      state.classes.push_back(test::log_uniform(rng, 0.3, 30));
  } else {
    state.classes = random_shares(rng, count);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> row = random_shares(rng, count);
    state.table.insert(state.table.end(), row.begin(), row.end());
  }
  return state;
}

template <typename Check>
void for_many_states(std::uint64_t seed, int states, Check check) {
  Rng rng(seed);
  for (int i = 0; i < states; ++i) check(rng);
}

/// Pr(class, label), by the definition.
double both(const State& state, std::size_t k, std::size_t y) {
  return state.classes[k] * state.table[k * state.count() + y];
}

RC_GTEST_PROP(MulticlassPairReward, OfAnItemOfOneClassIsTheChangeOfItsLargestProbability,
              (std::uint64_t seed)) {
  for_many_states(seed, 200, [](Rng& rng) {
    const State state = random_state(rng, false);
    const MulticlassReward reward = multiclass_reward(state.item(), state.table);
    double expected = 0;
    for (std::size_t y = 0; y < state.count(); ++y) {
      double chance = 0, best = 0;
      for (std::size_t k = 0; k < state.count(); ++k) {
        chance += both(state, k, y);
        best = std::max(best, both(state, k, y));
      }
      const double gain = best / chance - std::ranges::max(state.classes);
      RC_ASSERT(std::abs(reward.chance[y] - chance) <= 1e-15);
      RC_ASSERT(std::abs(reward.if_label[y] - gain) <= 1e-14);
      expected += chance * gain;
    }
    RC_ASSERT(reward.expected >= 0);
    RC_ASSERT(std::abs(reward.expected - expected) <= 1e-14);
  });
}

RC_GTEST_PROP(MulticlassPairReward, OfAPerfectWorkerIsThatOfAlikeWorkers, (std::uint64_t seed)) {
  for_many_states(seed, 10, [](Rng& rng) {
    State state = random_state(rng, true);
    for (std::size_t k = 0; k < state.count(); ++k) {
      for (std::size_t y = 0; y < state.count(); ++y) state.table[k * state.count() + y] = k == y;
    }
    const MulticlassReward reward = multiclass_reward(state.item(), state.table);
    const MulticlassReward wanted = multiclass_reward(model::DirichletBelief{state.classes});
    for (std::size_t y = 0; y < state.count(); ++y) {
      RC_ASSERT(std::abs(reward.if_label[y] - wanted.if_label[y]) <= 1e-12);
      RC_ASSERT(std::abs(reward.chance[y] - wanted.chance[y]) <= 1e-15);
    }
  });
}

RC_GTEST_PROP(MulticlassPairReward, OfTwoClassesIsThatOfAYesNoItem, (std::uint64_t seed)) {
  for_many_states(seed, 100, [](Rng& rng) {
    State state = random_state(rng, below(rng, 2) == 0);
    state.classes.resize(2);
    const double s = uniform(rng), t = uniform(rng);
    state.table = {t, 1 - t, 1 - s, s};
    const double all = state.soft ? 1 : state.classes[0] + state.classes[1];
    for (double& one : state.classes) one /= all;
    const model::ItemState item{{state.classes[1], state.classes[0]}, state.soft};
    const Reward wanted = reward(item, {s, t});
    const MulticlassReward found = multiclass_reward(state.item(), state.table);
    RC_ASSERT(std::abs(found.if_label[1] - wanted.if_positive) <= 1e-12);
    RC_ASSERT(std::abs(found.if_label[0] - wanted.if_negative) <= 1e-12);
    RC_ASSERT(std::abs(found.expected - wanted.expected) <= 1e-12);
    RC_ASSERT(std::abs(information_gain(state.item(), state.table) -
                       information_gain(item, model::Channel{s, t})) <= 1e-12);
  });
}

RC_GTEST_PROP(MulticlassInformationGain, IsTheMutualInformationOfClassAndLabel,
              (std::uint64_t seed)) {
  for_many_states(seed, 200, [](Rng& rng) {
    const State state = random_state(rng, false);
    double wanted = 0;
    for (std::size_t y = 0; y < state.count(); ++y) {
      double chance = 0;
      for (std::size_t k = 0; k < state.count(); ++k) chance += both(state, k, y);
      for (std::size_t k = 0; k < state.count(); ++k) {
        wanted += both(state, k, y) * std::log(state.table[k * state.count() + y] / chance);
      }
    }
    RC_ASSERT(std::abs(information_gain(state.item(), state.table) - wanted) <= 1e-13);
  });
}

double entropy(const std::vector<double>& shares) {
  double result = 0;
  for (const double share : shares) result -= share > 0 ? share * std::log(share) : 0;
  return result;
}

/// Whatever the label, a perfect worker's label k comes behind it with its share of the joint
/// chances, and the class's probabilities are mixed so.
RC_GTEST_PROP(MulticlassInformationGain, OfSoftLabelsMixesWhatAPerfectWorkerWouldLeave,
              (std::uint64_t seed)) {
  for_many_states(seed, 10, [](Rng& rng) {
    State state = random_state(rng, true);
    // Also where a pseudo-count is next to nothing beside the label.
    if (below(rng, 2) == 0) state.classes.back() = 1e-6;
    const std::vector<double> shares = model::chances({state.classes});
    double wanted = entropy(model::class_probabilities({state.classes}));
    for (std::size_t y = 0; y < state.count(); ++y) {
      double chance = 0;
      std::vector<double> mixed(state.count());
      for (std::uint32_t k = 0; k < state.count(); ++k) {
        const double both = shares[k] * state.table[k * state.count() + y];
        const model::DirichletBelief next = model::DirichletBelief{state.classes}.after(ClassId{k});
        const std::vector<double> win = model::class_probabilities(next);
        for (std::size_t c = 0; c < state.count(); ++c) mixed[c] += both * win[c];
        chance += both;
      }
      for (double& one : mixed) one /= chance;
      wanted -= chance * entropy(mixed);
    }
    RC_ASSERT(std::abs(information_gain(state.item(), state.table) - std::max(wanted, 0.0)) <=
              1e-12);
  });
}

RC_GTEST_PROP(MulticlassPairIndex, OfASpammerIsZero, (std::uint64_t seed)) {
  for_many_states(seed, 20, [](Rng& rng) {
    State state = random_state(rng, below(rng, 2) == 0);
    for (std::size_t at = 0; at < state.table.size(); ++at) {
      state.table[at] = state.table[at % state.count()];
    }
    const MulticlassReward reward = multiclass_reward(state.item(), state.table);
    for (const double one : reward.if_label) RC_ASSERT(one == 0);
    RC_ASSERT(reward.expected == 0);
    RC_ASSERT(information_gain(state.item(), state.table) == 0);
  });
}

/// A worker who always says the class after the true one is as good as a perfect one.
RC_GTEST_PROP(MulticlassPairIndex, IsTheSameForAWorkerWhoRenamesTheClasses, (std::uint64_t seed)) {
  for_many_states(seed, 20, [](Rng& rng) {
    const State state = random_state(rng, below(rng, 2) == 0);
    State renamed = state;
    for (std::size_t k = 0; k < state.count(); ++k) {
      for (std::size_t y = 0; y < state.count(); ++y) {
        renamed.table[k * state.count() + (y + 1) % state.count()] =
            state.table[k * state.count() + y];
      }
    }
    for (const auto& index : {multiclass_pair_kg(), multiclass_pair_opt_kg(),
                              multiclass_pair_pessimistic_kg(), multiclass_pair_cvar_kg(0.4),
                              multiclass_pair_information_gain(), multiclass_pair_kg_eig()}) {
      RC_ASSERT(std::abs(index.value(state.item(), state.table) -
                         index.value(renamed.item(), renamed.table)) <= 1e-12);
    }
  });
}

RC_GTEST_PROP(MulticlassPairIndex, IsNeverAboveThePotentialOfItsItem, (std::uint64_t seed)) {
  for_many_states(seed, 20, [](Rng& rng) {
    const State state = random_state(rng, below(rng, 2) == 0);
    for (const auto& index :
         {multiclass_pair_kg(), multiclass_pair_opt_kg(), multiclass_pair_pessimistic_kg(),
          multiclass_pair_cvar_kg(0.4), multiclass_pair_information_gain(),
          multiclass_pair_kg_eig(), multiclass_pair_label_uncertainty(),
          multiclass_pair_least_labelled()}) {
      const double potential = index.potential(state.item());
      RC_ASSERT(index.value(state.item(), state.table) <= potential * (1 + 1e-14));
    }
  });
}

}  // namespace
}  // namespace allot::index::multiclass_pair_laws_test
