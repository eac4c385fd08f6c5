#include "allot/policy/offers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allot/base/rng.hpp"

namespace allot::policy::offers_test {
namespace {

Pair pair(std::uint32_t item, std::uint32_t worker) { return {ItemId{item}, WorkerId{worker}}; }

TEST(Offers, ToEveryoneAreAllPairs) {
  const Offers offers = Offers::everyone(3, 2);
  EXPECT_FALSE(offers.is_recorded());
  EXPECT_EQ(offers.item_count(), 3U);
  EXPECT_EQ(offers.worker_count(), 2U);
  EXPECT_EQ(offers.left(), 6U);
  EXPECT_EQ(offers.left(WorkerId{1}), 3U);
  EXPECT_TRUE(offers.is_open(pair(2, 1)));
}

TEST(Offers, RecordedAreThoseOfTheFile) {
  const Offers offers = Offers::recorded(4, 3, std::vector{pair(3, 1), pair(0, 1), pair(2, 0)});
  EXPECT_TRUE(offers.is_recorded());
  EXPECT_EQ(offers.left(), 3U);
  EXPECT_EQ(offers.left(WorkerId{1}), 2U);
  EXPECT_EQ(offers.left(WorkerId{2}), 0U);
  EXPECT_TRUE(offers.is_open(pair(0, 1)));
  EXPECT_FALSE(offers.is_open(pair(1, 1)));
  EXPECT_EQ(offers.open_item(WorkerId{1}, 0), ItemId{0});
  EXPECT_EQ(offers.open_item(WorkerId{1}, 1), ItemId{3});
}

TEST(Offers, RefuseARepeatedPair) {
  EXPECT_THROW(Offers::recorded(2, 1, std::vector{pair(1, 0), pair(1, 0)}), std::invalid_argument);
}

TEST(Offers, AreMadeOnce) {
  Offers offers = Offers::everyone(2, 2);
  offers.close(pair(1, 0));
  EXPECT_FALSE(offers.is_open(pair(1, 0)));
  EXPECT_TRUE(offers.is_open(pair(1, 1)));
  EXPECT_EQ(offers.left(), 3U);
  EXPECT_EQ(offers.labels(ItemId{1}), 1U);
  EXPECT_EQ(offers.labels(ItemId{0}), 0U);
  EXPECT_EQ(offers.labels(WorkerId{0}), 1U);
  EXPECT_EQ(offers.labels(WorkerId{1}), 0U);
  EXPECT_THROW(offers.close(pair(1, 0)), std::invalid_argument);
  Offers recorded = Offers::recorded(2, 2, std::vector{pair(0, 0)});
  EXPECT_THROW(recorded.close(pair(1, 0)), std::invalid_argument);
  recorded.close(pair(0, 0));
  EXPECT_THROW(recorded.close(pair(0, 0)), std::invalid_argument);
}

TEST(Offers, OfAnExcludedWorkerAreGoneAndCountAsNoLabels) {
  const std::vector<Pair> pairs{pair(0, 0), pair(1, 0), pair(2, 0), pair(1, 1), pair(2, 1)};
  for (Offers offers : {Offers::everyone(3, 2), Offers::recorded(3, 2, pairs)}) {
    const std::uint64_t others = offers.left() - 3;
    const std::uint32_t closed = offers.closed(ItemId{2});
    offers.close(pair(1, 0));
    offers.exclude(WorkerId{0});
    EXPECT_EQ(offers.left(), others);
    EXPECT_EQ(offers.left(WorkerId{0}), 0U);
    EXPECT_FALSE(offers.is_open(pair(2, 0)));
    EXPECT_TRUE(offers.is_open(pair(2, 1)));
    EXPECT_EQ(offers.closed(ItemId{1}), 1U);
    EXPECT_EQ(offers.closed(ItemId{2}), closed + 1);
    EXPECT_EQ(offers.labels(WorkerId{0}), 1U);
    offers.exclude(WorkerId{0});
    EXPECT_EQ(offers.left(), others) << "once is enough";
    offers.exclude(ItemId{2});
    EXPECT_EQ(offers.left(), others - 1);
  }
}

TEST(Offers, HavePricesInTermsOfTheLowest) {
  Offers offers = Offers::everyone(3, 2);
  EXPECT_EQ(offers.price(WorkerId{1}), kUnitPrice);
  EXPECT_EQ(offers.relative_price(WorkerId{1}), 1);
  offers.set_prices({Money::billionths(80'000'000), Money::billionths(1'000'000)});
  EXPECT_EQ(offers.price(WorkerId{0}), Money::billionths(80'000'000));
  EXPECT_EQ(offers.relative_price(WorkerId{0}), 80);
  EXPECT_EQ(offers.relative_price(WorkerId{1}), 1);
  EXPECT_THROW(offers.set_prices({kUnitPrice}), std::invalid_argument);
  EXPECT_THROW(offers.set_prices({kUnitPrice, Money()}), std::invalid_argument);
}

TEST(Offers, TellWhatMoneyBuysAtTheMeanPrice) {
  Offers offers = Offers::everyone(3, 2);
  EXPECT_EQ(offers.affordable(kUnitPrice * 7), 7U);
  EXPECT_EQ(offers.affordable(Money()), 0U);
  offers.set_prices({kUnitPrice * 3, kUnitPrice});
  EXPECT_EQ(offers.affordable(kUnitPrice * 7), 3U);
  EXPECT_EQ(offers.affordable(kUnitPrice * 8), 4U);
}

TEST(Offers, OfAnExcludedItemAreGoneAndCountAsNoLabels) {
  Offers offers = Offers::everyone(3, 4);
  offers.close(pair(1, 2));
  offers.exclude(ItemId{1});
  EXPECT_EQ(offers.left(), 8U);
  EXPECT_EQ(offers.labels(ItemId{1}), 1U);
  EXPECT_EQ(offers.labels(WorkerId{0}), 0U);
  for (std::uint32_t j = 0; j < 4; ++j) {
    EXPECT_FALSE(offers.is_open(pair(1, j)));
    EXPECT_EQ(offers.left(WorkerId{j}), 2U);
  }
  offers.exclude(ItemId{1});
  EXPECT_EQ(offers.left(), 8U);
}

/// Counts and orders after random steps against a plain set of pairs.
void expect_a_plain_set(Offers offers, std::set<std::pair<std::uint32_t, std::uint32_t>> open,
                        Rng& rng) {
  const std::uint32_t items = offers.item_count(), workers = offers.worker_count();
  while (true) {
    ASSERT_EQ(offers.left(), open.size());
    for (std::uint32_t j = 0; j < workers; ++j) {
      std::vector<std::uint32_t> here;  // in order
      for (std::uint32_t i = 0; i < items; ++i) {
        ASSERT_EQ(offers.is_open(pair(i, j)), open.contains({i, j}));
        if (open.contains({i, j})) here.push_back(i);
      }
      ASSERT_EQ(offers.left(WorkerId{j}), here.size());
      for (std::uint32_t n = 0; n < here.size(); ++n) {
        ASSERT_EQ(offers.open_item(WorkerId{j}, n), ItemId{here[n]});
      }
    }
    if (open.empty()) return;
    auto one = open.begin();
    std::advance(one, below(rng, open.size()));
    const auto [item, worker] = *one;
    if (below(rng, 8) == 0) {
      offers.exclude(ItemId{item});
      std::erase_if(open, [item = item](const auto& other) { return other.first == item; });
    } else {
      offers.close(pair(item, worker));
      open.erase(one);
    }
  }
}

TEST(Offers, AreAlwaysThoseOfAPlainSet) {
  Rng rng(1);
  for (int n = 0; n < 20; ++n) {
    const auto items = static_cast<std::uint32_t>(1 + below(rng, 9)),
               workers = static_cast<std::uint32_t>(1 + below(rng, 5));
    std::set<std::pair<std::uint32_t, std::uint32_t>> all, some;
    std::vector<Pair> pairs;
    for (std::uint32_t i = 0; i < items; ++i) {
      for (std::uint32_t j = 0; j < workers; ++j) {
        all.insert({i, j});
        if (below(rng, 2) == 0) continue;
        some.insert({i, j});
        pairs.push_back(pair(i, j));
      }
    }
    expect_a_plain_set(Offers::everyone(items, workers), all, rng);
    expect_a_plain_set(Offers::recorded(items, workers, pairs), some, rng);
  }
}

TEST(Offers, WithAnOpenEndKeepPricesAndAccountsOfWorkersWhoCome) {
  Offers offers = Offers::open_ended();
  offers.add_workers(1, Money::whole(2));
  EXPECT_EQ(offers.relative_price(WorkerId{0}), 1);
  offers.add_workers(2);
  offers.add_items(3);
  EXPECT_EQ(offers.price(WorkerId{2}), kUnitPrice);
  EXPECT_EQ(offers.relative_price(WorkerId{0}), 2);
  EXPECT_EQ(offers.left(), 9U);
  offers.hold(pair(1, 0));
  offers.exclude(WorkerId{0});
  EXPECT_EQ(offers.left(), 6U);
  offers.add_items(1);
  EXPECT_EQ(offers.left(), 8U);
  EXPECT_FALSE(offers.is_open(pair(3, 0)));
  EXPECT_EQ(offers.closed(ItemId{3}), 1U);
  offers.reopen(pair(1, 0));  // nobody is left to be asked
  EXPECT_EQ(offers.left(), 8U);
  EXPECT_EQ(offers.closed(ItemId{1}), 1U);
  EXPECT_THROW(offers.reopen(pair(2, 0)), std::invalid_argument);
  offers.restore(WorkerId{0});
  EXPECT_EQ(offers.left(), 12U);
  EXPECT_EQ(offers.closed(ItemId{1}), 0U);
  EXPECT_THROW(offers.restore(WorkerId{0}), std::invalid_argument);
  offers.set_price(WorkerId{1}, Money::whole(4));
  EXPECT_EQ(offers.relative_price(WorkerId{1}), 4);
  offers.set_price(WorkerId{2}, Money::whole(8));
  EXPECT_EQ(offers.relative_price(WorkerId{0}), 1);
  EXPECT_EQ(offers.relative_price(WorkerId{2}), 4);
  offers.add_workers(1);
  EXPECT_EQ(offers.left(WorkerId{3}), 4U);
  EXPECT_THROW(offers.add_workers(1, Money()), std::invalid_argument);
  EXPECT_THROW(Offers::everyone(1, 1).add_workers(1), std::invalid_argument);
}

}  // namespace
}  // namespace allot::policy::offers_test
