#include "allot/policy/label_worth.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/index/coin_price.hpp"
#include "allot/index/price_table.hpp"
#include "allot/index/stopping.hpp"
#include "support/crowds.hpp"
#include "support/fixed_crowd.hpp"

namespace allot::policy::label_worth_test {
namespace {

using model::Beliefs;
using model::Prior;

/// Two roads: the region in which going on pays at one price, and each state's own price.
TEST(ItemsWorthAsking, AreThoseWhoseLabelPriceIsNotBelowThePrice) {
  constexpr std::uint32_t kDepth = 40;
  for (const Prior& prior : {Prior::uniform(), Prior::beta(4, 1), Prior::beta(2.3, 1.7),
                             Prior::mixture({{0.6, 5, 1}, {0.4, 1, 5}})}) {
    Beliefs beliefs((kDepth + 1) * (kDepth + 2) / 2, prior);  // an item a state
    std::uint32_t item = 0;
    for (std::uint32_t n = 0; n <= kDepth; ++n) {
      for (std::uint32_t k = 0; k <= n; ++k, ++item) {
        for (std::uint32_t i = 0; i < n; ++i)
          beliefs.record(ItemId{item}, i < k ? Label::positive : Label::negative);
      }
    }
    const std::vector<double> nu = index::label_price_table(prior, kDepth, 1e-9, 1e-3);
    for (const double price : {0.05, 0.004, 0.0015}) {
      ItemsWorthAsking worth(beliefs, price);
      for (std::uint32_t i = 0; i < nu.size(); ++i) {
        if (std::abs(nu[i] - price) < 1e-8) continue;
        ASSERT_EQ(worth.is_worth(ItemId{i}), nu[i] > price) << price << " " << i << " " << nu[i];
      }
    }
  }
}

/// At a price of 0.01 an item is asked until the rule of the lattice says stop, and not once more.
TEST(ItemsWorthAsking, StopWhereTheLatticeStops) {
  constexpr double kPrice = 0.01;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Beliefs beliefs(1, Prior::uniform());
    ItemsWorthAsking worth(beliefs, kPrice);
    index::StoppingLattice lattice(Prior::uniform());
    for (int n = 0; n < 60; ++n) {
      const std::array states{beliefs.counts(ItemId{0})};
      ASSERT_EQ(worth.any(), lattice.values(kPrice, states).front().labels > 0);
      beliefs.record(ItemId{0}, uniform(rng) < 0.55 ? Label::positive : Label::negative);
      worth.refresh(ItemId{0});
    }
  }
}

TEST(ItemsWorthAsking, AreCountedOneByOne) {
  Beliefs beliefs(3, Prior::uniform());
  ItemsWorthAsking worth(beliefs, 0.02);
  Rng rng(5);
  std::vector<bool> excluded(3);
  for (int n = 0; n < 60; ++n) {
    const auto item = static_cast<std::uint32_t>(below(rng, 3));
    beliefs.record(ItemId{item}, below(rng, 3) > 0 ? Label::positive : Label::negative);
    worth.refresh(ItemId{item});
    if (n == 20) {
      excluded[1] = true;
      worth.exclude(ItemId{1});
    }
    bool any = false;
    for (std::uint32_t i = 0; i < 3; ++i) any = any || (!excluded[i] && worth.is_worth(ItemId{i}));
    ASSERT_EQ(worth.any(), any);
  }
  beliefs.set_prior(Prior::beta(30, 1));
  worth.refresh_all();
  EXPECT_FALSE(worth.any());
}

TEST(ItemsWorthAsking, MayShareTheirRegion) {
  const auto region = std::make_shared<WorthRegion>(Prior::uniform(), 0.02);
  const Beliefs own(1, Prior::uniform()), other(1, Prior::beta(30, 1));
  EXPECT_TRUE(ItemsWorthAsking(own, region).any());
  EXPECT_FALSE(ItemsWorthAsking(other, region).any()) << "another prior has a region of its own";
  EXPECT_TRUE(region->contains({700, 700}) == region->contains({700, 699})) << "never that far";
}

TEST(ItemsWorthAsking, AreNoneIfALabelCostsMoreThanItCanGain) {
  Beliefs beliefs(3, Prior::uniform());
  EXPECT_FALSE(ItemsWorthAsking(beliefs, 0.51).any());
  EXPECT_TRUE(ItemsWorthAsking(beliefs, 0.2).any());
  EXPECT_THROW(ItemsWorthAsking(beliefs, 0), std::invalid_argument);
}

/// The double loop over all open pairs.
bool any_pair(const model::BinaryCrowd& crowd, const Offers& offers, Money worth) {
  for (std::uint32_t i = 0; i < offers.item_count(); ++i) {
    for (std::uint32_t j = 0; j < offers.worker_count(); ++j) {
      if (!offers.is_open({ItemId{i}, WorkerId{j}})) continue;
      const double error = error_probability(crowd[ItemId{i}]);
      const auto [s, t] = crowd[WorkerId{j}].mean;
      const double nu = index::coin_label_price(std::log((1 - error) / error), (s + t) / 2);
      if (nu >= ratio(offers.price(WorkerId{j}), worth)) return true;
    }
  }
  return false;
}

TEST(PairsWorthAsking, AreThoseOfTheDoubleLoop) {
  constexpr std::uint32_t kItems = 6, kWorkers = 4;
  const std::vector<Money> prices{kUnitPrice, kUnitPrice * 3, kUnitPrice, kUnitPrice * 20};
  int stopped = 0, left = 0;
  for (const model::Refit refit : {model::Refit::off, model::Refit::em, model::Refit::integrated}) {
    for (const bool recorded : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Rng rng(seed);
        const auto crowd = test::binary_crowd(
            {Prior::uniform(), Prior::beta(4, 1), model::Coins::two, refit, 5}, kItems, kWorkers);
        std::vector<Pair> pairs;
        for (std::uint32_t i = 0; i < kItems; ++i) {
          for (std::uint32_t j = 0; j < kWorkers; ++j) pairs.push_back({ItemId{i}, WorkerId{j}});
        }
        Offers offers = recorded ? Offers::recorded(kItems, kWorkers, pairs)
                                 : Offers::everyone(kItems, kWorkers);
        offers.set_prices(prices);
        const Money worth = Money::whole(15 + 10 * seed);
        PairsWorthAsking any(*crowd, offers, worth);
        while (offers.left() > 0) {
          ASSERT_EQ(any.any(), any_pair(*crowd, offers, worth));
          (any.any() ? left : stopped) += 1;
          const Pair pair = pairs[below(rng, pairs.size())];
          if (!offers.is_open(pair)) continue;
          const bool positive = (position(pair.item) % 2 == 0) == (uniform(rng) < 0.9);
          const bool all = crowd->record(pair.item, pair.worker, ClassId{positive ? 1U : 0U});
          offers.close(pair);
          if (all) {
            any.refresh_all();
          } else {
            any.refresh(pair);
          }
          if (below(rng, 20) == 0) offers.exclude(pair.item);
          if (below(rng, 20) == 0) offers.exclude(pair.worker);
        }
        EXPECT_FALSE(any.any());
      }
    }
  }
  EXPECT_GT(stopped, 100);
  EXPECT_GT(left, 100);
}

TEST(PairsWorthAsking, AreNoneWhoSayNothing) {
  test::FixedCrowd crowd({model::ItemState::hard_odds(0)}, {{0.5, 0.5}, {0.5 + 1e-12, 0.5}});
  const Offers offers = Offers::everyone(1, 2);
  EXPECT_FALSE(PairsWorthAsking(crowd, offers, Money::whole(1'000'000)).any());
}

}  // namespace
}  // namespace allot::policy::label_worth_test
