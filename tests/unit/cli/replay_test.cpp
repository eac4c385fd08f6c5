// `allot replay` as a user meets it.
#include <gtest/gtest.h>

#include <array>

#include "allot/base/text.hpp"
#include "support/gzip.hpp"
#include "support/program.hpp"
#include "support/xml.hpp"

namespace allot::test {
namespace {

/// Twelve items; four workers label all of them, and the last one is wrong about every third.
std::string labels_text(const std::string& no, const std::string& yes,
                        const std::string& line_end = "\n") {
  std::string text = "task,worker,label" + line_end;
  for (int item = 0; item < 12; ++item) {
    for (int worker = 0; worker < 4; ++worker) {
      const bool positive = (item % 2 == 1) != (worker == 3 && item % 3 == 0);
      text += "i" + std::to_string(item) + ",w" + std::to_string(worker) + "," +
              (positive ? yes : no) + line_end;
    }
  }
  return text;
}

std::string truth_text(const std::string& no, const std::string& yes) {
  std::string text = "task,truth\n";
  for (int item = 0; item < 12; ++item)
    text += "i" + std::to_string(item) + "," + (item % 2 == 1 ? yes : no) + "\n";
  return text;
}

class Replay : public testing::Test {
 protected:
  std::string command(const std::string& more, const std::string& file) const {
    return "replay --labels " + file + " --truth " + truth + " --runs 3 --format csv " + more;
  }
  /// Of a file that can be played back.
  std::vector<std::string> result(const std::string& more, const std::string& file) const {
    const Outcome outcome = allot(command(more, file));
    EXPECT_EQ(outcome.status, 0) << more << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errors, "") << more;
    EXPECT_EQ(outcome.output.find("nan"), std::string::npos) << more << "\n" << outcome.output;
    return without_time(outcome.output);
  }
  std::vector<std::string> result(const std::string& more) const { return result(more, labels); }
  /// Other than with the options left out.
  void expect_difference(const std::string& usual, const std::string& more) const {
    EXPECT_NE(result(usual), result(usual + " " + more)) << more;
  }

  const Folder folder;
  const std::string labels = folder.file("labels.csv", labels_text("0", "1"));
  const std::string truth = folder.file("truth.csv", truth_text("0", "1"));
};

TEST_F(Replay, PrintsTheColumnsOfSimulate) {
  const Outcome replayed = allot(command("", labels));
  const Outcome simulated = allot("simulate --items 5 --budget 2x --runs 2 --format csv");
  const auto first = [](const Outcome& outcome) {
    return outcome.output.substr(0, outcome.output.find('\n'));
  };
  EXPECT_EQ(first(replayed), kColumns) << replayed.errors;
  EXPECT_EQ(first(simulated), kColumns);
}

TEST_F(Replay, ComparesThePoliciesThatSuitTheMode) {
  const auto names = [&](const std::string& more) {
    std::string all;
    const auto lines = result(more + " --budget 24");
    for (std::size_t i = 1; i < lines.size(); ++i)
      all += lines[i].substr(0, lines[i].find(',')) + " ";
    return all;
  };
  EXPECT_EQ(names(""), "uniform opt-kg scout ");
  EXPECT_EQ(names("--mode pull"), "uniform opt-kg eig ");
  EXPECT_EQ(names("--workers ignore"), "uniform kg opt-kg nlu ");
  EXPECT_EQ(names("--policy kg,kos,kg --policy cvar:0.50,cvar:0.5"), "kg kos cvar:0.5 ");
}

TEST_F(Replay, DrawsATable) {
  const std::string files = "replay --labels " + labels + " --truth " + truth;
  const Outcome outcome = allot(files + " --runs 2 --budget 50% --policy kos,opt-kg");
  EXPECT_EQ(outcome.output.rfind(
                "Share of right answers: 48 labels of 4 workers about 12 items, 12 with "
                "a truth, prior uniform, push,\n  refitted every 20 labels or 2 % by bp, "
                "two coins, worker prior beta:3,0.9, mean of 2 runs (seed 1)\n",
                0),
            0U)
      << outcome.output;
  EXPECT_NE(outcome.output.find("budget 24 labels, 50% of all, 2x an item"), std::string::npos);
  EXPECT_EQ(outcome.output.find("nan"), std::string::npos) << outcome.output;
  const Outcome alike = allot(files + " --runs 1 --workers ignore");
  EXPECT_NE(alike.output.find("prior uniform,\n  workers alike, mean of 1 run"), std::string::npos)
      << alike.output;
}

TEST_F(Replay, PrintsJson) {
  const std::string files = "replay --labels " + labels + " --truth " + truth;
  const Outcome outcome =
      allot(files +
            " --runs 2 --budget 24 --policy kos --mode pull --refit 5 --refit-by em --format json");
  EXPECT_EQ(
      outcome.output.rfind(
          "{\"labels\": \"" + labels + "\", \"truth\": \"" + truth +
              "\", \"items\": 12, \"truth_items\": 12, \"recorded_labels\": 48, "
              "\"recorded_workers\": 4, "
              "\"workers\": \"differ\", \"prior\": \"uniform\", \"classes\": 2, \"mode\": "
              "\"pull\", "
              "\"worker_prior\": \"beta:3,0.9\", \"coins\": 2, \"refit\": 5, \"refit_by\": \"em\", "
              "\"final\": null, \"ties\": \"random\", \"runs\": 2, \"seed\": 1, \"rows\": [\n"
              "  {\"policy\": \"kos\", \"budget\": 24, \"labels_per_item\": 2, \"accuracy\": ",
          0),
      0U)
      << outcome.output;
  EXPECT_NE(outcome.output.find("\"expected_accuracy\": null, \"seconds\": "), std::string::npos);
  const Outcome alike = allot(files + " --runs 1 --workers ignore --format json");
  EXPECT_NE(alike.output.find(
                "\"workers\": \"ignore\", \"prior\": \"uniform\", \"classes\": 2, \"ties\""),
            std::string::npos)
      << alike.output;
}

TEST_F(Replay, DrawsAFigure) {
  for (const char* more :
       {"", "--budget 50%", "--budget 50% --policy kos --runs 1", "--workers ignore"}) {
    const std::string command = "replay --labels " + labels + " --truth " + truth + " " + more;
    ASSERT_EQ(allot(command + " --plot " + folder / "a.svg").status, 0) << more;
    const std::string figure = read_file(folder / "a.svg");
    EXPECT_EQ(parse_xml(figure).name, "svg") << more;
    EXPECT_EQ(figure.find("nan"), std::string::npos) << more;
  }
}

TEST_F(Replay, ReadsBudgetsAsLabelsLabelsAnItemAndShares) {
  const auto budgets = [&](const std::string& text) {
    std::string all;
    const auto lines = result("--policy uniform --budget " + text);
    for (std::size_t i = 1; i < lines.size(); ++i)
      all += std::string(split(lines[i], ',')[1]) + " ";
    return all;
  };
  EXPECT_EQ(budgets("7"), "7 ");
  EXPECT_EQ(budgets("2x"), "24 ");
  EXPECT_EQ(budgets("25%"), "12 ");
  EXPECT_EQ(budgets("100%,4x,48,1"), "48 1 ");
  EXPECT_EQ(budgets("25%..75%:25%"), "12 24 36 ");
}

TEST_F(Replay, TakesEveryWayOfBelieving) {
  for (const char* more :
       {"--refit off",
        "--refit 1",
        "--refit 7",
        "--refit 1000000000",
        "--refit 5 --refit-by em",
        "--refit-by bp",
        "--coins 1",
        "--coins 2",
        "--coins 2 --refit off",
        "--prior beta:1,4",
        "--prior 'mix:0.3*beta(5,1)+0.7*beta(1,5)'",
        "--worker-prior beta:8,2",
        "--worker-prior 'mix:0.6*beta(5,1)+0.2*beta(1,1)+0.2*beta(1,5)'",
        "--worker-prior 'mix:0.6*beta(5,1)+0.4*beta(1,5)' --refit off",
        "--worker-prior 'mix:0.6*beta(5,1)+0.4*beta(1,5)' --refit 5 --refit-by em",
        "--worker-prior beta:1e9,1",
        "--worker-prior beta:1e-9,1e-9 --refit off",
        "--final majority",
        "--final posterior",
        "--final one-coin",
        "--final dawid-skene",
        "--final kos",
        "--threads 64",
        "--duplicates last"}) {
    for (const char* mode : {"--mode push ", "--mode pull "})
      EXPECT_EQ(result(mode + std::string(more)).size(), 16U) << more;
  }
}

TEST_F(Replay, AnswersOtherwiseIfToldOtherwise) {
  const std::string usual = "--policy opt-kg --budget 30";
  for (const char* more :
       {"--mode pull", "--refit off", "--refit 3", "--refit-by em", "--coins 1", "--prior beta:1,4",
        "--worker-prior beta:8,2", "--final majority", "--seed 2", "--workers ignore"})
    expect_difference(usual, more);
}

TEST_F(Replay, IsRightWithAllLabels) {
  for (const char* more : {"", "--mode pull", "--workers ignore", "--refit-by em", "--refit off",
                           "--final majority"}) {
    const auto lines = result(std::string(more) + " --budget 100%");
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_NE(lines[i].find(",48,4,1,0,"), std::string::npos) << more << ": " << lines[i];
  }
}

TEST_F(Replay, GivesTheSameNumbersOnAnyNumberOfThreads) {
  for (const char* more : {"", "--mode pull", "--workers ignore"}) {
    const std::string options = more;
    EXPECT_EQ(result(options + " --threads 1"), result(options + " --threads 5")) << more;
  }
}

TEST_F(Replay, WithFirstTiesIsTheSameForEverySeed) {
  const std::string first = "--policy opt-kg,scout,kg --ties first --seed ";
  EXPECT_EQ(result(first + "1"), result(first + "2"));
  for (const std::string& line : result(first + "1")) {
    if (line.rfind("policy", 0) != 0) {
      EXPECT_EQ(split(line, ',')[4], "0") << line;
    }
  }
  expect_difference("--policy opt-kg,scout,kg", "--seed 2");
}

TEST_F(Replay, ReadsLabelFilesAsTheyCome) {
  const auto plain = result("");
  const std::string carriage = labels_text("0", "1", "\r\n");
  const std::string marked = "\xEF\xBB\xBF" + labels_text("0", "1");
  EXPECT_EQ(result("", folder.file("packed.csv.gz", gzip(labels_text("0", "1")))), plain);
  EXPECT_EQ(result("", folder.file("carriage.csv", carriage)), plain);
  EXPECT_EQ(result("", folder.file("marked.csv", marked)), plain);
  EXPECT_EQ(result("", "- <" + labels), plain);
}

TEST_F(Replay, ReadsLabelsThatAreWords) {
  const auto plain = result("");
  const std::string words = folder.file("words.csv", labels_text("no", "yes"));
  const std::string known = folder.file("known.csv", truth_text("no", "yes"));
  EXPECT_EQ(
      without_time(
          allot("replay --runs 3 --format csv --labels " + words + " --truth " + known).output),
      plain);
}

TEST_F(Replay, ScoresTheItemsWhoseTruthIsKnown) {
  const std::string some = folder.file("some.csv", "task,truth\ni1,1\ni2,1\nelsewhere,0\n");
  const Outcome outcome = allot(
      "replay --runs 2 --format csv --budget 100% --policy opt-kg "
      "--labels " +
      labels + " --truth " + some);
  EXPECT_NE(outcome.output.find("\nopt-kg,48,4,0.5,0,"), std::string::npos) << outcome.output;
}

TEST_F(Replay, TakesLabelsOfOneClassIfTheOtherIsNamed) {
  const std::string same = folder.file("same.csv", "task,worker,label\na,w,1\nb,w,1\n");
  const std::string both = folder.file("both.csv", "task,truth\na,1\nb,0\n");
  for (const char* more : {"", "--workers ignore", "--refit off", "--refit-by em"}) {
    const Outcome outcome =
        allot("replay --runs 2 --format csv --budget 2 --policy opt-kg --classes 0,1 --labels " +
              same + " --truth " + both + " " + more);
    EXPECT_NE(outcome.output.find("\nopt-kg,2,1,0.5,0,"), std::string::npos)
        << outcome.output << outcome.errors;
  }
}

TEST_F(Replay, TakesTheSameClassesInAnotherNotation) {
  const auto plain = result("");
  for (const auto& [no, yes] : {std::pair{"0.0", "1.0"}, std::pair{"00", "+1"}}) {
    const std::string other = folder.file("other.csv", truth_text(no, yes));
    const Outcome outcome =
        allot("replay --runs 3 --format csv --labels " + labels + " --truth " + other);
    EXPECT_EQ(without_time(outcome.output), plain) << no;
    EXPECT_EQ(outcome.errors, "allot replay: " + other +
                                  ": truths are taken for classes that the labels write "
                                  "otherwise: '" +
                                  no + "' for '0', '" + yes + "' for '1'\n");
  }
}

TEST_F(Replay, CountsATruthThatNoLabelHasAsMissed) {
  const std::string some = folder.file("some.csv", "task,truth\ni1,1\ni2,0\ni3,maybe\ni4,2\n");
  for (const char* more : {"", "--workers ignore", "--final majority"}) {
    const Outcome outcome =
        allot("replay --runs 2 --format csv --budget 100% --policy opt-kg --labels " + labels +
              " --truth " + some + " " + more);
    EXPECT_NE(outcome.output.find("\nopt-kg,48,4,0.5,0,"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.errors, "allot replay: " + some +
                                  ": no label says 'maybe', '2'; the answers to 2 items with that "
                                  "truth count as wrong\n");
  }
}

TEST_F(Replay, ShowsSharesAsTheyWereWritten) {
  const std::string files = "replay --runs 2 --labels " + labels + " --truth " + truth;
  const auto table = [&](const std::string& budgets, const std::string& more = "") {
    return allot(files + " --policy kg,kos --budget " + budgets + " " + more).output;
  };
  const auto shows = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  shows(table("50%,12.5%,100%"), "\n  labels (of all) ");
  shows(table("50%,12.5%,100%"), "\n  24 (50%) ");
  shows(table("50%,12.5%,100%"), "\n  6 (12.5%) ");
  shows(table("2x,25%,30"), "\n  labels  ");
  shows(table("2x,25%,30"), "\n  24 (2x) ");
  shows(table("2x,25%,30"), "\n  12 (25%) ");
  table("50%,12.5%,100%", "--plot " + folder / "shares.svg");
  const std::string figure = parse_xml(read_file(folder / "shares.svg")).children[1].text;
  shows(figure, "against percent of all labels (below: labels in all). kg: ");
  shows(figure, " at 12.5, ");
  shows(figure, " at 100. kos: ");
  table("2x,25%", "--plot " + folder / "mixed.svg");
  shows(parse_xml(read_file(folder / "mixed.svg")).children[1].text, "against labels an item");
}

TEST_F(Replay, BuysEveryNumberOfLabelsIfThereAreFewerThanTen) {
  const std::string few = folder.file("few.csv", "task,worker,label\ni0,a,0\ni1,a,1\ni1,b,1\n");
  std::string budgets;
  for (const std::string& line : result("--policy uniform", few))
    budgets += std::string(split(line, ',')[1]) + " ";
  EXPECT_EQ(budgets, "budget 1 2 3 ");
}

TEST_F(Replay, PassesMessagesOnAnewInEachRunOfKosAnswers) {
  // Both ask by the same rule and answer by message passing, with the same seed in a run.
  const auto own = result("--policy kos"), told = result("--policy kos --final kos");
  EXPECT_EQ(own, told);
}

TEST_F(Replay, TakesASingleLabel) {
  const std::string one = folder.file("one.csv", "task,worker,label\na,w,1\n");
  const std::string known = folder.file("known.csv", "task,truth\na,0\n");
  for (const char* more : {"", "--mode pull", "--workers ignore", "--refit off", "--final kos",
                           "--final dawid-skene"}) {
    const Outcome outcome = allot("replay --format csv --classes 0,1 --labels " + one +
                                  " --truth " + known + " " + more);
    EXPECT_EQ(outcome.status, 0) << more << outcome.errors;
    EXPECT_NE(outcome.output.find("\nopt-kg,1,1,0,0,"), std::string::npos) << outcome.output;
  }
}

TEST_F(Replay, KeepsOneOfRepeatedLabelsIfTold) {
  const std::string twice = folder.file("twice.csv", labels_text("0", "1") + "i0,w0,1\n");
  EXPECT_EQ(result("--duplicates first", twice), result(""));
  EXPECT_EQ(result("--duplicates last", twice).size(), result("").size());
}

TEST_F(Replay, FailsBeforeTheWorkIfTheFigureCannotBeWritten) {
  const Outcome outcome = allot("replay --labels none --truth none --plot /none/such/a.svg");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors,
            "allot replay: --plot: '/none/such/a.svg' cannot be written: No such file or "
            "directory\n");
}

TEST_F(Replay, RefusesOptionsWithOneClearLine) {
  const std::vector<std::array<std::string, 3>> cases{
      // arguments, wrong, accepted
      {"--budget 49", "'49' is more than the 48 labels there are", "expected labels (500)"},
      {"--budget 5x", "'5x' is more than the 48 labels there are", "shares of all labels (40%)"},
      {"--budget 101%", "'101%' is more than the 48 labels there are", "shares of all labels"},
      {"--budget 1%", "'1%' is less than one label", "expected labels (500)"},
      {"--budget 0", "'0' is less than one label", "expected labels (500)"},
      {"--budget nan%", "'nan%' is not understood", "expected labels (500)"},
      {"--budget 1e18x", "'1e18x' is more than", "expected labels (500)"},
      {"--budget 20%..50", "'20%..50' is not understood", "expected labels (500)"},
      {"--workers 5", "--workers '5'", "differ, ignore"},
      {"--workers ignore --mode pull", "--mode", "expected without --workers ignore"},
      {"--workers ignore --final majority", "--final", "expected without --workers ignore"},
      {"--workers ignore --refit 5", "--refit", "expected without --workers ignore"},
      {"--workers ignore --policy scout", "'scout' is for workers who differ", "allot policies"},
      {"--workers ignore --policy kos", "'kos' is for workers who differ", "allot policies"},
      {"--workers ignore --policy dp", "'dp' cannot be played back", "labels that the file"},
      {"--policy gittins", "'gittins' does not tell workers apart", "allot policies"},
      {"--mode pull --policy nlu", "'nlu' does not tell workers apart", "allot policies"},
      {"--policy scouts", "'scouts' is unknown", "did you mean 'scout'?"},
      {"--policy cvar", "'cvar' needs its parameter", "cvar:ALPHA"},
      {"--policy ''", "policy ''", "allot policies"},
      {"--mode both", "--mode 'both'", "push, pull"},
      {"--coins 3", "--coins '3'", "1, 2"},
      {"--refit 0", "--refit '0'", "off nor a number of labels from 1"},
      {"--refit often", "--refit 'often'", "off nor a number of labels from 1"},
      {"--refit-by gibbs", "--refit-by 'gibbs'", "bp, em"},
      {"--refit off --refit-by em", "--refit-by 'em'", "--refit 20"},
      {"--final voting", "method 'voting' is unknown", "majority, posterior, one-coin"},
      {"--prior haldane", "--prior 'haldane' is improper", "beta:1,1"},
      {"--worker-prior haldane", "--worker-prior 'haldane' is improper", "beta:1,1"},
      {"--worker-prior beta:0,0", "--worker-prior 'beta:0,0' is improper", "beta:1,1"},
      {"--worker-prior beta:nan,1", "'beta:nan,1'", "expected uniform"},
      {"--worker-prior beta:inf,1", "'beta:inf,1'", "expected uniform"},
      {"--worker-prior beta:1e13,1", "'beta:1e13,1'", "above 1e12"},
      {"--prior 'mix:0.5*beta(5,1)+0.5*beta(1,5)' --refit off", "is a mixture",
       "expected one Beta"},
      {"--ties last", "--ties 'last'", "random, first"},
      {"--runs 0", "--runs '0'", "whole number from 1"},
      {"--threads 0", "--threads '0'", "whole number from 1"},
      {"--seed -1", "--seed '-1'", "whole number from 0"},
      {"--duplicates all", "--duplicates 'all'", "error, first, last"},
      {"--plot a.png", "--plot 'a.png'", "ends in .svg"},
      {"--format xml --format csv", "--format is given 2 times", "expected once"},
      {"--budgets 5", "'--budgets'", "did you mean '--budget'?"},
      {"surplus", "'surplus'", "--help"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("replay --labels " + labels + " --truth " + truth + " " + arguments, wrong,
                   accepted);
  expect_refusal("replay --labels " + labels + " --truth " + truth + " --format xml",
                 "--format 'xml'", "table, csv, json");
}

TEST_F(Replay, RefusesFilesWithOneClearLine) {
  const auto file = [&](const std::string& name, const std::string& text) {
    return folder.file(name, text);
  };
  const std::string head = "task,worker,label\n";
  const std::string three = file("three.csv", head + "i1,a,1\ni1,b,2\ni1,c,3\n");
  const std::string third = file("third.csv", "task,truth\ni1,maybe\n");
  const std::string same = file("same.csv", head + "i1,a,1\ni1,b,1\n");
  const std::string latin = file("latin.csv", head + "i1,a,1\nr\xe9sum\xe9,b,1\n");
  const std::string yes = file("yes.csv", "task,truth\ni1,1\n");
  const std::string other = file("other.csv", "task,truth\nj1,1\nj2,0\n");
  const std::string none = file("none.csv", "task,truth\n");
  const std::string empty = file("empty.csv", "");
  const std::string bare = file("bare.csv", head);
  const std::string odd = file("odd.csv", head + "i1,a\n");
  const std::string twice = file("twice.csv", head + "i1,a,1\ni1,a,0\n");
  const std::string broken = file("broken.csv.gz", gzip(labels_text("0", "1")).substr(0, 60));
  const std::vector<std::array<std::string, 3>> cases{
      // arguments, wrong, accepted
      {"", "--labels is missing", "--help"},
      {"--labels " + labels, "--truth is missing", "--help"},
      {"--labels " + folder / "absent --truth " + truth, "absent' cannot be read", "No such file"},
      {"--labels " + labels + " --truth " + folder / "absent", "--truth: '", "No such file"},
      {"--labels " + folder.path() + " --truth " + truth, "cannot be read", "directory"},
      {"--labels " + three + " --truth " + truth + " --policy scout", "policy 'scout'",
       "two classes"},
      {"--labels " + three + " --truth " + truth + " --prior beta:1,1", "beta:1,1", "dirichlet"},
      {"--labels " + three + " --truth " + truth + " --prior dirichlet:1,2", "dirichlet:1,2", "3"},
      {"--labels " + three + " --truth " + truth + " --refit-by bp", "--refit-by 'bp'",
       "expected em"},
      {"--labels " + labels + " --truth " + third,
       "third.csv: line 2: no truth is a class of the labels: it says 'maybe'",
       "the labels say '0', '1'; expected the same classes"},
      {"--labels " + labels + " --classes ,1 --truth " + truth, "--classes ',1'", "no,yes"},
      {"--labels " + latin + " --truth " + truth, "latin.csv: line 3: byte 0xE9 is not UTF-8",
       "iconv -f LATIN1"},
      {"--labels " + same + " --truth " + yes, "one class (1)", "--classes names one"},
      {"--labels - --truth " + other + " <" + labels, "no item of standard input", "item names"},
      {"--labels - --truth - <" + labels, "--truth '-'", "expected another file"},
      {"--labels - --truth " + truth + " </dev/null", "standard input: line 1",
       "names the columns"},
      {"--labels " + labels + " --truth " + other, "other.csv: no item", "the same item names"},
      {"--labels " + labels + " --truth " + none, "none.csv: no item", "the same item names"},
      {"--labels " + labels + " --truth " + empty, "empty.csv: line 1", "names the columns"},
      {"--labels " + bare + " --truth " + truth, "bare.csv: line 1: no label", "one row a label"},
      {"--labels " + odd + " --truth " + truth, "odd.csv: line 2: 2 fields", "expected 3"},
      {"--labels " + truth + " --truth " + labels, "no column holds the worker", "annotator"},
      {"--labels " + twice + " --truth " + truth, "twice.csv: line 3", "--duplicates first|last"},
      {"--labels " + broken + " --truth " + truth, "broken.csv.gz", "gzip"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("replay " + arguments, wrong, accepted);
}

/// Twelve items of three classes with two features; four workers, the last one guesses.
class ReplayOfClasses : public Replay {
 protected:
  ReplayOfClasses() {
    std::string given = "task,worker,label\n", known = "task,truth\n", seen = "task,x,y\n";
    const std::array<std::string, 3> names{"cat", "dog", "fox"};
    for (int item = 0; item < 12; ++item) {
      const std::string name = "i" + std::to_string(item);
      const int one = item % 3;
      for (int worker = 0; worker < 4; ++worker) {
        const int said = worker == 3 ? item / 4 : one;
        given += name + ",w" + std::to_string(worker) + "," +
                 names.at(static_cast<std::size_t>(said)) + "\n";
      }
      known += name + "," + names.at(static_cast<std::size_t>(one)) + "\n";
      seen += name + "," + std::to_string(one * one) + "." + std::to_string(item) + "," +
              std::to_string(-one) + "\n";
    }
    folder.file("classes.csv", given);
    folder.file("known.csv", known);
    folder.file("features.csv", seen);
  }
  std::string of_classes(const std::string& more) const {
    return "replay --labels " + folder / "classes.csv" + " --truth " + folder / "known.csv" +
           " --runs 3 --format csv --budget 50%,100% " + more;
  }
  std::string features() const { return " --features " + folder / "features.csv "; }
};

TEST_F(ReplayOfClasses, IsRightWithAllLabelsHoweverItBelieves) {
  for (const std::string more :
       {"", "--refit off", "--coins 1", "--mode pull", "--workers ignore", "--final dawid-skene"}) {
    const Outcome outcome = allot(of_classes(more));
    ASSERT_EQ(outcome.status, 0) << more << outcome.errors;
    const auto lines = without_time(outcome.output);
    EXPECT_NE(lines[2].find("uniform,48,4,1,0,"), std::string::npos) << more << "\n" << lines[2];
  }
}

TEST_F(ReplayOfClasses, TakesFeatures) {
  for (const std::string workers : {"differ", "ignore"}) {
    const Outcome outcome = allot(of_classes(features() + "--workers " + workers));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output.find("nan"), std::string::npos) << outcome.output;
    const Outcome held =
        allot(of_classes(features() + "--feature-variance 1e-6 --workers " + workers));
    EXPECT_NE(without_time(held.output), without_time(outcome.output)) << workers;
    const Outcome alone = allot(of_classes(features() + "--threads 1 --workers " + workers));
    EXPECT_EQ(without_time(alone.output), without_time(outcome.output)) << workers;
  }
}

TEST_F(ReplayOfClasses, RefusesWithOneClearLine) {
  const std::array<std::array<std::string, 3>, 5> cases{{
      {"--prior beta:1,1", "--prior", "dirichlet"},
      {"--policy scout", "policy 'scout'", "is for items of two classes"},
      {"--refit off" + features(), "--refit 'off' cannot use features", "--refit 20"},
      {"--feature-update laplace", "--feature-update is about", "--features and --workers ignore"},
      {"--prior jeffreys --workers ignore" + features(), "--prior is of no use",
       "--feature-variance"},
  }};
  for (const auto& [arguments, wrong, accepted] : cases) {
    expect_refusal(of_classes(arguments), wrong, accepted);
  }
}

}  // namespace
}  // namespace allot::test
