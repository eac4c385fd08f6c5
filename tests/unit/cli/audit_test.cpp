// `allot audit` as a user meets it.
#include <gtest/gtest.h>

#include <sstream>

#include "support/program.hpp"

namespace allot::test::audit_test {
namespace {

/// 200 answers: every tenth is wrong.
std::string answers_text(bool with_probability = true) {
  std::string text = with_probability ? "item,answer,probability\n" : "item,answer\n";
  for (int i = 0; i < 200; ++i) {
    text += "i" + std::to_string(i) + (i % 3 == 0 ? ",no" : ",yes");
    if (with_probability) text += i % 2 == 0 ? ",0.995" : ",0.7";
    text += "\n";
  }
  return text;
}

std::string truth_of(const std::string& item) {
  const int i = std::stoi(item.substr(1));
  return (i % 3 == 0) == (i % 10 != 0) ? "no" : "yes";
}

/// The rows of a file of draws with the truth filled in, up to a number of rows.
std::string filled(const std::string& draws, int most = 1000) {
  std::istringstream lines(draws);
  std::string line, text;
  std::getline(lines, text);
  text += "\n";
  for (int row = 0; std::getline(lines, line); ++row) {
    const std::string item = line.substr(0, line.find(','));
    text += item + "," + (row < most ? truth_of(item) : "") + "\n";
  }
  return text;
}

class Audit : public testing::Test {
 protected:
  Outcome run(const std::string& more) const { return allot("audit " + answers + " " + more); }
  std::string verdicts(const std::string& options, int most = 1000) const {
    return folder.file("verdicts.csv", filled(run(options + " --draws -").output, most));
  }

  const Folder folder;
  const std::string answers = folder.file("answers.csv", answers_text());
};

TEST_F(Audit, HidesAnswersFromTheExpert) {
  const std::string draws = folder / "checks.csv";
  const Outcome outcome = run("--checks 50 --draws " + draws);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("50 of 200 answers to check"), std::string::npos);
  const std::string text = read_file(draws);
  EXPECT_EQ(text.rfind("item,truth\ni", 0), 0U) << text;
  EXPECT_EQ(text.find("yes"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), 51);
  EXPECT_EQ(run("--checks 50 --draws -").output, text);
  EXPECT_NE(run("--checks 50 --seed 2 --draws -").output, text);
  const std::string shown = run("--checks 50 --show-answers --draws -").output;
  EXPECT_EQ(shown.rfind("item,answer,truth\ni", 0), 0U) << shown;
}

TEST_F(Audit, PrintsWhatTheChecksProve) {
  const Outcome outcome = run("--checks 60 --verdicts " + verdicts("--checks 60"));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part : {"Audit of 200 answers: 60 verdicts", "at least 0.8", "0.99 to 1 ",
                           "0 to 0.8 ", "\n  no  ", "\n  yes  ", "a new audit of about"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
}

TEST_F(Audit, LeavesItemsWithoutAnAnswerOut) {
  const std::string more = folder.file("more.csv", answers_text() + "new,,\nnewer,,0.5\n");
  const std::string draws = allot("audit " + more + " --checks 60 --draws -").output;
  EXPECT_EQ(draws, run("--checks 60 --draws -").output) << "the same as without them";
  const Outcome outcome = allot("audit " + more + " --checks 60 --verdicts " +
                                folder.file("verdicts.csv", filled(draws)));
  for (const char* part :
       {"Audit of 200 answers: 60 verdicts", "  2 items without an answer: no part of the audit\n"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
}

TEST_F(Audit, PrintsCsvAndJson) {
  const std::string file = verdicts("--checks 200");
  const Outcome csv = run("--checks 200 --format csv --verdicts " + file);
  EXPECT_EQ(csv.output,
            "measure,answers,stated,checked,found,estimate,lower,low,high\n"
            "accuracy,200,0.8475,200,180,0.9,0.9,0.9,0.9\n"
            "accuracy 0.99 to 1,100,0.995,100,80,0.8,0.8,0.8,0.8\n"
            "accuracy 0 to 0.8,100,0.7,100,100,1,1,1,1\n"
            "share no,67,,200,73,0.365,0.365,0.365,0.365\n"
            "share yes,133,,200,127,0.635,0.635,0.635,0.635\n");
  const Outcome json = run("--checks 200 --format json --verdicts " + file);
  EXPECT_EQ(json.output.rfind(
                "{\"design\": \"fixed\", \"answers\": 200, \"unanswered\": 0, \"draws\": 200, "
                "\"verdicts\": 200, \"right\": 180, \"seed\": 1, \"confidence\": 0.95, "
                "\"target\": null, \"certified\": null, ",
                0),
            0U)
      << json.output;
}

TEST_F(Audit, CountsMissingVerdictsAgainstTheBound) {
  const Outcome some = run("--checks 60 --verdicts " + verdicts("--checks 60", 50));
  EXPECT_NE(
      some.output.find("10 drawn answers without a verdict: lower bounds count them as wrong"),
      std::string::npos)
      << some.output;
  EXPECT_EQ(some.output.find("new audit"), std::string::npos);
}

TEST_F(Audit, CertifiesAtAnyLook) {
  const Outcome certified =
      run("--until 0.7 --checks 100 --verdicts " + verdicts("--until 0.7 --checks 100"));
  EXPECT_NE(certified.output.find("certified after "), std::string::npos) << certified.output;
  EXPECT_NE(certified.output.find("accuracy of at least 0.7\n"), std::string::npos);
  const Outcome open =
      run("--until 0.85 --checks 100 --verdicts " + verdicts("--until 0.85 --checks 100", 20));
  EXPECT_NE(open.output.find("not certified; at the accuracy seen, about "), std::string::npos)
      << open.output;
  EXPECT_NE(open.output.find("first draw without one: 20 of 100 draws"), std::string::npos);
  const Outcome never =
      run("--until 0.99 --checks 100 --verdicts " + verdicts("--until 0.99 --checks 100"));
  EXPECT_NE(never.output.find("no number of checks is expected to prove 0.99"), std::string::npos)
      << never.output;
}

TEST_F(Audit, NamesTheDrawThatVerdictsWaitFor) {
  const std::string draws = run("--until 0.7 --checks 30 --draws -").output;
  std::istringstream lines(filled(draws));
  std::string line, text, open;
  for (int row = 0; std::getline(lines, line); ++row) {
    const std::string item = line.substr(0, line.find(','));
    if (row == 4) open = item;
    text += (row == 4 ? item + "," : line) + "\n";
  }
  const Outcome gap = run("--until 0.7 --checks 30 --verdicts " + folder.file("gap.csv", text));
  for (const std::string& part :
       {"first draw without one: 3 of 30 draws\n  next to check: '" + open + "'\n",
        std::string("  26 later verdicts wait until all draws before have one\n")}) {
    EXPECT_NE(gap.output.find(part), std::string::npos) << gap.output;
  }
}

TEST_F(Audit, NeverPrintsCrossedIntervals) {
  const std::string draws = run("--until 0.8 --checks 150 --draws -").output;
  std::istringstream lines(draws);
  std::string line, text = "item,truth\n";
  std::getline(lines, line);
  for (int row = 0; std::getline(lines, line); ++row) {
    const std::string item = line.substr(0, line.find(','));
    const bool is_no = std::stoi(item.substr(1)) % 3 == 0;  // the answer
    text += item + (is_no == (row < 70) ? ",no\n" : ",yes\n");
  }
  const Outcome found = run("--until 0.8 --checks 150 --verdicts " + folder.file("odd.csv", text));
  for (const char* part : {"at least 0.3500, interval 0.3500 to 0.6000\n",
                           "contradict the random order of the draws"}) {
    EXPECT_NE(found.output.find(part), std::string::npos) << found.output;
  }
  EXPECT_EQ(found.output.find("certified"), std::string::npos) << found.output;
}

TEST_F(Audit, ContinuesAQueueWithTheTruthsItHas) {
  const std::string first = run("--until 0.8 --checks 20 --draws -").output;
  const std::string more = run("--until 0.8 --checks 40 --draws -").output;
  EXPECT_EQ(more.rfind(first, 0), 0U);
  const std::string file = folder.file("first.csv", filled(first));
  const Outcome longer = run("--until 0.8 --checks 40 --verdicts " + file + " --draws -");
  EXPECT_EQ(longer.output.rfind(filled(first), 0), 0U) << longer.output;
  EXPECT_EQ(std::ranges::count(longer.output, '\n'), 41);
}

TEST_F(Audit, NeedsNoProbabilities) {
  const std::string plain = folder.file("plain.csv", answers_text(false));
  const std::string draws = allot("audit " + plain + " --checks 50 --draws -").output;
  const std::string file = folder.file("plain_verdicts.csv", filled(draws));
  const Outcome outcome = allot("audit " + plain + " --checks 50 --verdicts " + file);
  EXPECT_NE(outcome.output.find("the answers have no probabilities, so they are one stratum"),
            std::string::npos)
      << outcome.output << outcome.errors;
}

TEST_F(Audit, NeverOverwritesVerdicts) {
  const std::string file = verdicts("--checks 20");
  const std::string before = read_file(file);
  const std::string start = "audit " + answers + " --checks 20 ";
  expect_refusal(start + "--draws " + file, "would overwrite verdicts", "expected a new file");
  expect_refusal(start + "--draws " + answers, "would overwrite a file that is read",
                 "expected another one");
  expect_refusal(start + "--verdicts " + file + " --draws " + file,
                 "would overwrite a file that is read", "expected another one");
  EXPECT_EQ(read_file(file), before);
}

TEST_F(Audit, RefusesWhatMakesNoSense) {
  const std::string start = "audit " + answers + " ";
  expect_refusal(start, "neither --draws nor --verdicts", "expected --draws FILE");
  expect_refusal(start + "--draws - --checks 201", "--checks '201' exceeds the 200 answers",
                 "expected at most one check per answer");
  expect_refusal(start + "--draws - --checks 0", "--checks '0'", "expected a whole number");
  expect_refusal(start + "--draws - --until 1.5", "--until '1.5'", "between 0 and 1");
  expect_refusal(start + "--draws - --confidence 95", "--confidence '95'", "such as 0.95");
  expect_refusal(start + "--show-answers --verdicts x", "--show-answers has no effect",
                 "expected both");
  expect_refusal("audit - --verdicts -", "both '-'", "expected one of them to be a file");
  const std::string other = folder.file("other.csv", "item,truth\nnobody,yes\n");
  expect_refusal(start + "--verdicts " + other, "line 2: item 'nobody' has no answer",
                 "expected an item");
  const std::string none = folder.file("none.csv", "item,truth\n");
  expect_refusal(start + "--verdicts " + none, "no row has a truth", "expected at least one");
}

}  // namespace
}  // namespace allot::test::audit_test
