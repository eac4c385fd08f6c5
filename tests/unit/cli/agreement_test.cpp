// Agreement as a user meets it: `allot aggregate --agreement` and `allot campaign agreement`.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace allot::test::agreement_test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Krippendorff's example [Kri11 sec. C]: twelve units, four observers, some values missing.
std::string observers() {
  const std::vector<std::string> units{"11 1", "2232", "3333", "3333", "2222", "1234",
                                       "4444", "1121", "2222", " 555", "  11", "  3 "};
  std::string text = "item,worker,label\n";
  for (std::size_t u = 0; u < units.size(); ++u)
    for (std::size_t w = 0; w < 4; ++w)
      if (units[u][w] != ' ')
        text += "u" + std::to_string(u) + ",w" + std::to_string(w) + "," + units[u][w] + "\n";
  return text;
}

class AgreementCommand : public testing::Test {
 protected:
  Outcome run(const std::string& more) const {
    return allot("aggregate " + labels_ + " --agreement " + more);
  }

  const Folder folder_;
  const std::string labels_ = folder_.file("labels.csv", observers());
};

TEST_F(AgreementCommand, PrintsCoefficientsWithIntervals) {
  const Outcome outcome = run("--ordered --least-shared 5");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("41 labels of 12 items by 4 workers")) << outcome.output;
  EXPECT_TRUE(has(outcome.output, "95 % interval"));
  EXPECT_TRUE(has(outcome.output, "\n  Krippendorff's alpha            0.7434   0."))
      << outcome.output;
  EXPECT_TRUE(has(outcome.output, "\n  Krippendorff's alpha, ordinal   0.8154   0."));
  EXPECT_TRUE(has(outcome.output, "0 that they agree as often as by chance"));
  EXPECT_TRUE(has(outcome.output, "warning: items have 1 to 4 labels")) << outcome.output;
  EXPECT_FALSE(has(outcome.output, "nan"));
}

TEST_F(AgreementCommand, PrintsCsvAndJson) {
  const std::string csv = run("--format csv --resamples 0").output;
  EXPECT_TRUE(
      csv.starts_with("coefficient,value,low,high,reason\n"
                      "percent_agreement,0.818181818182,,,\n"
                      "krippendorff_alpha,0.743421052632,,,\n"))
      << csv;
  EXPECT_TRUE(has(csv, "\ncohen_kappa,0.742757242757,,,\n")) << csv;
  const std::string json = run("--format json --least-shared 11").output;
  EXPECT_TRUE(
      json.starts_with("{\"labels\": 41, \"items\": 12, \"paired_items\": 11, "
                       "\"fewest_labels\": 1, \"most_labels\": 4, "))
      << json;
  EXPECT_TRUE(has(json,
                  "{\"coefficient\": \"cohen_kappa\", \"value\": null, \"low\": null, "
                  "\"high\": null, \"reason\": \"no two workers share 11 items\"}"))
      << json;
}

TEST_F(AgreementCommand, WritesPairsOfWorkers) {
  const Outcome outcome = run("--pairs-output - --least-shared 9");
  EXPECT_TRUE(
      outcome.output.starts_with("worker,other_worker,shared_items,cohen_kappa\n"
                                 "w0,w1,9,0.844827586207\n"))
      << outcome.output;
  EXPECT_EQ(run("--pairs-output " + folder_ / "pairs.csv --least-shared 9").status, 0);
  EXPECT_EQ(read_file(folder_ / "pairs.csv"), outcome.output);
  const std::string before = read_file(labels_);
  expect_refusal("aggregate " + labels_ + " --agreement --pairs-output " + labels_,
                 "would overwrite a file that is read", "expected another one");
  EXPECT_EQ(read_file(labels_), before);
}

TEST_F(AgreementCommand, DependsOnTheSeedAlone) {
  EXPECT_EQ(run("--seed 4").output, run("--seed 4").output);
  EXPECT_NE(run("--seed 4").output, run("--seed 5").output);
  EXPECT_NE(run("--confidence 0.5").output, run("").output);
}

TEST_F(AgreementCommand, RefusesOptionsThatItWouldIgnore) {
  for (const char* option : {"--method majority", "--output x.csv", "--truth x.csv",
                             "--prior jeffreys", "--iterations 5", "--no-intercept"}) {
    expect_refusal("aggregate " + labels_ + " --agreement " + option,
                   "has no effect on --agreement", "expected one of them");
  }
  for (const char* option :
       {"--resamples 5", "--confidence 0.9", "--least-shared 5", "--pairs-output x.csv"}) {
    expect_refusal("aggregate " + labels_ + " " + option, "has no effect on answers",
                   "expected --agreement with it");
  }
  expect_refusal("aggregate " + labels_ + " --agreement --confidence 95", "--confidence '95'",
                 "0.01 to 0.9999");
}

TEST_F(AgreementCommand, MeasuresTheSampleOfACampaign) {
  std::string rows = "id,text\n";
  for (int n = 0; n < 8; ++n) rows += "r" + std::to_string(n) + ",x\n";
  const std::string db = folder_ / "c.db", items = folder_.file("items.csv", rows);
  const std::string start = " --items " + items + " --classes no,yes --budget 100 ";
  ASSERT_EQ(allot("campaign create " + db + start + "--agreement-sample 3:2").status, 0);
  for (const char* worker : {"ann", "bob"}) {
    for (int n = 0; n < 3; ++n) {
      const Outcome next = allot("campaign next " + db + " --worker " + worker);
      ASSERT_TRUE(next.output.starts_with("{\"item\": \"")) << next.output << next.errors;
      const std::string item = next.output.substr(10, 2);
      EXPECT_EQ(allot("campaign record " + db + " --item " + item + " --worker " + worker +
                      " --label " + (n == 0 ? "yes" : "no"))
                    .status,
                0);
    }
    const Outcome shown = allot("campaign agreement " + db + " --least-shared 2");
    ASSERT_EQ(shown.status, 0) << shown.errors;
    EXPECT_EQ(has(shown.output, "warning: 3 of 3 sampled items do not have their 2 labels yet"),
              worker == std::string("ann"))
        << shown.output;
  }
  const Outcome shown = allot("campaign agreement " + db + " --least-shared 2");
  EXPECT_TRUE(
      shown.output.starts_with("Campaign 'c': 6 labels of 3 items out of a random sample "
                               "of 3, the first 2 of each\n"))
      << shown.output;
  EXPECT_TRUE(has(shown.output, "Cohen's kappa, mean of pairs   1.0000")) << shown.output;
  EXPECT_FALSE(has(shown.output, "warning")) << shown.output;
  EXPECT_TRUE(has(allot("campaign verify " + db).output, "6 decisions repeated, no differences"));
  const std::string other = folder_ / "d.db";
  ASSERT_EQ(allot("campaign create " + other + start).status, 0);
  EXPECT_TRUE(
      has(allot("campaign agreement " + other).output, "warning: without an agreement sample"));
  expect_refusal("campaign create " + other + " --campaign e" + start + "--agreement-sample 3",
                 "--agreement-sample '3'", "such as 200:3");
  const Outcome large = allot("campaign create " + other + " --campaign f" + start +
                              "--agreement-sample 9:4 --worker-price ann=1,bob=1");
  EXPECT_EQ(large.status, 0);
  EXPECT_TRUE(has(large.errors, "--agreement-sample 9:4 wants more items than the 8"))
      << large.errors;
  EXPECT_TRUE(has(large.errors, "wants 4 workers per item, and --worker-price names 2"))
      << large.errors;
}

}  // namespace
}  // namespace allot::test::agreement_test
