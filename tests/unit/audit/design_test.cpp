// Which answers designs draw.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "allot/audit/fixed_design.hpp"
#include "allot/audit/sequential_design.hpp"
#include "support/audit_worlds.hpp"

namespace allot::test::design_test {
namespace {

using audit::Draw;
using audit::FixedDesign;
using audit::SequentialDesign;
using audit::Strata;

std::vector<std::uint32_t> items_of(std::span<const Draw> draws) {
  std::vector<std::uint32_t> items;
  for (const Draw& draw : draws) items.push_back(position(draw.item));
  return items;
}

TEST(AuditStrata, FollowTheStatedProbability) {
  const std::vector<double> stated{1, 0.99, 0.9899, 0.8, 0.5, 0.3};
  Strata strata(stated);
  ASSERT_EQ(strata.all().size(), 4U);
  EXPECT_EQ(strata.all()[0].answers, 2U);
  EXPECT_EQ(strata.all()[3].answers, 2U);
  EXPECT_DOUBLE_EQ(strata.all()[3].stated, 0.8);
  EXPECT_EQ(strata.of(0.99), 0U);
  EXPECT_EQ(strata.of(0.8), 2U);
  strata.merge(1);
  EXPECT_EQ(strata.all()[1].answers, 2U);
  EXPECT_EQ(strata.all()[1].from, 0.8);
  EXPECT_EQ(strata.all()[1].to, 0.99);
  EXPECT_EQ(strata.of(0.3), 2U);
}

TEST(AuditStrata, LeaveOutEmptyOnes) {
  EXPECT_EQ(Strata(std::vector<double>{0.999, 0.5}).all().size(), 2U);
  EXPECT_EQ(Strata(std::vector<double>(9, 0.7)).all().size(), 1U);
  EXPECT_THROW(Strata(std::vector<double>{}), std::invalid_argument);
  EXPECT_THROW(Strata(std::vector<double>{1.01}), std::invalid_argument);
  EXPECT_THROW(Strata(std::vector<double>{std::nan("")}), std::invalid_argument);
}

TEST(FixedDesign, DrawsEachAnswerOnceAndRepeatsItself) {
  const std::vector<double> stated = crowd_like();
  const FixedDesign design(stated, 100, 3);
  const auto items = items_of(design.draws());
  EXPECT_EQ(items.size(), 100U);
  EXPECT_EQ(std::set(items.begin(), items.end()).size(), 100U);
  EXPECT_EQ(items, items_of(FixedDesign(stated, 100, 3).draws()));
  EXPECT_NE(items, items_of(FixedDesign(stated, 100, 4).draws()));
  std::vector<std::uint64_t> counts(design.strata().size());
  for (const Draw& draw : design.draws()) {
    ++counts[draw.stratum];
    EXPECT_DOUBLE_EQ(draw.q, double(design.checks()[draw.stratum]) /
                                 double(design.strata()[draw.stratum].answers));
  }
  EXPECT_TRUE(std::ranges::equal(counts, design.checks()));
  for (const std::uint64_t count : counts) EXPECT_GE(count, 15U);
}

TEST(FixedDesign, MergesStrataWithFewChecks) {
  std::vector<double> stated(91, 0.999);
  stated.insert(stated.end(), {0.96, 0.96, 0.96, 0.97, 0.98, 0.9, 0.9, 0.9, 0.6});
  const FixedDesign design(stated, 30, 1);
  for (std::size_t h = 0; h < design.strata().size(); ++h)
    EXPECT_TRUE(design.checks()[h] >= 15 || design.checks()[h] == design.strata()[h].answers);
  EXPECT_EQ(FixedDesign(crowd_like(), 20, 1).strata().size(), 1U);
  EXPECT_EQ(FixedDesign(crowd_like(), 500, 1).strata().size(), 4U);
}

TEST(FixedDesign, TakesAnyNumberOfChecks) {
  const std::vector<double> stated{1, 1, 1, 0.97, 0.9, 0.6, 0.6};
  for (std::uint64_t checks = 1; checks <= 7; ++checks) {
    const FixedDesign design(stated, checks, 1);
    EXPECT_EQ(design.draws().size(), checks);
    for (std::size_t h = 0; h < design.strata().size(); ++h)
      EXPECT_LE(design.checks()[h], design.strata()[h].answers);
  }
  EXPECT_THROW(FixedDesign(stated, 0, 1), std::invalid_argument);
  EXPECT_THROW(FixedDesign(stated, 8, 1), std::invalid_argument);
  EXPECT_EQ(FixedDesign(std::vector<double>(50, 1.0), 10, 1).draws().size(), 10U);
}

TEST(FixedDesign, DrawsFairlyWithinAStratum) {
  const std::vector<double> stated(6, 0.5);
  std::vector<double> share(6), first(6);
  constexpr int kSeeds = 6000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const FixedDesign design(stated, 2, static_cast<std::uint64_t>(seed));
    for (const Draw& draw : design.draws()) share[position(draw.item)] += 1.0 / kSeeds;
    first[position(design.draws().front().item)] += 1.0 / kSeeds;
  }
  for (std::size_t i = 0; i < 6; ++i) {  // within four standard errors
    EXPECT_NEAR(share[i], 1.0 / 3, 4 * std::sqrt(2.0 / 9 / kSeeds));
    EXPECT_NEAR(first[i], 1.0 / 6, 4 * std::sqrt(5.0 / 36 / kSeeds));
  }
}

TEST(SequentialDesign, IsTheSameForAnyNumberOfDraws) {
  const std::vector<double> stated = crowd_like();
  SequentialDesign one(stated, 7), other(stated, 7), third(stated, 8);
  const auto few = items_of(one.draw(10));
  const auto all = items_of(other.draw(1000));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_EQ(items_of(one.draw(50)), std::vector(all.begin(), all.begin() + 50));
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 1000U);
  EXPECT_NE(items_of(third.draw(10)), few);
  EXPECT_THROW(one.draw(1001), std::invalid_argument);
}

TEST(SequentialDesign, DrawsInProportionToTheWeights) {
  const std::vector<double> stated{0.5, 0.9, 1, 0.99};
  SequentialDesign design(stated, 0);
  std::vector<double> weights, first(4), second(4);
  for (const double p : stated) weights.push_back(design.weight(p));
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-15);
  EXPECT_DOUBLE_EQ(weights[2], 3.0 / 16);
  constexpr int kSeeds = 20000;
  for (int seed = 0; seed < kSeeds; ++seed) {
    SequentialDesign drawn(stated, static_cast<std::uint64_t>(seed));
    const auto draws = drawn.draw(2);
    const std::uint32_t one = position(draws[0].item), two = position(draws[1].item);
    EXPECT_DOUBLE_EQ(draws[0].q, weights[one]);
    EXPECT_DOUBLE_EQ(draws[1].q, weights[two] / (1 - weights[one]));
    first[one] += 1.0 / kSeeds;
    second[two] += 1.0 / kSeeds;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    double next = 0;
    for (std::size_t j = 0; j < 4; ++j)
      next += i == j ? 0 : weights[j] * weights[i] / (1 - weights[j]);
    EXPECT_NEAR(first[i], weights[i], 4 * std::sqrt(0.25 / kSeeds));
    EXPECT_NEAR(second[i], next, 4 * std::sqrt(0.25 / kSeeds));
  }
}

}  // namespace
}  // namespace allot::test::design_test
