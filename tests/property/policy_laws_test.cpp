// The paper's theorems about policies, played out.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/aggregate/posterior.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "support/beliefs.hpp"

namespace allot::policy::policy_laws_test {
namespace {

using model::Beliefs;
using model::Prior;

/// Labels that a policy gives to each item, for the given soft labels.
std::vector<std::uint32_t> labels_per_item(std::string_view policy, TieBreak ties,
                                           const std::vector<double>& truth, std::uint64_t budget,
                                           std::uint64_t seed) {
  Beliefs beliefs(static_cast<std::uint32_t>(truth.size()), Prior::uniform());
  const auto chooser = make_policy(policy, ties).value()->start(beliefs, budget).value();
  Rng rng(seed);
  for (std::uint64_t t = 0; t < budget; ++t) {
    const ItemId item = chooser->choose(rng);
    beliefs.record(item, uniform(rng) < truth[position(item)] ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < truth.size(); ++i)
    labels.push_back(beliefs.counts(ItemId{i}).total());
  return labels;
}

std::vector<double> random_truth(std::size_t items) {
  std::vector<double> truth;
  for (std::size_t i = 0; i < items; ++i) truth.push_back(*rc::gen::inRange(0, 101) / 100.0);
  return truth;
}

RC_GTEST_PROP(DeterministicKg, AsksEveryTiedItemOnceAndThenTheFirstForEver,
              ()) {  // [CLZ prop:det_KG]
  const auto items = *rc::gen::inRange<std::size_t>(2, 12);
  const auto labels = labels_per_item("kg", TieBreak::first, random_truth(items), 200,
                                      *rc::gen::arbitrary<std::uint64_t>());
  RC_ASSERT(labels[0] == 200 - (items - 1));
  RC_ASSERT(std::all_of(labels.begin() + 1, labels.end(), [](std::uint32_t n) { return n == 1; }));
}

RC_GTEST_PROP(PessimisticKg, AsksEveryItemOnceAndThenOneForEver, ()) {  // [CLZ prop:pessimistic_KG]
  const auto items = *rc::gen::inRange<std::size_t>(2, 12);
  const auto ties = *rc::gen::element(TieBreak::first, TieBreak::random);
  auto labels = labels_per_item("pessimistic-kg", ties, random_truth(items), 200,
                                *rc::gen::arbitrary<std::uint64_t>());
  if (ties == TieBreak::first) RC_ASSERT(labels[0] == 200 - (items - 1));
  std::ranges::sort(labels, std::greater());
  RC_ASSERT(labels[0] == 200 - (items - 1));
  RC_ASSERT(labels[1] == 1U);
}

RC_GTEST_PROP(OptKg, LabelsEveryItemAgainAndAgain, ()) {  // [CLZ thm:opt_KG]
  const auto items = *rc::gen::inRange<std::size_t>(2, 6);
  const auto truth = random_truth(items);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const std::uint64_t early = 5 * items;
  const std::uint32_t least =
      std::ranges::min(labels_per_item("opt-kg", TieBreak::first, truth, early, seed));
  // An item with m labels has R+ >= 2^-(m+2); one with 2a labels has R+ <= R+(a,a) < 0.29 /
  // sqrt(a). So once some item has enough labels to make this smaller, the item with the fewest
  // labels must have been asked again.
  const auto enough = static_cast<std::uint64_t>(2 * std::pow(0.29 * std::exp2(least + 2), 2)) + 2;
  const auto late = labels_per_item("opt-kg", TieBreak::first, truth, early + items * enough, seed);
  RC_ASSERT(std::ranges::min(late) > least);
}

TEST(OptKg, FindsEveryAnswerWithEnoughLabels) {  // [CLZ thm:opt_KG]
  const std::vector<double> truth{0.05, 0.2, 0.35, 0.4, 0.6, 0.65, 0.8, 1.0};
  Beliefs beliefs(8, Prior::uniform());
  const auto chooser =
      make_policy("opt-kg", TieBreak::random).value()->start(beliefs, 20000).value();
  Rng rng(1);
  for (int t = 0; t < 20000; ++t) {
    const ItemId item = chooser->choose(rng);
    beliefs.record(item, uniform(rng) < truth[position(item)] ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
  const auto positive = aggregate::positive_set(aggregate::posterior_vote(beliefs));
  EXPECT_EQ(positive, (std::vector<ItemId>{ItemId{4}, ItemId{5}, ItemId{6}, ItemId{7}}));
}

RC_GTEST_PROP(Kg, IsOptimalWithOneLabelLeft, ()) {  // [CLZ sec:Opt-KG]
  const auto items = *rc::gen::inRange(1U, 6U);
  Beliefs beliefs(items, *rc::gen::element(Prior::uniform(), Prior::beta(2, 1), Prior::jeffreys()));
  for (std::uint32_t i = 0; i < items; ++i) {
    test::record(beliefs, i, {*rc::gen::inRange(0U, 6U), *rc::gen::inRange(0U, 6U)});
  }
  // The best choice by the definition: the accuracy after either label, weighted.
  const auto confidence = [](const model::ItemBelief& belief) {
    return 1 - model::error_probability(belief);
  };
  double now = 0, gain = 0;
  for (std::uint32_t i = 0; i < items; ++i) {
    const model::ItemBelief belief = beliefs[ItemId{i}];
    const double p = model::chance_positive(belief);
    const double after = p * confidence(belief.after(Label::positive)) +
                         (1 - p) * confidence(belief.after(Label::negative));
    now += confidence(belief);
    gain = std::max(gain, after - confidence(belief));
  }
  const auto kg = make_policy("kg", TieBreak::random).value();
  RC_ASSERT(std::abs(policy_accuracy(beliefs, 1, *kg).value() - (now + gain) / items) < 1e-14);
  RC_ASSERT(std::abs(optimal_accuracy(beliefs, 1).value() - (now + gain) / items) < 1e-14);
}

TEST(EveryPolicy, IsAtMostAsGoodAsDynamicProgramming) {
  const std::vector<Prior> priors{Prior::uniform(),          Prior::jeffreys(),
                                  Prior::beta(4, 1),         Prior::beta(1.5, 2.25),
                                  test::symmetric_mixture(), test::skewed_mixture()};
  for (const Prior& prior : priors) {
    for (std::uint32_t items = 1; items <= 3; ++items) {
      for (std::uint64_t budget = 1; budget <= 6; ++budget) {
        const Beliefs beliefs(items, prior);
        const double optimum = optimal_accuracy(beliefs, budget).value();
        for (const char* name :
             {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.75", "lu", "nlu", "gittins"}) {
          for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
            const double value =
                policy_accuracy(beliefs, budget, *make_policy(name, ties).value()).value();
            EXPECT_LE(value, optimum + 1e-13) << name << " " << items << " " << budget;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace allot::policy::policy_laws_test
