// The lazy choices of pairs and of items are those of the double loop, step by step.
#include <gtest/gtest.h>

#include <map>

#include "allot/model/label_set.hpp"
#include "allot/policy/pair_policy.hpp"
#include "support/crowds.hpp"
#include "support/fixed_crowd.hpp"
#include "support/pair_play.hpp"
#include "support/pair_states.hpp"

namespace allot::pair_choice_test {
namespace {

using index::PairIndex;
using policy::Offers;
using policy::Pair;
using policy::TieBreak;

struct Setting {
  std::string name;
  model::CrowdOptions crowd;
};

std::vector<Setting> settings() {
  using model::Coins;
  using model::Prior;
  using model::Refit;
  const Prior types = Prior::mixture({{0.6, 5, 1}, {0.2, 1, 1}, {0.2, 1, 5}});
  return {
      {"one coin", {Prior::uniform(), Prior::beta(4, 1), Coins::one, Refit::off, 20}},
      {"two coins", {Prior::uniform(), Prior::beta(4, 1), Coins::two, Refit::off, 20}},
      {"skewed", {Prior::beta(1, 3), Prior::beta(2, 1), Coins::two, Refit::off, 20}},
      {"types", {Prior::uniform(), types, Coins::one, Refit::off, 20}},
      {"em", {Prior::uniform(), Prior::beta(4, 1), Coins::two, Refit::em, 7}},
      {"integrated", {Prior::uniform(), Prior::beta(3, 1), Coins::two, Refit::integrated, 7}},
      {"integrated, one coin", {Prior::uniform(), types, Coins::one, Refit::integrated, 1000}},
  };
}

std::map<std::string, PairIndex> indices() {
  return {{"kg", index::pair_kg()},
          {"opt-kg", index::pair_opt_kg()},
          {"pessimistic-kg", index::pair_pessimistic_kg()},
          {"cvar", index::pair_cvar_kg(0.7)},
          {"eig", index::pair_information_gain()},
          {"kg-eig", index::pair_kg_eig()},
          {"even-kg", index::pair_even_kg()},
          {"scout", index::pair_scout()},
          {"label-price", index::pair_label_price()},
          {"lu", index::pair_label_uncertainty()},
          {"least-labelled", index::pair_least_labelled()},
          {"balanced", index::pair_balanced()}};
}

constexpr std::uint32_t kItems = 9, kWorkers = 7;

enum class Prices { none, equal, differ };

/// In cents: few different ones, so that teams have several members, and a dear one.
std::vector<Money> some_prices(Prices prices, std::uint32_t workers) {
  if (prices == Prices::none) return std::vector(workers, kUnitPrice);
  std::vector<Money> result(workers, Money::billionths(70'000'000));
  for (std::uint32_t j = 0; prices == Prices::differ && j < workers; ++j) {
    const std::int64_t cents = j == 2 ? 990 : j % 3 == 0 ? 1 : 7;
    result[j] = Money::billionths(10'000'000 * cents);
  }
  return result;
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

/// Plays a campaign to its end; the number of choices that were compared.
int compare(const Setting& setting, const PairIndex& index, TieBreak ties, bool recorded, bool push,
            std::uint64_t seed, Prices prices = Prices::none) {
  SCOPED_TRACE(setting.name + " " + std::to_string(seed));
  Rng world(seed);
  const auto crowd = test::binary_crowd(setting.crowd, kItems, kWorkers);
  Offers offers = recorded ? some_recorded(world) : Offers::everyone(kItems, kWorkers);
  offers.set_prices(some_prices(prices, kWorkers));
  const auto policy = policy::pair_index_policy("tested", index, ties);
  const auto chooser = policy->start(*crowd, offers);
  const test::PairScan scan(*crowd, offers, index, ties);
  test::PairPlay play(*chooser, scan, seed);
  int choices = 0;
  while (offers.left() > 0) {
    const auto pair = push
                          ? play.push()
                          : play.pull(WorkerId{static_cast<std::uint32_t>(below(world, kWorkers))});
    if (testing::Test::HasFailure()) return choices;
    if (!pair) continue;
    ++choices;
    // Even items are mostly positive; the first worker is mostly wrong, the second says yes.
    const bool truth = position(pair->item) % 2 == 0;
    const double yes = position(pair->worker) == 1   ? 0.95
                       : position(pair->worker) == 0 ? (truth ? 0.2 : 0.8)
                                                     : (truth ? 0.8 : 0.2);
    const Label label = uniform(world) < yes ? Label::positive : Label::negative;
    const bool all = crowd->record(pair->item, pair->worker, model::to_class(label));
    offers.close(*pair);
    chooser->refresh(*pair, all);
  }
  return choices;
}

/// Enough items and workers for shared states, teams and several labels per item.
TEST(PairChoiceAmongMany, IsThatOfTheDoubleLoop) {
  constexpr std::uint32_t kManyItems = 150, kManyWorkers = 25;
  for (const char* name : {"opt-kg", "eig", "scout"}) {
    const PairIndex index = indices().at(name);
    for (const Setting& setting : {settings().front(), settings()[5]}) {
      const Prices prices = name == std::string("eig") ? Prices::none : Prices::differ;
      Rng world(7), fast_rng(8), slow_rng(8);
      const auto crowd = test::binary_crowd(setting.crowd, kManyItems, kManyWorkers);
      Offers offers = Offers::everyone(kManyItems, kManyWorkers);
      offers.set_prices(some_prices(prices, kManyWorkers));
      const auto chooser =
          policy::pair_index_policy("tested", index, TieBreak::random)->start(*crowd, offers);
      const test::PairScan scan(*crowd, offers, index, TieBreak::random);
      for (int step = 0; step < 600; ++step) {
        const Rng before = fast_rng;
        const Pair pair = *chooser->choose(fast_rng);
        if (step % 15 == 0) {
          slow_rng = before;
          ASSERT_EQ(pair, *scan.choose(slow_rng)) << name << " " << setting.name << " " << step;
        }
        const bool truth = position(pair.item) % 2 == 0;
        const double right = 0.5 + 0.02 * position(pair.worker);
        const Label label = (uniform(world) < right) == truth ? Label::positive : Label::negative;
        const bool all = crowd->record(pair.item, pair.worker, model::to_class(label));
        offers.close(pair);
        chooser->refresh(pair, all);
      }
    }
  }
}

/// A few choices with many layers and leaves, and items excluded on the way.
TEST(PairChoiceAmongVeryMany, IsThatOfTheDoubleLoop) {
  constexpr std::uint32_t kManyItems = 110'000, kManyWorkers = 3;
  for (const char* name : {"opt-kg", "eig", "scout"}) {
    const PairIndex index = indices().at(name);
    for (const bool soft : {true, false}) {
      const TieBreak ties = soft ? TieBreak::random : TieBreak::first;
      Rng world(3), fast_rng(4), slow_rng(4);
      std::vector<model::ItemState> items;
      for (std::uint32_t i = 0; i < kManyItems; ++i) {
        items.push_back(soft ? model::ItemState::soft_label(2 + 3 * uniform(world), 4)
                             : model::ItemState::hard_odds(1 + 2 * uniform(world)));
      }
      std::vector<model::Channel> workers;
      for (std::uint32_t j = 0; j < kManyWorkers; ++j) {
        const double s = 0.8 + 0.003 * uniform(world);
        workers.push_back({s, j < 2 ? s : 0.7});
      }
      test::FixedCrowd crowd(items, workers);
      Offers offers = Offers::everyone(kManyItems, kManyWorkers);
      const auto chooser = policy::pair_index_policy("tested", index, ties)->start(crowd, offers);
      const test::PairScan scan(crowd, offers, index, ties);
      for (std::uint32_t step = 0; step < 4; ++step) {
        const WorkerId worker{step % kManyWorkers};
        const auto item = chooser->choose(worker, fast_rng);
        ASSERT_EQ(item, scan.choose(worker, slow_rng)) << name << " " << soft << " " << step;
        if (step % 2 == 0) {
          const Pair pair{*item, worker};
          const bool all = crowd.record(pair.item, worker, ClassId{0});
          offers.close(pair);
          chooser->refresh(pair, all);
        } else {
          offers.exclude(*item);
          chooser->exclude(*item);
        }
      }
    }
  }
}

/// Items and workers go out of the offers between labels, with prices and without.
TEST(PairChoiceWithExclusions, IsThatOfTheDoubleLoop) {
  for (const auto& [name, index] : indices()) {
    for (const Setting& setting : settings()) {
      for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
        Rng world(7), fast_rng(8), slow_rng(8);
        const auto crowd = test::binary_crowd(setting.crowd, kItems, kWorkers);
        Offers offers =
            ties == TieBreak::first ? Offers::everyone(kItems, kWorkers) : some_recorded(world);
        const Prices prices = name.size() % 2 == 0 ? Prices::none : Prices::differ;
        offers.set_prices(some_prices(prices, kWorkers));
        const auto chooser =
            policy::pair_index_policy("tested", index, ties)->start(*crowd, offers);
        const test::PairScan scan(*crowd, offers, index, ties);
        while (const auto pair = chooser->choose(fast_rng)) {
          ASSERT_EQ(pair, scan.choose(slow_rng)) << name << " " << setting.name;
          const Label label = uniform(world) < 0.6 ? Label::positive : Label::negative;
          const bool all = crowd->record(pair->item, pair->worker, model::to_class(label));
          offers.close(*pair);
          chooser->refresh(*pair, all);
          const std::uint64_t n = below(world, 40);
          if (n < kItems) {
            const ItemId item{static_cast<std::uint32_t>(n)};
            offers.exclude(item);
            chooser->exclude(item);
          } else if (n >= 38) {
            const WorkerId worker{static_cast<std::uint32_t>(below(world, kWorkers))};
            offers.exclude(worker);
            chooser->exclude(worker);
          }
        }
        EXPECT_EQ(offers.left(), 0U);
      }
    }
  }
}

class PairChoice : public testing::TestWithParam<std::string> {};

TEST_P(PairChoice, IsThatOfTheDoubleLoop) {
  const PairIndex index = indices().at(GetParam());
  int choices = 0;
  for (const Setting& setting : settings()) {
    for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
      for (const bool recorded : {false, true}) {
        for (const bool push : {false, true}) {
          for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            choices += compare(setting, index, ties, recorded, push, seed);
            if (HasFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(choices, 10'000);
}

TEST_P(PairChoice, IsThatOfTheDoubleLoopWithPrices) {
  const PairIndex index = indices().at(GetParam());
  for (const Setting& setting : settings()) {
    for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
      for (const bool recorded : {false, true}) {
        for (const bool push : {false, true}) {
          compare(setting, index, ties, recorded, push, 5, Prices::differ);
          ASSERT_FALSE(HasFailure());
        }
      }
    }
  }
}

/// Pairs in the order in which a campaign asks them.
std::vector<Pair> asked_pairs(const Setting& setting, const PairIndex& index, TieBreak ties,
                              Prices prices) {
  Rng world(1), rng(2);
  const auto crowd = test::binary_crowd(setting.crowd, kItems, kWorkers);
  Offers offers = Offers::everyone(kItems, kWorkers);
  if (prices != Prices::none) offers.set_prices(some_prices(prices, kWorkers));
  const auto chooser = policy::pair_index_policy("tested", index, ties)->start(*crowd, offers);
  std::vector<Pair> asked;
  while (const auto pair = chooser->choose(rng)) {
    asked.push_back(*pair);
    const Label label = uniform(world) < 0.6 ? Label::positive : Label::negative;
    const bool all = crowd->record(pair->item, pair->worker, model::to_class(label));
    offers.close(*pair);
    chooser->refresh(*pair, all);
  }
  return asked;
}

TEST_P(PairChoice, IsAsBeforeWithEqualPrices) {
  const PairIndex index = indices().at(GetParam());
  for (const Setting& setting : settings()) {
    for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
      const auto before = asked_pairs(setting, index, ties, Prices::none);
      ASSERT_EQ(asked_pairs(setting, index, ties, Prices::equal), before) << setting.name;
      if (index.is_gain) continue;
      ASSERT_EQ(asked_pairs(setting, index, ties, Prices::differ), before) << "prices do not count";
    }
  }
}

/// Known workers and items from everywhere.
test::FixedCrowd extreme_crowd(Rng& rng, bool soft) {
  std::vector<model::ItemState> items;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    items.push_back(soft ? test::random_soft_item(rng) : test::random_class_item(rng));
  }
  std::vector<model::Channel> workers;
  for (std::uint32_t j = 0; j < kWorkers; ++j) workers.push_back(test::random_channel(rng));
  return {items, workers};
}

TEST_P(PairChoice, IsThatOfTheDoubleLoopInExtremeStates) {
  const PairIndex index = indices().at(GetParam());
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const TieBreak ties = seed % 2 == 0 ? TieBreak::first : TieBreak::random;
    SCOPED_TRACE(seed);
    Rng world(seed);
    test::FixedCrowd crowd = extreme_crowd(world, seed % 4 < 2);
    Offers offers = Offers::everyone(kItems, kWorkers);
    offers.set_prices(some_prices(seed % 8 < 4 ? Prices::none : Prices::differ, kWorkers));
    const auto policy = policy::pair_index_policy("tested", index, ties);
    const auto chooser = policy->start(crowd, offers);
    const test::PairScan scan(crowd, offers, index, ties);
    test::PairPlay play(*chooser, scan, seed);
    for (int n = 0; n < 6; ++n) {
      for (std::uint32_t j = 0; j < kWorkers; ++j) play.pull(WorkerId{j});
      const auto pair = play.push();
      ASSERT_FALSE(HasFailure()) << n;
      // A label that can come, so that items stay within reason.
      const double yes = chance_positive(crowd[pair->item], crowd[pair->worker].mean);
      const Label label = uniform(world) < yes ? Label::positive : Label::negative;
      const bool all = crowd.record(pair->item, pair->worker, model::to_class(label));
      offers.close(*pair);
      chooser->refresh(*pair, all);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Indices, PairChoice,
                         testing::Values("kg", "opt-kg", "pessimistic-kg", "cvar", "eig", "scout",
                                         "lu", "least-labelled", "balanced"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace allot::pair_choice_test
