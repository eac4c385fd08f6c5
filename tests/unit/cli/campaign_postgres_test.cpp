// Campaigns in a database, from the command line.
#include <gtest/gtest.h>

#include "support/postgres.hpp"
#include "support/program.hpp"

namespace allot::test::campaign_postgres_test {
namespace {

class PostgresCampaign : public PostgresTest {
 protected:
  Folder folder_;

  std::string db() const { return "'" + location_ + "'"; }
  std::string create(const std::string& target) const {
    return "campaign create " + target + " --items " +
           folder_.file("items.csv", "id,text\na,x\nb,y\nc,z\n") +
           " --classes no,yes --budget 6 --now 2026-03-01T12:00:00Z";
  }
  static Outcome good(const std::string& arguments) {
    Outcome outcome = allot(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
    return outcome;
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  /// Expects exit status 1 and one line.
  static void expect_failure(const std::string& arguments, const std::string& problem) {
    const Outcome outcome = allot(arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << outcome.errors;
    expect_in(outcome.errors, problem);
  }
};

TEST_F(PostgresCampaign, RunsFromCreateToVerify) {
  expect_in(good(create(db()) + " --campaign reviews").output,
            "campaign 'reviews' in postgresql://");
  const std::string asked =
      good("campaign next " + db() + " --worker ann --now 2026-03-01T12:00:10Z").output;
  expect_in(asked, "\"worker\": \"ann\"");
  const std::string item = asked.substr(asked.find(": \"") + 3, 1);
  const std::string record = "campaign record " + db() + " --item " + item +
                             " --worker ann --label yes --key k --now 2026-03-01T12:00:20Z";
  EXPECT_EQ(good(record).output, "1 recorded\n");
  EXPECT_EQ(good(record).output, "1 recorded\n");
  expect_in(good("campaign list " + db() + " --format csv").output, "reviews,running");
  expect_in(good("campaign verify " + db()).output, "no differences");
}

TEST_F(PostgresCampaign, IsCopiedThereAndBack) {
  const std::string file = folder_ / "reviews.db", back = folder_ / "back.db";
  good(create(file));
  good("campaign next " + file + " --worker ann --count 2 --now 2026-03-01T12:00:10Z");
  const Outcome there = good("campaign copy " + file + " " + db());
  expect_in(there.output, "campaign 'reviews' copied to postgresql://");
  expect_in(there.output, "3 contents, all compared");
  good("campaign copy " + db() + " " + back);
  const std::string events = " events --format csv";
  EXPECT_EQ(good("campaign export " + file + events).output,
            good("campaign export " + back + events).output);
  expect_refusal("campaign copy " + back + " " + db(), "is there already",
                 "expected a target without it");
}

TEST_F(PostgresCampaign, NeverShowsAPasswordThatIsNotEncoded) {
  for (const std::string password :
       {"sec/ret", "p@rtition", "s%zz", "sec?ret", "se@c/ret", "a:b@c"}) {
    const Outcome outcome =
        allot("campaign status 'postgresql://user:" + password + "@127.0.0.1:1/x'");
    EXPECT_EQ(outcome.status, 2) << password;
    EXPECT_NE(outcome.errors.find("makes no sense; expected"), std::string::npos) << outcome.errors;
    for (const std::string part : {"ret", "rtition", "zz", "sec"})
      EXPECT_EQ(outcome.errors.find(part), std::string::npos) << outcome.errors;
  }
}

TEST_F(PostgresCampaign, RefusesBadLocationsWithOneLine) {
  expect_refusal(create(db()), "--campaign is missing", "expected a name");
  expect_failure("campaign list " + db(), "the database has no campaigns");
  expect_failure("campaign list 'postgresql://allot@/x?host=/nowhere'", "/nowhere");
  expect_refusal("campaign list 'postgresql://host/x?nonsense=1'", "makes no sense",
                 "expected one such as postgresql://user@host/database");
  const std::string host = location_.substr(location_.find("host="));
  const std::string locked = "postgresql://locked:secret@/postgres?" + host;
  expect_failure("campaign list '" + locked + "'", "password authentication failed");
  EXPECT_EQ(allot("campaign list '" + locked + "'").errors.find("secret"), std::string::npos);
  good(create(db()) + " --campaign one");
  good(create(db()) + " --campaign two");
  expect_refusal("campaign status " + db(), "the database has 'one', 'two'",
                 "expected --campaign with one of them");
}

}  // namespace
}  // namespace allot::test::campaign_postgres_test
