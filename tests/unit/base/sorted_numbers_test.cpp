#include "allot/base/sorted_numbers.hpp"

#include <gtest/gtest.h>

#include <set>

#include "allot/base/rng.hpp"

namespace allot::sorted_numbers_test {
namespace {

void expect_same(const SortedNumbers& numbers, const std::set<std::uint32_t>& plain,
                 std::uint32_t most) {
  ASSERT_EQ(numbers.size(), plain.size());
  std::uint32_t place = 0, gap = 0;
  for (std::uint32_t n = 0; n < most; ++n) {
    ASSERT_EQ(numbers.contains(n), plain.contains(n));
    if (plain.contains(n)) {
      ASSERT_EQ(numbers[place++], n);
    } else {
      ASSERT_EQ(numbers.gap(gap++), n);
    }
  }
}

TEST(SortedNumbers, MatchAStandardSet) {
  constexpr std::uint32_t kMost = 30'000;
  Rng rng(1);
  SortedNumbers numbers;
  std::set<std::uint32_t> plain;
  for (int step = 0; step < 60'000; ++step) {
    // Fills up, then empties.
    const auto n = static_cast<std::uint32_t>(below(rng, kMost));
    const bool add = (below(rng, 4) > 0) == (step < 40'000);
    if (add && plain.insert(n).second) numbers.insert(n);
    if (!add && plain.erase(n) > 0) numbers.erase(n);
    if (step % 10'000 == 0) expect_same(numbers, plain, kMost);
  }
  for (const std::uint32_t n : std::set(plain)) {
    numbers.erase(n);
    plain.erase(n);
  }
  expect_same(numbers, plain, 10);
}

TEST(SortedNumbers, TakeNumbersInEitherOrder) {
  constexpr std::uint32_t kMost = 20'000;
  SortedNumbers up, down;
  std::set<std::uint32_t> plain;
  for (std::uint32_t n = 0; n < kMost; n += 2) {
    up.insert(n);
    down.insert(kMost - 2 - n);
    plain.insert(n);
  }
  expect_same(up, plain, kMost);
  expect_same(down, plain, kMost);
}

}  // namespace
}  // namespace allot::sorted_numbers_test
