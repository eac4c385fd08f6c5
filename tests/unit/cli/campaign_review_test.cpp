// `allot campaign review` and `allot campaign audit` as a reviewer meets them.
#include <gtest/gtest.h>

#include <sstream>

#include "support/program.hpp"

namespace allot::test::campaign_review_test {
namespace {

class CampaignReview : public testing::Test {
 protected:
  Folder folder_;
  const std::string db_ = folder_ / "reviews.db";

  void SetUp() override {
    std::string items = "id,text,note\n", labels = "item,worker,label\n";
    for (int i = 0; i < 20; ++i) {
      const std::string id = "r" + std::to_string(i);
      items += id + ",\"Text of " + id + ", which is long enough to be cut in a table\",x\n";
      for (const char* worker : {"ann", "bob"}) {
        labels += id + "," + worker + (i % 5 == 0 ? ",no" : ",yes") + "\n";
      }
    }
    done("create", "--classes no,yes --budget 100 --items " + folder_.file("items.csv", items));
    done("import", folder_.file("labels.csv", labels));
  }
  std::string done(const std::string& command, const std::string& rest) const {
    const Outcome outcome = allot("campaign " + command + " " + db_ + " " + rest);
    EXPECT_EQ(outcome.status, 0) << command << " " << rest << ": " << outcome.errors;
    return outcome.output;
  }
  void refuses(const std::string& command, const std::string& rest, const std::string& wrong,
               const std::string& accepted) const {
    expect_refusal("campaign " + command + " " + db_ + " " + rest, wrong, accepted);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(CampaignReview, DecidesItemsAndTakesVerdictsBack) {
  EXPECT_TRUE(has(done("review", "--by disputed --count 20"), "ann=yes bob=yes"));
  EXPECT_EQ(done("review", "r0=yes r1=yes --reviewer eve --reason clear"),
            "2 verdicts recorded, 0 refused\n");
  EXPECT_TRUE(has(done("answers", "--format csv"), ",reviewed,eve,clear,reviewed,0,1\n"));
  EXPECT_TRUE(has(done("status", ""), "rests on 2 known answers"));
  refuses("review", "r0=no --reviewer mia", "has the verdict 'yes' by 'eve'", "undo it first");
  refuses("review", "r2=yes --reviewer ann", "as a worker", "another reviewer");
  refuses("review", "r2=maybe --reviewer eve", "'maybe'", "'no' or 'yes'");
  refuses("review", "r2=yes", "--reviewer", "name");
  const std::string file = folder_.file("v.csv", "item,truth,reason\nr3,yes,plain\nr4,,\nzz,no,\n");
  const Outcome mixed = allot("campaign review " + db_ + " " + file + " --reviewer eve");
  EXPECT_EQ(mixed.status, 2);
  EXPECT_EQ(mixed.output, "1 verdict recorded, 1 refused\n");
  EXPECT_TRUE(has(mixed.errors, "'zz'")) << mixed.errors;
  done("review", "--undo r0 --reviewer mia");
  EXPECT_TRUE(has(done("verify", ""), "no differences"));
}

TEST_F(CampaignReview, ShowsWhatTheItemsSay) {
  EXPECT_TRUE(has(done("review", "--count 20"), "Text of r7, which is long enough to be"));
  EXPECT_FALSE(has(done("review", "--count 20"), "cut in a table"));
  EXPECT_TRUE(has(done("review", "--count 20 --format csv"),
                  "\"Text of r7, which is long enough to be cut in a table\",x\n"));
  EXPECT_TRUE(has(done("review", "--count 20 --format jsonl"), "\"fields\": {\"text\""));
  const std::string draws = folder_ / "draws.csv";
  done("audit", "--checks 20 --draws " + draws);
  const std::string text = read_file(draws);
  EXPECT_TRUE(has(text, "item,truth,text,shown_note\n")) << text;
  EXPECT_TRUE(has(text, "r7,,\"Text of r7, which is long enough to be cut in a table\",x\n"))
      << text;
  EXPECT_TRUE(has(done("audit", "--verdicts " + draws + " --reviewer eve"), "0 verdicts recorded"));
}

TEST_F(CampaignReview, RepeatsUnderItsKey) {
  done("review", "r0=yes --reviewer eve");
  const std::string undo = "--undo r0 --reviewer eve --key k";
  EXPECT_EQ(done("review", undo), done("review", undo));
  refuses("review", "--undo r1 --reviewer eve --key k", "'k' was used for another", "a new one");
}

TEST_F(CampaignReview, TakesNoneOfTwoVerdictsOnOneItem) {
  const Outcome both = allot("campaign review " + db_ + " r9=yes r9=no r8=yes --reviewer eve");
  EXPECT_EQ(both.output, "1 verdict recorded, 2 refused\n");
  EXPECT_TRUE(has(both.errors, "'r9' has 2 verdicts")) << both.errors;
  EXPECT_FALSE(has(done("answers", "--format csv"), "r9,yes,1,")) << done("answers", "");
}

TEST_F(CampaignReview, AnAuditCountsItemsWithoutAnAnswer) {
  done("add-items", "--items " + folder_.file("more.csv", "id,text\nn1,a\nn2,b\n"));
  done("audit", "--checks 3");
  EXPECT_TRUE(has(done("audit", "--format json"), "\"unanswered\": 2,")) << done("audit", "");
  EXPECT_TRUE(has(done("audit", ""), "2 items without an answer"));
}

TEST_F(CampaignReview, ReplacesAnAuditOnRequest) {
  done("audit", "--until 0.6");
  EXPECT_TRUE(has(done("audit", ""), "next to check: 'r"));
  const std::string draws = folder_ / "draws.csv";
  done("audit", "--draws " + draws);
  std::istringstream lines(read_file(draws));
  std::string line, first, second;
  std::getline(lines, line);
  std::getline(lines, first);
  std::getline(lines, second);
  first.resize(first.find(','));
  second.resize(second.find(','));
  done("review", second + "=yes --reviewer eve");
  const std::string gap = done("audit", "");
  EXPECT_TRUE(has(gap, "next to check: '" + first + "'\n")) << gap;
  EXPECT_TRUE(has(gap, "1 later verdict waits until all draws before have one")) << gap;
  EXPECT_TRUE(has(gap, "0 of 2 draws")) << gap;
  refuses("audit", "--checks 5", "audit 1 is not finished and has 1 verdict", "'replace'");
  EXPECT_TRUE(has(done("audit", "--checks 5 --replace"), "audit 2"));
  refuses("audit", "--replace", "starts no audit", "--checks");
}

TEST_F(CampaignReview, AuditsByFilesAlone) {
  refuses("audit", "", "no audit yet", "--checks");
  const std::string draws = folder_ / "draws.csv";
  EXPECT_TRUE(has(done("audit", "--checks 20 --draws " + draws), "20 answers to judge"));
  EXPECT_TRUE(has(done("audit", ""), "nothing is proven"));
  std::string verdicts = "item,truth\n";
  for (int i = 0; i < 20; ++i) verdicts += "r" + std::to_string(i) + ",yes\n";
  const std::string wrong = folder_.file("wrong.csv", verdicts + "r99,yes\n");
  refuses("audit", "--verdicts " + wrong + " --reviewer eve", "line 22: item 'r99' was not drawn",
          "one that waits");
  const std::string strange = folder_.file("strange.csv", "item,truth\nr1,yes\nr2,perhaps\n");
  refuses("audit", "--verdicts " + strange + " --reviewer eve", "line 3", "'no' or 'yes'");
  EXPECT_TRUE(has(done("audit", ""), "nothing is proven")) << "all or none";
  const std::string good = folder_.file("good.csv", verdicts);
  EXPECT_TRUE(
      has(done("audit", "--verdicts " + good + " --reviewer eve"), "20 verdicts, 16 right"));
  EXPECT_TRUE(has(done("audit", ""), "accuracy 0.8000: at least 0.8000"));
  EXPECT_TRUE(has(done("verify", ""), "no differences"));
}

TEST_F(CampaignReview, NeverOverwritesAnExpertsWork) {
  const std::string filled = folder_.file("filled.csv", "item,truth\nr1,yes\n");
  refuses("audit", "--checks 5 --draws " + filled, "would overwrite verdicts", "a new file");
  refuses("audit", "--checks 5 --draws " + (folder_ / "items.csv"), "would overwrite",
          "a new file");
  EXPECT_EQ(read_file(filled), "item,truth\nr1,yes\n");
  const std::string draws = folder_ / "draws.csv";
  done("audit", "--checks 5 --draws " + draws);
  done("audit", "--draws " + draws);
  refuses("audit", "--checks 5 --until 0.9", "comes with --until", "one of them");
  refuses("audit", "--confidence 0.9", "starts no audit", "--checks");
}

}  // namespace
}  // namespace allot::test::campaign_review_test
