// `allot campaign recruit` as a requester meets it.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace allot::test::campaign_recruit_test {
namespace {

class CampaignRecruit : public testing::Test {
 protected:
  Folder folder_;
  const std::string db_ = folder_ / "reviews.db";

  void SetUp() override {
    done("create",
         "--classes no,yes --budget 100 --items " +
             folder_.file("items.csv", "id,text,gold\nr1,Great,\nr2,Bad,no\nr3,Fine,yes\n"));
  }
  std::string done(const std::string& command, const std::string& rest) const {
    const Outcome outcome = allot("campaign " + command + " " + db_ + " " + rest);
    EXPECT_EQ(outcome.status, 0) << command << " " << rest << ": " << outcome.errors;
    return outcome.output;
  }
  void refuses(const std::string& rest, const std::string& wrong,
               const std::string& accepted) const {
    expect_refusal("campaign recruit " + db_ + " " + rest, wrong, accepted);
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(CampaignRecruit, CreatesListsAndChangesLinks) {
  const std::string made =
      done("recruit",
           "--platform prolific --labels 5 --qualification 2 --code-done C1 --code-incomplete C4 "
           "--server https://x.org");
  EXPECT_TRUE(has(made, "https://x.org/join/reviews/")) << made;
  EXPECT_TRUE(has(made, "?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}")) << made;
  EXPECT_TRUE(has(made, "done          C1\n")) << made;
  EXPECT_TRUE(has(made, "incomplete    C4\n")) << made;
  const std::string listed = done("recruit", "--format csv");
  const std::string id = listed.substr(listed.find('\n') + 1, 24);
  EXPECT_TRUE(has(listed, id + ",prolific,yes,5,2,0,C1,")) << listed;
  EXPECT_TRUE(has(done("recruit", "--link " + id + " --labels 7 --close --signed"), "signing key"));
  EXPECT_TRUE(has(done("recruit", "--format csv"), id + ",prolific,no,7,2,0,C1,"));
  EXPECT_TRUE(has(done("verify", ""), "no differences"));
  EXPECT_EQ(done("export", "bonuses"), "");
  EXPECT_TRUE(has(allot("campaign export " + db_ + " bonuses").errors, "numbers of labels"));
}

TEST_F(CampaignRecruit, RefusesWhatMakesNoLink) {
  refuses("--platform toloka", "'toloka'", "prolific, connect, sona, mturk or panel");
  refuses("--platform sona --qualification 3", "3 items", "at most 2");
  refuses("--platform sona --labels 0", "0", "1 to 10000");
  refuses("--platform sona --return-url http://example.org/", "example.org", "https://");
  refuses("--link nope --close", "'nope'", "one of");
  refuses("--link nope --platform sona", "'sona'", "one of them");
}

}  // namespace
}  // namespace allot::test::campaign_recruit_test
