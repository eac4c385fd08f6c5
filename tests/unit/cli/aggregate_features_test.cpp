// `allot aggregate` with what is known of items and classes beside the labels.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test::aggregate_features_test {
namespace {

constexpr const char* kLabels =
    "task,worker,label\n"
    "a,ann,yes\na,bob,yes\na,cyd,no\n"
    "b,ann,no\nb,bob,no\nb,cyd,no\n"
    "\"c, d\",ann,yes\n\"c, d\",bob,no\n";
constexpr const char* kFeatures =
    "task,x,always\na,1,7\nnew,0.9,7\n\"c, d\",0.8,7\nb,-1,7\nother,-1,7\n";

class AggregateFeatures : public testing::Test {
 protected:
  Outcome run(const std::string& more) const { return allot("aggregate " + labels + " " + more); }

  const Folder folder;
  const std::string labels = folder.file("labels.csv", kLabels);
};

TEST_F(AggregateFeatures, GuessesFromFeaturesWhereNobodyLabelledAndCallsItNoAnswer) {
  const std::string features = folder.file("features.csv", kFeatures);
  const Outcome outcome = run("--method contextual --features " + features + " --output -");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors,
            "allot aggregate: " + features + ": left out, the same for every item: 'always'\n");
  EXPECT_EQ(outcome.output.rfind("item,answer,probability,labels,p_no,p_yes\na,yes,", 0), 0U)
      << outcome.output;
  const std::size_t fresh = outcome.output.find("\nnew,,,0,0."),
                    other = outcome.output.find("\nother,,,0,0.");
  EXPECT_NE(fresh, std::string::npos) << outcome.output;
  EXPECT_LT(fresh, other) << "behind the items with labels, in the order of the features";
  ASSERT_NE(other, std::string::npos);
  const double new_no = std::stod(outcome.output.substr(fresh + 9));
  const double other_no = std::stod(outcome.output.substr(other + 11));
  EXPECT_LT(new_no, 0.5) << "the guess stays, as probabilities";
  EXPECT_GT(other_no, 0.5);
  const Outcome workers = run("--method contextual --features " + features + " --workers-output -");
  EXPECT_EQ(
      workers.output.rfind("worker,labels,reliability,p_no_no,p_no_yes,p_yes_no,p_yes_yes\n", 0),
      0U)
      << workers.output;
}

TEST_F(AggregateFeatures, StatesTheAccuracyOfAnswersOnly) {
  const auto expected = [&](const std::string& features) {
    const std::string text =
        run("--method majority,contextual --format csv --features " + features).output;
    const std::size_t at = text.find("\nmajority,");
    const std::string row = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    return std::string(split(row, ',')[8]);
  };
  const std::string few = folder.file("few.csv", "task,x\na,1\n\"c, d\",0.8\nb,-1\n");
  const std::string more = folder.file("more.csv", "task,x\na,1\nn,2\n\"c, d\",0.8\nb,-1\n");
  EXPECT_EQ(expected(few), "0.722222222222");
  EXPECT_EQ(expected(more), "0.722222222222");
}

TEST_F(AggregateFeatures, ComparesContextualWithMethodsWithoutFeatures) {
  const std::string features = folder.file("features.csv", kFeatures);
  const std::string known =
      folder.file("known.csv", "task,truth\na,yes\nnew,yes\nother,no\nz,no\n");
  const std::string both =
      "--method contextual,majority --truth " + known + " --features " + features;
  const Outcome outcome = run(both + " --format csv");
  EXPECT_NE(outcome.output.find("\ncontextual,5,3,8,2,"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find(",1,1,2,,,\nmajority,5,3,8,2,"), std::string::npos)
      << outcome.output;
  const std::string table = run(both).output;
  for (const char* part :
       {"  2 items without a label: no answer yet\n", "  guessed by contextual: 1.0000 right\n",
        "  accuracy: share of right answers among 1 item with a truth\n"}) {
    EXPECT_NE(table.find(part), std::string::npos) << table;
  }
  EXPECT_NE(run(both).output.find("truth of 1 item without labels"), std::string::npos);
}

TEST_F(AggregateFeatures, TakesFeaturesAsTheyAre) {
  const std::string features = folder.file("features.csv", kFeatures);
  const std::string run_with = "--method contextual --features " + features + " --output - ";
  const std::string usual = run(run_with).output;
  const Outcome plain = run(run_with + "--no-standardise --no-intercept");
  EXPECT_EQ(plain.status, 0);
  EXPECT_EQ(plain.errors, "") << "a constant is the intercept";
  EXPECT_NE(plain.output, usual);
  EXPECT_NE(run(run_with + "--feature-variance 0.01").output, usual);
  EXPECT_EQ(run(run_with + "--feature-variance 0.5").output, usual) << "of two columns";
}

/// 60 items that two workers label as `x` says, but for every sixth label.
std::string labels_of_60() {
  std::string text = "task,worker,label\n";
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 2; ++j) {
      const bool right = (i + 3 * j) % 6 != 0;
      text += fmt::format("t{},w{},{}\n", i, j, right == (i < 30) ? "no" : "yes");
    }
  }
  return text;
}

TEST_F(AggregateFeatures, UsesFeaturesThatTellClassesApartAndNoOthers) {
  const std::string many = folder.file("many.csv", labels_of_60());
  std::string good = "task,x\n", useless = "task,x\n";
  for (int i = 0; i < 60; ++i) {
    good += fmt::format("t{},{}\n", i, i);
    useless += fmt::format("t{},{}\n", i, i % 3);
  }
  const auto with = [&](const char* file, const std::string& text) {
    return allot("aggregate " + many + " --format table --features " + folder.file(file, text))
        .output;
  };
  EXPECT_NE(with("good.csv", good).find("  pooled "), std::string::npos);
  EXPECT_NE(with("good.csv", good).find("  features: used, "), std::string::npos);
  EXPECT_NE(with("useless.csv", useless).find("  features: not used"), std::string::npos);
  const Outcome plain = allot("aggregate " + many + " --features " + folder / "useless.csv");
  EXPECT_NE(plain.errors.find("features: not used"), std::string::npos) << plain.errors;
  const std::string answers = "aggregate " + many + " --output -";
  EXPECT_EQ(allot(answers + " --features " + folder / "useless.csv").output, allot(answers).output);
  EXPECT_NE(allot(answers + " --features " + folder / "good.csv").output, allot(answers).output);
}

/// The second column of each row.
std::vector<std::string> answers_of(const std::string& csv) {
  std::istringstream rows(csv);
  std::vector<std::string> answers;
  for (std::string row; std::getline(rows, row);) {
    const std::size_t from = row.find(',') + 1;
    answers.push_back(row.substr(from, row.find(',', from) - from));
  }
  return answers;
}

/// Two workers contradict each other on a third of the items, so features decide there. A third
/// worker leaves little in doubt.
TEST_F(AggregateFeatures, SayHowManyAnswersRestOnThem) {
  const std::string two = labels_of_60();
  std::string three = two, features = "task,x\n";
  for (int i = 0; i < 60; ++i) {
    three +=
        fmt::format("t{},w2,{}\nt{},w3,{}\n", i, i < 30 ? "no" : "yes", i, i < 30 ? "no" : "yes");
    features += fmt::format("t{},{}\n", i, i);
  }
  const std::string option = " --features " + folder.file("x.csv", features);
  for (const auto& [text, note] : {std::pair(two, " % of the answers would differ without them"),
                                   std::pair(three, "features: used, they tell classes apart")}) {
    const std::string command = "aggregate " + folder.file("many.csv", text);
    const auto before = answers_of(allot(command + " --output -").output),
               after = answers_of(allot(command + option + " --output -").output);
    ASSERT_EQ(before.size(), 61U);
    std::size_t differ = 0;
    for (std::size_t n = 1; n < before.size(); ++n) differ += before[n] != after[n];
    EXPECT_NE(
        allot(command + option + " --format csv").output.find(fmt::format(",true,0,{}\n", differ)),
        std::string::npos)
        << differ;
    const std::string table = allot(command + option + " --format table").output;
    EXPECT_NE(table.find(note), std::string::npos) << table;
    if (differ > 3) {
      EXPECT_NE(table.find(fmt::format("used, and {:.0f} %", differ / 0.6)), std::string::npos);
    }
  }
}

TEST_F(AggregateFeatures, TakesTheSharesOfClassesAndAsksForThemWhereTheyMatter) {
  Rng rng(1);
  std::string text = "task,worker,label\n";
  for (int i = 0; i < 300; ++i) {
    const bool yes = uniform(rng) < 0.05;
    for (int n = 0; n < 3; ++n) {
      const bool is_right = uniform(rng) < 0.7;
      text += fmt::format("t{},w{},{}\n", i, (i + 7 * n) % 20, yes == is_right ? "yes" : "no");
    }
  }
  const std::string many = folder.file("many.csv", text);
  const auto yes = [&](const std::string& options) {
    const std::string answers = allot("aggregate " + many + " --output - " + options).output;
    std::size_t count = 0, at = 0;
    while ((at = answers.find(",yes,", at + 1)) != std::string::npos) ++count;
    return count;
  };
  EXPECT_LT(yes("--shares 80,20"), yes("--shares 20,80"));
  EXPECT_EQ(yes("--shares 0.2,0.8"), yes("--shares 20,80")) << "of any sum";
  const std::string table = allot("aggregate " + many + " --format table").output;
  EXPECT_NE(table.find("of the answers depend on whether the classes are as uneven"),
            std::string::npos)
      << table;
  const std::string even = allot("aggregate " + many + " --format csv --shares 1,1").output;
  EXPECT_TRUE(even.ends_with(",,0,\n")) << "even shares that are given are believed: " << even;
}

TEST_F(AggregateFeatures, SaysTheSameExpectedAccuracyBesideAnswers) {
  const std::string features = folder.file("features.csv", kFeatures);
  const std::string csv = run("--features " + features + " --format csv").output;
  const std::string row = csv.substr(csv.find('\n') + 1);
  const auto cells = split(row, ',');
  const std::string beside = run("--features " + features).errors;
  const std::string expected =
      fmt::format("expected accuracy {:.4f}", std::stod(std::string(cells[8])));
  EXPECT_NE(beside.find(expected), std::string::npos) << beside << csv;
}

TEST_F(AggregateFeatures, DoesNotOverwriteFeatures) {
  const std::string features = folder.file("features.csv", kFeatures);
  expect_refusal("aggregate " + labels + " --features " + features + " --output " + features,
                 "would overwrite a file that is read", "another");
  EXPECT_EQ(read_file(features), kFeatures);
}

}  // namespace
}  // namespace allot::test::aggregate_features_test
