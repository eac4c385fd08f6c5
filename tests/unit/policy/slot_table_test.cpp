#include "policy/slot_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include "allot/base/rng.hpp"

namespace allot::policy::slot_table_test {
namespace {

using State = BinaryState;
using Table = SlotTable<BinaryState>;

State some_state(std::uint64_t number) {
  return {model::ItemState::soft_label(1 + static_cast<double>(number % 7), 2),
          static_cast<std::uint32_t>(number / 7)};
}

/// Checks that slots in use hold the items of one state each, as the plain map has them.
void expect_slots(const Table& table, const std::map<std::uint32_t, std::uint64_t>& states,
                  const std::set<std::uint32_t>& used) {
  std::size_t items = 0;
  for (const std::uint32_t slot : used) {
    items += table[slot].items.size();
    ASSERT_FALSE(table[slot].items.empty());
    for (const std::uint32_t item : table[slot].items) {
      ASSERT_EQ(table[slot].state, some_state(states.at(item)));
    }
  }
  ASSERT_EQ(items, states.size());
  std::set<std::uint64_t> different;
  for (const auto& [item, state] : states) different.insert(state);
  ASSERT_EQ(used.size(), different.size()) << "one slot per state";
}

TEST(SlotTable, HasOneSlotPerStateThroughRandomSteps) {
  constexpr std::uint32_t kItems = 300;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Rng rng(seed);
    Table table;
    for (std::uint32_t i = 0; i < kItems; ++i) table.add_item();
    std::map<std::uint32_t, std::uint64_t> states;
    std::set<std::uint32_t> used;
    for (int step = 0; step < 3000; ++step) {
      const auto item = static_cast<std::uint32_t>(below(rng, kItems));
      if (states.erase(item) > 0) {
        if (const auto unused = table.erase(item)) {
          EXPECT_EQ(used.erase(*unused), 1U);
        }
      } else {
        states[item] = below(rng, 200);
        if (const auto slot = table.insert(item, some_state(states[item]))) {
          EXPECT_TRUE(used.insert(*slot).second);
        }
      }
      if (step % 100 == 0) expect_slots(table, states, used);
    }
  }
}

TEST(SlotTable, RebuildsSlotsWhereStatesSplitMergeAndEnd) {
  constexpr std::uint32_t kItems = 200;
  Rng rng(1);
  Table table;
  std::map<std::uint32_t, std::uint64_t> states;
  for (int round = 0; round < 20; ++round) {
    // Most items move along with the others of their state, some go elsewhere or out.
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const auto known = states.find(i);
      const std::uint64_t before = known == states.end() ? i % 40 : known->second;
      states[i] = below(rng, 5) == 0 ? below(rng, 60) : (before * 3 + 1) % 60;
      if (below(rng, 20) == 0) states.erase(i);
    }
    std::set<std::uint32_t> used;
    table.rebuild(
        kItems,
        [&](std::uint32_t item) {
          const auto state = states.find(item);
          return state == states.end() ? std::nullopt : std::optional(some_state(state->second));
        },
        [&](std::uint32_t slot) { EXPECT_TRUE(used.insert(slot).second); });
    expect_slots(table, states, used);
  }
}

TEST(SlotTable, ErasesNothingForAnItemWithoutASlot) {
  Table table;
  table.add_item();
  EXPECT_FALSE(table.erase(0));
  EXPECT_TRUE(table.insert(0, some_state(1)));
  EXPECT_TRUE(table.erase(0));
  EXPECT_FALSE(table.erase(0));
}

}  // namespace
}  // namespace allot::policy::slot_table_test
