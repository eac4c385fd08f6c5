// Choices match the double loop while items and workers arrive, pairs are leased and released, and
// items are withheld for a time.
#include <gtest/gtest.h>

#include <set>

#include "allot/policy/pair_policy.hpp"
#include "support/crowds.hpp"
#include "support/pair_scan.hpp"

namespace allot::growing_choice_test {
namespace {

using policy::Offers;
using policy::Pair;
using policy::TieBreak;

bool record(model::Crowd& crowd, const Pair& pair, std::uint64_t label) {
  return crowd.record(pair.item, pair.worker,
                      ClassId{static_cast<std::uint32_t>(label % crowd.class_count())});
}

/// A campaign of random steps from nothing; workers have prices, and in every third campaign they
/// may leave.
template <typename Crowd, typename Index>
void play(Crowd& crowd, const Index& index, TieBreak ties, std::uint64_t seed) {
  const bool prices = seed % 3 == 2;
  Rng world(seed);
  Offers offers = Offers::open_ended();
  const auto policy = [&] {
    if constexpr (std::is_same_v<Index, index::PairIndex>) {
      return policy::pair_index_policy("tested", index, ties);
    } else {
      return policy::pair_index_policy("tested", {index::pair_kg(), index}, ties);
    }
  }();
  const auto chooser = policy->start(crowd, offers);
  const test::PairScan scan(crowd, offers, index, ties);
  std::vector<Pair> held;
  std::set<ItemId> withheld;
  const auto draw = [&](std::size_t n) { return static_cast<std::uint32_t>(below(world, n)); };
  const auto some_price = [&] { return Money::whole(1 + draw(3)).part(0.5); };
  for (int step = 0; step < 150; ++step) {
    const std::uint64_t what = below(world, 10);
    if (what == 0 || offers.item_count() == 0) {
      offers.add_items(1 + draw(4));
      crowd.grow(offers.item_count(), offers.worker_count());
      chooser->grow();
    } else if (what == 1 || offers.worker_count() == 0) {
      offers.add_workers(1, prices ? some_price() : kUnitPrice);
      crowd.grow(offers.item_count(), offers.worker_count());
      chooser->grow();
    } else if (prices && step % 20 == 7) {
      std::vector<Money> all(offers.worker_count());
      for (Money& price : all) price = some_price();
      offers.set_prices(std::move(all));
      chooser->grow();
    } else if (prices && step % 20 == 17) {
      const WorkerId worker{draw(offers.worker_count())};
      offers.exclude(worker);
      chooser->exclude(worker);
    } else if (what == 2) {
      const ItemId item{draw(offers.item_count())};
      withheld.insert(item);
      offers.withhold(item);
      chooser->update(item);
    } else if (what == 3 && !withheld.empty()) {
      const ItemId item = *withheld.begin();
      withheld.erase(item);
      offers.restore(item);
      chooser->update(item);
    } else if (what < 6 && !held.empty()) {
      const std::size_t n = below(world, held.size());
      const Pair pair = held[n];
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(n));
      if (what == 4) {
        offers.reopen(pair);
        chooser->refresh(pair, false);
      } else {
        const bool all = record(crowd, pair, world());
        offers.count(pair);
        chooser->refresh(pair, all);
      }
    } else {
      Rng fast(seed, Rng::Purpose::tie, static_cast<std::uint64_t>(step)), slow = fast;
      std::optional<Pair> pair;
      if (below(world, 2) == 0) {
        pair = chooser->choose(fast);
        ASSERT_EQ(pair, scan.choose(slow)) << seed << " " << step;
      } else {
        const WorkerId worker{draw(offers.worker_count())};
        const auto item = chooser->choose(worker, fast);
        ASSERT_EQ(item, scan.choose(worker, slow)) << seed << " " << step;
        if (item) pair = Pair{*item, worker};
      }
      if (!pair) continue;
      held.push_back(*pair);
      offers.hold(*pair);
      chooser->refresh(*pair, false);
    }
  }
}

TEST(GrowingChoice, IsThatOfTheDoubleLoop) {
  using model::Refit;
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    for (const auto& index :
         {index::pair_opt_kg(), index::pair_information_gain(), index::pair_scout()}) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto crowd = test::binary_crowd({.refit = refit, .refit_every = 5}, 0, 0);
        play(*crowd, index, seed % 2 == 0 ? TieBreak::first : TieBreak::random, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(GrowingChoice, OfSeveralClassesIsThatOfTheDoubleLoop) {
  using model::Refit;
  for (const Refit refit : {Refit::off, Refit::em}) {
    for (const auto& index :
         {index::multiclass_pair_opt_kg(), index::multiclass_pair_information_gain()}) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const auto crowd = test::multiclass_crowd(
            {.item_prior = model::DirichletPrior::symmetric(3), .refit = refit, .refit_every = 5},
            0, 0);
        play(*crowd, index, seed % 2 == 0 ? TieBreak::first : TieBreak::random, seed);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(GrowingChoice, OfTheUniformPolicyIsAmongWhatMayBeAsked) {
  const auto crowd = model::make_crowd({}, 200, 2);
  Offers offers = Offers::open_ended();
  offers.add_items(200);
  offers.add_workers(2);
  const auto chooser = policy::uniform_pair_policy()->start(*crowd, offers);
  for (std::uint32_t i = 0; i < 200; ++i) {
    if (i != 70 && i != 150) offers.withhold(ItemId{i});
  }
  offers.hold({ItemId{70}, WorkerId{0}});
  Rng rng(1);
  std::set<ItemId> seen;
  for (int n = 0; n < 50; ++n) {
    EXPECT_EQ(chooser->choose(WorkerId{0}, rng), ItemId{150});
    seen.insert(*chooser->choose(WorkerId{1}, rng));
    EXPECT_FALSE(offers.is_withheld(chooser->choose(rng)->item));
  }
  EXPECT_EQ(seen, (std::set{ItemId{70}, ItemId{150}}));
  offers.withhold(ItemId{150});
  EXPECT_FALSE(chooser->choose(WorkerId{0}, rng));
}

}  // namespace
}  // namespace allot::growing_choice_test
