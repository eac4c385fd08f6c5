// The program as a user meets it.
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/policy/registry.hpp"
#include "support/program.hpp"
#include "support/xml.hpp"

namespace allot::test::command_test {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  for (const std::string_view line : split(text, '\n')) result.emplace_back(line);
  if (!result.empty() && result.back().empty()) result.pop_back();
  return result;
}

TEST(Simulate, PrintsTheStatedCsvColumnsAndOneRowPerPolicyAndBudget) {
  const Outcome outcome = allot(
      "simulate --items 10 --budget 2x..4x --policy kg,opt-kg,cvar:0.8 --runs 3 --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0], kColumns);
  EXPECT_EQ(rows[1].rfind("kg,20,2,", 0), 0U);
  EXPECT_EQ(rows[9].rfind("cvar:0.8,40,4,", 0), 0U);
  EXPECT_EQ(outcome.errors, "");
}

TEST(Simulate, GivesTheSameNumbersForTheSameSeedOnAnyNumberOfThreads) {
  const std::string command =
      "simulate --items 30 --budget 3x,9x --policy uniform,opt-kg,gittins --runs 40 --format csv "
      "--seed ";
  const auto rows = without_time(allot(command + "7 --threads 1").output);
  EXPECT_EQ(rows, without_time(allot(command + "7 --threads 4").output));
  EXPECT_NE(rows, without_time(allot(command + "8 --threads 4").output));
}

TEST(Simulate, DrawsATable) {
  const Outcome single = allot("simulate --items 10 --budget 5x --runs 2");
  EXPECT_NE(single.output.find("opt-kg"), std::string::npos);
  EXPECT_NE(single.output.find("budget 50 labels, 5x per item"), std::string::npos);
  const Outcome many = allot("simulate --items 10 --budget 2x,5x --runs 2");
  EXPECT_NE(many.output.find(" ±"), std::string::npos);
}

TEST(Simulate, TakesAListOfSoftLabels) {
  const Outcome outcome =
      allot("simulate --truth 0..1:0.05 --budget 5x --policy opt-kg --runs 2 --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(lines(outcome.output)[1].rfind("opt-kg,105,5,", 0), 0U);
}

TEST(Simulate, ShowsTheWorstRun) {
  const std::string command = "simulate --items 10 --policy opt-kg --format csv --budget ";
  const auto fields = [&](const std::string& more) {
    const auto row = lines(allot(command + more).output).at(1);
    std::vector<double> numbers;
    for (const std::string_view field : split(row, ','))
      numbers.push_back(parse_number(field).value_or(-1));
    return numbers;  // accuracy is the fourth, worst the eighth
  };
  const auto many = fields("3x --runs 30"), single = fields("3x --runs 1");
  EXPECT_LT(many[7], many[3]);
  EXPECT_EQ(single[7], single[3]);
  const Outcome table = allot("simulate --items 10 --policy opt-kg --budget 3x --runs 30");
  EXPECT_NE(table.output.find("std.err.    worst   expected"), std::string::npos) << table.output;
}

TEST(Simulate, PrintsJson) {
  const Outcome outcome =
      allot("simulate --items 5 --budget 2x --policy kg --runs 2 --format json");
  EXPECT_EQ(outcome.output.rfind("{\"items\": 5, \"classes\": 2, \"truth\": \"uniform\"", 0), 0U)
      << outcome.output;
  EXPECT_NE(outcome.output.find(
                "{\"policy\": \"kg\", \"budget\": 10, \"labels_per_item\": 2, \"accuracy\": "),
            std::string::npos);
}

TEST(Plot, IsDrawnBesideTheResult) {
  const Folder folder;
  const std::string command = "simulate --items 10 --budget 2x,5x --runs 3 --format csv";
  const Outcome outcome = allot(command + " --plot " + folder / "a.svg");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(without_time(outcome.output), without_time(allot(command).output));
  const std::string figure = read_file(folder / "a.svg");
  EXPECT_EQ(parse_xml(figure).name, "svg");
  ASSERT_EQ(allot(command + " --threads 3 --plot " + folder / "b.svg").status, 0);
  EXPECT_EQ(read_file(folder / "b.svg"), figure);
}

TEST(Plot, IsDrawnForOneBudgetAndOneRun) {
  const Folder folder;
  for (const char* options :
       {"--budget 2x --runs 2", "--budget 2x,3x --runs 1", "--budget 2x --runs 1"}) {
    const std::string command = "simulate --items 10 " + std::string(options);
    ASSERT_EQ(allot(command + " --plot " + folder / "a.svg").status, 0) << options;
    EXPECT_EQ(read_file(folder / "a.svg").find("nan"), std::string::npos) << options;
  }
}

TEST(Plot, ThatCannotBeWrittenIsAFailureBeforeTheWork) {
  const Outcome outcome = allot("simulate --items 1000000 --runs 1000000 --plot /none/such/a.svg");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors,
            "allot simulate: --plot: '/none/such/a.svg' cannot be written: No such file or "
            "directory\n");
}

TEST(Plot, OnAFullDiskIsAFailureThatKeepsTheResult) {
  const Folder folder;
  std::filesystem::create_symlink("/dev/full", folder / "a.svg");
  const Outcome outcome = allot("simulate --items 10 --budget 2x --plot " + folder / "a.svg");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.output.find("opt-kg"), std::string::npos);
  EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("No space left"), std::string::npos) << outcome.errors;
}

TEST(Exact, PrintsTheOptimumAsPolicyDp) {
  const Outcome outcome = allot("exact --items 3 --budget 10 --policy opt-kg,dp --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], "policy,items,budget,expected_accuracy");
  EXPECT_EQ(rows[1].rfind("dp,3,10,0.829089", 0), 0U);
  EXPECT_EQ(rows[2].rfind("opt-kg,3,10,0.8289", 0), 0U);
}

TEST(Exact, NamesTheNextDecisionFromAState) {  // [CLZ tab:example]
  const Outcome table = allot("exact --state 2:0,1:1,1:0 --budget 1");
  const auto rows = lines(table.output);
  const auto asked =
      std::ranges::find_if(rows, [](const std::string& row) { return row.ends_with("ask"); });
  ASSERT_NE(asked, rows.end());
  EXPECT_EQ(asked->rfind("  2 ", 0), 0U) << *asked;
  EXPECT_NE(
      allot("exact --state 2:0,1:1,1:0 --budget 1 --format json").output.find("\"next\": [2]"),
      std::string::npos);
}

TEST(Policies, ListsEveryName) {
  const Outcome outcome = allot("policies");
  EXPECT_EQ(lines(outcome.output).size(), 1 + policy::catalog().size());
  for (const policy::PolicyEntry& entry : policy::catalog()) {
    const std::string name = policy::written(entry);
    EXPECT_NE(outcome.output.find("  " + name + " "), std::string::npos) << name;
  }
}

TEST(Version, StartsWithTheNameOfTheProgram) {
  EXPECT_EQ(allot("--version").output.rfind("allot ", 0), 0U);
}

/// Names of the commands that a help text lists.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  bool listed = false;
  for (const std::string& line : lines(help)) {
    if (line.empty()) listed = false;
    if (listed && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Commands:") listed = true;
  }
  return names;
}

/// Every command of the program, those of a campaign included; "" is the program itself.
std::vector<std::string> all_commands() {
  std::vector<std::string> names{""};
  for (const std::string& name : commands_in(allot("--help").output)) names.push_back(name);
  for (const std::string& name : commands_in(allot("campaign --help").output)) {
    names.push_back("campaign " + name);
  }
  return names;
}

TEST(Help, ListsEveryCommand) {
  EXPECT_EQ(commands_in(allot("--help").output),
            (std::vector<std::string>{"aggregate", "audit", "simulate", "replay", "plan", "exact",
                                      "policies", "formats", "reproduce", "campaign", "work",
                                      "bridge", "serve", "backup", "restore", "check", "demo",
                                      "completions", "help"}));
  EXPECT_EQ(commands_in(allot("campaign --help").output).size(), 36U);
}

TEST(Help, IsTheSameByOptionAndByCommand) {
  for (const std::string& command : all_commands()) {
    const Outcome option = allot(command + " --help");
    EXPECT_EQ(option.status, 0) << command;
    EXPECT_NE(option.output.find("--help"), std::string::npos) << command;
    EXPECT_EQ(allot("help " + command).output, option.output) << command;
  }
}

TEST(Help, IsPrintedForAProgramOrGroupWithoutACommand) {
  EXPECT_EQ(allot("").output, allot("--help").output);
  EXPECT_EQ(allot("campaign").output, allot("campaign --help").output);
}

TEST(Help, FitsEightyColumns) {
  for (const std::string& command : all_commands()) {
    for (const std::string& line : lines(allot(command + " --help").output)) {
      EXPECT_LE(line.size(), 80U) << command << ": " << line;
    }
  }
}

TEST(Help, ShowsDefaultsAndWhatIsRequired) {
  const std::string simulate = allot("help simulate").output;
  EXPECT_NE(simulate.find("(default: 10x)"), std::string::npos) << simulate;
  const std::string replay = allot("help replay").output;
  EXPECT_NE(replay.find("Usage: allot replay --labels FILE [OPTIONS]"), std::string::npos)
      << replay;
  EXPECT_NE(replay.find("(required)"), std::string::npos) << replay;
}

struct BadInput {
  const char* arguments;
  const char* wrong;
  const char* accepted;
};

void PrintTo(const BadInput& input, std::ostream* out) { *out << "allot " << input.arguments; }

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, GetOneClearLineAndNoResult) {
  expect_refusal(GetParam().arguments, GetParam().wrong, GetParam().accepted);
}

/// "simulate --items 0" becomes simulate_items_0.
std::string test_name(const testing::TestParamInfo<BadInput>& info) {
  std::string name;
  for (const char c : std::string(info.param.arguments)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(
    , BadInputs,
    testing::Values(
        BadInput{"simulate --budget -5", "'-5'", "expected labels (500)"},
        BadInput{"simulate --budget=-5", "'-5'", "expected labels (500)"},
        BadInput{"simulate --budget 5y", "'5y'", "expected labels (500)"},
        BadInput{"simulate --budget 1e18", "'1e18'", "expected labels (500)"},
        BadInput{"simulate --items 0", "--items '0'", "whole number from 1"},
        BadInput{"simulate --items ten", "--items 'ten'", "whole number from 1"},
        BadInput{"simulate --items 5 --truth 0.1,0.2", "--items 5", "lists 2 soft labels"},
        BadInput{"simulate --runs 0", "--runs '0'", "whole number from 1"},
        BadInput{"simulate --threads 0", "--threads '0'", "whole number from 1"},
        BadInput{"simulate --seed -1", "--seed '-1'", "whole number from 0"},
        BadInput{"simulate --prior beta:-1,1", "'beta:-1,1'", "expected uniform"},
        BadInput{"simulate --prior beta:0,1", "'beta:0,1'", "not positive"},
        BadInput{"simulate --prior 'mix:0.5*beta(0,0)+0.5*beta(1,1)'", "beta(0,0)", "not positive"},
        BadInput{"simulate --truth haldane", "'haldane'", "expected positive parameters"},
        BadInput{"simulate --truth 0.5,2", "'0.5,2'", "soft labels from 0 to 1"},
        BadInput{"simulate --policy optkg", "'optkg'", "did you mean 'opt-kg'?"},
        BadInput{"simulate --policy cvar:7", "'cvar:7'", "0 to 1"},
        BadInput{"simulate --policy dp --items 1000", "1000 items", "too many"},
        BadInput{"simulate --ties last", "--ties 'last'", "random, first"},
        BadInput{"simulate --format xml", "--format 'xml'", "table, csv, json"},
        BadInput{"simulate --plot a.png", "--plot 'a.png'", "ends in .svg"},
        BadInput{"simulate --plot ''", "--plot ''", "ends in .svg"},
        BadInput{"simulate --itms 5", "unknown option '--itms'", "did you mean '--items'?"},
        BadInput{"simulate --bogus 5", "unknown option '--bogus' (", "--help"},
        BadInput{"simulate --runs 5 --runs 6", "--runs is given 2 times", "expected once"},
        BadInput{"simulate --items", "--items has no value", "expected --items N"},
        BadInput{"simulate surplus", "unexpected argument 'surplus'", "--help"},
        BadInput{"simulate --items ''", "--items ''", "whole number from 1"},
        BadInput{"simulate --policy kg,,lu", "policy ''", "allot policies"},
        BadInput{"simulate --prior \"a\nb\"", "'a b'", "expected uniform"},
        BadInput{"--items 5 simulate", "'--items'", "after the command"},
        BadInput{"simulat", "unknown command 'simulat'", "did you mean 'simulate'?"},
        BadInput{"help simulat", "unknown command 'simulat'", "did you mean 'simulate'?"},
        BadInput{"exact --budget 3", "--items", "--state"},
        BadInput{"exact --items 3", "--budget", "missing"},
        BadInput{"exact --items 3 --budget 2x,3x", "'2x,3x'", "one budget"},
        BadInput{"exact --items 2 --state 1:1 --budget 3", "--items '2'", "1 item;"},
        BadInput{"exact --state 1:x --budget 3", "'1:x'", "2:0,1:1"},
        BadInput{"exact --state 1:-1 --budget 3", "'1:-1'", "2:0,1:1"},
        BadInput{"exact --items 30 --budget 90 --prior beta:2,1", "30 items", "2 GiB"},
        BadInput{"exact --items 1000 --budget 100000", "1000 items", "too many"}),
    test_name);

TEST(Refusal, ThatCannotBeWrittenIsStillARefusal) {
  EXPECT_EQ(allot("simulate --budget -1", "/dev/null 2>/dev/full; exit $?").status, 2);
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  const Outcome outcome = allot("policies", "/dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("could not be written"), std::string::npos);
}

/// Output of a long run on a terminal until the text appears or ten seconds have passed.
std::string terminal_until(const std::string& text) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    execl(program(), program(), "simulate", "--items", "1000", "--budget", "1000x", "--runs",
          "1000", nullptr);
    _exit(127);
  }
  std::string seen;
  char block[4096];
  pollfd ready{terminal, POLLIN, 0};
  for (int tries = 0; tries < 100 && seen.find(text) == std::string::npos; ++tries) {
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t count = read(terminal, block, sizeof block);
    if (count <= 0) break;
    seen.append(block, static_cast<std::size_t>(count));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(terminal);
  return seen;
}

TEST(Progress, IsDrawnOnATerminal) {
  EXPECT_NE(terminal_until("simulating [").find("simulating ["), std::string::npos);
}

TEST(Progress, IsNotDrawnWhereThereIsNoTerminal) {
  EXPECT_EQ(
      allot("simulate --items 50 --budget 20x --policy opt-kg --runs 6000 --threads 1 --format csv")
          .errors,
      "");
}

TEST(Simulate, LearnsAPriorThatIsWorthItsLabels) {
  const auto accuracy = [](const std::string& prior) {
    const Outcome outcome = allot(
        "simulate --truth beta:4,1 --budget 3x --policy opt-kg --runs 100 "
        "--format csv --prior " +
        prior);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return std::stod(split(split(outcome.output, '\n')[1], ',')[3].data());
  };
  // .954 and .907 on average, with a standard error of .004 each.
  EXPECT_GT(accuracy("learn"), accuracy("uniform") + 0.02);
  EXPECT_GT(accuracy("learn:mixture"), accuracy("uniform") + 0.02);
}

}  // namespace
}  // namespace allot::test::command_test
