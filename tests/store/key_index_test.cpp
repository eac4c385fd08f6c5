#include "store/key_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace allot::store::key_index_test {
namespace {

std::vector<std::uint64_t> found(const KeyIndex& index, std::uint64_t hash) {
  std::vector<std::uint64_t> places;
  index.find(hash, places);
  std::ranges::sort(places);
  return places;
}

TEST(KeyIndex, GoesIntoTheTableInSlicesAndInOrder) {
  KeyIndex index;
  for (std::uint64_t n = 1; n <= 10; ++n) index.add({(n * 7) % 11, n});
  index.know(12);
  EXPECT_EQ(index.known(), 12U);
  EXPECT_TRUE(index.slice(4, 11).empty()) << "too few wait";
  std::vector<KeyIndex::Place> table;
  while (index.size() > 0) {
    const auto slice = index.slice(4, 10);
    ASSERT_FALSE(slice.empty());
    table.insert(table.end(), slice.begin(), slice.end());
    EXPECT_EQ(index.ends_with(slice),
              table.size() == 10 ? std::optional(std::uint64_t{12}) : std::nullopt);
    for (std::uint64_t n = 1; n <= 10; ++n) {
      EXPECT_EQ(found(index, (n * 7) % 11), std::vector{n}) << "until the last slice is written";
    }
    index.written(slice);
  }
  EXPECT_EQ(table.size(), 10U);
  EXPECT_TRUE(std::ranges::is_sorted(table));
  EXPECT_TRUE(found(index, 7).empty());
}

TEST(KeyIndex, KeepsThoseThatComeWhileOthersGo) {
  KeyIndex index;
  for (std::uint64_t n = 1; n <= 8; ++n) index.add({n, n});
  index.written(index.slice(4, 8));
  index.add({2, 9});
  EXPECT_EQ(found(index, 2), (std::vector<std::uint64_t>{2, 9}));
  index.written(index.slice(4, 8));
  EXPECT_EQ(found(index, 2), (std::vector<std::uint64_t>{9}));
  EXPECT_EQ(index.size(), 1U);
}

TEST(KeyIndex, LeavesToTheTableWhatOthersPutThere) {
  KeyIndex index;
  for (std::uint64_t n = 1; n <= 8; ++n) index.add({n, n});
  const auto slice = index.slice(4, 8);
  EXPECT_EQ(slice.size(), 4U);
  index.add({9, 9});
  index.add({10, 10});
  index.leave_to_table(9);
  EXPECT_EQ(index.size(), 1U);
  EXPECT_TRUE(found(index, 3).empty());
  EXPECT_EQ(found(index, 10), (std::vector<std::uint64_t>{10}));
  index.leave_to_table(5);
  EXPECT_EQ(index.known(), 10U) << "never back";
}

/// A process that reads the file between the commit of the last slice and the word that it is
/// written leaves all of it to the table; the next sweep has every key that came since.
TEST(KeyIndex, TheLastSliceMayBeLeftToTheTableBeforeItIsSaidToBeWritten) {
  KeyIndex index;
  for (std::uint64_t n = 1; n <= 8; ++n) index.add({n, n});
  const auto slice = index.slice(8, 8);
  ASSERT_EQ(index.ends_with(slice), std::optional(std::uint64_t{8}));
  index.leave_to_table(8);
  index.written(slice);
  EXPECT_EQ(index.size(), 0U);
  EXPECT_TRUE(index.slice(8, 8).empty());
  for (std::uint64_t n = 9; n <= 16; ++n) index.add({n, n});
  EXPECT_EQ(index.slice(8, 8).size(), 8U);
}

TEST(KeyIndex, DoesNotWaitForKeysAmongVeryManyRecords) {
  KeyIndex index;
  index.add({1, 1});
  index.know(159);
  EXPECT_TRUE(index.slice(4, 10).empty());
  index.know(160);
  EXPECT_EQ(index.slice(4, 10).size(), 1U);
}

TEST(KeyIndex, AsksTheTableOnlyForKeysThatCanBeThere) {
  KeyIndex index;
  EXPECT_TRUE(index.table_may_have(1)) << "without a filter";
  KeyFilter filter;
  filter.add(hash_of("first", 0));
  index.set_filter(filter);
  for (std::uint64_t n = 1; n <= 8; ++n) index.add({hash_of(std::to_string(n), 0), n});
  EXPECT_TRUE(index.table_may_have(hash_of("first", 0)));
  EXPECT_FALSE(index.table_may_have(hash_of("1", 0))) << "only in memory";
  index.written(index.slice(8, 8));
  index.add({hash_of("9", 0), 9});
  index.leave_to_table(9);
  for (std::uint64_t n = 1; n <= 9; ++n) {
    EXPECT_TRUE(index.table_may_have(hash_of(std::to_string(n), 0))) << n;
  }
  EXPECT_FALSE(index.table_may_have(hash_of("10", 0)));
  index.leave_to_table(20);
  EXPECT_FALSE(index.has_filter()) << "others put keys there that were never here";
}

/// A hash that was not added is claimed with a probability of about 0.008 per level: the number of
/// claims among 100,000 has a mean of about 2,000 with the three levels here, and a deviation
/// of 45.
TEST(KeyFilter, MissesNoneAndClaimsFewOthers) {
  KeyFilter filter;
  for (std::uint64_t n = 0; n < 100'000; ++n) filter.add(hash_of(std::to_string(n), 7));
  std::size_t claimed = 0;
  for (std::uint64_t n = 0; n < 100'000; ++n) {
    ASSERT_TRUE(filter.may_have(hash_of(std::to_string(n), 7))) << n;
    claimed += filter.may_have(hash_of(std::to_string(n + 100'000), 7));
  }
  EXPECT_LT(claimed, 4'000U);
}

TEST(KeyIndex, HashesDependOnEveryByteAndOnTheSalt) {
  std::set<std::uint64_t> all;
  std::string text(40, 'a');
  std::size_t count = 0;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = 'b';
      for (const std::uint64_t salt : {0, 1, 2}) {
        all.insert(hash_of(std::string_view(text).substr(0, size), salt));
        ++count;
      }
      text[at] = 'a';
    }
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_NE(hash_of("", 0), hash_of(std::string(1, '\0'), 0));
}

}  // namespace
}  // namespace allot::store::key_index_test
