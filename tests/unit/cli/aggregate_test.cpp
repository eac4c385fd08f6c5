// `allot aggregate` as a user meets it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "allot/base/text.hpp"
#include "support/gzip.hpp"
#include "support/program.hpp"

namespace allot::test::aggregate_test {
namespace {

constexpr const char* kLabels =
    "task,worker,label\n"
    "a,ann,yes\na,bob,yes\na,cyd,no\n"
    "b,ann,no\nb,bob,no\nb,cyd,no\n"
    "\"c, d\",ann,yes\n\"c, d\",bob,no\n";
constexpr const char* kTruth = "task,truth\na,yes\nb,no\nz,no\n";

class Aggregate : public testing::Test {
 protected:
  Outcome run(const std::string& more) const { return allot("aggregate " + labels + " " + more); }

  const Folder folder;
  const std::string labels = folder.file("labels.csv", kLabels);
  const std::string truth = folder.file("truth.csv", kTruth);
};

TEST_F(Aggregate, ComparesMethodsInATable) {
  const Outcome outcome =
      run("--method majority,posterior,one-coin,dawid-skene,kos --truth " + truth);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.rfind(
                "8 labels of 3 items by 3 workers, 2.667 per item, 2 classes (no, yes)\n", 0),
            0U)
      << outcome.output;
  for (const char* method : {"majority", "posterior", "one-coin", "dawid-skene", "kos"})
    EXPECT_NE(outcome.output.find(std::string("\n  ") + method + " "), std::string::npos) << method;
  EXPECT_NE(outcome.output.find("among 2 items with a truth"), std::string::npos);
  EXPECT_NE(outcome.output.find("truth of 1 item without labels"), std::string::npos);
}

TEST_F(Aggregate, PrintsTheStatedCsvColumns) {
  const Outcome outcome = run("--method majority --format csv --truth " + truth);
  EXPECT_EQ(outcome.output,
            "method,items,workers,labels,classes,iterations,converged,log_likelihood,"
            "expected_accuracy,truth_items,accuracy,unlabelled,features_used,depend_on_shares,"
            "depend_on_features\n"
            "majority,3,3,8,2,,,,0.722222222222,2,1,0,,,\n");
}

TEST_F(Aggregate, PrintsJson) {
  const Outcome outcome = run("--method kos --format json");
  EXPECT_EQ(outcome.output,
            "{\"dropped_rows\": 0, \"truth_elsewhere\": null, \"warnings\": [], \"rows\": [\n"
            "  {\"method\": \"kos\", \"items\": 3, \"workers\": 3, \"labels\": 8, \"classes\": 2, "
            "\"iterations\": 10, \"converged\": null, \"log_likelihood\": null, "
            "\"expected_accuracy\": null, \"truth_items\": null, \"accuracy\": null, "
            "\"unlabelled\": 0, \"features_used\": null, \"depend_on_shares\": null, "
            "\"depend_on_features\": null}]}\n");
}

TEST_F(Aggregate, WritesAnswersAndWorkers) {
  const Outcome outcome = run("--method majority --output " + folder / "answers.csv" +
                              " --workers-output " + folder / "workers.csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(read_file(folder / "answers.csv"),
            "item,answer,probability,labels,p_no,p_yes\n"
            "a,yes,0.666666666667,3,0.333333333333,0.666666666667\n"
            "b,no,1,3,1,0\n"
            "\"c, d\",no,0.5,2,0.5,0.5\n");
  EXPECT_EQ(read_file(folder / "workers.csv"),
            "worker,labels,reliability\nann,3,0.666666666667\nbob,3,1\ncyd,2,0.5\n");
}

TEST_F(Aggregate, WritesConfusionTables) {
  const Outcome outcome = run("--workers-output -");
  EXPECT_EQ(outcome.output.rfind(
                "worker,labels,reliability,p_no_no,p_no_yes,p_yes_no,p_yes_yes\nann,3,", 0),
            0U)
      << outcome.output;
}

TEST_F(Aggregate, PrintsAnswersInPlaceOfTheSummary) {
  const Outcome outcome = run("--method kos --output -");
  EXPECT_EQ(outcome.output.rfind("item,answer,probability,labels\na,yes,,3\n", 0), 0U)
      << outcome.output;
}

TEST_F(Aggregate, AddsCalibratedProbabilitiesFromKnownAnswers) {
  const Outcome plain = run("--output -");
  const Outcome outcome = run("--output - --known " + truth);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::istringstream before(plain.output), after(outcome.output);
  std::string old_line, line;
  std::getline(before, old_line);
  std::getline(after, line);
  EXPECT_EQ(line, old_line + ",calibrated,calibrated_no,calibrated_yes");
  while (std::getline(before, old_line)) {
    ASSERT_TRUE(std::getline(after, line));
    EXPECT_EQ(line.rfind(old_line + ",0.", 0), 0U) << line;  // raw probabilities stay
  }
}

TEST_F(Aggregate, SaysOnHowManyKnownAnswersTheCalibrationRests) {
  const Outcome outcome = run("--known " + truth);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part : {"Calibration of pooled: rests on 2 known answers\n", "90 % interval",
                           "\n  calibrated expected accuracy: 0."})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("not verified"), std::string::npos);
  EXPECT_NE(run("--format table").output.find("estimated by the model, not verified"),
            std::string::npos);
  EXPECT_EQ(run("--method kos --format table").output.find("not verified"), std::string::npos);
}

TEST_F(Aggregate, PutsTheCalibratedAccuracyIntoTheCsvSummary) {
  const Outcome outcome = run("--method majority,kos --format csv --known " + truth);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find(",depend_on_features,known_answers,calibrated_accuracy,"
                                "calibrated_low,calibrated_high\n"),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find(",0,,,,2,0."), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("\nkos,3,3,8,2,10,,,,,,0,,,,,,,\n"), std::string::npos)
      << outcome.output;
}

TEST_F(Aggregate, CountsKnownAnswersToItemsWithoutALabel) {
  const std::string none = folder.file("none.csv", "task,truth\nz,no\ny,yes\n");
  expect_refusal("aggregate " + labels + " --known " + none, "none of its 2 items is in",
                 "items that have labels");
  const std::string some = folder.file("some.csv", "task,truth\na,yes\nz,no\n");
  const Outcome outcome = run("--known " + some);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("rests on 1 known answer\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("1 item without a label"), std::string::npos) << outcome.errors;
  expect_refusal("aggregate " + labels + " --agreement --known " + some,
                 "--known has no effect on --agreement", "one of them");
}

TEST_F(Aggregate, RefusesKnownAnswersThatNothingUses) {
  expect_refusal("aggregate " + labels + " --method kos --known " + truth, "--known",
                 "has no effect on kos; expected --method pooled or");
  expect_refusal("aggregate - --known - <" + labels, "--known '-' is standard input",
                 "which has the labels");
}

TEST_F(Aggregate, NeverOverwritesAFileThatItReads) {
  const std::string link = folder / "link.csv";
  std::filesystem::create_symlink(labels, link);
  for (const std::string& arguments :
       {"--output " + labels, "--workers-output " + link, "--truth " + truth + " --output " + truth,
        "--known " + truth + " --output " + truth}) {
    expect_refusal("aggregate " + labels + " " + arguments, "would overwrite a file that is read",
                   "expected another one");
  }
  EXPECT_EQ(read_file(labels), kLabels);
  EXPECT_EQ(read_file(truth), kTruth);
}

TEST_F(Aggregate, ReadsGzipAndStandardInput) {
  const std::string packed = folder.file("labels.csv.gz", gzip(kLabels));
  const std::string plain = run("").output;
  EXPECT_EQ(allot("aggregate " + packed).output, plain);
  EXPECT_EQ(allot("aggregate - <" + packed).output, plain);
}

TEST_F(Aggregate, KeepsOneOfRepeatedLabelsIfTold) {
  const std::string repeated = folder.file("twice.csv", std::string(kLabels) + "a,ann,no\n");
  EXPECT_EQ(allot("aggregate " + repeated).status, 2);
  const Outcome last =
      allot("aggregate " + repeated + " --duplicates last --method majority --format table");
  EXPECT_NE(last.output.find("1 row left out"), std::string::npos) << last.output;
  const Outcome first =
      allot("aggregate " + repeated + " --duplicates first --method majority --output -");
  EXPECT_NE(first.output.find("\na,yes,"), std::string::npos) << first.output;
}

TEST_F(Aggregate, AnswersTheSameWhateverTheTruthIs) {
  const std::vector<std::string> truths{kTruth, "task,truth\na,YES\nb,No\n",
                                        "task,truth\na,maybe\nb,no\n\"c, d\",2\n",
                                        "task,truth\nelsewhere,perhaps\n", "task,truth\n"};
  for (const char* method : {"majority", "posterior", "one-coin", "dawid-skene", "kos"}) {
    const std::string options = std::string("--method ") + method;
    const std::string answers = run(options + " --output -").output;
    const std::string workers = run(options + " --workers-output -").output;
    ASSERT_FALSE(answers.empty());
    for (const std::string& text : truths) {
      const std::string known = " --truth " + folder.file("known.csv", text);
      EXPECT_EQ(run(options + known + " --output -").output, answers) << text;
      EXPECT_EQ(run(options + known + " --workers-output -").output, workers) << text;
    }
  }
}

TEST_F(Aggregate, TakesTruthsInAnotherNotationAndSaysSo) {
  const std::string known = folder.file("known.csv", "task,truth\na,YES\nb,No\n");
  const Outcome outcome = run("--method majority --format csv --truth " + known);
  EXPECT_NE(outcome.output.find(",2,1,0,,,\n"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.errors,
            "allot aggregate: " + known +
                ": truths match classes that the labels spell differently: 'YES' for 'yes', "
                "'No' for 'no'\n");
}

TEST_F(Aggregate, CountsATruthThatNoLabelHasAsWrongAndSaysSo) {
  const std::string known = folder.file("known.csv", "task,truth\na,yes\nb,maybe\n");
  const Outcome outcome = run("--method majority --format csv --truth " + known);
  EXPECT_NE(outcome.output.find(",8,2,,,,0.722222222222,2,0.5,0,,,\n"), std::string::npos)
      << outcome.output;
  EXPECT_EQ(outcome.errors, "allot aggregate: " + known +
                                ": no label is 'maybe'; answers to 1 item with that truth "
                                "count as wrong\n");
}

TEST_F(Aggregate, WarnsOfLabelsInSeveralNotations) {
  const std::string mixed =
      folder.file("mixed.csv", "task,worker,label\na,b,Yes\na,c,yes\nb,b,no\n");
  const Outcome outcome = allot("aggregate " + mixed + " --method majority --format csv");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("majority,2,2,3,3,"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.errors, "allot aggregate: " + mixed +
                                ": 'Yes', 'yes' count as different classes; write them the same "
                                "way if they are the same class\n");
}

TEST_F(Aggregate, SaysThatATruthIsOfOtherItems) {
  const std::string others = folder.file("others.csv", "task,truth\ny,yes\nz,no\n");
  const Outcome outcome = run("--format csv --truth " + others);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.errors.find("others.csv: no item with a label has a truth here"),
            std::string::npos)
      << outcome.errors;
}

TEST_F(Aggregate, KnowsClassesThatAreNamed) {
  const Outcome outcome = run("--method majority --classes perhaps,no --output -");
  EXPECT_NE(outcome.output.find(",p_perhaps,p_no,p_yes\n"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.errors.find("--classes does not name 'yes'; the order has it at the end"),
            std::string::npos)
      << outcome.errors;
  EXPECT_EQ(run("--classes yes,no --output -").errors.find("does not name"), std::string::npos);
}

TEST_F(Aggregate, HasAPosteriorForMoreThanTwoClasses) {
  const std::string many =
      folder.file("many.csv", "task,worker,label\na,b,1\na,c,3\na,d,3\nb,b,2\nb,c,1\n");
  const Outcome outcome = allot("aggregate " + many + " --method posterior --output -");
  EXPECT_EQ(outcome.output.rfind("item,answer,probability,labels,p_1,p_2,p_3\na,3,", 0), 0U)
      << outcome.output;
  const Outcome rare =
      allot("aggregate " + many + " --method posterior --prior dirichlet:9,9,1 --output -");
  EXPECT_NE(rare.output.find("\na,1,"), std::string::npos) << rare.output;
}

TEST_F(Aggregate, RanksClassesInTheOrderInWhichTheyAreNamed) {
  const std::string grades = folder.file(
      "grades.csv", "task,worker,label\na,ann,poor\na,bob,poor\nb,ann,great\nb,bob,great\n");
  const Outcome outcome =
      allot("aggregate " + grades + " --ordered --classes poor,good,great --output -");
  const auto rank = [&](const std::string& item) {
    const std::size_t at = outcome.output.find("\n" + item + ",");
    return std::stod(std::string(split(outcome.output.substr(at + 1), ',')[4]));
  };
  EXPECT_NE(outcome.output.find("expected_rank,p_poor,p_good,p_great\n"), std::string::npos);
  EXPECT_LT(rank("a"), 2);
  EXPECT_GT(rank("b"), 2);
}

TEST_F(Aggregate, WarnsOfAnOrderThatNobodyStated) {
  const std::string words = folder.file(
      "words.csv", "task,worker,label\na,ann,low\na,bob,medium\nb,ann,high\nb,bob,high\n");
  const auto warns = [&](const std::string& options) {
    const std::string warning = "in the order of their names: high, low, medium; --classes";
    return allot("aggregate " + words + options).errors.find(warning) != std::string::npos;
  };
  EXPECT_TRUE(warns(" --ordered"));
  EXPECT_FALSE(warns(""));
  EXPECT_FALSE(warns(" --ordered --classes low,medium,high"));
}

TEST_F(Aggregate, GivesTheExpectedRankOfOrderedClasses) {
  const std::string grades = folder.file(
      "grades.csv", "task,worker,label\na,ann,1\na,bob,2\nb,ann,2\nb,bob,2\nc,ann,3\nc,bob,3\n");
  const Outcome outcome = allot("aggregate " + grades + " --ordered --output -");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::istringstream rows(outcome.output);
  std::string head, cell;
  std::getline(rows, head);
  EXPECT_EQ(head, "item,answer,probability,labels,expected_rank,p_1,p_2,p_3");
  std::vector<double> numbers;
  for (int n = 0; n < 8 && std::getline(rows, cell, n < 7 ? ',' : '\n'); ++n) {
    numbers.push_back(n == 0 ? 0 : std::stod(cell));
  }
  ASSERT_EQ(numbers.size(), 8U);
  EXPECT_NEAR(numbers[4], numbers[5] + 2 * numbers[6] + 3 * numbers[7], 1e-9);
  EXPECT_GT(numbers[6], numbers[7]) << "1 is confused with 2 more often than with 3";
}

TEST_F(Aggregate, GivesTheExpectedRankBesideEveryRow) {
  const std::string grades = folder.file(
      "grades.csv", "task,worker,label\na,ann,1\na,bob,1\nb,ann,2\nb,bob,2\nc,ann,3\nc,bob,3\n");
  const Outcome rows = allot("aggregate " + grades + " --ordered --to rows");
  EXPECT_EQ(rows.output.rfind("task,worker,label,answer,probability,expected_rank\na,ann,1,1,", 0),
            0U)
      << rows.output << rows.errors;
  EXPECT_EQ(run("--to rows").output.rfind("task,worker,label,answer,probability\n", 0), 0U);
}

TEST_F(Aggregate, AnswersLabelsOfOneClass) {
  const std::string same = folder.file("same.csv", "task,worker,label\na,ann,x\nb,bob,x\n");
  const Outcome outcome = allot("aggregate " + same);
  EXPECT_EQ(outcome.output, "item,answer,probability,labels,p_x\na,x,1,1,1\nb,x,1,1,1\n")
      << outcome.errors;
  EXPECT_NE(
      outcome.errors.find("every label is 'x', and so is every answer; --classes names other"),
      std::string::npos)
      << outcome.errors;
  EXPECT_EQ(run("").errors.find("every label"), std::string::npos);
}

/// Three copies outvote everybody: the methods are sure, and a fifth of the answers is wrong.
TEST_F(Aggregate, SaysThatProbabilitiesAreTooHighWhereTheTruthShowsIt) {
  std::string text = "task,worker,label\n", truth = "task,truth\n", easy = "task,truth\n";
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 3; ++j)
      text += fmt::format("i{},w{},{}\n", i, j, i % 5 == 0 ? 1 - i % 2 : i % 2);
    truth += fmt::format("i{},{}\n", i, i % 2);
    if (i % 5 > 0) easy += fmt::format("i{},{}\n", i, i % 2);
  }
  const std::string labels = folder.file("copied.csv", text);
  const std::string known = folder.file("known.csv", truth);
  const std::string right = folder.file("right.csv", easy);
  const std::string command = "aggregate " + labels + " --method pooled --truth ";
  const Outcome outcome = allot(command + known + " --format table");
  EXPECT_NE(outcome.output.find("probabilities are too high: pooled expects "), std::string::npos)
      << outcome.output << outcome.errors;
  EXPECT_EQ(allot(command + right + " --format table").output.find("too high"), std::string::npos);
}

/// Good workers and bad ones, as many as each other: one coin can only guess who is who.
TEST_F(Aggregate, WarnsWhenAFitContradictsItself) {
  std::string text = "task,worker,label\n";
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 6; ++j) {
      const int said = j < 3 ? i % 2 : 1 - i % 2;
      text +=
          "i" + std::to_string(i) + ",w" + std::to_string(j) + "," + std::to_string(said) + "\n";
    }
  }
  text += "i0,extra,0\n";
  const std::string split = folder.file("split.csv", text);
  const Outcome outcome = allot("aggregate " + split + " --method one-coin,majority");
  EXPECT_NE(outcome.output.find("warning: one-coin contradicts itself"), std::string::npos)
      << outcome.output;
  EXPECT_EQ(outcome.output.find("majority contradicts itself"), std::string::npos);
  EXPECT_EQ(run("--method one-coin --format table").output.find("contradicts"), std::string::npos);
}

/// Four careful workers, and six who always say no: one coin takes the six for perfect, and only
/// tables of their own show that they say nothing.
TEST_F(Aggregate, WarnsWhenASureFitDiffersFromTheDefault) {
  std::string text = "task,worker,label\n";
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 10; ++j) {
      const bool errs = (i + 3) * (37 + 16 * j) % 101 < 10;
      const bool yes = j < 4 && (i % 2 == 0) != errs;
      text += fmt::format("i{},w{},{}\n", i, j, yes ? "yes" : "no");
    }
  }
  const std::string lazy = folder.file("lazy.csv", text);
  const Outcome outcome = allot("aggregate " + lazy + " --method one-coin,dawid-skene");
  EXPECT_NE(outcome.output.find("warning: one-coin expects 1.000 of its answers to be right, yet "
                                "pooled answers "),
            std::string::npos)
      << outcome.output;
  EXPECT_EQ(outcome.output.find("warning: dawid-skene"), std::string::npos);
}

TEST_F(Aggregate, PrintsNoControlCharactersOfAFile) {
  const std::string odd =
      folder.file("odd.csv", "task,worker,label\na,b,\"\x1b[2J\"\na,c,\"two\nlines\"\n");
  const Outcome outcome = allot("aggregate " + odd + " --method majority --format table");
  EXPECT_NE(outcome.output.find("2 classes\n"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos);
}

TEST_F(Aggregate, FailsBeforeTheWorkIfAFileCannotBeWritten) {
  for (const std::string option : {"--output", "--workers-output"}) {
    const std::string place = folder / "none/out.csv";
    const Outcome outcome = allot("aggregate " + folder / "no-labels.csv " + option + " " + place);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors, "allot aggregate: " + option + ": '" + place +
                                  "' cannot be written: No such file or directory\n");
  }
}

TEST_F(Aggregate, KeepsTheSummaryIfTheDiskIsFull) {
  const Outcome full = run("--output /dev/full --workers-output " + folder / "workers.csv");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.output, run("--format table").output);
  EXPECT_EQ(full.errors,
            "allot aggregate: '/dev/full' cannot be written: No space left on device\n");
  EXPECT_EQ(read_file(folder / "workers.csv").rfind("worker,labels,", 0), 0U);
}

TEST_F(Aggregate, RefusesWithOneClearLine) {
  const std::string odd = folder.file("odd.csv", "task,worker,label\na,b\n");
  const std::string bare = folder.file("bare.csv", "task,worker\na,b\n");
  const std::string many = folder.file("many.csv", "task,worker,label\na,b,1\na,c,2\na,d,3\n");
  const std::string zip = folder.file("sheet.csv", "PK\x03\x04 and more");
  const std::string strange = folder.file("strange.csv", "task,truth\na,ja\nb,nein\n");
  const std::vector<std::array<std::string, 3>> cases{
      // arguments, wrong, accepted
      {"", "LABELS", "missing"},
      {folder / "none.csv", "none.csv", "No such file"},
      {zip, "sheet.csv: the file is a zip archive", "expected text"},
      {odd, "odd.csv: line 2: 2 fields", "expected 3"},
      {labels + " --truth " + bare, "bare.csv: line 1: no column holds the truth", "gold"},
      {labels + " --truth " + strange,
       "no truth is a class of the labels: the truths are 'ja', 'nein'",
       "the labels are 'no', 'yes'; expected the same classes"},
      {labels + " --classes 'no,,yes'", "--classes 'no,,yes'", "names joined by commas"},
      {labels + " --truth " + folder / "no", "--truth", "No such file"},
      {labels + " --method dawidskene", "'dawidskene'", "did you mean 'dawid-skene'?"},
      {many + " --method kos", "method 'kos' needs two classes", "majority"},
      {many + " --method posterior --prior beta:1,2", "--prior: distribution 'beta:1,2' has two",
       "the items have 3; expected uniform, jeffreys, dirichlet:A"},
      {many + " --method posterior --prior dirichlet:1,2", "has 2 parameters for 3 classes",
       "dirichlet:A1,A2,A3"},
      {labels + " --method posterior --prior dirichlet:1,2,3", "has 3 parameters", "2 classes"},
      {labels + " --method contextual",
       "--method: method 'contextual' has no features; expected --features FILE", "dawid-skene"},
      {labels + " --no-intercept", "--no-intercept has no effect", "--features FILE"},
      {labels + " --feature-variance 1", "--feature-variance has no effect", "--features FILE"},
      {labels + " --ordered --method majority,kos", "--ordered has no effect on majority, kos",
       "expected --method pooled"},
      {labels + " --features x --method majority,kos",
       "--features 'x' has no effect on majority, kos", "expected --method pooled or contextual"},
      {labels + " --features " + folder / "no", "--features", "No such file"},
      {labels + " --features " + labels, "labels.csv: line 2: column 'worker' of item 'a' is 'ann'",
       "expected a finite number"},
      {labels + " --features x --feature-variance 0", "--feature-variance '0'", "1e-9 to 1e9"},
      {labels + " --features - --truth -", "--truth '-' is standard input, which has the features",
       "another file"},
      {"- --features -", "--features '-' is standard input, which has the labels", "another file"},
      {labels + " --method majority,kos --output x", "--output 'x'", "one of them"},
      {labels + " --output - --workers-output -", "both '-'", "two files"},
      {labels + " --duplicates some", "--duplicates 'some'", "error, first, last"},
      {labels + " --prior uniform", "--prior 'uniform'", "posterior"},
      {labels + " --shares 95,5 --method majority", "--shares '95,5' has no effect", "pooled"},
      {labels + " --shares 95", "--shares '95' has 1 number, but there are 2 classes",
       "one per class, in the order no, yes"},
      {labels + " --classes no,yes,no", "--classes 'no,yes,no' names a class twice", "each once"},
      {labels + " --shares 95,x", "--shares 'x' is not a number",
       "numbers from 1e-9 to 1e9, joined by commas"},
      {labels + " --shares 95,0", "--shares '0'", "numbers from 1e-9 to 1e9"},
      {labels + " --method posterior --prior beta:x", "'beta:x'", "expected uniform"},
      {labels + " --seed 1", "--seed '1'", "kos"},
      {labels + " --iterations 0", "--iterations '0'", "whole number from 1"},
      {labels + " --tolerance -1", "--tolerance '-1'", "number from 0"},
      {labels + " --method majority --tolerance 1", "--tolerance '1'",
       "one-coin or dawid-skene or contextual"},
      {labels + " --format xml", "--format 'xml'", "table, csv, json"},
      {labels + " " + labels, "labels.csv'", "--help"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("aggregate " + arguments, wrong, accepted);
}

}  // namespace
}  // namespace allot::test::aggregate_test
