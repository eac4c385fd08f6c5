// `allot plan` as a user meets it.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "allot/base/text.hpp"
#include "support/program.hpp"
#include "support/xml.hpp"

namespace allot::test::plan_test {
namespace {

constexpr const char* kPlanColumns =
    "policy,target,budget,labels_per_item,cost,accuracy,stderr,right_answers_from_one_more";

using Rows = std::vector<std::map<std::string, std::string>>;

/// CSV with the names of its columns.
Rows rows_of(const std::string& csv) {
  std::istringstream text(csv);
  std::string header, line;
  std::getline(text, header);
  const auto names = split(header, ',');
  Rows rows;
  while (std::getline(text, line)) {
    const auto values = split(line, ',');
    EXPECT_EQ(values.size(), names.size()) << line;
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
      row[std::string(names[i])] = values[i];
    }
    rows.push_back(row);
  }
  return rows;
}

/// The lines of a plan.
Rows planned(const std::string& arguments) {
  const Outcome outcome = allot("plan --format csv " + arguments);
  EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
  EXPECT_EQ(outcome.output.substr(0, outcome.output.find('\n')), kPlanColumns);
  return rows_of(outcome.output);
}

TEST(Plan, SaysWhatABudgetBuys) {
  const auto rows = planned("--items 10000 --prior beta:1,1 --budget 50000");
  ASSERT_EQ(rows.size(), 4U);
  const std::vector<std::pair<std::string, double>> expected{
      {"least-labelled", 0.84375}, {"opt-kg", 0.8778}, {"label-price", 0.8781}, {"bound", 0.8781}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].at("policy"), expected[i].first);
    EXPECT_NEAR(std::stod(rows[i].at("accuracy")), expected[i].second, 1e-4);
    EXPECT_EQ(rows[i].at("budget"), "50000");
    EXPECT_EQ(rows[i].at("labels_per_item"), "5");
    EXPECT_EQ(rows[i].at("cost") + rows[i].at("target"), "");
    EXPECT_GT(std::stod(rows[i].at("right_answers_from_one_more")), 0);
  }
}

TEST(Plan, SaysWhatATargetTakesAndCosts) {
  for (const auto& row : planned("--items 1000 --target 0.9,0.95 --price 0.05")) {
    const double budget = std::stod(row.at("budget"));
    EXPECT_EQ(budget, std::round(budget));
    EXPECT_NEAR(std::stod(row.at("cost")), 0.05 * budget, 1e-6);
    EXPECT_GE(std::stod(row.at("accuracy")), std::stod(row.at("target")) - 1e-9);
    if (row.at("policy") == "bound") continue;
    // The budget found is the smallest.
    const auto again =
        planned("--items 1000 --budget " + std::to_string(static_cast<int>(budget) - 1));
    for (const auto& less : again) {
      if (less.at("policy") != row.at("policy")) continue;
      EXPECT_LT(std::stod(less.at("accuracy")), std::stod(row.at("target")));
    }
  }
}

TEST(Plan, LeavesOutOfTheNumbersWhatIsOutOfReach) {
  const auto rows = planned("--items 1000 --target 0.999");
  ASSERT_EQ(rows.size(), 4U);
  for (const auto& row : rows) EXPECT_EQ(row.at("budget") + row.at("cost"), "");
  const Outcome table = allot("plan --items 1000 --target 0.999");
  EXPECT_NE(table.output.find("over 100x"), std::string::npos) << table.output;
  const Outcome json = allot("plan --items 1000 --target 0.999 --format json");
  EXPECT_NE(json.output.find("\"budget\": null"), std::string::npos) << json.output;
}

TEST(Plan, HasDefaultBudgets) {
  const auto rows = planned("--items 60");
  ASSERT_EQ(rows.size(), 20U);
  EXPECT_EQ(rows[0].at("labels_per_item"), "1");
  EXPECT_EQ(rows[19].at("labels_per_item"), "20");
}

TEST(Plan, TakesListsAndRangesOfBudgets) {
  const auto rows = planned("--items 60 --budget 2x..20x");
  ASSERT_EQ(rows.size(), 19U * 4);
  std::map<std::string, double> last;
  for (const auto& row : rows) {
    EXPECT_GT(std::stod(row.at("accuracy")), last[row.at("policy")] - 1e-6);
    last[row.at("policy")] = std::stod(row.at("accuracy"));
  }
}

TEST(Plan, ShowsMoneyBesideLabels) {
  const std::string table = allot("plan --items 1000 --budget 5x --target 0.9 --price 0.05").output;
  for (const char* text : {"0.05 per label", "cost", "5000 (5x)", "250", "upper bound",
                           "lower bound", "a label adds", "cost per extra right answer"}) {
    EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
  }
  const std::string without = allot("plan --items 1000 --budget 5x --target 0.9").output;
  EXPECT_EQ(without.find("cost"), std::string::npos) << without;
}

TEST(Plan, GivesJsonWithItsSettings) {
  const Outcome outcome =
      allot("plan --items 100 --budget 2x --prior beta:2,1 --price 0.5 --format json");
  EXPECT_EQ(
      outcome.output.find("{\"items\": 100, \"prior\": \"beta:2,1\", \"price\": 0.5, \"rows\""), 0U)
      << outcome.output;
}

class PlanFromPilot : public testing::Test {
 protected:
  std::string pilot(int items, int labels, int positive_of_ten) const {
    std::string text = "item,worker,label\n";
    for (int item = 0; item < items; ++item) {
      for (int worker = 0; worker < labels; ++worker) {
        const bool positive = (7 * item + 3 * worker) % 10 < positive_of_ten;
        text += fmt_row(item, worker, positive);
      }
    }
    return folder.file("pilot" + std::to_string(++files) + ".csv", text);
  }
  static std::string fmt_row(int item, int worker, bool positive) {
    return "i" + std::to_string(item) + ",w" + std::to_string(worker) + "," +
           (positive ? "yes" : "no") + "\n";
  }
  const Folder folder;
  mutable int files = 0;
};

TEST_F(PlanFromPilot, LearnsThePriorAndSaysWhichOne) {
  const std::string file = pilot(200, 3, 8);
  const Outcome outcome = allot("plan --items 50000 --budget 3x --pilot " + file);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("prior beta:"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("learned from 600 labels of 200 items"), std::string::npos);
  // Four in five are positive, so answers are right more often than under the uniform prior.
  const auto rows = planned("--items 50000 --budget 1x --pilot " + file);
  EXPECT_GT(std::stod(rows[0].at("accuracy")), 0.8);
}

TEST_F(PlanFromPilot, IsForAsManyItemsAsThePilotHasIfNotToldOtherwise) {
  const Outcome outcome = allot("plan --budget 2x --pilot " + pilot(37, 2, 6));
  EXPECT_NE(outcome.output.find("37 items"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("74 (2x)"), std::string::npos) << outcome.output;
}

TEST_F(PlanFromPilot, AcceptsFewLabelsAllOfOneClass) {
  for (const int items : {1, 2, 30}) {
    for (const int positive : {0, 10}) {
      const auto rows = planned("--items 100 --budget 3x --pilot " + pilot(items, 1, positive));
      ASSERT_EQ(rows.size(), 4U);
      for (const auto& row : rows) {
        EXPECT_GE(std::stod(row.at("accuracy")), 0.5);
        EXPECT_LE(std::stod(row.at("accuracy")), 0.9999);
      }
    }
  }
}

TEST_F(PlanFromPilot, RefusesAPriorAndMoreThanTwoClasses) {
  const std::string file = pilot(3, 3, 5);
  expect_refusal("plan --items 5 --prior uniform --pilot " + file, "--prior 'uniform'",
                 "expected one of them");
  const std::string three = folder.file("three.csv", "item,worker,label\n1,a,x\n1,b,y\n2,a,z\n");
  expect_refusal("plan --items 5 --pilot " + three, "3 classes", "expected two");
  expect_refusal("plan --items 5 --pilot " + folder.path() + "/nothing.csv", "--pilot", "nothing");
}

TEST(Plan, RefusesInvalidOptions) {
  expect_refusal("plan", "--items is missing", "expected the number of items");
  expect_refusal("plan --items 0", "--items '0'", "from 1 to 4000000000");
  expect_refusal("plan --items 10 --budget 2000", "2000 for 10 items", "expected at most 100x");
  expect_refusal("plan --items 10 --budget many", "'many'", "expected labels");
  expect_refusal("plan --items 10 --target 1", "--target '1'", "expected shares between 0 and 1");
  expect_refusal("plan --items 10 --target 0.5,x", "'0.5,x'", "expected shares");
  expect_refusal("plan --items 10 --prior haldane", "'haldane'", "expected uniform");
  expect_refusal("plan --items 10 --prior learn", "learn", "expected");
  expect_refusal("plan --items 10 --price -1", "--price", "expected");
  expect_refusal("plan --items 10 --price 0", "--price", "expected");
  expect_refusal("plan --items 10 --format xml", "'xml'", "expected table, csv, json");
  expect_refusal("plan --items 10 --plot plan.png", "'plan.png'", "expected a name that ends in");
  expect_refusal("plan --items 10 --classes no,yes", "--classes", "expected --pilot");
  expect_refusal("plan --items 10 --duplicates last", "--duplicates", "expected --pilot");
}

constexpr const char* kPool = "--workers 'llm=3*beta(9,1)@0.001+people=6*beta(4,1)@0.08'";

TEST(PlanWithPool, SpendsMoneyWhereItBuysMost) {
  const auto rows = planned(std::string("--items 100 --budget 0.2,2,10 ") + kPool);
  ASSERT_EQ(rows.size(), 9U);
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    const auto accuracy = [&](std::size_t k) { return std::stod(rows[i + k].at("accuracy")); };
    EXPECT_EQ(rows[i].at("policy"), "least-labelled");
    EXPECT_EQ(rows[i + 1].at("policy"), "opt-kg");
    EXPECT_EQ(rows[i + 2].at("policy"), "bound");
    EXPECT_EQ(rows[i].at("cost"), rows[i].at("budget"));
    EXPECT_GT(accuracy(1), accuracy(0));
    // Reliabilities of the simulation and of the bound are different draws.
    EXPECT_LE(accuracy(1), accuracy(2) + 4 * std::stod(rows[i + 1].at("stderr")) + 0.02);
  }
}

// Models that repeat each other are worth less than as many independent ones. `allot simulate` gets
// there by other code: it reads the pool itself, and draws other items.
TEST(PlanWithPool, KnowsModelsThatErrTogether) {
  const std::string people = "+people=5*beta(16,4)@0.1' ", common = "--items 200 --budget 40 ";
  const auto planned_for = [&](const std::string& models) {
    return planned(common + "--workers '" + models + people);
  };
  const auto together = planned_for("models=9*beta(15,5)@0.01~0.68");
  const auto alone = planned_for("models=9*beta(15,5)@0.01");
  ASSERT_EQ(together.size(), 3U);
  const auto number = [](const auto& row, const char* name) { return std::stod(row.at(name)); };
  const double error = std::hypot(number(together[1], "stderr"), number(alone[1], "stderr"));
  EXPECT_LT(number(together[1], "accuracy") + 3 * error, number(alone[1], "accuracy"));
  EXPECT_GT(number(together[1], "accuracy"), number(together[0], "accuracy"));
  EXPECT_LT(number(together[1], "accuracy"), number(together[2], "accuracy"));
  // The bound takes them for independent; what one more unit adds to it would mislead.
  EXPECT_EQ(together[2].at("right_answers_from_one_more"), "");
  EXPECT_NE(alone[2].at("right_answers_from_one_more"), "");
  const std::string table =
      allot("plan --items 20 --budget 4 --workers 'models=9*beta(15,5)@0.01~0.68" + people).output;
  EXPECT_EQ(table.find("unit adds"), std::string::npos) << table;
  const Outcome simulated =
      allot("simulate --truth beta:0.02,0.02 --policy opt-kg --runs 20 --format csv " + common +
            "--workers 'models=9*beta(15,5)@0.01~0.68" + people);
  ASSERT_EQ(simulated.status, 0) << simulated.errors;
  const auto rows = rows_of(simulated.output);
  EXPECT_NEAR(number(together[1], "accuracy"), number(rows.at(0), "accuracy"),
              4 * std::hypot(number(together[1], "stderr"), number(rows.at(0), "stderr")));
}

TEST(PlanWithPool, SaysWhatATargetCosts) {
  const auto rows = planned(std::string("--items 100 --target 0.9 ") + kPool);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_GT(std::stod(rows[0].at("budget")), std::stod(rows[1].at("budget")));
  EXPECT_GT(std::stod(rows[1].at("budget")), 0.8 * std::stod(rows[2].at("budget")));
}

TEST(PlanWithPool, IsTheSameEveryTimeAndDrawn) {
  const Folder folder;
  const std::string path = folder / "pool.svg";
  const std::string command = std::string("plan --items 50 --budget 1,3 --plot ") + path + " ";
  const Outcome outcome = allot(command + kPool);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::string figure = read_file(path);
  EXPECT_EQ(outcome.output, allot(command + kPool).output);
  EXPECT_EQ(figure, read_file(path));
  EXPECT_NE(figure.find("budget in money"), std::string::npos);
  EXPECT_NE(outcome.output.find("simulated with up to 50 items"), std::string::npos)
      << outcome.output;
}

TEST(PlanWithPool, RefusesInvalidOptions) {
  expect_refusal("plan --items 10 --workers people", "--workers", "expected");
  expect_refusal("plan --items 10 --workers 3", "--workers '3' has no reliability",
                 "20*beta(4,1)@0.08");
  expect_refusal("plan --items 10 --workers '2000*beta(4,1)'", "2000 workers", "at most 1000");
  expect_refusal(std::string("plan --items 10 --price 1 ") + kPool, "--price '1'",
                 "expected prices there");
  expect_refusal(std::string("plan --items 10 --budget 2x ") + kPool, "2x", "expected");
  expect_refusal(std::string("plan --items 10 --budget 100 ") + kPool, "100", "expected");
  expect_refusal("plan --items 4000000000 --workers '10*beta(4,1)@9'", "--workers", "at most");
}

TEST(Plan, HasDefaultBudgetsThatPayALabelForSmallPools) {
  const Outcome outcome = allot("plan --items 100 --workers '3*beta(4,1)' --format csv");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("bound,,90,"), std::string::npos) << outcome.output;
}

TEST(Plan, LeavesTheAccuracyOfAnUnreachedTargetOut) {
  const std::string rows = allot("plan --items 50 --target 0.3,0.9999 --format csv").output;
  EXPECT_NE(rows.find("\nleast-labelled,0.9999,,,,,,\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("\nbound,0.3,0,0,"), std::string::npos) << "no -0: " << rows;
}

TEST(Plan, DrawsWhatNoPolicyReaches) {
  const Folder folder;
  for (const char* more : {"--items 3 --budget 1", "--items 40 --budget 5x --price 0.1",
                           "--items 400 --target 0.9", "--items 1 --budget 1x"}) {
    const std::string path = folder / "plan.svg";
    const Outcome outcome = allot(std::string("plan ") + more + " --plot " + path);
    EXPECT_EQ(outcome.status, 0) << more << "\n" << outcome.errors;
    const std::string text = read_file(path);
    for (const char* word : {"beyond every policy", "label-price", "opt-kg", "bound"}) {
      EXPECT_NE(text.find(word), std::string::npos) << word << ", " << more;
    }
    EXPECT_EQ(text.find("nan"), std::string::npos) << more;
    EXPECT_EQ(parse_xml(text).name, "svg");
  }
}

}  // namespace
}  // namespace allot::test::plan_test
