// The lazy choices of pairs and of items are those of the double loop, step by step, where items
// have several classes.
#include <gtest/gtest.h>

#include <map>

#include "allot/policy/pair_policy.hpp"
#include "allot/policy/registry.hpp"
#include "support/crowds.hpp"
#include "support/pair_play.hpp"

namespace allot::multiclass_pair_choice_test {
namespace {

using index::MulticlassPairIndex;
using policy::Offers;
using policy::Pair;
using policy::TieBreak;

constexpr std::uint32_t kItems = 11, kWorkers = 6, kClasses = 3;

struct Way {
  std::string name;
  model::CrowdOptions crowd;
};

std::vector<Way> ways() {
  using model::Coins;
  using model::Prior;
  using model::Refit;
  const auto way = [](std::string name, std::vector<double> prior, Coins coins, Refit refit) {
    model::CrowdOptions options;
    options.item_prior = model::DirichletPrior::dirichlet(std::move(prior));
    options.coins = coins;
    options.refit = refit;
    options.refit_every = 7;
    return Way{std::move(name), options};
  };
  return {way("one pass, one coin", {1, 1, 1}, Coins::one, Refit::off),
          way("one pass, tables", {1, 2, 0.5}, Coins::two, Refit::off),
          way("refitted, one coin", {1, 1, 1}, Coins::one, Refit::em),
          way("refitted, tables", {1, 2, 0.5}, Coins::two, Refit::em),
          way("refitted, pooled", {1, 2, 0.5}, Coins::two, Refit::pooled)};
}

std::map<std::string, MulticlassPairIndex> indices() {
  return {{"kg", index::multiclass_pair_kg()},
          {"opt-kg", index::multiclass_pair_opt_kg()},
          {"pessimistic-kg", index::multiclass_pair_pessimistic_kg()},
          {"cvar", index::multiclass_pair_cvar_kg(0.7)},
          {"eig", index::multiclass_pair_information_gain()},
          {"kg-eig", index::multiclass_pair_kg_eig()},
          {"lu", index::multiclass_pair_label_uncertainty()},
          {"least-labelled", index::multiclass_pair_least_labelled()}};
}

Offers some_recorded(Rng& rng) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      if (below(rng, 3) > 0) pairs.push_back({ItemId{i}, WorkerId{j}});
    }
  }
  return Offers::recorded(kItems, kWorkers, pairs);
}

/// Workers are right three times out of four, the first always says the next class.
ClassId label_of(const Pair& pair, Rng& rng) {
  const std::uint32_t truth = position(pair.item) % kClasses;
  const double u = uniform(rng);
  if (position(pair.worker) == 0) return ClassId{(truth + 1) % kClasses};
  return ClassId{u < 0.75 ? truth : static_cast<std::uint32_t>(below(rng, kClasses))};
}

/// Few different ones, in cents.
std::vector<Money> some_prices() {
  std::vector<Money> prices;
  for (const std::int64_t cents : {7, 1, 50, 7, 1, 7})
    prices.push_back(Money::billionths(cents * 10'000'000));
  return prices;
}

/// Plays a campaign to its end; the number of choices that were compared.
int compare(const Way& way, const MulticlassPairIndex& index, TieBreak ties, bool recorded,
            bool push, std::uint64_t seed, bool prices = false) {
  SCOPED_TRACE(way.name + " " + std::to_string(seed));
  Rng world(seed);
  const auto crowd = test::multiclass_crowd(way.crowd, kItems, kWorkers);
  Offers offers = recorded ? some_recorded(world) : Offers::everyone(kItems, kWorkers);
  if (prices) offers.set_prices(some_prices());
  const auto policy = policy::pair_index_policy("tested", {index::pair_kg(), index}, ties);
  const auto chooser = policy->start(*crowd, offers);
  const test::PairScan scan(*crowd, offers, index, ties);
  test::PairPlay play(*chooser, scan, seed);
  int choices = 0;
  bool excluded = false;
  while (offers.left() > 0) {
    if (choices == 20 && !excluded) {
      excluded = true;
      offers.exclude(ItemId{4});
      chooser->exclude(ItemId{4});
      if (prices) {
        offers.exclude(WorkerId{3});
        chooser->exclude(WorkerId{3});
      }
      continue;
    }
    const auto pair = push
                          ? play.push()
                          : play.pull(WorkerId{static_cast<std::uint32_t>(below(world, kWorkers))});
    if (testing::Test::HasFailure()) return choices;
    if (!pair) continue;
    ++choices;
    const bool all = crowd->record(pair->item, pair->worker, label_of(*pair, world));
    offers.close(*pair);
    chooser->refresh(*pair, all);
  }
  return choices;
}

class MulticlassPairChoice : public testing::TestWithParam<std::string> {};

TEST_P(MulticlassPairChoice, IsThatOfTheDoubleLoop) {
  const MulticlassPairIndex index = indices().at(GetParam());
  int choices = 0;
  for (const Way& way : ways()) {
    for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
      for (const bool recorded : {false, true}) {
        for (const bool push : {false, true}) {
          // Soft labels take integrals, which are expensive.
          const bool soft = way.crowd.refit == model::Refit::off;
          for (std::uint64_t seed = 1; seed <= (soft ? 1U : 4U); ++seed) {
            choices += compare(way, index, ties, recorded, push, seed);
            ASSERT_FALSE(HasFailure());
          }
        }
      }
    }
  }
  EXPECT_GT(choices, 3000);
}

TEST_P(MulticlassPairChoice, IsThatOfTheDoubleLoopWithPrices) {
  const MulticlassPairIndex index = indices().at(GetParam());
  for (const Way& way : ways()) {
    for (const bool recorded : {false, true}) {
      const TieBreak ties = recorded ? TieBreak::first : TieBreak::random;
      for (const bool push : {false, true}) {
        compare(way, index, ties, recorded, push, 3, true);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, MulticlassPairChoice,
                         testing::Values("kg", "opt-kg", "pessimistic-kg", "cvar", "eig", "lu",
                                         "least-labelled"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(MulticlassPairPolicies, AreNamedAsThoseForYesNoItems) {
  const auto crowd = test::multiclass_crowd(ways().back().crowd, 2, 2);
  const Offers offers = Offers::everyone(2, 2);
  for (const char* name :
       {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.5", "eig", "lu", "least-labelled"}) {
    const auto policy = policy::make_policy(name, TieBreak::random).value();
    EXPECT_TRUE(policy->has(policy::Form::multiclass_pairs)) << name;
    Rng rng(1);
    EXPECT_TRUE(policy->start(*crowd, offers)->choose(rng)) << name;
  }
  for (const char* name : {"scout", "kos"}) {
    const auto policy = policy::make_policy(name, TieBreak::random).value();
    EXPECT_FALSE(policy->has(policy::Form::multiclass_pairs)) << name;
    EXPECT_THROW(policy->start(*crowd, offers), std::invalid_argument) << name;
  }
}

}  // namespace
}  // namespace allot::multiclass_pair_choice_test
