#include "allot/policy/desk.hpp"

#include <gtest/gtest.h>

#include "allot/policy/registry.hpp"
#include "support/crowds.hpp"

namespace allot::policy::desk_test {
namespace {

constexpr std::uint32_t kItems = 12, kWorkers = 5;

model::CrowdOptions some_options(model::Refit refit, std::uint32_t every = 7) {
  return {.refit = refit, .refit_every = every};
}

/// A desk with everybody, or with pairs, workers and items that come later.
Desk make_desk(const model::CrowdOptions& options, bool open_ended = false,
               const StopRules& rules = {}) {
  const std::uint32_t items = open_ended ? 0 : kItems, workers = open_ended ? 0 : kWorkers;
  return {model::make_crowd(options, items, workers),
          make_policy("opt-kg", TieBreak::first).value(),
          open_ended ? Offers::open_ended() : Offers::everyone(items, workers), rules};
}

/// Even items are positive; worker 4 is mostly wrong.
ClassId label_of(const Pair& pair) {
  const bool right = position(pair.worker) < 4 || position(pair.item) % 3 == 0;
  return ClassId{right == (position(pair.item) % 2 == 0) ? 1U : 0U};
}

std::vector<Pair> played(Desk& desk) {
  std::vector<Pair> asked;
  Rng rng(1);
  while (const auto pair = desk.choose(rng)) {
    asked.push_back(*pair);
    desk.record(*pair, label_of(*pair));
  }
  return asked;
}

TEST(Desk, AsksEveryPairOnce) {
  Desk desk = make_desk(some_options(model::Refit::integrated));
  EXPECT_EQ(played(desk).size(), kItems * kWorkers);
  EXPECT_EQ(desk.offers().left(), 0U);
  for (std::uint32_t j = 0; j < kWorkers; ++j) EXPECT_EQ(desk.offers().labels(WorkerId{j}), kItems);
}

/// The sequence that the desk keeps: record, close, refresh.
TEST(Desk, ChoosesAsAChooserThatIsToldOfEveryLabelAtOnce) {
  for (const model::Refit refit : {model::Refit::off, model::Refit::integrated}) {
    Desk desk = make_desk(some_options(refit));
    const auto crowd = model::make_crowd(some_options(refit), kItems, kWorkers);
    Offers offers = Offers::everyone(kItems, kWorkers);
    const auto chooser = make_policy("opt-kg", TieBreak::first).value()->start(*crowd, offers);
    Rng rng(1);
    for (const Pair& pair : played(desk)) {
      ASSERT_EQ(chooser->choose(rng), pair);
      const bool all = crowd->record(pair.item, pair.worker, label_of(pair));
      offers.close(pair);
      chooser->refresh(pair, all);
    }
  }
}

TEST(Desk, HoldsAndCountsInTwoStepsAsItRecordsInOne) {
  Desk one = make_desk(some_options(model::Refit::em)),
       two = make_desk(some_options(model::Refit::em), true);
  two.add_items(kItems);
  two.add_workers(kWorkers);
  Rng rng(1), other(1);
  while (const auto pair = one.choose(rng)) {
    ASSERT_EQ(two.choose(other), pair);
    one.record(*pair, label_of(*pair));
    two.hold(*pair);
    two.record_held(*pair, label_of(*pair));
  }
  EXPECT_EQ(one.crowd().final_probabilities(), two.crowd().final_probabilities());
}

TEST(Desk, ReopensAHeldPair) {
  Desk desk = make_desk(some_options(model::Refit::off), true);
  desk.add_items(1);
  desk.add_workers(1);
  Rng rng(1);
  const Pair only{ItemId{0}, WorkerId{0}};
  EXPECT_EQ(desk.choose(rng), only);
  desk.hold(only);
  EXPECT_FALSE(desk.choose(rng));
  desk.reopen(only);
  EXPECT_EQ(desk.choose(rng), only);
}

TEST(Desk, LabelsOfKnownItemsMoveTheirWorkerAlone) {
  Desk desk = make_desk(some_options(model::Refit::off), true);
  desk.add_items(2);
  desk.add_workers(1);
  const Pair pair{ItemId{0}, WorkerId{0}};
  const auto before = desk.crowd().probabilities(pair.item);
  const double reliability = desk.crowd().reliability(pair.worker, 0).mean;
  desk.hold(pair);
  desk.record_held(pair, ClassId{1}, ClassId{1});
  EXPECT_EQ(desk.crowd().probabilities(pair.item), before);
  EXPECT_GT(desk.crowd().reliability(pair.worker, 1).mean, reliability);
  EXPECT_EQ(desk.offers().labels(pair.item), 1U);
}

TEST(Desk, ListsTheItemsThatHaveChangedSinceTheListWasCleared) {
  Desk desk = make_desk(some_options(model::Refit::em, 3));
  EXPECT_TRUE(desk.item_changes().all);
  desk.item_changes().clear();
  desk.record({ItemId{4}, WorkerId{0}}, ClassId{1});
  desk.record({ItemId{2}, WorkerId{0}}, ClassId{1});
  EXPECT_FALSE(desk.item_changes().all);
  EXPECT_EQ(desk.item_changes().items, (std::vector{ItemId{4}, ItemId{2}}));
  desk.record({ItemId{1}, WorkerId{0}}, ClassId{1});
  EXPECT_TRUE(desk.item_changes().all) << "after a refit";
}

TEST(Desk, CountsRefitsThatTakeEffectAlsoThoseOfLabelsThatWereAnnounced) {
  Desk one_by_one = make_desk(some_options(model::Refit::em)),
       announced = make_desk(some_options(model::Refit::em));
  announced.skip_refits_for(20);
  for (std::uint32_t n = 0; n < 20; ++n) {
    const Pair pair{ItemId{n % kItems}, WorkerId{n / kItems}};
    one_by_one.record(pair, label_of(pair));
    announced.record(pair, label_of(pair));
  }
  EXPECT_EQ(one_by_one.crowd().refit_count(), 2U);
  EXPECT_EQ(announced.crowd().refit_count(), 1U) << "only the last is made";
}

TEST(Desk, ExcludesItemsThatAreSettledAndStopsWhenAllAre) {
  Desk desk = make_desk(some_options(model::Refit::integrated), false, {.settled = 0.9});
  Rng rng(1);
  while (!desk.stop_reason()) {
    const auto pair = desk.choose(rng);
    ASSERT_TRUE(pair);
    EXPECT_GT(desk.crowd().error(pair->item), 0.1);
    desk.record(*pair, label_of(*pair));
  }
  EXPECT_EQ(desk.stop_reason(), StopReason::settled);
  EXPECT_FALSE(desk.choose(rng));
}

TEST(Desk, RefusesOffersOfOtherItemsAndStopRulesWhereItemsComeLater) {
  const auto policy = make_policy("opt-kg", TieBreak::first).value();
  EXPECT_THROW(Desk(model::make_crowd({}, 3, 2), policy, Offers::everyone(2, 2)),
               std::invalid_argument);
  EXPECT_THROW(Desk(model::make_crowd({}, 3, 2), policy, Offers::everyone(3, 3)),
               std::invalid_argument);
  Desk desk = make_desk({}, true, {.accuracy = 0.9});
  EXPECT_THROW(desk.add_items(1), std::invalid_argument);
}

TEST(Withheld, LeavesItemsAndWorkersOutUntilItGoes) {
  Desk desk = make_desk(some_options(model::Refit::off), true);
  desk.add_items(3);
  desk.add_workers(2);
  Rng rng(1);
  const Pair first = *desk.choose(rng);
  {
    Withheld withheld(desk);
    withheld.add(first.item);
    EXPECT_NE(desk.choose(rng)->item, first.item);
    withheld.add(first.worker);
    EXPECT_NE(desk.choose(rng)->worker, first.worker);
    EXPECT_FALSE(desk.choose(first.worker, rng));
  }
  EXPECT_EQ(desk.choose(rng), first);
}

TEST(Withheld, RestoresAfterAnException) {
  Desk desk = make_desk(some_options(model::Refit::off), true);
  desk.add_items(1);
  desk.add_workers(1);
  Rng rng(1);
  EXPECT_THROW(
      {
        Withheld withheld(desk);
        withheld.add(ItemId{0});
        throw std::runtime_error("on the way");
      },
      std::runtime_error);
  EXPECT_TRUE(desk.choose(rng));
}

}  // namespace
}  // namespace allot::policy::desk_test
