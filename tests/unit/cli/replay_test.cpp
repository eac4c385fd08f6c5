// `allot replay` as a user meets it.
#include <gtest/gtest.h>

#include "allot/base/text.hpp"
#include "support/gzip.hpp"
#include "support/xml.hpp"
#include "unit/cli/replay_fixture.hpp"

namespace allot::test::replay_test {
namespace {

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
  EXPECT_EQ(names(""), "uniform budget-kg opt-kg ");
  EXPECT_EQ(names("--mode pull"), "uniform budget-kg opt-kg ");
  EXPECT_EQ(names("--workers ignore"), "uniform budget-kg opt-kg ");
  EXPECT_EQ(names("--policy kg,kos,kg --policy cvar:0.50,cvar:0.5"), "kg kos cvar:0.5 ");
}

/// With eight classes opt-kg asks about labelled items again before all have a label.
TEST_F(Replay, ComparesNoPolicyByDefaultThatItWarnsAbout) {
  const std::string eight = "--workers ignore --budget 24 --classes 0,1,2,3,4,5,6,7 ";
  const Outcome usual = allot(command(eight, labels));
  EXPECT_EQ(usual.errors.find("warning"), std::string::npos) << usual.errors;
  EXPECT_NE(usual.output.find("\nbudget-kg,"), std::string::npos) << usual.output;
  EXPECT_EQ(usual.output.find("\nopt-kg,"), std::string::npos) << usual.output;
  const Outcome asked = allot(command(eight + "--policy opt-kg", labels));
  EXPECT_NE(asked.errors.find("warning: with 8 classes opt-kg asks"), std::string::npos)
      << asked.errors;
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
  EXPECT_NE(outcome.output.find("budget 24 labels, 50% of all, 2x per item"), std::string::npos);
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
              "\"ordered\": false, \"final\": null, \"ties\": \"random\", \"runs\": 2, \"seed\": "
              "1, \"rows\": [\n"
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

TEST_F(Replay, ReadsBudgetsAsLabelsLabelsPerItemAndShares) {
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

TEST_F(Replay, AcceptsEveryModelOfBeliefs) {
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

TEST_F(Replay, EveryOptionChangesTheResult) {
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

TEST_F(Replay, OrderOfTwoClassesHasNoEffect) {
  const std::string usual = "--budget 50% --policy even-kg";
  EXPECT_EQ(result(usual), result(usual + " --ordered"));
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
                                  ": truths match classes that the labels spell "
                                  "differently: '" +
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
                                  ": no label is 'maybe', '2'; answers to 2 items with that "
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
  shows(figure, "against percent of all labels (below: labels in total). kg: ");
  shows(figure, " at 12.5, ");
  shows(figure, " at 100. kos: ");
  table("2x,25%", "--plot " + folder / "mixed.svg");
  shows(parse_xml(read_file(folder / "mixed.svg")).children[1].text, "against labels per item");
}

TEST_F(Replay, BuysEveryNumberOfLabelsIfThereAreFewerThanTen) {
  const std::string few = folder.file("few.csv", "task,worker,label\ni0,a,0\ni1,a,1\ni1,b,1\n");
  std::string budgets;
  for (const std::string& line : result("--policy uniform", few))
    budgets += std::string(split(line, ',')[1]) + " ";
  EXPECT_EQ(budgets, "budget 1 2 3 ");
}

TEST_F(Replay, StartsKosAnswersFromOtherMessagesInEachRun) {
  // Both ask by the same rule and answer by message passing, with the same seed in a run.
  const auto own = result("--policy kos"), told = result("--policy kos --final kos");
  EXPECT_EQ(own, told);
}

TEST_F(Replay, TellsFinalAnswersThatClassesAreOrdered) {
  std::string grades = "task,worker,label\n";
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 4; ++j) grades += fmt::format("i{},w{},{}\n", i, j, (i + i * j % 3) % 4);
  const std::string graded = folder.file("grades.csv", grades);
  const std::string pooled = "--policy uniform --budget 50% --final pooled";
  EXPECT_NE(result(pooled, graded), result(pooled + " --ordered", graded));
}

TEST_F(Replay, TakesASingleLabel) {
  const std::string single = folder.file("single.csv", "task,worker,label\na,w,1\n");
  const std::string known = folder.file("known.csv", "task,truth\na,0\n");
  for (const char* more : {"", "--mode pull", "--workers ignore", "--refit off", "--final kos",
                           "--final dawid-skene"}) {
    const Outcome outcome = allot("replay --format csv --classes 0,1 --labels " + single +
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

}  // namespace
}  // namespace allot::test::replay_test
