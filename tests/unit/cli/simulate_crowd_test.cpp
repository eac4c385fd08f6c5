// `allot simulate` with workers who differ and with more than two classes, as a user meets it.
#include <gtest/gtest.h>

#include <array>

#include "support/program.hpp"

namespace allot::test::simulate_crowd_test {
namespace {

TEST(SimulatedCrowd, PrintsTheSameColumns) {
  const Outcome outcome = allot(
      "simulate --items 6 --workers 5 --budget 2x,100% --policy uniform,opt-kg,scout,kos "
      "--runs 3 --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto lines = without_time(outcome.output);
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(outcome.output.rfind(kColumns, 0), 0U);
  EXPECT_EQ(lines[2].rfind("uniform,30,5,", 0), 0U) << lines[2];
}

TEST(SimulatedCrowd, GivesTheSameNumbersForTheSameSeedOnAnyNumberOfThreads) {
  for (const char* more :
       {"", "--mode pull", "--refit 5", "--refit 5 --refit-by em", "--coins 2"}) {
    const std::string command =
        "simulate --items 10 --workers 5 --budget 2x,4x --runs 8 --policy "
        "uniform,opt-kg,kos --format csv " +
        std::string(more) + " --seed ";
    const auto rows = without_time(allot(command + "7 --threads 1").output);
    EXPECT_EQ(rows.size(), 7U) << more;
    EXPECT_EQ(rows, without_time(allot(command + "7 --threads 4").output)) << more;
    EXPECT_NE(rows, without_time(allot(command + "8 --threads 4").output)) << more;
  }
}

TEST(SimulatedCrowd, WarnsOfOptKgWithManyClassesAndSoftLabels) {
  const auto warned = [](const std::string& options) {
    const Outcome outcome = allot("simulate --items 5 --budget 1x --runs 1 " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.errors.find("opt-kg asks about labelled items again") != std::string::npos;
  };
  EXPECT_TRUE(warned("--classes 8 --policy kg,opt-kg"));
  EXPECT_TRUE(warned("--classes 8 --policy opt-kg --workers 5"));
  EXPECT_FALSE(warned("--classes 7 --policy opt-kg"));
  EXPECT_FALSE(warned("--classes 8 --policy kg"));
  EXPECT_FALSE(warned("--classes 8 --policy opt-kg --workers 5 --refit 5"));
  EXPECT_FALSE(warned("--policy opt-kg"));
}

TEST(SimulatedCrowd, TakesAListOfReliabilities) {
  const Outcome outcome = allot(
      "simulate --truth 0,1,0,1 --workers 3 --worker-truth 1,1,1 --budget 3x --runs 2 --format "
      "csv");
  EXPECT_NE(outcome.output.find("\nopt-kg,12,3,1,0,"), std::string::npos) << outcome.output;
}

TEST(SimulatedCrowd, IsNamedInTheTableAndInJson) {
  const std::string command = "simulate --items 6 --workers 5 --budget 2x --runs 2 --policy kos";
  const std::string table = allot(command).output;
  EXPECT_NE(table.find("5 workers, worker truth beta:4,1"), std::string::npos) << table;
  EXPECT_EQ(table.find("nan"), std::string::npos) << table;
  const std::string json = allot(command + " --format json").output;
  EXPECT_NE(json.find("\"workers\": 5, \"worker_truth\": \"beta:4,1\", \"mode\": \"push\", "
                      "\"worker_prior\": \"beta:4,1\", \"coins\": 1, \"refit\": null"),
            std::string::npos)
      << json;
}

TEST(SimulatedCrowd, LearnsTheWorkerPriorUnderEveryModel) {
  for (const char* way : {"", "--coins 2", "--refit 20", "--refit 20 --prior learn",
                          "--refit 20 --refit-by em", "--classes 3", "--classes 3 --refit 20"}) {
    const std::string command =
        "simulate --items 10 --workers 8 --worker-truth beta:20,1 --budget "
        "6x --policy opt-kg --runs 4 --format csv " +
        std::string(way);
    const auto rows = without_time(allot(command + " --worker-prior learn --threads 1").output);
    ASSERT_EQ(rows.size(), 2U) << way;
    EXPECT_EQ(rows, without_time(allot(command + " --worker-prior learn --threads 3").output));
  }
  const Outcome table =
      allot("simulate --workers 20 --budget 2x --runs 2 --policy opt-kg --worker-prior learn");
  EXPECT_NE(table.output.find("worker prior learn"), std::string::npos) << table.output;
}

TEST(SimulatedCrowd, RefusesWithOneClearLine) {
  const std::vector<std::array<std::string, 3>> cases{
      // arguments, wrong, accepted
      {"--workers 3 --prior learn", "cannot tell a poor worker from an ambiguous item", "--refit"},
      {"--workers 3 --prior learn:mixture", "'learn:mixture' needs workers who are alike", "learn"},
      {"--workers 3 --worker-prior lern", "'lern' is unknown", "or learn"},
      {"--worker-truth beta:4,1", "--worker-truth", "--workers with their number"},
      {"--mode pull", "--mode", "--workers with their number"},
      {"--worker-prior beta:4,1", "--worker-prior", "--workers with their number"},
      {"--coins 1", "--coins", "--workers with their number"},
      {"--refit off", "--refit", "--workers with their number"},
      {"--refit-by em", "--refit-by", "--workers with their number"},
      {"--final majority", "--final", "--workers with their number"},
      {"--policy scout", "'scout' is for workers who differ", "expected uniform, kg"},
      {"--budget 40%", "'40%' is not understood", "expected labels (500)"},
      {"--workers 0", "--workers '0'", "whole number from 1"},
      {"--workers ignore", "--workers 'ignore'", "whole number from 1"},
      {"--workers 5 --budget 6x", "'6x' is more than all 250 labels", "labels per item (10x)"},
      {"--workers 20 --policy gittins", "'gittins' does not tell workers apart",
       "expected uniform, kg"},
      {"--workers 20 --worker-truth 0.5,0.6", "lists 2 reliabilities", "one per worker"},
      {"--workers 20 --worker-truth 2", "'2'", "from 0 to 1"},
      {"--workers 20 --worker-truth haldane", "'haldane' is improper", "beta:1,1"},
      {"--workers 20 --worker-prior haldane", "'haldane' is improper", "beta:1,1"},
      {"--workers 20 --prior haldane", "'haldane' is improper", "beta:1,1"},
      {"--workers 20 --prior 'mix:0.5*beta(5,1)+0.5*beta(1,5)'", "is a mixture", "one Beta"},
      {"--workers 20 --refit-by em", "--refit-by 'em'", "--refit 20"},
      {"--workers 20 --final voting", "method 'voting' is unknown", "majority"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("simulate " + arguments, wrong, accepted);
}

TEST(SimulatedClasses, GiveTheSameNumbersForTheSameSeedOnAnyNumberOfThreads) {
  for (const char* more :
       {"", "--truth dirichlet:0.3 --prior dirichlet:1,2,3", "--workers 5 --refit 5",
        "--workers 5 --refit 5 --coins 2 --mode pull", "--workers 5 --final dawid-skene"}) {
    const std::string command =
        "simulate --classes 3 --items 8 --budget 2x,4x --runs 4 --policy uniform,kg,opt-kg "
        "--format csv " +
        std::string(more) + " --seed ";
    const auto rows = without_time(allot(command + "7 --threads 1").output);
    EXPECT_EQ(rows.size(), 7U) << more;
    EXPECT_EQ(rows, without_time(allot(command + "7 --threads 4").output)) << more;
    EXPECT_NE(rows, without_time(allot(command + "8 --threads 4").output)) << more;
  }
}

TEST(SimulatedClasses, AreBinaryIfThereAreTwo) {
  const std::string command = "simulate --items 8 --budget 2x --runs 4 --format csv ";
  EXPECT_EQ(without_time(allot(command + "--classes 2").output),
            without_time(allot(command).output));
}

TEST(SimulatedClasses, AreRefusedWithOneClearLine) {
  const std::vector<std::array<std::string, 3>> cases{
      // arguments, wrong, accepted
      {"--classes 1", "--classes '1'", "from 2 to 100"},
      {"--classes no,yes", "--classes 'no,yes'", "from 2 to 100"},
      {"--classes 3 --truth beta:4,1", "beta:4,1", "dirichlet"},
      {"--classes 3 --prior dirichlet:1,2", "dirichlet:1,2", "3"},
      {"--classes 3 --prior learn", "learn", "dirichlet"},
      {"--classes 3 --policy nlu", "'nlu' cannot choose among multi-class items",
       "expected uniform, kg"},
      {"--classes 3 --policy lu", "'lu' cannot choose among multi-class items",
       "expected uniform, kg"},
      {"--classes 3 --workers 5 --policy scout", "'scout' cannot choose among multi-class items",
       "expected uniform, kg"},
      {"--classes 3 --workers 5 --refit 5 --refit-by bp", "--refit-by 'bp'", "pooled or em"},
  };
  for (const auto& [arguments, wrong, accepted] : cases)
    expect_refusal("simulate " + arguments, wrong, accepted);
}

}  // namespace
}  // namespace allot::test::simulate_crowd_test
