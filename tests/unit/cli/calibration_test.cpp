#include "cli/calibration.hpp"

#include <gtest/gtest.h>

#include "support/program.hpp"
#include "support/xml.hpp"

namespace allot::cli::calibration_test {
namespace {

/// 100 answers with probability .92, of which `right` are right, and 10 with .55, all right.
sim::Row row(std::string policy, std::uint64_t budget, std::uint32_t right) {
  sim::Row result{std::move(policy), budget, 2, .9, .01, .9, 0, .8};
  std::vector<std::optional<ClassId>> truth(110, ClassId{1});
  for (std::uint32_t i = right; i < 100; ++i) truth[i] = ClassId{0};
  std::vector<double> probabilities(110, .92);
  std::fill(probabilities.begin() + 100, probabilities.end(), .55);
  result.calibration.add(std::vector<ClassId>(110, ClassId{1}), probabilities, truth);
  return result;
}

const std::vector<sim::Row> kRows{row("kg", 200, 80), row("kg", 100, 60), row("lu", 200, 90),
                                  row("lu", 100, 70)};

TEST(CalibrationReport, ShowsTheLargestBudget) {
  EXPECT_EQ(CalibrationReport{kRows}.table(),
            "Calibration of answers: 200 labels, all runs\n\n"
            "  policy    probability   answers   expected   observed   std.err.\n"
            "  ----------------------------------------------------------------\n"
            "  kg       0.50 to 0.60        10     0.5500     1.0000     0.0659\n"
            "           0.90 to 0.95       100     0.9200     0.8000     0.0402\n"
            "  lu       0.50 to 0.60        10     0.5500     1.0000     0.0659\n"
            "           0.90 to 0.95       100     0.9200     0.9000     0.0305\n"
            "\n  mean difference of expected and observed: kg 0.1500, lu 0.0591\n");
}

TEST(CalibrationReport, HasOneCsvRowPerPolicyBudgetAndBin) {
  const std::string csv = CalibrationReport{kRows}.csv();
  EXPECT_EQ(csv.rfind("policy,budget,from,to,answers,expected,observed,stderr,calibration_error\n"
                      "kg,200,0,0.5,0,,,,0.15",
                      0),
            0U)
      << csv;
  EXPECT_NE(csv.find("\nlu,100,0.9,0.95,100,0.92"), std::string::npos) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 8);
}

TEST(CalibrationReport, CountsTheAnswersOfOneRunWhereRunsAreAlike) {
  const std::string table = CalibrationReport{kRows, 4}.table();  // as of 25 answers
  EXPECT_NE(table.find("100     0.9200     0.8000     0.0817"), std::string::npos) << table;
}

TEST(CalibrationReport, IsDrawnBesideTheLineOfCalibratedAnswers) {
  const auto figure = test::parse_xml(CalibrationReport{kRows}.figure("50 items"));
  EXPECT_EQ(figure.children[1].text,
            "Line chart of observed share of right answers against mean probability of the "
            "answers. kg: 1 at 0.55, 0.8 "
            "at 0.92. lu: 1 at 0.55, 0.9 at 0.92. calibrated: 0.55 at 0.55, 1 at 1.");
}

using test::allot;
using test::expect_refusal;
using test::Folder;
using test::read_file;

const std::string kCommand = "simulate --items 20 --budget 2x,5x --runs 5 --policy kg,opt-kg";

TEST(CalibrationOption, AddsATableAfterTheFirst) {
  const test::Outcome plain = allot(kCommand), more = allot(kCommand + " --calibration -");
  ASSERT_EQ(more.status, 0) << more.errors;
  EXPECT_EQ(more.output.rfind(plain.output + "\nCalibration of answers", 0), 0U) << more.output;
  const test::Outcome json = allot(kCommand + " --calibration - --format json");
  EXPECT_NE(json.output.find("\"calibration\": [{\"from\": 0, \"to\": 0.5, \"answers\": 0, "
                             "\"expected\": null"),
            std::string::npos)
      << json.output;
  EXPECT_EQ(allot(kCommand + " --format json").output.find("calibration"), std::string::npos);
}

TEST(CalibrationOption, WritesTheSameFilesOnAnyNumberOfThreads) {
  const Folder folder;
  const auto written = [&](const std::string& threads) {
    const auto outcome = allot(kCommand + " --threads " + threads + " --calibration " +
                               folder / "a.csv" + " --calibration " + folder / "a.svg");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return read_file(folder / "a.csv") + read_file(folder / "a.svg");
  };
  const std::string csv = written("1");
  EXPECT_EQ(csv, written("4"));
  EXPECT_NE(csv.find("opt-kg,100,0.9,0.95,"), std::string::npos) << csv;
}

TEST(CalibrationOption, IsRefusedWithOneClearLine) {
  expect_refusal(kCommand + " --calibration - --format csv",
                 "'-' cannot be printed with --format csv", "ends in .csv");
  expect_refusal(kCommand + " --calibration a.png", "--calibration 'a.png' is neither", ".svg");
}

}  // namespace
}  // namespace allot::cli::calibration_test
