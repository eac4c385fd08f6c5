// `allot replay` with more than two classes, and with features.
#include <gtest/gtest.h>

#include <array>

#include "unit/cli/replay_fixture.hpp"

namespace allot::test::replay_multiclass_test {
namespace {

/// Twelve items of three classes with two features; four workers, the last one guesses.
class ReplayOfClasses : public Replay {
 protected:
  ReplayOfClasses() {
    std::string given = "task,worker,label\n", known = "task,truth\n", seen = "task,x,y\n";
    const std::array<std::string, 3> names{"cat", "dog", "fox"};
    for (int item = 0; item < 12; ++item) {
      const std::string name = "i" + std::to_string(item);
      const int kind = item % 3;
      for (int worker = 0; worker < 4; ++worker) {
        const int said = worker == 3 ? item / 4 : kind;
        given += name + ",w" + std::to_string(worker) + "," +
                 names.at(static_cast<std::size_t>(said)) + "\n";
      }
      known += name + "," + names.at(static_cast<std::size_t>(kind)) + "\n";
      seen += name + "," + std::to_string(kind * kind) + "." + std::to_string(item) + "," +
              std::to_string(-kind) + "\n";
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

TEST_F(ReplayOfClasses, IsRightWithAllLabelsUnderEveryModel) {
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
      {"--policy scout", "policy 'scout'", "cannot choose among multi-class items"},
      {"--refit off" + features(), "--refit 'off' cannot use features", "--refit 20"},
      {"--feature-update laplace", "--feature-update needs", "--features and --workers ignore"},
      {"--prior jeffreys --workers ignore" + features(), "--prior has no effect",
       "--feature-variance"},
  }};
  for (const auto& [arguments, wrong, accepted] : cases) {
    expect_refusal(of_classes(arguments), wrong, accepted);
  }
}

}  // namespace
}  // namespace allot::test::replay_multiclass_test
