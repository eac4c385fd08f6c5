// People with accounts who label and review campaigns.
#include <gtest/gtest.h>

#include "serve/campaign_fixture.hpp"
#include "serve/seat.hpp"

namespace allot::test::people_routes_test {
namespace {

using serve::Role;

const std::string kOwner = "owner@example.org", kAnn = "ann@example.org", kRex = "rex@example.org";

serve::ServiceOptions with_accounts() {
  serve::ServiceOptions options = TestApi::generous();
  options.sign_in.proxy_header = "X-Forwarded-Email";
  options.sign_in.proxies = {serve::Network::parse("127.0.0.1").value()};
  options.sign_in.roles.admins = {"boss@example.org"};
  options.sign_in.roles.requesters = {kOwner, "other@example.org"};
  options.sign_in.roles.monitors = {"robot@example.org"};
  options.sign_in.roles.reviewers = {kRex};
  options.sign_in.roles.workers = {"@example.org"};
  return options;
}

/// A campaign of an owner with an account, and requests of people with accounts.
struct Team {
  explicit Team(const serve::ServiceOptions& options = with_accounts()) : api(options) {
    const ApiResponse created = ask(kOwner, Method::post, "/api/v1/campaigns",
                                    R"({"name": "Reviews", "classes": ["no", "yes"], "budget": 100,
                "page": {"question": "Is it good?"}})");
    EXPECT_EQ(created.status, 201) << created.body;
    id = created.text("id");
    path = "/api/v1/campaigns/" + id;
    EXPECT_EQ(ask(kOwner, Method::post, path + "/items",
                  R"({"items": [{"id": "a"}, {"id": "b"}, {"id": "c"}]})")
                  .status,
              201);
  }

  ApiResponse ask(const std::string& person, Method method, const std::string& where,
                  const std::string& text = "") {
    return api.ask({.method = method,
                    .path = where,
                    .body = text,
                    .fields = {{"X-Forwarded-Email", person}, {"Sec-Fetch-Site", "same-origin"}}});
  }
  ApiResponse get(const std::string& person, const std::string& where) {
    return ask(person, Method::get, where);
  }
  ApiResponse add(const std::string& person, const std::string& role) {
    return ask(kOwner, Method::put, path + "/people/" + person, body({{"role", role}}));
  }
  ApiResponse remove(const std::string& person) {
    return ask(kOwner, Method::del, path + "/people/" + person);
  }
  ApiResponse next(const std::string& person) {
    return ask(person, Method::post, path + "/assignments", "{}");
  }

  TestApi api;
  std::string id, path;
};

TEST(People, LabelWithTheirAccountUnderTheirAddress) {
  Team team;
  EXPECT_EQ(team.next(kAnn).status, 404) << "nobody named her yet";
  const ApiResponse added = team.add("Ann@Example.org", "worker");
  ASSERT_EQ(added.status, 200) << added.body;
  EXPECT_EQ(added.text("address"), kAnn);
  EXPECT_EQ(added.text("page"), "/label/" + team.id);

  const std::string item = first_item(team.next("ANN@example.org"));
  const ApiResponse given =
      team.ask(kAnn, Method::post, team.path + "/labels", body({{"item", item}, {"label", "yes"}}));
  EXPECT_EQ(given.status, 200) << given.body;
  const ApiResponse me = team.get(kAnn, team.path + "/me");
  EXPECT_EQ(me.text("worker"), kAnn);
  EXPECT_EQ(me.json().at("campaign").at("labels").to_number<int>(), 1);
  EXPECT_EQ(team.get(kAnn, "/api/v1/me").text("role"), "worker");
  EXPECT_TRUE(team.get(kAnn, "/api/v1/me").json().at("campaign").is_null());

  const ApiResponse workers = team.get(kOwner, team.path + "/workers");
  ASSERT_EQ(count_of(workers, "workers"), 1U) << "one worker in whatever case she signs in";
  EXPECT_EQ(text_of(workers.json().at("workers").at(0).at("worker")), kAnn);
  EXPECT_EQ(team.ask(kAnn, Method::post, team.path + "/labels",
                     body({{"item", item}, {"label", "yes"}, {"worker", "bob"}}))
                .status,
            403);
}

TEST(People, ReviewWithTheirAccount) {
  Team team;
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  ASSERT_EQ(team.add(kRex, "reviewer").status, 200);
  const std::string item = first_item(team.next(kAnn));
  EXPECT_EQ(
      team.ask(kAnn, Method::post, team.path + "/labels", body({{"item", item}, {"label", "yes"}}))
          .status,
      200);
  EXPECT_EQ(count_of(team.get(kRex, team.path + "/review"), "items"), 1U);
  EXPECT_EQ(team.ask(kRex, Method::post, team.path + "/verdicts",
                     body({{"item", item}, {"answer", "no"}}))
                .status,
            200);
  const ApiResponse verdicts = team.get(kOwner, team.path + "/verdicts");
  EXPECT_EQ(text_of(verdicts.json().at("verdicts").at(0).at("reviewer")), kRex);
  EXPECT_EQ(team.get(kRex, team.path + "/me").text("reviewer"), kRex);
}

TEST(People, HaveOneRolePerCampaignAndNoMoreThanTheySignInWith) {
  struct Row {
    std::string person, role, path;
    Method method;
    int status;
  };
  const Row rows[] = {
      {kAnn, "worker", "/assignments", Method::post, 200},
      {kAnn, "worker", "/review", Method::get, 403},
      {kAnn, "worker", "/status", Method::get, 403},
      {kAnn, "worker", "/people", Method::get, 403},
      {kAnn, "reviewer", "/review", Method::get, 403},
      {kRex, "reviewer", "/review", Method::get, 200},
      {kRex, "reviewer", "/assignments", Method::post, 403},
      {kRex, "worker", "/assignments", Method::post, 200},
      {"other@example.org", "worker", "/assignments", Method::post, 200},
      {"other@example.org", "reviewer", "/review", Method::get, 200},
      {"other@example.org", "worker", "/status", Method::get, 403},
      {"boss@example.org", "worker", "/assignments", Method::post, 200},
      {"boss@example.org", "worker", "/status", Method::get, 200},
      {kOwner, "worker", "/assignments", Method::post, 200},
      {kOwner, "worker", "/status", Method::get, 200},
      {"robot@example.org", "worker", "/assignments", Method::post, 403},
  };
  Team team;
  for (const auto& [person, role, path, method, status] : rows) {
    ASSERT_EQ(team.add(person, role).status, 200);
    const ApiResponse answered =
        team.ask(person, method, team.path + path, method == Method::post ? "{}" : "");
    EXPECT_EQ(answered.status, status)
        << person << " as " << role << " at " << path << ": " << answered.body;
    if (status == 403) {
      EXPECT_EQ(answered.code(), "wrong_role");
    }
  }
  EXPECT_EQ(count_of(team.get(kOwner, team.path + "/people"), "people"), 6U);
}

TEST(People, WhoAreRemovedStayOutUntilTheyAreAddedAgain) {
  Team team;
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  const std::string item = first_item(team.next(kAnn));
  EXPECT_EQ(team.remove("ANN@example.org").status, 204);
  EXPECT_EQ(team.next(kAnn).status, 404);
  EXPECT_EQ(team.remove(kAnn).status, 404);
  EXPECT_EQ(count_of(team.get(kOwner, team.path + "/people"), "people"), 0U);
  EXPECT_EQ(count_of(team.get(kAnn, "/api/v1/me/campaigns"), "campaigns"), 0U);

  const ApiResponse again = team.add(kAnn, "worker");
  EXPECT_EQ(first_item(team.get(kAnn, team.path + "/assignments")), item)
      << "still the same worker";
  const std::string seat = "/api/v1/tokens/" + again.text("token");
  EXPECT_EQ(team.ask("other@example.org", Method::del, seat).status, 404);
  EXPECT_EQ(team.ask(kOwner, Method::del, seat).status, 204) << "as any token of the campaign";
  EXPECT_EQ(team.next(kAnn).status, 404);
}

TEST(People, WhoseSignInIsRevokedLoseTheirCampaigns) {
  Team team;
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  ASSERT_EQ(team.next(kAnn).status, 200);
  for (const serve::Token& token : team.api.hub().vault().tokens()) {
    if (token.is_account() && token.person == kAnn) {
      EXPECT_EQ(team.ask("boss@example.org", Method::del, "/api/v1/tokens/" + token.id).status,
                204);
    }
  }
  EXPECT_EQ(team.next(kAnn).code(), "sign_in_refused");
  EXPECT_EQ(team.add(kAnn, "worker").status, 200);
  EXPECT_EQ(team.next(kAnn).code(), "sign_in_refused") << "an owner cannot let her in again";
}

TEST(People, FindTheirCampaigns) {
  Team team;
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  const ApiResponse tasks = team.get(kAnn, "/api/v1/me/campaigns");
  ASSERT_EQ(count_of(tasks, "campaigns"), 1U);
  const json::value& task = tasks.json().at("campaigns").at(0);
  EXPECT_EQ(text_of(task.at("id")), team.id);
  EXPECT_EQ(text_of(task.at("name")), "Reviews");
  EXPECT_EQ(text_of(task.at("question")), "Is it good?");
  EXPECT_EQ(text_of(task.at("role")), "worker");
  EXPECT_EQ(text_of(task.at("page")), "/label/" + team.id);
  EXPECT_EQ(count_of(team.get(kRex, "/api/v1/me/campaigns"), "campaigns"), 0U);
  EXPECT_EQ(count_of(team.api.get("/api/v1/me/campaigns", team.api.admin), "campaigns"), 0U);

  ASSERT_EQ(team.add(kAnn, "reviewer").status, 200);
  EXPECT_EQ(count_of(team.get(kAnn, "/api/v1/me/campaigns"), "campaigns"), 0U)
      << "she may not review on this server";
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  ASSERT_EQ(team.ask(kOwner, Method::post, team.path + "/archive").status, 200);
  EXPECT_EQ(count_of(team.get(kAnn, "/api/v1/me/campaigns"), "campaigns"), 0U);
  ASSERT_EQ(team.ask(kOwner, Method::del, team.path).status, 204);
  EXPECT_FALSE(std::ranges::any_of(team.api.hub().vault().tokens(), serve::is_seat))
      << "gone with the campaign";
}

TEST(People, AreNotMixedUpWithLinksOfTheSameName) {
  Team team;
  const ApiResponse link =
      team.ask(kOwner, Method::post, team.path + "/links", body({{"worker", kAnn}}));
  ASSERT_EQ(link.status, 201);
  EXPECT_FALSE(link.json().at("token").at("account").as_bool());
  EXPECT_EQ(team.next(kAnn).status, 404) << "a link lets in its holder, not the account";
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  EXPECT_EQ(team.api.post(team.path + "/assignments", link.text("secret")).status, 200);
  EXPECT_EQ(team.remove(kAnn).status, 204);
  EXPECT_EQ(team.api.get(team.path + "/assignments", link.text("secret")).status, 200);
  EXPECT_EQ(count_of(team.api.get("/api/v1/me/campaigns", link.text("secret")), "campaigns"), 0U);
  int accounts = 0;
  const ApiResponse tokens = team.get(kOwner, "/api/v1/tokens");
  for (const json::value& token : tokens.json().at("tokens").as_array()) {
    accounts += token.at("account").as_bool();
  }
  EXPECT_EQ(accounts, 2) << "the owner and the seat that was revoked";
}

TEST(People, AreRefusedInTheHousesWords) {
  struct Row {
    std::string person, text, code, detail;
  };
  const Row rows[] = {
      {kAnn, R"({"role": "king"})", "invalid_argument",
       "unknown role 'king'; expected worker or reviewer"},
      {kAnn, R"({"role": "admin"})", "invalid_argument",
       "unknown role 'admin'; expected worker or reviewer"},
      {kAnn, "{}", "invalid_argument", "role is missing"},
      {"@example.org", R"({"role": "worker"})", "invalid_argument",
       "the address '@example.org' names nobody; expected up to 255 visible characters"},
      {"a b", R"({"role": "worker"})", "invalid_argument", "the address 'a b' names nobody"},
      {std::string(256, 'a'), R"({"role": "worker"})", "invalid_argument", "names nobody"},
  };
  Team team;
  for (const auto& [person, text, code, detail] : rows) {
    const ApiResponse refused =
        team.ask(kOwner, Method::put, team.path + "/people/" + person, text);
    EXPECT_EQ(refused.code(), code) << refused.body;
    EXPECT_NE(refused.text("detail").find(detail), std::string::npos) << refused.body;
  }
  EXPECT_EQ(team.ask("other@example.org", Method::put, team.path + "/people/" + kAnn,
                     R"({"role": "worker"})")
                .status,
            404);
  TestApi alone;
  const std::string path = alone.campaign(1);
  const ApiResponse useless = alone.ask({.method = Method::put,
                                         .path = path + "/people/" + kAnn,
                                         .token = alone.requester,
                                         .body = R"({"role": "worker"})"});
  EXPECT_EQ(useless.code(), "conflict");
  EXPECT_FALSE(alone.get("/api/v1/sign-in", "").json().at("accounts").as_bool());
  EXPECT_TRUE(team.api.get("/api/v1/sign-in", "").json().at("accounts").as_bool());
}

TEST(People, AreInTheAccessLog) {
  std::vector<std::string> lines;
  serve::ServiceOptions options = with_accounts();
  options.access_log = [&](const std::string& line) { lines.push_back(line); };
  Team team(options);
  const std::string seat = team.add(kAnn, "worker").text("token");
  lines.clear();
  ASSERT_EQ(team.next(kAnn).status, 200);
  ASSERT_EQ(lines.size(), 1U);
  const json::value line = json::parse(lines[0]);
  EXPECT_EQ(line.at("person").as_string(), kAnn);
  EXPECT_EQ(line.at("role").as_string(), "worker");
  EXPECT_EQ(line.at("token").as_string(), seat);
  EXPECT_EQ(line.at("path").as_string(), team.path + "/assignments");
}

TEST(People, AreRememberedAcrossRestarts) {
  Team team;
  ASSERT_EQ(team.add(kAnn, "worker").status, 200);
  ASSERT_EQ(team.add(kRex, "reviewer").status, 200);
  ASSERT_EQ(team.remove(kRex).status, 204);
  team.api.reopen(with_accounts());
  EXPECT_EQ(team.next(kAnn).status, 200);
  EXPECT_EQ(team.get(kRex, team.path + "/review").status, 404);
  ASSERT_EQ(team.add(kRex, "reviewer").status, 200);
  team.api.reopen(with_accounts());
  EXPECT_EQ(team.get(kRex, team.path + "/review").status, 200);
}

}  // namespace
}  // namespace allot::test::people_routes_test
