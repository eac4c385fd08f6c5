#include "campaign/stop_watch.hpp"

#include <gtest/gtest.h>

#include "allot/base/rng.hpp"

namespace allot::campaign::stop_watch_test {
namespace {

using Part = StopWatch::Part;

struct Item {
  Part part = Part::none;
  double error = 0, stated_error = 0;
};

/// Whatever the way there, what the watch says is what a look at all items says.
TEST(StopWatch, SaysWhatALookAtAllItemsSays) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const policy::StopRules rules{0.8, 0.9, Money::whole(1)};
    StopWatch watch(rules);
    std::vector<Item> items(12);
    for (int step = 0; step < 300; ++step) {
      const auto item = static_cast<std::uint32_t>(below(rng, items.size()));
      items[item] = {static_cast<Part>(below(rng, 3)), 0.5 * uniform(rng) * uniform(rng),
                     0.8 * uniform(rng) * uniform(rng)};
      watch.set(ItemId{item}, items[item].part, items[item].error, items[item].stated_error);

      double wrong = 0;
      int answers = 0, open = 0;
      std::set<std::uint32_t> sure;
      std::set<StopWatch::Doubt> doubts;
      for (std::uint32_t i = 0; i < items.size(); ++i) {
        const auto& [part, error, stated_error] = items[i];
        if (part == Part::none) continue;
        ++answers;
        wrong += stated_error;
        if (part == Part::settled) continue;
        ++open;
        if (error <= 0.1) sure.insert(i);
        doubts.insert({error, i});
      }
      ASSERT_EQ(watch.sure(), sure);
      ASSERT_EQ(watch.by_doubt(), doubts);
      ASSERT_EQ(watch.any_open(), open > 0);
      ASSERT_EQ(watch.all_settled(), answers > 0 && open == 0);
      const double accuracy = answers == 0 ? 0 : 1 - wrong / answers;
      if (std::abs(accuracy - 0.8) > 1e-9) {
        ASSERT_EQ(watch.is_accurate(), accuracy > 0.8);
      }
    }
  }
}

TEST(StopWatch, FollowsItsRulesAlone) {
  StopWatch watch(policy::StopRules{});
  watch.set(ItemId{2}, Part::settled, 0, 0);
  EXPECT_FALSE(watch.is_accurate());
  EXPECT_FALSE(watch.all_settled());
  watch.set(ItemId{0}, Part::open, 0, 0);
  EXPECT_TRUE(watch.sure().empty());
  EXPECT_TRUE(watch.by_doubt().empty());
}

}  // namespace
}  // namespace allot::campaign::stop_watch_test
