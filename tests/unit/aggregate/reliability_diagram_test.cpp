#include "allot/aggregate/reliability_diagram.hpp"

#include <gtest/gtest.h>

namespace allot::aggregate::reliability_diagram_test {
namespace {

TEST(ReliabilityDiagram, CountsKnownAnswersByTheirStatedProbability) {
  const std::vector<std::vector<double>> stated{{0.55, 0.45}, {0.42, 0.58}, {0.97, 0.03}, {1, 0}};
  std::vector<model::KnownAnswer> known;
  for (const auto& probabilities : stated)
    known.push_back({.probabilities = probabilities, .labels = 2, .right = known.size() != 1});
  const model::CalibrationMap map(2, known);
  const auto diagram = reliability_diagram(known, map, 0.8);
  ASSERT_EQ(diagram.size(), 3U) << "empty bins are left out";
  const ReliabilityBin& low = diagram[0];
  EXPECT_EQ(low.stated.from, 0.5);
  EXPECT_EQ(low.stated.answers, 2U);
  EXPECT_EQ(low.stated.right, 1U);
  EXPECT_NEAR(low.stated.expected(), 0.565, 1e-9);
  EXPECT_NEAR(low.calibrated,
              (map.answer_probability(stated[0], 2) + map.answer_probability(stated[1], 2)) / 2,
              1e-12);
  const ShareRange range = observed_range(low.stated, 0.8);
  EXPECT_EQ(low.right.low, range.low);
  EXPECT_EQ(low.right.high, range.high);
  EXPECT_EQ(diagram[1].stated.from, 0.95);
  EXPECT_EQ(diagram[2].stated.to, 1) << "certain answers are in the last bin";
  EXPECT_EQ(diagram[2].stated.answers, 1U);
}

TEST(ReliabilityDiagram, IsEmptyWithoutKnownAnswers) {
  EXPECT_TRUE(reliability_diagram({}, model::CalibrationMap(3)).empty());
}

}  // namespace
}  // namespace allot::aggregate::reliability_diagram_test
