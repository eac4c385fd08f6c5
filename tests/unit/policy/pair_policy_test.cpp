#include "allot/policy/pair_policy.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/fixed_crowd.hpp"

namespace allot::policy::pair_policy_test {
namespace {

using model::Channel;
using model::ItemState;
using test::FixedCrowd;

FixedCrowd alike(std::uint32_t items, std::uint32_t workers) {
  return {std::vector<ItemState>(items, ItemState::soft_label(1, 1)),
          std::vector<Channel>(workers, Channel::one_coin(0.8))};
}

std::vector<std::shared_ptr<const Policy>> policies() {
  return {pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::first),
          pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::random),
          pair_index_policy("scout", index::pair_scout(), TieBreak::random),
          pair_index_policy("balanced", index::pair_balanced(), TieBreak::random),
          uniform_pair_policy()};
}

TEST(PairPolicy, HasAName) {
  EXPECT_EQ(pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::first)->name(), "opt-kg");
  EXPECT_EQ(uniform_pair_policy()->name(), "uniform");
}

TEST(PairPolicy, AsksTheBestWorkerAboutTheMostDoubtfulItem) {
  const FixedCrowd crowd(
      {ItemState::soft_label(5, 1), ItemState::soft_label(2, 2), ItemState::soft_label(1, 3)},
      {Channel::one_coin(0.6), Channel::one_coin(0.1), Channel::one_coin(0.8)});
  const Offers offers = Offers::everyone(3, 3);
  Rng rng(1);
  const auto policy = pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::random);
  const auto chooser = policy->start(crowd, offers);
  EXPECT_EQ(chooser->choose(rng), (Pair{ItemId{1}, WorkerId{1}}));
  EXPECT_EQ(chooser->choose(WorkerId{0}, rng), ItemId{1});
}

TEST(PairPolicy, TakesTheFirstItemThenTheFirstWorkerOfATie) {
  FixedCrowd crowd = alike(4, 3);
  Offers offers = Offers::everyone(4, 3);
  Rng rng(1);
  const auto policy = pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::first);
  const auto chooser = policy->start(crowd, offers);
  for (std::uint32_t n = 0; n < 4; ++n) {
    const auto pair = chooser->choose(rng);
    ASSERT_EQ(pair, (Pair{ItemId{n}, WorkerId{0}}));
    crowd.record(pair->item, pair->worker, ClassId{1});
    offers.close(*pair);
    chooser->refresh(*pair, false);
  }
}

TEST(PairPolicy, NeverAsksAboutItemsThatWereExcludedBefore) {
  for (const auto& policy : policies()) {
    FixedCrowd crowd = alike(6, 4);
    Offers offers = Offers::everyone(6, 4);
    offers.exclude(ItemId{0});
    offers.exclude(ItemId{4});
    const auto chooser = policy->start(crowd, offers);
    Rng rng(1);
    int asked = 0;
    while (const auto pair = chooser->choose(rng)) {
      ASSERT_TRUE(offers.is_open(*pair));
      crowd.record(pair->item, pair->worker, ClassId{1});
      offers.close(*pair);
      chooser->refresh(*pair, false);
      ++asked;
    }
    EXPECT_EQ(asked, 16) << policy->name();
  }
}

TEST(PairPolicy, NeverAsksAboutItemsThatWereExcludedOnTheWay) {
  for (const auto& policy : policies()) {
    FixedCrowd crowd = alike(6, 4);
    Offers offers = Offers::everyone(6, 4);
    const auto chooser = policy->start(crowd, offers);
    Rng rng(1);
    while (const auto pair = chooser->choose(rng)) {
      ASSERT_TRUE(offers.is_open(*pair)) << policy->name();
      crowd.record(pair->item, pair->worker, ClassId{1});
      offers.close(*pair);
      chooser->refresh(*pair, false);
      const ItemId item{static_cast<std::uint32_t>(below(rng, 6))};
      offers.exclude(item);
      chooser->exclude(item);
    }
    EXPECT_EQ(offers.left(), 0U) << policy->name();
  }
}

TEST(PairPolicy, HasNothingForAnExhaustedWorkerAndSomethingForOthers) {
  for (const auto& policy : policies()) {
    FixedCrowd crowd = alike(3, 2);
    Offers offers = Offers::everyone(3, 2);
    const auto chooser = policy->start(crowd, offers);
    Rng rng(1);
    for (int n = 0; n < 3; ++n) {
      const auto item = chooser->choose(WorkerId{1}, rng);
      ASSERT_TRUE(item);
      crowd.record(*item, WorkerId{1}, ClassId{1});
      offers.close({*item, WorkerId{1}});
      chooser->refresh({*item, WorkerId{1}}, false);
    }
    EXPECT_EQ(chooser->choose(WorkerId{1}, rng), std::nullopt);
    ASSERT_TRUE(chooser->choose(WorkerId{0}, rng));
    EXPECT_EQ(chooser->choose(rng)->worker, WorkerId{0});
  }
}

TEST(PairPolicy, HasNothingOnceAllPairsAreClosed) {
  for (const auto& policy : policies()) {
    const FixedCrowd crowd = alike(2, 2);
    Offers offers = Offers::everyone(2, 2);
    for (std::uint32_t n = 0; n < 4; ++n) offers.close({ItemId{n / 2}, WorkerId{n % 2}});
    Rng rng(1);
    const auto chooser = policy->start(crowd, offers);
    EXPECT_EQ(chooser->choose(rng), std::nullopt);
    EXPECT_EQ(chooser->choose(WorkerId{0}, rng), std::nullopt);
    const Offers none = Offers::recorded(2, 2, {});
    EXPECT_EQ(policy->start(crowd, none)->choose(rng), std::nullopt);
    const Offers nobody = Offers::everyone(2, 0);
    EXPECT_EQ(policy->start(alike(2, 0), nobody)->choose(rng), std::nullopt);
  }
}

TEST(BalancedPairs, GiveEveryItemAndEveryWorkerAsManyLabelsToWithinOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    FixedCrowd crowd = alike(12, 8);
    Offers offers = Offers::everyone(12, 8);
    const auto policy = pair_index_policy("kos", index::pair_balanced(), TieBreak::random);
    const auto chooser = policy->start(crowd, offers);
    Rng rng(seed);
    for (int n = 0; n < 36; ++n) {
      const auto pair = chooser->choose(rng);
      crowd.record(pair->item, pair->worker, ClassId{1});
      offers.close(*pair);
      chooser->refresh(*pair, false);
    }
    for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(offers.labels(ItemId{i}), 3U);
    for (std::uint32_t j = 0; j < 8; ++j) {
      EXPECT_GE(offers.labels(WorkerId{j}), 4U);
      EXPECT_LE(offers.labels(WorkerId{j}), 5U);
    }
  }
}

/// Pearson's statistic of counts that should be equal.
double chi_square(const std::vector<int>& counts, int draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int one : counts) sum += (one - expected) * (one - expected) / expected;
  return sum;
}

TEST(UniformPairPolicy, ChoosesEveryOpenPairWithTheSameChance) {
  // 14 pairs are open: chi-square with 13 degrees of freedom exceeds 45 once in 48,000 seeds.
  const FixedCrowd crowd = alike(5, 4);
  Offers offers = Offers::everyone(5, 4);
  for (const std::uint32_t worker : {0U, 1U}) offers.close({ItemId{2}, WorkerId{worker}});
  for (const std::uint32_t item : {0U, 1U, 3U, 4U}) offers.close({ItemId{item}, WorkerId{3}});
  const auto chooser = uniform_pair_policy()->start(crowd, offers);
  Rng rng(1);
  constexpr int kDraws = 28'000;
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> seen;
  for (int n = 0; n < kDraws; ++n) {
    const auto pair = chooser->choose(rng);
    ASSERT_TRUE(offers.is_open(*pair));
    ++seen[{position(pair->item), position(pair->worker)}];
  }
  ASSERT_EQ(seen.size(), 14U);
  std::vector<int> counts;
  for (const auto& [pair, count] : seen) counts.push_back(count);
  EXPECT_LT(chi_square(counts, kDraws), 45);
}

TEST(UniformPairPolicy, ChoosesEveryOpenItemOfAWorkerWithTheSameChance) {
  // Four items: chi-square with 3 degrees of freedom exceeds 25 once in 65,000 seeds.
  const FixedCrowd crowd = alike(6, 2);
  Offers offers = Offers::everyone(6, 2);
  for (const std::uint32_t item : {1U, 4U}) offers.close({ItemId{item}, WorkerId{1}});
  const auto chooser = uniform_pair_policy()->start(crowd, offers);
  Rng rng(1);
  std::vector<int> counts(6);
  for (int n = 0; n < 8000; ++n) ++counts[position(*chooser->choose(WorkerId{1}, rng))];
  EXPECT_EQ(counts[1] + counts[4], 0);
  EXPECT_LT(chi_square({counts[0], counts[2], counts[3], counts[5]}, 8000), 25);
}

TEST(RandomTies, GoToEveryWorkerWithTheSameChance) {
  // Four workers tie: chi-square with 3 degrees of freedom exceeds 25 once in 65,000 seeds.
  const FixedCrowd crowd = alike(6, 4);
  const Offers offers = Offers::everyone(6, 4);
  const auto policy = pair_index_policy("opt-kg", index::pair_opt_kg(), TieBreak::random);
  const auto chooser = policy->start(crowd, offers);
  Rng rng(1);
  std::vector<int> workers(4), items(6);
  for (int n = 0; n < 8000; ++n) {
    const auto pair = chooser->choose(rng);
    ++workers[position(pair->worker)];
    ++items[position(pair->item)];
  }
  EXPECT_LT(chi_square(workers, 8000), 25);
  EXPECT_LT(chi_square(items, 8000), 30);  // 5 degrees of freedom: once in 68,000 seeds
}

}  // namespace
}  // namespace allot::policy::pair_policy_test
