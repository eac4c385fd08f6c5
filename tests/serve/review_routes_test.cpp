// Reviewers over HTTP: the queue, verdicts, undo, and what their tokens may do.
#include <gtest/gtest.h>

#include "serve/campaign_fixture.hpp"

namespace allot::test::review_routes_test {
namespace {

std::string reviewer_token(TestApi& api, const std::string& path, const std::string& name) {
  const ApiResponse made = api.post(path + "/links", api.requester, body({{"reviewer", name}}));
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.text("link").starts_with("/review/")) << made.body;
  return made.text("secret");
}

std::string first_queued(TestApi& api, const std::string& path, const std::string& token) {
  return text_of(api.get(path + "/review", token).json().at("items").at(0).at("item"));
}

TEST(ReviewRoutes, DecideTheLeastCertainItem) {
  TestApi api;
  const std::string path = measured(api, 12);
  label(api, path, 30);
  const std::string eve = reviewer_token(api, path, "eve");
  const json::value queue = api.get(path + "/review", eve).json();
  const json::value& first = queue.at("items").at(0);
  const std::string item = text_of(first.at("item"));
  EXPECT_GE(first.at("labels").as_array().size(), 1U);
  EXPECT_EQ(text_of(first.at("fields").at("text")), "Text of " + item.substr(1));
  EXPECT_LE(number_of(first.at("probability")),
            number_of(queue.at("items").at(1).at("probability")));
  const ApiResponse given = api.post(path + "/verdicts", eve,
                                     body({{"item", item}, {"answer", "no"}, {"reason", "plain"}}));
  EXPECT_EQ(given.status, 200) << given.body;
  EXPECT_NE(first_queued(api, path, eve), item);
  const json::value given_so_far = api.get(path + "/verdicts", eve).json();
  const json::value& verdict = given_so_far.at("verdicts").at(0);
  EXPECT_EQ(text_of(verdict.at("reviewer")), "eve");
  EXPECT_EQ(text_of(verdict.at("answer")), "no");
  EXPECT_EQ(number_of(verdict.at("stated")), number_of(first.at("probability")));
  const json::value answers = api.get(path + "/answers?limit=1000", api.requester).json();
  for (const json::value& row : answers.at("answers").as_array()) {
    if (text_of(row.at("item")) != item) continue;
    EXPECT_EQ(text_of(row.at("reviewer")), "eve");
    EXPECT_EQ(text_of(row.at("reason")), "plain");
    EXPECT_EQ(number_of(row.at("probability")), 1);
  }
  const ApiResponse history = api.get(path + "/items/" + item, api.requester);
  EXPECT_NE(history.body.find("by eve: plain"), std::string::npos) << history.body;
  EXPECT_EQ(api.post(path + "/verdicts/undo", eve, body({{"item", item}})).status, 200);
  EXPECT_EQ(first_queued(api, path, eve), item);
}

TEST(ReviewRoutes, ShowAVerdictWithItsItem) {
  TestApi api;
  const std::string path = measured(api, 12);
  label(api, path, 30);
  const std::string eve = reviewer_token(api, path, "eve");
  const std::string item = first_queued(api, path, eve);
  const auto verdict = [&] {
    return api.get(path + "/items/" + item, api.requester).json().at("verdict");
  };
  EXPECT_TRUE(verdict().is_null());
  api.post(path + "/verdicts", eve, body({{"item", item}, {"answer", "no"}, {"reason", "plain"}}));
  const json::value given = verdict();
  EXPECT_EQ(text_of(given.at("answer")), "no");
  EXPECT_EQ(text_of(given.at("reviewer")), "eve");
  EXPECT_EQ(text_of(given.at("reason")), "plain");
  EXPECT_FALSE(text_of(given.at("time")).empty());
  api.post(path + "/verdicts/undo", eve, body({{"item", item}}));
  EXPECT_TRUE(verdict().is_null());
}

TEST(ReviewRoutes, RefuseWithOneSentence) {
  TestApi api;
  const std::string path = measured(api, 12);
  label(api, path, 20);
  const std::string eve = reviewer_token(api, path, "eve");
  const std::string item = first_queued(api, path, eve);
  const auto give = [&](const json::object& verdict) {
    return api.post(path + "/verdicts", eve, json::serialize(verdict));
  };
  EXPECT_EQ(give({{"item", "zzz"}, {"answer", "no"}}).status, 404);
  EXPECT_EQ(give({{"item", item}, {"answer", "perhaps"}}).status, 400);
  EXPECT_EQ(give({{"item", "i0"}, {"answer", "no"}}).status, 409) << "gold";
  EXPECT_EQ(give({{"item", item}}).status, 400);
  EXPECT_EQ(give({{"verdicts", json::array{}}}).status, 400);
  EXPECT_EQ(give({{"item", item}, {"answer", "no"}}).status, 200);
  EXPECT_EQ(give({{"item", item}, {"answer", "yes"}}).status, 409) << "a second verdict";
  EXPECT_EQ(give({{"item", item}, {"answer", "no"}, {"reviewer", "mia"}}).status, 403);
  EXPECT_EQ(
      api.post(path + "/verdicts", api.requester, body({{"item", item}, {"answer", "no"}})).status,
      400)
      << "no reviewer";
  EXPECT_EQ(api.get(path + "/review?by=luck", eve).status, 400);
  const std::string good = reviewer_token(api, path, "good");
  const ApiResponse mixed = api.post(
      path + "/verdicts", good,
      body({{"verdicts", json::array{{{"item", first_queued(api, path, good)}, {"answer", "no"}},
                                     {{"item", "zzz"}, {"answer", "no"}}}}}));
  EXPECT_EQ(mixed.status, 200) << mixed.body;
  EXPECT_EQ(text_of(mixed.json().at("verdicts").at(1).at("outcome")), "refused");
}

TEST(ReviewRoutes, ARepeatedRequestChangesNothing) {
  TestApi api;
  const std::string path = measured(api, 12);
  label(api, path, 20);
  const std::string eve = reviewer_token(api, path, "eve");
  const ApiRequest request{.method = Method::post,
                           .path = path + "/verdicts",
                           .token = eve,
                           .body = body({{"item", first_queued(api, path, eve)}, {"answer", "no"}}),
                           .fields = {{"Idempotency-Key", "once"}}};
  EXPECT_EQ(api.ask(request).status, 200);
  EXPECT_EQ(api.ask(request).status, 200);
  EXPECT_EQ(count_of(api.get(path + "/verdicts", eve), "verdicts"), 1U);
}

TEST(ReviewRoutes, KeysHoldAfterARestart) {
  TestApi api;
  const std::string path = measured(api, 12);
  label(api, path, 20);
  const std::string eve = reviewer_token(api, path, "eve");
  const std::string item = first_queued(api, path, eve);
  const auto post = [&](const std::string& what, const std::string& token,
                        const json::object& text) {
    return api.post(path + what, token, json::serialize(text), "key" + what);
  };
  const auto events = [&] { return number_of(api.get(path, api.requester).json().at("events")); };
  struct Request {
    std::string what, token;
    json::object text, other;
  };
  for (const Request& request :
       {Request{"/verdicts",
                eve,
                {{"item", item}, {"answer", "no"}},
                {{"item", item}, {"answer", "yes"}}},
        Request{"/verdicts/undo", eve, {{"item", item}}, {{"item", "i3"}}},
        Request{"/audits", api.requester, {{"checks", 5}}, {{"checks", 6}}}}) {
    const ApiResponse first = post(request.what, request.token, request.text);
    ASSERT_LT(first.status, 300) << first.body;
    const double before = events();
    EXPECT_EQ(post(request.what, request.token, request.text).body, first.body);
    EXPECT_EQ(post(request.what, request.token, request.other).status, 422) << request.what;
    api.reopen(TestApi::generous());
    const ApiResponse again = post(request.what, request.token, request.text);
    EXPECT_EQ(again.status, first.status);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(events(), before) << request.what << ": nothing happened";
    api.reopen(TestApi::generous());
    EXPECT_EQ(post(request.what, request.token, request.other).status, 422) << request.what;
  }
}

TEST(ReviewRoutes, ChecksOfAnAuditAreBlindForReviewers) {
  TestApi api;
  const std::string path = measured(api, 40);
  label(api, path, 90);
  const std::string eve = reviewer_token(api, path, "eve");
  ASSERT_EQ(api.post(path + "/audits", api.requester, body({{"checks", 8}})).status, 201);
  const auto rows = [&](const std::string& token) {
    return api.get(path + "/review", token).json().at("items").as_array();
  };
  int blind = 0;
  for (const json::value& row : rows(eve)) {
    const bool is_check = text_of(row.at("why")) == "audit";
    blind += is_check;
    EXPECT_FALSE(row.at("fields").is_null());
    for (const char* hidden : {"answer", "probability", "probabilities", "labels", "skips"}) {
      EXPECT_EQ(row.at(hidden).is_null(), is_check) << hidden;
    }
  }
  EXPECT_EQ(blind, 8);
  const auto owner = rows(api.requester);
  EXPECT_GE(owner.front().at("labels").as_array().size(), 1U) << "the owner may see";
}

TEST(ReviewRoutes, AnAuditTellsNothingBeforeItsFirstVerdict) {
  TestApi api;
  const std::string path = measured(api, 40);
  label(api, path, 90);
  const std::string eve = reviewer_token(api, path, "eve");
  ASSERT_EQ(api.post(path + "/audits", api.requester, body({{"until", 0.6}})).status, 201);
  const auto audit = [&] { return api.get(path + "/audit", eve).json().at("audit"); };
  const json::value none = audit();
  for (const char* list : {"shares", "strata"}) {
    for (const json::value& row : none.at(list).as_array()) {
      for (const char* name : {"estimate", "lower", "low", "high"}) {
        EXPECT_TRUE(row.at(name).is_null()) << list << " " << name;
      }
    }
  }
  const std::string first = text_of(none.at("next"));
  const json::value queue = api.get(path + "/review", eve).json();
  EXPECT_EQ(text_of(queue.at("items").at(0).at("item")), first);
  const std::string second = text_of(queue.at("items").at(1).at("item"));
  ASSERT_EQ(api.post(path + "/verdicts", eve, body({{"item", second}, {"answer", "no"}})).status,
            200);
  const json::value gap = audit();
  EXPECT_EQ(number_of(gap.at("checked")), 0);
  EXPECT_EQ(number_of(gap.at("waiting")), 1);
  EXPECT_EQ(number_of(gap.at("missing")), 1);
  EXPECT_EQ(text_of(gap.at("next")), first);
  EXPECT_EQ(api.post(path + "/audits", api.requester, body({{"checks", 3}})).status, 409);
  const ApiResponse replaced =
      api.post(path + "/audits", api.requester, body({{"checks", 3}, {"replace", true}}));
  EXPECT_EQ(replaced.status, 201) << replaced.body;
  EXPECT_EQ(number_of(replaced.json().at("audit").at("number")), 2);
}

TEST(ReviewRoutes, AnAuditProvesTheAccuracy) {
  TestApi api;
  const std::string path = measured(api, 40);
  label(api, path, 90);
  const std::string eve = reviewer_token(api, path, "eve");
  EXPECT_TRUE(api.get(path + "/audit", eve).json().at("audit").is_null());
  EXPECT_EQ(api.post(path + "/audits", eve, body({{"checks", 5}})).status, 403) << "a reviewer";
  EXPECT_EQ(api.post(path + "/audits", api.requester, "{}").status, 400);
  EXPECT_EQ(api.post(path + "/audits", api.requester, body({{"until", "often"}})).status, 400);
  EXPECT_EQ(api.post(path + "/audits", api.requester, body({{"checks", 1000}})).status, 400);
  const ApiResponse begun = api.post(path + "/audits", api.requester, body({{"checks", 8}}));
  EXPECT_EQ(begun.status, 201) << begun.body;
  for (int n = 0; n < 8; ++n) {
    const json::value queue = api.get(path + "/review", eve).json();
    const json::value& next = queue.at("items").at(0);
    EXPECT_EQ(text_of(next.at("why")), "audit");
    const std::string item = text_of(next.at("item"));
    const char* const truth = std::stoi(item.substr(1)) % 2 == 0 ? "yes" : "no";
    EXPECT_EQ(api.post(path + "/verdicts", eve, body({{"item", item}, {"answer", truth}})).status,
              200);
  }
  const json::value all = api.get(path + "/audit", eve).json();
  const json::value& audit = all.at("audit");
  EXPECT_EQ(number_of(audit.at("checked")), 8);
  EXPECT_EQ(number_of(audit.at("missing")), 0);
  EXPECT_LE(number_of(audit.at("lower")), number_of(audit.at("estimate")));
  EXPECT_EQ(audit.at("shares").as_array().size(), 2U);
  EXPECT_NE(text_of(api.get(path + "/review", eve).json().at("items").at(0).at("why")), "audit");
}

TEST(ReviewRoutes, ATokenOfAReviewerReviewsOnly) {
  TestApi api;
  const std::string path = measured(api, 12), other = measured(api, 12);
  const std::string eve = reviewer_token(api, path, "eve"), ann = api.worker(path, "ann");
  EXPECT_EQ(api.get(path + "/answers", eve).status, 403);
  EXPECT_EQ(api.post(path + "/assignments", eve, "{}").status, 403);
  EXPECT_EQ(api.get(other + "/review", eve).status, 404);
  EXPECT_EQ(api.get(path + "/review", ann).status, 403) << "a worker";
  EXPECT_EQ(api.get(path + "/review", api.requester).status, 200) << "the owner";
  const ApiResponse me = api.get("/api/v1/me", eve);
  EXPECT_EQ(me.text("role"), "reviewer");
  EXPECT_EQ(me.text("reviewer"), "eve");
  EXPECT_EQ(api.post(path + "/links", api.requester, body({{"reviewer", "eve"}, {"worker", "eve"}}))
                .status,
            400);
}

}  // namespace
}  // namespace allot::test::review_routes_test
