// Tokens, roles, rates: who may make which request.
#include "serve/admission.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "serve/campaign_fixture.hpp"
#include "serve/route.hpp"

namespace allot::test::admission_test {
namespace {

using serve::Access;
using serve::Role;
using serve::Route;

TEST(Dispatch, WantsAToken) {
  TestApi api;
  const ApiResponse none = api.get("/api/v1/me", "");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.code(), "no_token");
  EXPECT_EQ(none.field("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(api.get("/api/v1/me", "allot_0123").code(), "bad_token");
  const ApiResponse other =
      api.ask({.path = "/api/v1/me", .fields = {{"Authorization", "Basic " + api.admin}}});
  EXPECT_EQ(other.code(), "no_token");
  const ApiResponse small =
      api.ask({.path = "/api/v1/me", .fields = {{"authorization", "bearer " + api.admin}}});
  EXPECT_EQ(small.status, 200);
}

TEST(Dispatch, LimitsTheRateOfAToken) {
  serve::ServiceOptions options = TestApi::generous();
  options.rate = 0.001;
  options.burst = 3;
  TestApi api(options);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(api.get("/api/v1/me", api.admin).status, 200);
  const ApiResponse refused = api.get("/api/v1/me", api.admin);
  EXPECT_EQ(refused.status, 429);
  EXPECT_GT(std::stoi(refused.field("Retry-After")), 1);
  EXPECT_EQ(api.get("/api/v1/me", api.requester).status, 200) << "another token";
  for (int n = 0; n < 3; ++n) EXPECT_EQ(api.get("/api/v1/me", "allot_x").status, 401);
  EXPECT_EQ(api.get("/api/v1/me", "allot_x").status, 429) << "guessing is limited too";
}

TEST(Dispatch, LimitsEachClientBehindAProxyByItself) {
  serve::ServiceOptions options = TestApi::generous();
  options.rate = 0.001;
  options.burst = 2;
  options.sign_in.proxies = {serve::Network::parse("127.0.0.1").value()};
  TestApi api(options);
  const auto guess = [&](const std::string& client) {
    return api
        .ask({.path = "/api/v1/me", .token = "allot_x", .fields = {{"X-Forwarded-For", client}}})
        .status;
  };
  EXPECT_EQ(guess("203.0.113.7"), 401);
  EXPECT_EQ(guess("203.0.113.7"), 401);
  EXPECT_EQ(guess("203.0.113.7"), 429);
  EXPECT_EQ(guess("203.0.113.8"), 401) << "another client";
}

TEST(RateLimiter, GivesBackOverTime) {
  serve::RateLimiter limiter(10, 2);
  const serve::RateLimiter::Moment start{};
  EXPECT_EQ(limiter.take("a", start), 0);
  EXPECT_EQ(limiter.take("a", start), 0);
  EXPECT_NEAR(limiter.take("a", start), 0.1, 1e-9);
  EXPECT_EQ(limiter.take("b", start), 0);
  EXPECT_EQ(limiter.take("a", start + std::chrono::milliseconds(100)), 0);
  EXPECT_GT(limiter.take("a", start + std::chrono::milliseconds(100)), 0);
  for (int n = 0; n < 20'000; ++n) {
    EXPECT_EQ(limiter.take(std::to_string(n), start + std::chrono::seconds(n)), 0);
  }
}

/// A sensible body for a route, so that only its right to be called is in question.
std::string body_for(const Route& route) {
  if (route.name == "create_campaign") {
    return R"({"name": "x", "classes": ["a", "b"], "budget": 5})";
  }
  if (route.name == "make_twin") return R"({"policy": "kg"})";
  if (route.name == "forecast") return R"({"items": 10, "budget": 5})";
  if (route.name == "make_token") return "{}";  // refused, once one is in
  if (route.name == "make_link") return R"({"worker": "w"})";
  if (route.name == "make_webhook") {
    return R"({"url": "https://example.org/hook", "events": ["campaign.closed"]})";
  }
  if (route.name == "set_price") return R"({"worker": "ann", "price": 2})";
  if (route.name == "set_group") return R"({"worker": "ann", "group": "team"})";
  if (route.name == "set_version") return R"({"worker": "ann", "version": "2"})";
  if (route.name == "add_items") return R"({"items": [{"id": "new"}]})";
  if (route.name == "settle_item") return R"({"item": "i0"})";
  if (route.name == "ask") return R"({"worker": "ann"})";
  if (route.name == "give_labels") return R"({"worker": "ann", "item": "i0", "label": "yes"})";
  if (route.name == "skip" || route.name == "release") return R"({"worker": "ann", "item": "i0"})";
  return "";
}

/// Whether a token gets past the check of rights: any other refusal is about the request.
bool is_let_in(const ApiResponse& answered) {
  return answered.status != 401 && !(answered.status == 403 && answered.code() == "wrong_role") &&
         !(answered.status == 404 &&
           answered.body.find("there is no campaign") != std::string::npos);
}

TEST(Rights, EveryRouteByEveryRole) {
  TestApi api;
  const std::string stranger = api.issue({.role = Role::requester});
  const std::string monitor = api.issue({.role = Role::monitor});
  for (const Route& route : api.service().routes()) {
    if (route.page) continue;  // page_test
    const std::string campaign = api.campaign();
    const std::string other = api.campaign();
    std::string path = route.pattern;
    const auto put = [&](const std::string& name, const std::string& value) {
      const std::size_t at = path.find(name);
      if (at != std::string::npos) path.replace(at, name.size(), value);
    };
    put("/api/v1/campaigns/{campaign}", campaign);
    put("{token}", "none");
    put("{webhook}", "none");
    put("{what}", "labels");
    put("{item}", "i0");
    const bool endless = route.name == "live_events";
    const auto tried = [&](const std::string& token) {
      ApiRequest asked{route.method, path, token, body_for(route)};
      if (!route.uploads.empty()) {
        asked.upload = "id\nu" + token + "\n";
        asked.fields.emplace_back("Content-Type", "text/csv");
      }
      return is_let_in(api.ask(std::move(asked), endless));
    };
    const auto at_least = [&](std::initializer_list<Access> all) {
      return std::ranges::find(all, route.access) != all.end();
    };
    const bool in_campaign =
        route.access != Access::anyone && route.pattern.find("{campaign}") != std::string::npos;
    EXPECT_TRUE(tried(api.admin)) << route.name;
    EXPECT_EQ(tried(""), route.access == Access::anyone) << route.name;
    const bool takes_requesters = route.access != Access::admin && route.access != Access::monitor;
    EXPECT_EQ(tried(api.requester), takes_requesters) << route.name;
    EXPECT_EQ(tried(stranger), !in_campaign && takes_requesters) << route.name;
    EXPECT_EQ(tried(monitor),
              !in_campaign && at_least({Access::anyone, Access::token, Access::monitor}))
        << route.name;
    EXPECT_EQ(tried(api.worker(campaign, "ann")),
              at_least({Access::anyone, Access::token, Access::worker}))
        << route.name;
    EXPECT_EQ(tried(api.worker(other, "ann")),
              !in_campaign && at_least({Access::anyone, Access::token}))
        << route.name;
    const auto revoked = api.hub().vault().issue({.role = Role::admin}, api.hub().now());
    ASSERT_TRUE(api.hub().vault().revoke(revoked->token.id, api.hub().now()));
    EXPECT_EQ(tried(revoked->text), route.access == Access::anyone) << route.name;
  }
}

TEST(Rights, AWorkerSeesNothingOfOthers) {
  TestApi api;
  const std::string path = api.campaign(3, R"(, "gold_rate": 1, "labels_per_item": 1)");
  EXPECT_EQ(api.post(path + "/items", api.requester,
                     R"({"items": [{"id": "g", "fields": {"text": "?"}, "gold": "yes"}]})")
                .status,
            201);
  const std::string ann = api.worker(path, "ann"), bob = api.worker(path, "bob");
  const ApiResponse asked = api.post(path + "/assignments", ann, R"({"count": 4})");
  ASSERT_EQ(asked.status, 200) << asked.body;
  std::set<std::string> members;
  for (const auto& one : asked.json().at("assignments").as_array()) {
    for (const auto& [name, value] : one.as_object()) members.insert(std::string(name));
  }
  EXPECT_EQ(members, (std::set<std::string>{"item", "fields", "price", "expires"}));
  for (const char* word : {"gold", "truth", "chosen", "why", "probab"}) {
    EXPECT_EQ(asked.body.find(word), std::string::npos) << word;
  }
  // Whatever is wrong with an item, the answer is the same.
  const auto refused = [&](const std::string& item, const char* what = "/labels") {
    const ApiResponse answered =
        api.post(path + what, bob, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
    EXPECT_EQ(answered.status, 403) << answered.body;
    return answered.body;
  };
  EXPECT_EQ(refused("i0"), refused("no such item"));
  EXPECT_EQ(refused("i0"), refused("g"));
  EXPECT_EQ(
      api.post(path + "/labels", ann, R"({"worker": "bob", "item": "g", "label": "no"})").status,
      403);
  const ApiResponse nothing = api.post(path + "/assignments", bob, R"({"count": 100})");
  ASSERT_EQ(nothing.status, 200);
  EXPECT_EQ(nothing.json().at("shortfall").at("code").as_string(), "nothing_now");
  const ApiResponse me = api.get("/api/v1/me", ann);
  EXPECT_EQ(me.json().at("worker").as_string(), "ann");
  EXPECT_EQ(me.json().at("campaign").at("classes").as_array().size(), 2U);
}

}  // namespace
}  // namespace allot::test::admission_test
