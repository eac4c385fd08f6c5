// Workers who err together, as a user meets them: --groups and --copies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace allot::test::groups_test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Six workers on 120 items; w5 says what w2 says if `copies`. No random numbers: worker j errs on
/// every item whose number, times a prime, leaves a small rest.
std::string six_workers(bool copies = true) {
  const int primes[] = {37, 53, 71, 89, 97, 41};
  std::string text = "item,worker,label\n";
  for (int i = 0; i < 120; ++i) {
    const auto label = [&](int j) {
      const bool wrong = (i + 3) * primes[j] % 101 < 16 + 4 * j;
      return (i % 2 == 0) != wrong ? "yes" : "no";
    };
    for (int j = 0; j < 6; ++j)
      text += fmt::format("r{},w{},{}\n", i, j, label(j == 5 && copies ? 2 : j));
  }
  return text;
}

class GroupsCommand : public testing::Test {
 protected:
  Outcome run(const std::string& more) const { return allot("aggregate " + labels_ + " " + more); }

  const Folder folder_;
  const std::string labels_ = folder_.file("labels.csv", six_workers());
  const std::string groups_ = folder_.file("groups.csv", "worker,group\nw2,desk\nw5,desk\n");
};

TEST_F(GroupsCommand, FindsACopyAndWritesItsGroup) {
  const Outcome table = run("--copies");
  ASSERT_EQ(table.status, 0) << table.errors;
  EXPECT_TRUE(has(table.output, "\n  w2                 w5      120   1.000")) << table.output;
  EXPECT_TRUE(has(table.output, "15 pairs of workers compared; false alarms: at most 5 %"));
  EXPECT_EQ(run("--copies --groups-output -").output, "worker,group\nw2,copies-1\nw5,copies-1\n");
  EXPECT_TRUE(has(run("--copies --format json").output,
                  R"({"worker": "w2", "other_worker": "w5", "shared": 120)"));
  EXPECT_TRUE(has(run("--copies --least-shared 121").output, "0 pairs of workers compared: none"));
}

/// Answers come with a hint at copies, wherever they go; none where workers are independent.
TEST_F(GroupsCommand, HintsAtCopiesBesideAnswers) {
  const std::string hint =
      "warning: workers 'w2' and 'w5' agree more than independent workers would, as copies do";
  const Outcome answers = run("");
  EXPECT_TRUE(has(answers.errors, hint)) << answers.errors;
  EXPECT_FALSE(has(answers.output, "warning"));
  EXPECT_TRUE(has(run("--output -").errors, hint));
  EXPECT_TRUE(has(run("--format csv").errors, hint));
  EXPECT_TRUE(has(run("--format table").output, hint));
  EXPECT_TRUE(has(run("--format json").output, R"("warnings": [")" + hint));
  EXPECT_FALSE(has(run("--groups " + groups_ + " --format table").output, "agree more"));
  const std::string alone = folder_.file("alone.csv", six_workers(false));
  const Outcome independent = allot("aggregate " + alone + " --format json");
  EXPECT_TRUE(has(independent.output, R"("warnings": [])")) << independent.output;
}

TEST_F(GroupsCommand, ReadsTheLabelsOfAGroupTogether) {
  const Outcome outcome = run("--groups " + groups_ + " --format table");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(has(outcome.output, "\n  desk          2   1.00 (1.00 to 1.00)")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "120 of 120"));
  EXPECT_TRUE(has(run("--groups " + groups_ + " --format json").output,
                  R"("groups": [{"group":"desk","members":2,)"));
}

TEST_F(GroupsCommand, WarnsIfNobodyChecksAGroup) {
  const std::string all =
      folder_.file("all.csv", "worker,group\nw0,a\nw1,a\nw2,a\nw3,a\nw4,a\nw5,a\n");
  EXPECT_TRUE(has(run("--groups " + all + " --format table").output,
                  "warning: no worker outside group 'a' labelled its items"));
}

TEST_F(GroupsCommand, NamesTheProblem) {
  const auto refusal = [&](const std::string& more) { return run(more).errors; };
  EXPECT_TRUE(has(refusal("--method majority --groups " + groups_),
                  "has no effect on majority; expected --method pooled with it"));
  EXPECT_TRUE(has(refusal("--false-alarms 0.1"), "expected --copies with it"));
  EXPECT_TRUE(has(refusal("--copies --agreement"), "are two reports; expected one of them"));
  EXPECT_TRUE(has(refusal("--copies --groups " + groups_), "--groups has no effect on --copies"));
  const std::string other = folder_.file("other.csv", "worker,group\nnobody,a\n");
  EXPECT_TRUE(has(refusal("--groups " + other), "has no group of a worker of "));
}

TEST_F(GroupsCommand, ReplaysAndSimulatesWithGroups) {
  const Outcome replay =
      allot("replay --labels " + labels_ + " --groups " + groups_ + " --runs 1 --budget 30%");
  ASSERT_EQ(replay.status, 0) << replay.errors;
  EXPECT_TRUE(has(replay.output, "1 group")) << replay.output;
  const std::string pool = "'judges=3*beta(6,2)~0.7+people=2*beta(8,2)'";
  const Outcome simulated =
      allot("simulate --items 20 --workers " + pool + " --runs 1 --budget 3x --policy kg-eig");
  ASSERT_EQ(simulated.status, 0) << simulated.errors;
  EXPECT_TRUE(has(simulated.output, "1 group")) << simulated.output;
  EXPECT_TRUE(has(allot("simulate --items 20 --workers " + pool +
                        " --groups ignored --runs 1 --budget 3x --policy kg-eig")
                      .output,
                  "groups ignored"));
  EXPECT_TRUE(has(allot("simulate --workers 'a=3*beta(4,1)~0.5' --refit off").errors,
                  "cannot use groups of workers"));
}

}  // namespace
}  // namespace allot::test::groups_test
