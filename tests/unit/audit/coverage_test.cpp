// Bounds hold as often as they claim, in worlds where the stated probabilities are right, too high,
// too low or absurd. 1,000 audits each: a coverage of .95 is seen as .94 or more but for one seed
// in fourteen, and the seeds are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "allot/audit/fixed_estimate.hpp"
#include "allot/audit/sequential_estimate.hpp"
#include "audit/betting.hpp"
#include "support/audit_worlds.hpp"

namespace allot::test::coverage_test {
namespace {

using audit::Bounds;
using audit::Verdict;

constexpr std::uint64_t kAudits = 1000;
constexpr double kConfidence = 0.95, kRisk = 1 - kConfidence;

template <typename Draws>
std::vector<Verdict> verdicts_on(const Draws& draws, const std::vector<bool>& right) {
  std::vector<Verdict> verdicts;
  for (const audit::Draw& draw : draws)
    verdicts.push_back(verdict_on(draw.item, right[position(draw.item)]));
  return verdicts;
}

/// How often bounds hold, and where they are on average.
struct Coverage {
  double lower = 0, interval = 0, mean_bound = 0, mean_accuracy = 0;

  void add(const Bounds& bounds, double accuracy) {
    const double part = 1.0 / kAudits, slack = 1e-9;
    if (bounds.lower <= accuracy + slack) lower += part;
    if (bounds.low <= accuracy + slack && accuracy <= bounds.high + slack) interval += part;
    mean_bound += part * bounds.lower;
    mean_accuracy += part * accuracy;
  }
};

Coverage fixed_coverage(const AuditWorld& world, std::uint64_t checks) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const std::vector<bool> right = world.right(run);
    const audit::FixedDesign design(world.stated, checks, run);
    const auto verdicts = verdicts_on(design.draws(), right);
    coverage.add(audit::FixedEstimate(design, verdicts, kConfidence).accuracy(), share_of(right));
  }
  return coverage;
}

class AuditCoverage : public testing::TestWithParam<std::size_t> {
 protected:
  const AuditWorld world = audit_worlds()[GetParam()];
};

INSTANTIATE_TEST_SUITE_P(Worlds, AuditCoverage, testing::Range<std::size_t>(0, 7));

TEST_P(AuditCoverage, OfAFixedNumberOfChecks) {
  for (const std::uint64_t checks : {30U, 100U}) {
    const Coverage coverage = fixed_coverage(world, checks);
    EXPECT_GE(coverage.lower, 0.94) << world.name << ", " << checks;
    EXPECT_GE(coverage.interval, 0.94) << world.name << ", " << checks;
  }
}

/// Stops at the first look that certifies an accuracy just above the true one, the worst target.
TEST_P(AuditCoverage, OfTheFirstCertifiedLook) {
  double certified = 0;
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const std::vector<bool> right = world.right(run);
    audit::SequentialDesign design(world.stated, run);
    const auto verdicts = verdicts_on(design.draw(400), right);
    const audit::SequentialEstimate estimate(design, verdicts, kConfidence);
    certified += estimate.certified_after(share_of(right) + 1e-9).has_value();
  }
  EXPECT_LE(certified / kAudits, 0.06) << world.name;
}

TEST_P(AuditCoverage, OfASequentialLook) {
  Coverage coverage;
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const std::vector<bool> right = world.right(run);
    audit::SequentialDesign design(world.stated, run);
    const auto verdicts = verdicts_on(design.draw(100), right);
    const audit::SequentialEstimate estimate(design, verdicts, kConfidence);
    coverage.add(estimate.accuracy(), share_of(right));
  }
  EXPECT_GE(coverage.lower, 0.94) << world.name;
  EXPECT_GE(coverage.interval, 0.94) << world.name;
}

TEST(AuditSharpness, HundredChecksProveAnAccuracyUpToFivePoints) {
  const Coverage coverage = fixed_coverage(audit_worlds().front(), 100);
  EXPECT_NEAR(coverage.mean_accuracy, 0.912, 0.002);
  EXPECT_LT(coverage.mean_accuracy - coverage.mean_bound, 0.05);
}

/// Negative control: the same observations with a normal interval.
TEST(AuditNegativeControl, ANormalIntervalDoesNotHold) {
  const AuditWorld world = audit_worlds()[3];
  double holds = 0;
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const std::vector<bool> right = world.right(run);
    audit::SequentialDesign design(world.stated, run);
    audit::Population population;
    for (const double p : world.stated) population.add(p, design.weight(p));
    audit::Bettor bettor(population, kRisk);
    double sum = 0, squares = 0;
    constexpr int kChecks = 100;
    for (const audit::Draw& draw : design.draw(kChecks)) {
      const double p = world.stated[position(draw.item)];
      const double x = bettor.next(right[position(draw.item)], p, design.weight(p)).x;
      sum += x;
      squares += x * x;
    }
    const double mean = sum / kChecks, variance = squares / kChecks - mean * mean;
    holds += mean - 1.645 * std::sqrt(variance / kChecks) <= share_of(right);
  }
  EXPECT_LT(holds / kAudits, 0.9);
}

/// Pr(at most `wrong` of `checked` drawn answers are wrong) if `bad` of `answers` are.
double at_most(double wrong, double checked, double bad, double answers) {
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  double sum = 0;
  for (double w = 0; w <= std::min(wrong, bad); ++w) {
    if (checked - w > answers - bad) continue;
    sum += std::exp(log_choose(bad, w) + log_choose(answers - bad, checked - w) -
                    log_choose(answers, checked));
  }
  return sum;
}

/// Negative control: the exact test for one look, taken at every look until it certifies.
TEST(AuditNegativeControl, AnExactBoundForOneLookDoesNotHoldAtEveryLook) {
  const AuditWorld world = audit_worlds().front();
  const std::vector<bool> right = world.right(0);
  const auto bad = static_cast<double>(std::ranges::count(right, false));
  std::map<std::pair<double, double>, double> chances;
  double holds = 0;
  for (std::uint64_t run = 0; run < kAudits; ++run) {
    const audit::FixedDesign design(std::vector<double>(world.size(), 0.5), 300, run);
    double checked = 0, wrong = 0;
    bool certified = false;
    for (const audit::Draw& draw : design.draws()) {
      wrong += !right[position(draw.item)];
      const auto [place, is_new] = chances.try_emplace({++checked, wrong}, 0);
      if (is_new) place->second = at_most(wrong, checked, bad, 1000);
      certified = certified || place->second < kRisk;
    }
    holds += !certified;
  }
  EXPECT_LT(holds / kAudits, 0.9);
}

}  // namespace
}  // namespace allot::test::coverage_test
