// What an audit reports: gaps in the order of the draws, and verdicts that no random order
// explains.
#include "allot/audit/report.hpp"

#include <gtest/gtest.h>

#include "allot/audit/sequential_estimate.hpp"
#include "support/audit_worlds.hpp"

namespace allot::test::report_test {
namespace {

using audit::Report;
using audit::SequentialDesign;

constexpr std::size_t kAnswers = 200;

/// 200 answers of class 0 at .9, and the truths that a test gives their draws.
class SequentialReport : public testing::Test {
 protected:
  /// Gives the draws from `from` up to but not including `to` that class.
  void give(std::size_t from, std::size_t to, std::uint32_t truth) {
    SequentialDesign design(stated_, 1);
    for (const audit::Draw& draw : design.draw(to).subspan(from)) {
      truths_[position(draw.item)] = ClassId{truth};
    }
  }
  ItemId drawn(std::size_t n) const { return SequentialDesign(stated_, 1).draw(n + 1)[n].item; }
  Report report(double target = 0.8) const {
    SequentialDesign design(stated_, 1);
    return make_report(design, {answers_, truths_, 2}, 0.95, target);
  }

  const std::vector<double> stated_ = std::vector<double>(kAnswers, 0.9);
  const std::vector<ClassId> answers_ = std::vector<ClassId>(kAnswers);
  std::vector<std::optional<ClassId>> truths_ = std::vector<std::optional<ClassId>>(kAnswers);
};

TEST_F(SequentialReport, HoldsVerdictsUntilTheGapCloses) {
  give(0, 4, 0);
  give(5, 30, 0);
  const Report gap = report();
  EXPECT_EQ(gap.checked, 4U);
  EXPECT_EQ(gap.waiting, 25U);
  EXPECT_EQ(gap.drawn, 30U);
  EXPECT_EQ(gap.missing(), 1U);
  EXPECT_EQ(gap.next, drawn(4));
  EXPECT_FALSE(gap.certified_after);
  give(4, 5, 0);
  const Report closed = report();
  EXPECT_EQ(closed.checked, 30U);
  EXPECT_EQ(closed.waiting, 0U);
  EXPECT_EQ(closed.missing(), 0U);
  EXPECT_TRUE(closed.certified_after) << "the held verdicts count now";
  EXPECT_FALSE(closed.next) << "nothing more is needed";
  EXPECT_EQ(report(0.99).next, drawn(30));
}

TEST_F(SequentialReport, WithoutAVerdictNamesTheFirstDraw) {
  const Report none = report();
  EXPECT_EQ(none.drawn, 0U);
  EXPECT_EQ(none.next, drawn(0));
  EXPECT_EQ(none.waiting, 0U);
}

TEST_F(SequentialReport, OfVerdictsThatContradictTheOrderProvesNothing) {
  give(0, 70, 0);
  const Report right = report();
  ASSERT_TRUE(right.certified_after);
  EXPECT_FALSE(right.contradiction);
  give(70, 150, 1);
  const Report found = report();
  EXPECT_TRUE(found.contradiction);
  EXPECT_FALSE(found.certified_after);
  EXPECT_FALSE(found.checks_to_prove);
  EXPECT_DOUBLE_EQ(found.accuracy.lower, 70.0 / kAnswers) << "known to be right";
  EXPECT_DOUBLE_EQ(found.accuracy.low, 70.0 / kAnswers);
  EXPECT_DOUBLE_EQ(found.accuracy.high, 120.0 / kAnswers) << "the rest may be";
  for (const audit::Bounds& share : found.shares) EXPECT_LE(share.low, share.high);
  for (const auto& stratum : found.per_stratum) {
    EXPECT_LE(stratum.accuracy.low, stratum.accuracy.high);
    EXPECT_LE(stratum.accuracy.lower, stratum.accuracy.high);
  }
}

TEST_F(SequentialReport, OfAllAnswersIsExact) {
  give(0, 70, 0);
  give(70, kAnswers, 1);
  const Report found = report();
  EXPECT_DOUBLE_EQ(found.accuracy.lower, 0.35);
  EXPECT_DOUBLE_EQ(found.accuracy.high, 0.35);
  EXPECT_FALSE(found.contradiction) << "every answer is known";
}

TEST(FixedReport, CountsMissingDraws) {
  const std::vector<double> stated(kAnswers, 0.9);
  const std::vector<ClassId> answers(kAnswers);
  std::vector<std::optional<ClassId>> truths(kAnswers);
  const audit::FixedDesign design(stated, 40, 1);
  for (const audit::Draw& draw : design.draws().subspan(1)) {
    truths[position(draw.item)] = ClassId{0};
  }
  const Report found = make_report(design, {answers, truths, 2}, 0.95);
  EXPECT_EQ(found.drawn, 40U);
  EXPECT_EQ(found.missing(), 1U);
  EXPECT_EQ(found.waiting, 0U);
  EXPECT_EQ(found.next, design.draws().front().item);
  EXPECT_FALSE(found.next_target) << "an audit that is not finished";
}

}  // namespace
}  // namespace allot::test::report_test
