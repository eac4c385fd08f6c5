#include "reproduce/claim.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace allot::reproduce::claim_test {
namespace {

TEST(Claim, HoldsFailsOrIsUnclearByThreeStandardErrors) {
  EXPECT_EQ(at_least({1, 0.1}, 0.7), Verdict::holds);
  EXPECT_EQ(at_least({1, 0.1}, 0.8), Verdict::unclear);
  EXPECT_EQ(at_least({1, 0.1}, 1.2), Verdict::unclear);
  EXPECT_EQ(at_least({1, 0.1}, 1.31), Verdict::fails);
  EXPECT_EQ(within({0, 0.01}, 0.03), Verdict::holds);
  EXPECT_EQ(within({0.02, 0.01}, 0.03), Verdict::unclear);
  EXPECT_EQ(within({-0.07, 0.01}, 0.03), Verdict::fails);
}

TEST(Claim, AboutADifferenceCanFailEitherWay) {
  EXPECT_EQ(above({0.01, 0.002}), Verdict::holds);
  EXPECT_EQ(above({0.01, 0.01}), Verdict::unclear);
  EXPECT_EQ(above({-0.001, 0.0001}), Verdict::fails);
  EXPECT_EQ(at_or_above({0, 0.0005}), Verdict::holds);
  EXPECT_EQ(at_or_above({0, 0.01}), Verdict::unclear);
  EXPECT_EQ(at_or_above({-0.001, 0.0001}), Verdict::fails) << "below by little, but surely";
}

TEST(Claim, WithASingleRunIsUnclear) {
  const Estimate alone = estimate(std::vector<double>{0.9});
  EXPECT_EQ(alone.mean, 0.9);
  EXPECT_TRUE(std::isnan(alone.error));
  for (const Verdict verdict :
       {at_least(alone, 0), within(alone, 1), above(alone), at_or_above(alone)})
    EXPECT_EQ(verdict, Verdict::unclear);
  EXPECT_EQ(estimate_text(alone), "0.9000");
}

TEST(Claim, AboutManyIsAsGoodAsTheWorst) {
  using enum Verdict;
  EXPECT_EQ(all_of(std::vector{holds, holds}), holds);
  EXPECT_EQ(all_of(std::vector{holds, unclear}), unclear);
  EXPECT_EQ(all_of(std::vector{unclear, fails, holds}), fails);
}

TEST(Estimate, IsMeanAndStandardError) {
  const Estimate found = estimate(std::vector<double>{1, 2, 3, 6});
  EXPECT_DOUBLE_EQ(found.mean, 3);
  EXPECT_DOUBLE_EQ(found.error, std::sqrt((4 + 1 + 0 + 9) / 3.0 / 4));
  EXPECT_EQ(range_text(std::vector<Named>{{"(a)", found}, {"(b)", {1, 0.5}}}),
            "from (b) 1.0000 ±0.5000 to (a) 3.0000 ±1.0801");
}

}  // namespace
}  // namespace allot::reproduce::claim_test
