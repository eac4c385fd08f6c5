// What verdicts say: accuracy, class shares, strata, and how many checks would prove more.
#include <gtest/gtest.h>

#include <stdexcept>

#include "allot/audit/fixed_estimate.hpp"
#include "allot/audit/sequential_estimate.hpp"
#include "audit/count_bound.hpp"
#include "support/audit_worlds.hpp"

namespace allot::test::estimate_test {
namespace {

using audit::Bounds;
using audit::FixedDesign;
using audit::FixedEstimate;
using audit::SequentialDesign;
using audit::SequentialEstimate;
using audit::Verdict;

std::vector<Verdict> verdicts_on(std::span<const audit::Draw> draws,
                                 const std::vector<bool>& right) {
  std::vector<Verdict> verdicts;
  for (const audit::Draw& draw : draws)
    verdicts.push_back(verdict_on(draw.item, right[position(draw.item)]));
  return verdicts;
}

void expect_ordered(const Bounds& bounds) {
  EXPECT_LE(0, bounds.low);
  EXPECT_LE(bounds.low, bounds.lower);
  EXPECT_LE(bounds.lower, bounds.estimate);
  EXPECT_LE(bounds.estimate, bounds.high);
  EXPECT_LE(bounds.high, 1);
}

const AuditWorld kWorld = audit_worlds().front();

TEST(FixedEstimate, WeighsStrataBySize) {
  const std::vector<bool> right = kWorld.right(1);
  const FixedDesign design(kWorld.stated, 150, 1);
  const FixedEstimate estimate(design, verdicts_on(design.draws(), right), 0.95);
  double sum = 0;
  std::vector<audit::StratumCount> counts;
  for (std::size_t h = 0; h < design.strata().size(); ++h) {
    const auto stratum = estimate.strata()[h];
    const double size = static_cast<double>(design.strata()[h].answers);
    sum += size * double(stratum.right) / double(stratum.checked);
    counts.push_back({design.strata()[h].answers, stratum.checked, double(stratum.right)});
    expect_ordered(stratum.accuracy);
  }
  const Bounds accuracy = estimate.accuracy();
  EXPECT_NEAR(accuracy.estimate, sum / 1000, 1e-12);
  EXPECT_DOUBLE_EQ(accuracy.lower, audit::lower_bound(counts, 1 - 0.95));
  EXPECT_DOUBLE_EQ(accuracy.high, audit::upper_bound(counts, (1 - 0.95) / 2));
  expect_ordered(accuracy);
  EXPECT_EQ(estimate.checked(), 150U);
  EXPECT_EQ(estimate.missing(), 0U);
}

TEST(FixedEstimate, CountsMissingVerdictsAgainstEveryBound) {
  const FixedDesign design(std::vector<double>(200, 0.5), 50, 1);
  auto some = verdicts_on(design.draws(), std::vector<bool>(200, true));
  some.resize(45);
  auto worst = some, best = some;
  for (std::size_t i = 45; i < 50; ++i) {
    worst.push_back(verdict_on(design.draws()[i].item, false));
    best.push_back(verdict_on(design.draws()[i].item, true));
  }
  const FixedEstimate estimate(design, some, 0.95);
  EXPECT_EQ(estimate.missing(), 5U);
  EXPECT_EQ(estimate.accuracy().estimate, 1);
  EXPECT_EQ(estimate.accuracy().lower, FixedEstimate(design, worst, 0.95).accuracy().lower);
  EXPECT_EQ(estimate.accuracy().high, FixedEstimate(design, best, 0.95).accuracy().high);
}

TEST(FixedEstimate, KnowsEverythingOnceAllAnswersAreChecked) {
  const std::vector<bool> right = kWorld.right(2);
  const FixedDesign design(kWorld.stated, 1000, 1);
  const Bounds accuracy =
      FixedEstimate(design, verdicts_on(design.draws(), right), 0.95).accuracy();
  for (const double bound : {accuracy.estimate, accuracy.lower, accuracy.low, accuracy.high})
    EXPECT_NEAR(bound, share_of(right), 1e-12);
}

TEST(FixedEstimate, FindsTheChecksThatWouldProveATarget) {
  const FixedDesign design(std::vector<double>(5000, 0.5), 100, 1);
  std::vector<Verdict> verdicts = verdicts_on(design.draws(), std::vector<bool>(5000, true));
  for (std::size_t i = 0; i < 5; ++i) verdicts[i] = verdict_on(verdicts[i].item, false);
  const FixedEstimate estimate(design, verdicts, 0.95);
  EXPECT_LT(estimate.accuracy().lower, 0.92);
  const auto needed = estimate.checks_to_prove(0.92);
  ASSERT_TRUE(needed.has_value());
  const auto bound = [](std::uint64_t checks) {
    const std::vector<audit::StratumCount> counts{{5000, checks, 0.95 * double(checks)}};
    return audit::lower_bound(counts, 1 - 0.95);
  };
  EXPECT_GE(bound(*needed), 0.92);
  EXPECT_LT(bound(*needed - 20), 0.92);
  EXPECT_FALSE(estimate.checks_to_prove(0.96).has_value());
}

TEST(FixedEstimate, RefusesVerdictsThatFitNoDraw) {
  const FixedDesign design(kWorld.stated, 10, 1);
  const auto verdicts = verdicts_on(design.draws(), std::vector<bool>(1000));
  std::vector<Verdict> twice{verdicts[0], verdicts[0]};
  EXPECT_THROW(FixedEstimate(design, twice, 0.95), std::invalid_argument);
  EXPECT_THROW(FixedEstimate(design, std::vector{verdict_on(ItemId{5000}, true)}, 0.95),
               std::invalid_argument);
  EXPECT_THROW(FixedEstimate(design, verdicts, 1), std::invalid_argument);
}

/// Three classes in shares .5, .3 and .2; answers are right as in the world.
struct Classes {
  std::vector<ClassId> answers, truth;
};

Classes three_classes(const std::vector<bool>& right) {
  Classes classes;
  for (std::uint32_t i = 0; i < right.size(); ++i) {
    const std::uint32_t truth = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2;
    classes.truth.push_back(ClassId{truth});
    classes.answers.push_back(ClassId{right[i] ? truth : (truth + 1) % 3});
  }
  return classes;
}

TEST(AuditShares, HoldTheTrueShares) {
  constexpr int kAudits = 200;
  const double truth[] = {0.5, 0.3, 0.2};
  std::vector<double> fixed_holds(3), sequential_holds(3);
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const Classes classes = three_classes(kWorld.right(run));
    const auto judged = [&](std::span<const audit::Draw> draws) {
      std::vector<Verdict> verdicts;
      for (const audit::Draw& draw : draws) {
        const std::uint32_t i = position(draw.item);
        verdicts.push_back({draw.item, classes.answers[i], classes.truth[i]});
      }
      return verdicts;
    };
    const FixedDesign fixed(kWorld.stated, 80, run);
    SequentialDesign sequential(kWorld.stated, run);
    const auto fixed_shares = FixedEstimate(fixed, judged(fixed.draws()), 0.9).shares(3);
    const auto verdicts = judged(sequential.draw(80));
    const auto shares = SequentialEstimate(sequential, verdicts, 0.9).shares(classes.answers, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto holds = [&](const Bounds& bounds) {
        return bounds.low <= truth[k] && truth[k] <= bounds.high;
      };
      fixed_holds[k] += holds(fixed_shares[k]);
      sequential_holds[k] += holds(shares[k]);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GE(fixed_holds[k] / kAudits, 0.87);
    EXPECT_GE(sequential_holds[k] / kAudits, 0.87);
  }
}

TEST(SequentialEstimate, CertifiesAsSoonAsTheBoundReachesTheTarget) {
  const std::vector<bool> right = kWorld.right(3);
  SequentialDesign design(kWorld.stated, 3);
  const auto verdicts = verdicts_on(design.draw(300), right);
  const SequentialEstimate all(design, verdicts, 0.95);
  constexpr double kTarget = 0.85;
  const auto after = all.certified_after(kTarget);
  ASSERT_TRUE(after.has_value());
  const auto bound = [&](std::size_t count) {
    return SequentialEstimate(design, std::span(verdicts).first(count), 0.95).accuracy().lower;
  };
  EXPECT_GE(bound(*after), kTarget - 1e-9);
  EXPECT_LT(bound(*after - 1), kTarget);
  EXPECT_GE(bound(300), kTarget - 1e-9);  // for good
  EXPECT_EQ(all.checks_to_prove(kTarget), 0U);
  expect_ordered(all.accuracy());
  for (const auto& stratum : all.strata()) expect_ordered(stratum.accuracy);
}

TEST(SequentialEstimate, ForecastsFurtherChecks) {
  const std::vector<bool> right = kWorld.right(4);
  SequentialDesign design(kWorld.stated, 4);
  const auto verdicts = verdicts_on(design.draw(40), right);
  const SequentialEstimate estimate(design, verdicts, 0.95);
  const auto few = estimate.checks_to_prove(0.84), more = estimate.checks_to_prove(0.87);
  ASSERT_TRUE(few && more);
  EXPECT_GT(*few, 0U);
  EXPECT_GT(*more, *few);
  EXPECT_FALSE(estimate.checks_to_prove(0.999).has_value());
}

TEST(SequentialEstimate, ForecastsThatAllAnswersWouldDo) {
  for (const std::size_t answers : {5, 12, 40}) {
    SequentialDesign design(std::vector<double>(answers, 0.6), 4);
    const std::vector<bool> right(answers, true);
    const auto some = verdicts_on(design.draw(3), right);
    const auto further = SequentialEstimate(design, some, 0.95).checks_to_prove(0.95);
    ASSERT_TRUE(further.has_value()) << answers;
    EXPECT_LE(*further, answers - 3);
    const auto all = verdicts_on(design.draw(answers), right);
    EXPECT_TRUE(SequentialEstimate(design, all, 0.95).certified_after(0.95)) << answers;
    std::vector<bool> half(answers);
    for (std::size_t i = 0; i < answers; i += 2) half[i] = true;
    SequentialDesign other(std::vector<double>(answers, 0.6), 4);
    const auto poor = verdicts_on(other.draw(4), half);
    if (SequentialEstimate(other, poor, 0.95).right() < 4) {
      EXPECT_FALSE(SequentialEstimate(other, poor, 0.95).checks_to_prove(0.99)) << answers;
    }
  }
}

TEST(SequentialEstimate, StartsFromNothingAndEndsExactly) {
  const std::vector<bool> right = kWorld.right(5);
  SequentialDesign design(kWorld.stated, 5);
  const Bounds none = SequentialEstimate(design, {}, 0.95).accuracy();
  EXPECT_EQ(none.lower, 0);
  EXPECT_EQ(none.high, 1);
  const auto verdicts = verdicts_on(design.draw(1000), right);
  const Bounds all = SequentialEstimate(design, verdicts, 0.95).accuracy();
  EXPECT_NEAR(all.low, share_of(right), 1e-9);
  EXPECT_NEAR(all.high, share_of(right), 1e-9);
}

TEST(SequentialEstimate, RefusesVerdictsOutOfOrder) {
  SequentialDesign design(kWorld.stated, 1);
  auto verdicts = verdicts_on(design.draw(5), std::vector<bool>(1000));
  std::swap(verdicts[0], verdicts[1]);
  EXPECT_THROW(SequentialEstimate(design, verdicts, 0.95), std::invalid_argument);
}

}  // namespace
}  // namespace allot::test::estimate_test
