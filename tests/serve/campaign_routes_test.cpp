// Creating, listing, changing, pausing and closing campaigns.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <set>
#include <thread>

#include "allot/store/sqlite_store.hpp"
#include "serve/campaign_fixture.hpp"
#include "store/sqlite.hpp"

namespace allot::test::campaign_routes_test {
namespace {

using serve::Role;

TEST(Campaigns, AnAdminGivesOneToAnother) {
  TestApi api;
  const std::string path = api.campaign(1);
  const auto heir =
      api.hub().vault().issue({.role = Role::requester, .label = "heir"}, api.hub().now());
  const std::string body = "{\"owner\": \"" + heir->token.id + "\", \"name\": \"Inherited\"}";
  EXPECT_EQ(api.ask({Method::patch, path, api.requester, body}).code(), "wrong_role");
  for (const std::string other : {"nobody", ""}) {
    EXPECT_EQ(api.ask({Method::patch, path, api.admin, "{\"owner\": \"" + other + "\"}"}).status,
              404);
  }
  const auto worker = api.hub().vault().find(api.worker(path, "ann"));
  EXPECT_EQ(api.ask({Method::patch, path, api.admin, "{\"owner\": \"" + worker->id + "\"}"}).status,
            404);
  const ApiResponse refused =
      api.ask({Method::patch, path, api.admin, R"({"budget": -1, "name": "Never"})"});
  EXPECT_EQ(refused.status, 400);
  const ApiResponse given = api.ask({Method::patch, path, api.admin, body});
  EXPECT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(given.text("owner"), heir->token.id);
  EXPECT_EQ(given.text("name"), "Inherited");
  EXPECT_EQ(api.get(path, api.requester).status, 404);
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns", api.requester), "campaigns"), 0U);
  api.reopen(TestApi::generous());
  EXPECT_EQ(api.get(path, heir->text).text("name"), "Inherited");
  EXPECT_EQ(
      api.get("/api/v1/tokens", heir->text).body.find("\"worker\": \"ann\"") != std::string::npos,
      true)
      << "its workers' tokens go with it";
}

/// A thread that writes server.db holds up no campaign.
TEST(Campaigns, ANameIsWrittenOutsideOfTheCampaignsCommit) {
  TestApi api;
  const std::string path = api.campaign(2);
  auto other = store::Connection::open(api.data() + "/server.db", SQLITE_OPEN_READWRITE, 1000);
  ASSERT_TRUE(other && (*other)->execute("BEGIN IMMEDIATE"));
  std::thread renames([&] {
    EXPECT_EQ(api.ask({Method::patch, path, api.requester, R"({"name": "Later"})"}).status, 200);
  });
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(api.post(path + "/assignments", api.requester, R"({"worker": "ann"})").status, 200);
  }
  EXPECT_EQ(api.get(path, api.requester).text("name"), "Reviews") << "not yet";
  EXPECT_TRUE((*other)->execute("COMMIT"));
  renames.join();
  EXPECT_EQ(api.get(path, api.requester).text("name"), "Later");
}

TEST(Campaigns, AreMadeWithEveryOption) {
  TestApi api;
  const ApiResponse made = api.post("/api/v1/campaigns", api.requester, R"({
    "name": "Colours", "classes": ["red", "green", "blue"], "budget": "12.50", "price": 0.05,
    "policy": "opt-kg", "ties": "first", "seed": 7, "lease": "2h", "labels_per_item": 5,
    "labels_per_worker": 100, "gold_rate": 0.2, "agreement_sample": "20:3", "prior": "jeffreys", "worker_prior": "beta:4,1",
    "coins": 1, "refit": 50, "refit_by": "em", "stop": ["accuracy:0.95", "settled:0.99"]})");
  ASSERT_EQ(made.status, 201) << made.body;
  const json::value campaign = api.get(made.field("Location"), api.requester).json();
  const auto& options = campaign.at("options");
  EXPECT_EQ(json::serialize(options.at("classes")), R"(["red","green","blue"])");
  EXPECT_EQ(campaign.at("budget").to_number<double>(), 12.5);
  EXPECT_EQ(options.at("price").to_number<double>(), 0.05);
  EXPECT_EQ(options.at("lease").as_string(), "7200s");
  EXPECT_EQ(options.at("labels_per_item").as_int64(), 5);
  EXPECT_EQ(options.at("agreement_sample").as_string(), "20:3");
  EXPECT_EQ(options.at("refit").as_int64(), 50);
  EXPECT_EQ(options.at("refit_by").as_string(), "em");
  EXPECT_EQ(json::serialize(options.at("stop")), R"(["accuracy:0.95","settled:0.99"])");
  EXPECT_FALSE(options.at("ordered").as_bool());
  const ApiResponse grades =
      api.post("/api/v1/campaigns", api.requester,
               R"({"name": "Grades", "classes": ["c", "b", "a"], "budget": 1, "ordered": true})");
  ASSERT_EQ(grades.status, 201) << grades.body;
  const json::value graded = api.get(grades.field("Location"), api.requester).json();
  EXPECT_TRUE(graded.at("options").at("ordered").as_bool());
  EXPECT_EQ(graded.at("options").at("refit_by").as_string(), "pooled");
  const ApiResponse off =
      api.post("/api/v1/campaigns", api.requester,
               R"({"name": "x", "classes": ["a", "b"], "budget": 1, "refit": "off",
                                     "worker_prior": "learn"})");
  ASSERT_EQ(off.status, 201) << off.body;
  const json::value learning = api.get(off.field("Location"), api.requester).json();
  EXPECT_EQ(learning.at("options").at("refit").as_string(), "off");
  EXPECT_EQ(learning.at("options").at("worker_prior").as_string(), "learn");
  struct Case {
    const char* members;
    const char* said;
  };
  for (const auto& [members, said] : std::initializer_list<Case>{
           {R"("classes": ["a", "b"], "budget": -1)", "budget"},
           {R"("classes": ["a", "b"])", "budget"},
           {R"("classes": ["a"], "budget": 1)", "class"},
           {R"("classes": "a,b", "budget": 1)", "classes"},
           {R"("classes": ["a", 3], "budget": 1)", "classes[1]"},
           {R"("budget": 1)", "classes"},
           {R"("classes": ["a", "b"], "budget": 1, "polcy": "kg")", "did you mean 'policy'"},
           {R"("classes": ["a", "b"], "budget": 1, "policy": "magic")", "magic"},
           {R"("classes": ["a", "b"], "budget": 1, "lease": "soon")", "lease 'soon'"},
           {R"("classes": ["a", "b"], "budget": 1, "labels_per_item": 0)", "labels_per_item"},
           {R"("classes": ["a", "b"], "budget": 1, "agreement_sample": "9")", "agreement_sample"},
           {R"("classes": ["a", "b"], "budget": 1, "gold_rate": 2)", "gold_rate"}}) {
    const ApiResponse refused = api.post("/api/v1/campaigns", api.requester,
                                         std::string("{\"name\": \"x\", ") + members + "}");
    EXPECT_EQ(refused.status, 400) << members;
    EXPECT_NE(refused.text("detail").find(said), std::string::npos) << refused.body;
  }
  for (const char* body : {"", "[]", "nonsense", "{\"name\": ", "\"x\""}) {
    EXPECT_EQ(api.post("/api/v1/campaigns", api.requester, body).status, 400) << body;
  }
}

TEST(Campaigns, AreListedChangedPausedAndClosed) {
  TestApi api;
  const std::string path = api.campaign();
  api.campaign();
  api.campaign(0, "", api.admin);
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns", api.requester), "campaigns"), 2U);
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns", api.admin), "campaigns"), 3U);
  const ApiResponse page = api.get("/api/v1/campaigns?limit=1", api.requester);
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns?cursor=" + page.text("next"), api.requester),
                     "campaigns"),
            1U);
  const auto change = [&](const std::string& body) {
    return api.ask({.method = Method::patch, .path = path, .token = api.requester, .body = body});
  };
  const ApiResponse changed = change(R"({"budget": 7.5, "name": "Better"})");
  EXPECT_EQ(changed.json().at("budget").to_number<double>(), 7.5);
  EXPECT_EQ(changed.text("name"), "Better");
  EXPECT_EQ(change(R"({"budget": "much"})").status, 400);
  EXPECT_EQ(change(R"({"name": ""})").status, 400);
  EXPECT_EQ(api.post(path + "/assignments", api.requester, R"({"worker": "ann"})").status, 200);
  EXPECT_EQ(change(R"({"budget": 0})").code(), "conflict");
  EXPECT_EQ(api.post(path + "/pause", api.requester).text("phase"), "paused");
  const ApiResponse paused = api.post(path + "/assignments", api.requester, R"({"worker": "ann"})");
  EXPECT_EQ(paused.json().at("shortfall").at("code").as_string(), "forbidden");
  EXPECT_EQ(api.post(path + "/resume", api.requester).text("phase"), "running");
  const ApiResponse price = api.ask({.method = Method::put,
                                     .path = path + "/prices",
                                     .token = api.requester,
                                     .body = R"({"worker": "bob", "price": "0.25"})"});
  EXPECT_EQ(price.json().at("price").to_number<double>(), 0.25);
  EXPECT_EQ(api.post(path + "/settle", api.requester, R"({"item": "i4"})").status, 200);
  EXPECT_EQ(api.post(path + "/settle", api.requester, R"({"item": "i9"})").code(), "not_found");
  EXPECT_EQ(api.post(path + "/close", api.requester, R"({"reason": "enough"})").text("reason"),
            "enough");
  EXPECT_EQ(api.post(path + "/close", api.requester).code(), "forbidden");
}

TEST(Campaigns, RefuseClassesWithControlCharacters) {
  TestApi api;
  for (const char* one : {"a\\u0000b", "\\t", "a\\nb", "\\u001b[31m", "\\u007f"}) {
    const ApiResponse got =
        api.post("/api/v1/campaigns", api.requester,
                 std::string(R"({"name": "c", "budget": 5, "classes": ["no", ")") + one + "\"]}");
    EXPECT_EQ(got.status, 400) << one;
    EXPECT_NE(got.text("detail").find("has the control character U+00"), std::string::npos)
        << got.body;
  }
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns", api.requester), "campaigns"), 0U);
  EXPECT_EQ(api.post("/api/v1/campaigns", api.requester,
                     R"({"name": "c", "budget": 5, "classes": ["nö", "ja \u00a0"]})")
                .status,
            201);
}

}  // namespace
}  // namespace allot::test::campaign_routes_test
