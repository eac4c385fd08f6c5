// The service: dispatch, tokens, rights, limits, and every route.
#include "serve/service.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <set>
#include <thread>

#include "allot/store/sqlite_store.hpp"
#include "serve/body.hpp"
#include "serve/limits.hpp"
#include "serve/write_probe.hpp"
#include "store/sqlite.hpp"
#include "support/desk.hpp"

namespace allot::test {
namespace {

using http::Method;
using serve::Access;
using serve::Role;
using serve::Route;

std::string first_item(const Answered& answered) {
  return std::string(answered.json().at("assignments").at(0).at("item").as_string());
}

std::size_t count_of(const Answered& answered, const char* name) {
  return answered.json().at(name).as_array().size();
}

TEST(Dispatch, SaysWhatIsNotThere) {
  Desk desk;
  EXPECT_EQ(desk.get("/nothing", desk.admin).code(), "no_such_route");
  EXPECT_EQ(desk.get("/api/v1/campaigns/", desk.admin).status, 404);
  EXPECT_EQ(desk.get("/healthz/", "").status, 404);
  const Answered method = desk.ask({.method = Method::del, .path = "/api/v1/campaigns"});
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.field("Allow"), "POST, GET, HEAD");
  EXPECT_EQ(desk.get("/api/v1/campaigns?colour=red", desk.admin).code(), "invalid_argument");
  EXPECT_EQ(desk.get("/api/v1/campaigns?limit=0", desk.admin).status, 400);
  EXPECT_EQ(desk.get("/api/v1/campaigns/abc/status", desk.admin).status, 404);
}

TEST(Dispatch, TellsHowARequestIsTaken) {
  Desk desk;
  const auto& service = desk.service();
  EXPECT_EQ(service.intake(Method::get, "/nothing").largest_body, 0U);
  EXPECT_EQ(service.intake(Method::post, "/api/v1/campaigns").largest_body, 1U << 20);
  const auto upload = service.intake(Method::post, "/api/v1/campaigns/abc/items/upload");
  EXPECT_TRUE(upload.upload);
  EXPECT_GT(upload.largest_body, 1U << 30);
}

TEST(Dispatch, WantsAToken) {
  Desk desk;
  const Answered none = desk.get("/api/v1/me", "");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.code(), "no_token");
  EXPECT_EQ(none.field("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(desk.get("/api/v1/me", "allot_0123").code(), "bad_token");
  const Answered other =
      desk.ask({.path = "/api/v1/me", .fields = {{"Authorization", "Basic " + desk.admin}}});
  EXPECT_EQ(other.code(), "no_token");
  const Answered small =
      desk.ask({.path = "/api/v1/me", .fields = {{"authorization", "bearer " + desk.admin}}});
  EXPECT_EQ(small.status, 200);
}

TEST(Dispatch, LimitsTheRateOfAToken) {
  serve::ServiceOptions options = Desk::generous();
  options.rate = 0.001;
  options.burst = 3;
  Desk desk(options);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(desk.get("/api/v1/me", desk.admin).status, 200);
  const Answered refused = desk.get("/api/v1/me", desk.admin);
  EXPECT_EQ(refused.status, 429);
  EXPECT_GT(std::stoi(refused.field("Retry-After")), 1);
  EXPECT_EQ(desk.get("/api/v1/me", desk.requester).status, 200) << "another token";
  for (int n = 0; n < 3; ++n) EXPECT_EQ(desk.get("/api/v1/me", "allot_x").status, 401);
  EXPECT_EQ(desk.get("/api/v1/me", "allot_x").status, 429) << "guessing is limited too";
}

TEST(Limiter, GivesBackOverTime) {
  serve::Limiter limiter(10, 2);
  const serve::Limiter::Moment start{};
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

TEST(Memory, KeepsTheLastFew) {
  serve::Memory memory(100);
  for (int n = 0; n < 150; ++n) memory.keep(std::to_string(n), {"d", 200, "t", "b"});
  EXPECT_FALSE(memory.find("49"));
  EXPECT_TRUE(memory.find("50"));
  memory.keep("50", {"other", 200, "t", "b"});
  EXPECT_EQ(memory.find("50")->digest, "d") << "the first answer stays";
  serve::Memory large(1'000'000);
  for (int n = 0; n < 100; ++n) {
    large.keep(std::to_string(n), {"d", 200, "t", std::string(1 << 20, 'x')});
  }
  EXPECT_FALSE(large.find("60")) << "32 MB at most";
  EXPECT_TRUE(large.find("99"));
}

TEST(Campaigns, AnAdminGivesOneToAnother) {
  Desk desk;
  const std::string path = desk.campaign(1);
  const auto heir =
      desk.hub().vault().issue({.role = Role::requester, .label = "heir"}, desk.hub().now());
  const std::string body = "{\"owner\": \"" + heir->token.id + "\", \"name\": \"Inherited\"}";
  EXPECT_EQ(desk.ask({Method::patch, path, desk.requester, body}).code(), "wrong_role");
  for (const std::string other : {"nobody", ""}) {
    EXPECT_EQ(desk.ask({Method::patch, path, desk.admin, "{\"owner\": \"" + other + "\"}"}).status,
              404);
  }
  const auto worker = desk.hub().vault().find(desk.worker(path, "ann"));
  EXPECT_EQ(
      desk.ask({Method::patch, path, desk.admin, "{\"owner\": \"" + worker->id + "\"}"}).status,
      404);
  const Answered refused =
      desk.ask({Method::patch, path, desk.admin, R"({"budget": -1, "name": "Never"})"});
  EXPECT_EQ(refused.status, 400);
  const Answered given = desk.ask({Method::patch, path, desk.admin, body});
  EXPECT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(given.text("owner"), heir->token.id);
  EXPECT_EQ(given.text("name"), "Inherited");
  EXPECT_EQ(desk.get(path, desk.requester).status, 404);
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns", desk.requester), "campaigns"), 0U);
  desk.reopen(Desk::generous());
  EXPECT_EQ(desk.get(path, heir->text).text("name"), "Inherited");
  EXPECT_EQ(
      desk.get("/api/v1/tokens", heir->text).body.find("\"worker\": \"ann\"") != std::string::npos,
      true)
      << "its workers' tokens go with it";
}

/// Whoever writes server.db at the moment holds up no campaign.
TEST(Campaigns, ANameIsWrittenOutsideOfTheCampaignsCommit) {
  Desk desk;
  const std::string path = desk.campaign(2);
  auto other = store::Connection::open(desk.data() + "/server.db", SQLITE_OPEN_READWRITE, 1000);
  ASSERT_TRUE(other && (*other)->execute("BEGIN IMMEDIATE"));
  std::thread renames([&] {
    EXPECT_EQ(desk.ask({Method::patch, path, desk.requester, R"({"name": "Later"})"}).status, 200);
  });
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})").status, 200);
  }
  EXPECT_EQ(desk.get(path, desk.requester).text("name"), "Reviews") << "not yet";
  EXPECT_TRUE((*other)->execute("COMMIT"));
  renames.join();
  EXPECT_EQ(desk.get(path, desk.requester).text("name"), "Later");
}

TEST(Docs, BeginWithALinkToEveryRoute) {
  Desk desk;
  const std::string page = desk.get("/docs", "").body;
  const std::string contents = page.substr(0, page.find("</nav>"));
  for (const Route& route : desk.service().routes()) {
    if (route.page) continue;
    EXPECT_NE(contents.find("<a href=\"#" + route.name + "\">"), std::string::npos) << route.name;
    EXPECT_NE(page.find("<section id=\"" + route.name + "\">"), std::string::npos) << route.name;
  }
}

TEST(Lists, ComeInPagesToTheLastRow) {
  Desk desk;
  for (int n = 0; n < 7; ++n) desk.campaign(0);
  const std::string path = desk.campaign(7);
  for (int n = 0; n < 6; ++n) desk.worker(path, "w" + std::to_string(n));
  const std::vector<std::pair<std::string, std::string>> lists{{"/api/v1/campaigns", "campaigns"},
                                                               {"/api/v1/tokens", "tokens"},
                                                               {path + "/items", "items"},
                                                               {path + "/answers", "answers"}};
  for (const auto& [list, name] : lists) {
    const Answered whole = desk.get(list, desk.admin);
    EXPECT_TRUE(whole.json().at("next").is_null());
    const std::size_t count = whole.json().at(name).as_array().size();
    for (std::size_t limit = 1; limit <= count + 1; ++limit) {
      json::array rows;
      std::string cursor;
      std::size_t pages = 0;
      do {
        const Answered page =
            desk.get(list + "?limit=" + std::to_string(limit) + cursor, desk.admin);
        const auto& some = page.json().at(name).as_array();
        EXPECT_LE(some.size(), limit);
        rows.insert(rows.end(), some.begin(), some.end());
        const auto& next = page.json().at("next");
        cursor = next.is_null() ? "" : "&cursor=" + std::string(next.as_string());
      } while (!cursor.empty() && ++pages < 100);
      EXPECT_EQ(json::value(rows), whole.json().at(name)) << list << " by " << limit;
    }
  }
}

TEST(Keys, CountAfterARestart) {
  Desk desk;
  const std::string body = R"({"name": "once", "classes": ["no", "yes"], "budget": 50})";
  const Answered made = desk.post("/api/v1/campaigns", desk.requester, body, "make");
  ASSERT_EQ(made.status, 201);
  const std::string path = desk.campaign(6);
  for (const char* worker : {"ann", "bob", "eve"}) {
    desk.ask({Method::put, path + "/prices", desk.requester,
              std::string("{\"worker\": \"") + worker + "\", \"price\": 1}"});
  }
  const Answered whom = desk.post(path + "/whom-next", desk.requester, "", "whom");
  ASSERT_EQ(count_of(whom, "assignments"), 1U) << whom.body;
  const auto back = [&](const char* how, const char* key, const char* more = "") {
    const std::string item =
        first_item(desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})"));
    const std::string request = "{\"worker\": \"ann\", \"item\": \"" + item + "\"" + more + "}";
    const Answered first = desk.post(path + "/" + how, desk.requester, request, key);
    EXPECT_EQ(first.status, 200) << first.body;
    return std::pair(request, first.body);
  };
  const auto [skip, skipped] = back("skip", "skip", ", \"next\": 1");
  const auto [release, released] = back("release", "release");
  // A label, one that is revised, and many, of which one is there already and one is refused.
  const auto labels = [&](const std::string& request, const char* key) {
    const Answered got = desk.post(path + "/labels", desk.requester, request, key);
    EXPECT_EQ(got.status, 200) << got.body;
    return got.json();
  };
  const auto outcome = [](const json::value& got, std::size_t n) {
    return std::string(got.at("labels").at(n).at("outcome").as_string());
  };
  const auto held = [&](const char* worker) {
    return first_item(desk.post(path + "/assignments", desk.requester,
                                std::string("{\"worker\": \"") + worker + "\"}"));
  };
  const auto label = [](const char* worker, const std::string& item, const char* said) {
    return std::string("{\"worker\": \"") + worker + "\", \"item\": \"" + item +
           "\", \"label\": \"" + said + "\"";
  };
  const std::string bobs = held("bob");
  const std::string one = label("bob", bobs, "yes") + ", \"next\": 1}";
  const json::value given = labels(one, "one");
  EXPECT_EQ(outcome(given, 0), "recorded");
  const std::string other = label("bob", bobs, "no") + ", \"revise\": true}";
  const json::value changed = labels(other, "other");
  EXPECT_EQ(outcome(changed, 0), "revised");
  const std::string eves = held("eve"), eves_too = held("eve");
  const std::string many = "{\"labels\": [" + label("bob", bobs, "no") + "}, " +
                           label("eve", eves, "no") + "}, " + label("zoe", eves, "no") + "}, " +
                           label("eve", eves_too, "yes") + "}]}";
  const json::value all = labels(many, "many");
  EXPECT_EQ(outcome(all, 0), "already");
  EXPECT_EQ(outcome(all, 2), "refused");
  const std::uint64_t events =
      desk.get(path, desk.requester).json().at("events").to_number<std::uint64_t>();

  desk.reopen(Desk::generous());
  const Answered again = desk.post("/api/v1/campaigns", desk.requester, body, "make");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, made.body);
  EXPECT_EQ(again.field("Location"), made.field("Location"));
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns", desk.requester), "campaigns"), 2U);
  EXPECT_EQ(desk.post("/api/v1/campaigns", desk.requester,
                      R"({"name": "other", "classes": ["no", "yes"], "budget": 50})", "make")
                .code(),
            "key_reused");
  EXPECT_EQ(desk.post("/api/v1/campaigns", desk.admin, body, "make").status, 201)
      << "a key is one of its token";
  EXPECT_EQ(desk.post(path + "/whom-next", desk.requester, "", "whom").body, whom.body);
  EXPECT_EQ(desk.post(path + "/skip", desk.requester, skip, "skip").body, skipped);
  EXPECT_EQ(desk.post(path + "/release", desk.requester, release, "release").body, released);
  for (const auto& [wrong, key] : {std::pair(other, "one"), std::pair(many, "one")}) {
    const Answered refused = desk.post(path + "/labels", desk.requester, wrong, key);
    EXPECT_EQ(refused.code(), "key_reused") << refused.body;
    EXPECT_NE(refused.text("detail").find("'one'"), std::string::npos) << refused.body;
  }
  EXPECT_EQ(labels(one, "one"), given) << "which those did not spoil";
  EXPECT_EQ(labels(other, "other"), changed);
  const json::value all_again = labels(many, "many");
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(outcome(all_again, n), outcome(all, n)) << n;
  EXPECT_EQ(outcome(labels(many, "new"), 1), "already") << "what is there, without the key";
  EXPECT_EQ(desk.post(path + "/release", desk.requester, skip, "skip").code(), "key_reused");
  EXPECT_EQ(desk.get(path, desk.requester).json().at("events").to_number<std::uint64_t>(), events)
      << "nothing happened";
  const std::string next_of_one(given.at("next").at("assignments").at(0).at("item").as_string());
  EXPECT_NE(first_item(desk.post(path + "/assignments", desk.requester, R"({"worker": "bob"})",
                                 "one/next")),
            next_of_one)
      << "no key of a client is one that the server makes of another";
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
  if (route.name == "add_items") return R"({"items": [{"id": "new"}]})";
  if (route.name == "settle_item") return R"({"item": "i0"})";
  if (route.name == "ask") return R"({"worker": "ann"})";
  if (route.name == "give_labels") return R"({"worker": "ann", "item": "i0", "label": "yes"})";
  if (route.name == "skip" || route.name == "release") return R"({"worker": "ann", "item": "i0"})";
  return "";
}

/// Whether a token gets past the check of rights: any other refusal is about the request.
bool is_let_in(const Answered& answered) {
  return answered.status != 401 && !(answered.status == 403 && answered.code() == "wrong_role") &&
         !(answered.status == 404 &&
           answered.body.find("there is no campaign") != std::string::npos);
}

TEST(Rights, EveryRouteByEveryRole) {
  Desk desk;
  const std::string stranger = desk.issue({.role = Role::requester});
  for (const Route& route : desk.service().routes()) {
    if (route.page) continue;  // page_test
    const std::string campaign = desk.campaign();
    const std::string other = desk.campaign();
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
      Ask asked{route.method, path, token, body_for(route)};
      if (!route.uploads.empty()) {
        asked.upload = "id\nu" + token + "\n";
        asked.fields.emplace_back("Content-Type", "text/csv");
      }
      return is_let_in(desk.ask(std::move(asked), endless));
    };
    const auto at_least = [&](std::initializer_list<Access> all) {
      return std::ranges::find(all, route.access) != all.end();
    };
    const bool in_campaign = route.pattern.find("{campaign}") != std::string::npos;
    EXPECT_TRUE(tried(desk.admin)) << route.name;
    EXPECT_EQ(tried(""), route.access == Access::anyone) << route.name;
    EXPECT_EQ(tried(desk.requester), route.access != Access::admin) << route.name;
    EXPECT_EQ(tried(stranger), !in_campaign && route.access != Access::admin) << route.name;
    EXPECT_EQ(tried(desk.worker(campaign, "ann")),
              at_least({Access::anyone, Access::token, Access::worker}))
        << route.name;
    EXPECT_EQ(tried(desk.worker(other, "ann")),
              !in_campaign && at_least({Access::anyone, Access::token}))
        << route.name;
    const auto revoked = desk.hub().vault().issue({.role = Role::admin}, desk.hub().now());
    ASSERT_TRUE(desk.hub().vault().revoke(revoked->token.id, desk.hub().now()));
    EXPECT_EQ(tried(revoked->text), route.access == Access::anyone) << route.name;
  }
}

TEST(Rights, AWorkerSeesNothingOfOthers) {
  Desk desk;
  const std::string path = desk.campaign(3, R"(, "gold_rate": 1, "labels_an_item": 1)");
  EXPECT_EQ(desk.post(path + "/items", desk.requester,
                      R"({"items": [{"id": "g", "fields": {"text": "?"}, "gold": "yes"}]})")
                .status,
            201);
  const std::string ann = desk.worker(path, "ann"), bob = desk.worker(path, "bob");
  const Answered asked = desk.post(path + "/assignments", ann, R"({"count": 4})");
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
    const Answered answered =
        desk.post(path + what, bob, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
    EXPECT_EQ(answered.status, 403) << answered.body;
    return answered.body;
  };
  EXPECT_EQ(refused("i0"), refused("no such item"));
  EXPECT_EQ(refused("i0"), refused("g"));
  EXPECT_EQ(
      desk.post(path + "/labels", ann, R"({"worker": "bob", "item": "g", "label": "no"})").status,
      403);
  const Answered nothing = desk.post(path + "/assignments", bob, R"({"count": 100})");
  ASSERT_EQ(nothing.status, 200);
  EXPECT_EQ(nothing.json().at("shortfall").at("code").as_string(), "nothing_now");
  const Answered me = desk.get("/api/v1/me", ann);
  EXPECT_EQ(me.json().at("worker").as_string(), "ann");
  EXPECT_EQ(me.json().at("campaign").at("classes").as_array().size(), 2U);
}

TEST(Tokens, AreMadeListedAndRevoked) {
  Desk desk;
  const std::string path = desk.campaign(), id = path.substr(path.rfind('/') + 1);
  const Answered link = desk.post(path + "/links", desk.requester, R"({"worker": "ann"})");
  ASSERT_EQ(link.status, 201);
  const std::string secret = link.text("secret");
  EXPECT_EQ(link.text("link"), "/label/" + id + "#" + secret);
  EXPECT_EQ(desk.post(path + "/assignments", secret).status, 200);
  const std::string token(link.json().at("token").at("id").as_string());
  EXPECT_EQ(desk.post("/api/v1/tokens", desk.requester,
                      R"({"role": "worker", "worker": "bob", "campaign": ")" + id + "\"}")
                .status,
            201);
  EXPECT_EQ(desk.post("/api/v1/tokens", desk.requester, R"({"role": "admin"})").code(),
            "wrong_role");
  EXPECT_EQ(
      desk.post("/api/v1/tokens", desk.admin, R"({"role": "requester", "label": "b"})").status,
      201);
  for (const char* wrong :
       {R"({"role": "king"})", R"({})", R"({"role": "worker"})", R"({"role": 1})",
        R"({"role": "admin", "worker": "x", "campaign": "y"})", R"({"role": "admin", "age": 3})"}) {
    EXPECT_EQ(desk.post("/api/v1/tokens", desk.admin, wrong).status, 400) << wrong;
  }
  EXPECT_EQ(count_of(desk.get("/api/v1/tokens", desk.requester), "tokens"), 3U);
  const Answered all = desk.get("/api/v1/tokens?limit=2", desk.admin);
  EXPECT_EQ(count_of(all, "tokens"), 2U);
  const Answered rest = desk.get("/api/v1/tokens?cursor=" + all.text("next"), desk.admin);
  EXPECT_EQ(count_of(rest, "tokens"), 3U);
  EXPECT_EQ(all.body.find(secret), std::string::npos);
  const auto revoke = [&](const std::string& which, const std::string& by) {
    return desk.ask({.method = Method::del, .path = "/api/v1/tokens/" + which, .token = by}).status;
  };
  EXPECT_EQ(revoke(token, desk.issue({.role = Role::requester})), 404);
  EXPECT_EQ(revoke(token, desk.requester), 204);
  EXPECT_EQ(desk.post(path + "/assignments", secret).status, 401);
  EXPECT_EQ(revoke("nobody", desk.admin), 404);
}

TEST(Campaigns, AreMadeWithEveryOption) {
  Desk desk;
  const Answered made = desk.post("/api/v1/campaigns", desk.requester, R"({
    "name": "Colours", "classes": ["red", "green", "blue"], "budget": "12.50", "price": 0.05,
    "policy": "opt-kg", "ties": "first", "seed": 7, "lease": "2h", "labels_an_item": 5,
    "labels_a_worker": 100, "gold_rate": 0.2, "prior": "jeffreys", "worker_prior": "beta:4,1",
    "coins": 1, "refit": 50, "refit_by": "em", "stop": ["accuracy:0.95", "settled:0.99"]})");
  ASSERT_EQ(made.status, 201) << made.body;
  const json::value campaign = desk.get(made.field("Location"), desk.requester).json();
  const auto& options = campaign.at("options");
  EXPECT_EQ(json::serialize(options.at("classes")), R"(["red","green","blue"])");
  EXPECT_EQ(campaign.at("budget").to_number<double>(), 12.5);
  EXPECT_EQ(options.at("price").to_number<double>(), 0.05);
  EXPECT_EQ(options.at("lease").as_string(), "7200s");
  EXPECT_EQ(options.at("labels_an_item").as_int64(), 5);
  EXPECT_EQ(options.at("refit").as_int64(), 50);
  EXPECT_EQ(options.at("refit_by").as_string(), "em");
  EXPECT_EQ(json::serialize(options.at("stop")), R"(["accuracy:0.95","settled:0.99"])");
  const Answered off =
      desk.post("/api/v1/campaigns", desk.requester,
                R"({"name": "x", "classes": ["a", "b"], "budget": 1, "refit": "off",
                                     "worker_prior": "learn"})");
  ASSERT_EQ(off.status, 201) << off.body;
  const json::value learning = desk.get(off.field("Location"), desk.requester).json();
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
           {R"("classes": ["a", "b"], "budget": 1, "labels_an_item": 0)", "labels_an_item"},
           {R"("classes": ["a", "b"], "budget": 1, "gold_rate": 2)", "gold_rate"}}) {
    const Answered refused = desk.post("/api/v1/campaigns", desk.requester,
                                       std::string("{\"name\": \"x\", ") + members + "}");
    EXPECT_EQ(refused.status, 400) << members;
    EXPECT_NE(refused.text("detail").find(said), std::string::npos) << refused.body;
  }
  for (const char* body : {"", "[]", "nonsense", "{\"name\": ", "\"x\""}) {
    EXPECT_EQ(desk.post("/api/v1/campaigns", desk.requester, body).status, 400) << body;
  }
}

TEST(Campaigns, AreListedChangedPausedAndClosed) {
  Desk desk;
  const std::string path = desk.campaign();
  desk.campaign();
  desk.campaign(0, "", desk.admin);
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns", desk.requester), "campaigns"), 2U);
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns", desk.admin), "campaigns"), 3U);
  const Answered page = desk.get("/api/v1/campaigns?limit=1", desk.requester);
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns?cursor=" + page.text("next"), desk.requester),
                     "campaigns"),
            1U);
  const auto change = [&](const std::string& body) {
    return desk.ask({.method = Method::patch, .path = path, .token = desk.requester, .body = body});
  };
  const Answered changed = change(R"({"budget": 7.5, "name": "Better"})");
  EXPECT_EQ(changed.json().at("budget").to_number<double>(), 7.5);
  EXPECT_EQ(changed.text("name"), "Better");
  EXPECT_EQ(change(R"({"budget": "much"})").status, 400);
  EXPECT_EQ(change(R"({"name": ""})").status, 400);
  EXPECT_EQ(desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})").status, 200);
  EXPECT_EQ(change(R"({"budget": 0})").code(), "conflict");
  EXPECT_EQ(desk.post(path + "/pause", desk.requester).text("phase"), "paused");
  const Answered paused = desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})");
  EXPECT_EQ(paused.json().at("shortfall").at("code").as_string(), "forbidden");
  EXPECT_EQ(desk.post(path + "/resume", desk.requester).text("phase"), "running");
  const Answered price = desk.ask({.method = Method::put,
                                   .path = path + "/prices",
                                   .token = desk.requester,
                                   .body = R"({"worker": "bob", "price": "0.25"})"});
  EXPECT_EQ(price.json().at("price").to_number<double>(), 0.25);
  EXPECT_EQ(desk.post(path + "/settle", desk.requester, R"({"item": "i4"})").status, 200);
  EXPECT_EQ(desk.post(path + "/settle", desk.requester, R"({"item": "i9"})").code(), "not_found");
  EXPECT_EQ(desk.post(path + "/close", desk.requester, R"({"reason": "enough"})").text("reason"),
            "enough");
  EXPECT_EQ(desk.post(path + "/close", desk.requester).code(), "forbidden");
}

TEST(Items, AreAddedAllOrNone) {
  Desk desk;
  const std::string path = desk.campaign(0);
  const auto add = [&](const std::string& items, const std::string& key = "") {
    return desk.post(path + "/items", desk.requester, "{\"items\": [" + items + "]}", key);
  };
  EXPECT_EQ(add(R"({"id": "a", "fields": {"text": "x", "n": [1, {}]}, "price": 2, "gold": "yes"},
                   {"id": "b"})")
                .json()
                .at("added")
                .as_int64(),
            2);
  EXPECT_EQ(add(R"({"id": "c"}, {"id": "a"})").code(), "conflict");
  EXPECT_EQ(add(R"({"id": ""})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "color": 1})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "gold": "maybe"})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "fields": "text"})").status, 400);
  EXPECT_EQ(add(R"({"id": "d", "features": [1]})").code(), "conflict");
  EXPECT_EQ(add("").status, 400);
  EXPECT_EQ(add("{\"id\": \"" + std::string(501, 'x') + "\"}").code(), "too_large");
  std::string many;
  for (int n = 0; n < 1001; ++n)
    many += (n ? "," : "") + ("{\"id\":\"m" + std::to_string(n)) + "\"}";
  EXPECT_EQ(add(many).code(), "too_large");
  EXPECT_EQ(add(R"({"id": "e"})", "k1").status, 201);
  const Answered again = add(R"({"id": "e"})", "k1");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.field("Idempotency-Replayed"), "true");
  EXPECT_EQ(add(R"({"id": "f"})", "k1").code(), "key_reused");
  EXPECT_EQ(add(R"({"id": "f"})", "two words").status, 400);
  const Answered list = desk.get(path + "/items?limit=2", desk.requester);
  EXPECT_EQ(count_of(list, "items"), 2U);
  EXPECT_EQ(list.json().at("items").at(0).at("gold").as_string(), "yes");
  EXPECT_EQ(
      count_of(desk.get(path + "/items?cursor=" + list.text("next"), desk.requester), "items"), 1U);
}

TEST(Items, AreUploadedInPieces) {
  Desk desk;
  const std::string path = desk.campaign(0);
  const auto upload = [&](const std::string& text, const std::string& type = "text/csv",
                          const std::string& query = "", const std::string& key = "") {
    Ask asked{.method = Method::post,
              .path = path + "/items/upload" + query,
              .token = desk.requester,
              .fields = {{"Content-Type", type}},
              .upload = text};
    if (!key.empty()) asked.fields.emplace_back("Idempotency-Key", key);
    return desk.ask(std::move(asked));
  };
  std::string csv = "id,text\n", lines;
  for (int n = 0; n < 2500; ++n) {
    csv += "c" + std::to_string(n) + ",\"a, b\"\n";
    lines += "{\"id\": \"j" + std::to_string(n) + "\", \"text\": \"x\"}\n";
  }
  EXPECT_EQ(upload(csv, "text/csv; charset=utf-8", "", "k").json().at("added").as_int64(), 2500);
  EXPECT_EQ(upload(csv, "text/csv", "", "k").json().at("added").as_int64(), 2500)
      << "once is twice";
  EXPECT_EQ(upload(csv).code(), "conflict");
  EXPECT_EQ(upload(csv, "text/csv", "?skip_known=true").json().at("known").as_int64(), 2500);
  EXPECT_EQ(upload(lines, "application/x-ndjson").json().at("added").as_int64(), 2500);
  EXPECT_EQ(upload("x").status, 400);
  EXPECT_EQ(upload("").status, 400);
  EXPECT_EQ(upload("id\na\n", "application/json").status, 415);
  EXPECT_EQ(upload("key\nk1\n", "text/csv", "?id=key").status, 201);
  const std::string half = "id\n" + [] {
    std::string rows;
    for (int n = 0; n < 1500; ++n) rows += "h" + std::to_string(n) + "\n";
    return rows;
  }() + "h3\n";
  const Answered refused = upload(half);
  EXPECT_EQ(refused.code(), "conflict");
  EXPECT_NE(refused.text("detail").find("1000 items before it were added"), std::string::npos)
      << refused.body;
  EXPECT_EQ(desk.get(path, desk.requester).json().at("items").as_int64(), 6001);
}

TEST(Items, ThatAreRefusedInAnUploadAreNamedByTheirLine) {
  Desk desk;
  const std::string path = desk.campaign(0);
  const auto refusal = [&](const std::string& text, const std::string& type = "text/csv",
                           const std::string& query = "") {
    const Answered got = desk.ask({.method = Method::post,
                                   .path = path + "/items/upload" + query,
                                   .token = desk.requester,
                                   .fields = {{"Content-Type", type}},
                                   .upload = text});
    return got.status == 201 ? "" : got.text("detail");
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(refusal("id,text\nold,\"two\nlines\"\nold2,x\n"), "");
  has(refusal("id,text\nnew,\"two\nlines\"\nold,x\n"),
      "line 4: item 'old' is there already; expected a new id");
  // Whole before it is in the same batch, in another one, or was skipped.
  has(refusal("{\"id\": \"a\"}\n\n{\"id\": \"b\"}\n{\"id\": \"a\"}\n", "application/x-ndjson"),
      "line 4: item 'a' ");
  std::string many = "id,text\n";
  for (int n = 0; n < 2200; ++n) {
    // Every seventh takes two lines; the first thousand are on disk before others are read.
    many += "m" + std::to_string(n) + (n % 7 == 0 ? ",\"a\nb\"\n" : ",c\n");
  }
  // m15 is behind 15 items and the second lines of three of them.
  const std::string last = std::to_string(2 + 2200 + 315);
  has(refusal(many + "m15,x\n"),
      "line " + last + ": item 'm15' is there already, from line 20 of this upload");
  std::string anew = many;
  for (std::size_t at = 0; (at = anew.find("\nm", at)) != std::string::npos; ++at)
    anew[at + 1] = 'n';
  has(refusal(anew + "m15,x\n"), "line " + last + ": item 'm15' is there already; expected");
  EXPECT_EQ(refusal("id\nold\nlate\nold2\nlate\n", "text/csv", "?skip_known=true"), "")
      << "twice in one upload is known, too";
  has(refusal("id,gold\nx,yes\ny,perhaps\n"), "line 3: item 'y'");
}

TEST(Work, AskAnswerAndGoOnInOneCall) {
  Desk desk;
  const std::string path = desk.campaign();
  const std::string ann = desk.worker(path, "ann");
  const Answered asked = desk.post(path + "/assignments", ann);
  const std::string item = first_item(asked);
  EXPECT_EQ(asked.json().at("assignments").at(0).at("fields").at("text").as_string(),
            "text of " + item);
  EXPECT_EQ(count_of(desk.get(path + "/assignments", ann), "assignments"), 1U);
  const Answered given = desk.post(path + "/labels", ann,
                                   "{\"item\": \"" + item + "\", \"label\": \"yes\", \"next\": 2}");
  ASSERT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(given.json().at("labels").at(0).at("outcome").as_string(), "recorded");
  EXPECT_EQ(given.json().at("next").at("assignments").as_array().size(), 2U);
  const std::string one(given.json().at("next").at("assignments").at(0).at("item").as_string()),
      two(given.json().at("next").at("assignments").at(1).at("item").as_string());
  EXPECT_EQ(desk.post(path + "/skip", ann, "{\"item\": \"" + one + "\"}").status, 200);
  EXPECT_EQ(desk.post(path + "/skip", ann, "{\"item\": \"" + one + "\"}").code(), "conflict");
  const Answered released =
      desk.post(path + "/release", ann, "{\"item\": \"" + two + "\", \"next\": 1}");
  EXPECT_EQ(released.json().at("next").at("assignments").as_array().size(), 1U);
  EXPECT_EQ(
      desk.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"no\"}").code(),
      "conflict");
  EXPECT_EQ(desk.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"perhaps\"}")
                .status,
            400);
  const Answered revised = desk.post(
      path + "/labels", desk.requester,
      "{\"worker\": \"ann\", \"item\": \"" + item + "\", \"label\": \"no\", \"revise\": true}");
  EXPECT_EQ(revised.json().at("labels").at(0).at("outcome").as_string(), "revised");
  for (const char* wrong :
       {"{}", R"({"labels": []})", R"({"labels": [1]})", R"({"labels": {}})", R"({"item": "i0"})",
        R"({"item": "i0", "label": 1})", R"({"item": "i0", "label": "yes", "labels": []})",
        R"({"item": "i0", "label": "yes", "next": -1})"}) {
    EXPECT_EQ(desk.post(path + "/labels", ann, wrong).status, 400) << wrong;
  }
  EXPECT_EQ(desk.post(path + "/assignments", ann, R"({"count": 101})").code(), "too_large");
  EXPECT_EQ(desk.post(path + "/assignments", ann, R"({"count": 0})").status, 400);
  EXPECT_EQ(desk.post(path + "/assignments", desk.requester).status, 400) << "whose?";
}

TEST(Work, ManyLabelsEachForItself) {
  Desk desk;
  const std::string path = desk.campaign(4);
  EXPECT_EQ(
      count_of(desk.post(path + "/assignments", desk.requester, R"({"worker": "ann", "count": 2})"),
               "assignments"),
      2U);
  const json::value held = desk.get(path + "/assignments?worker=ann", desk.requester).json();
  const std::string a(held.at("assignments").at(0).at("item").as_string());
  const std::string body = "{\"labels\": [{\"worker\": \"ann\", \"item\": \"" + a +
                           "\", \"label\": \"yes\"}, {\"worker\": \"bob\", \"item\": \"" + a +
                           "\", \"label\": \"yes\"}]}";
  const Answered given = desk.post(path + "/labels", desk.requester, body, "k");
  const auto& rows = given.json().at("labels").as_array();
  EXPECT_EQ(rows[0].at("outcome").as_string(), "recorded");
  EXPECT_EQ(rows[1].at("outcome").as_string(), "refused");
  EXPECT_EQ(rows[1].at("code").as_string(), "not_found");
  EXPECT_EQ(desk.post(path + "/labels", desk.requester, body, "k").body, given.body);
  EXPECT_EQ(
      desk.post(path + "/labels", desk.requester, body).json().at("labels").at(0).at("outcome"),
      "already");
  EXPECT_EQ(desk.post(path + "/labels", desk.requester,
                      body.substr(0, body.size() - 1) + ", \"next\": 1}")
                .status,
            400)
      << "next for two workers";
  EXPECT_EQ(desk.get(path + "/status", desk.requester).json().at("labels").as_int64(), 1);
}

TEST(Work, TheSameKeyGetsTheSameItem) {
  serve::ServiceOptions options = Desk::generous();
  for (const std::size_t kept : {std::size_t{0}, std::size_t{100}}) {
    options.kept_answers = kept;  // without a memory the ledger has the key
    Desk desk(options);
    const std::string path = desk.campaign();
    const std::string ann = desk.worker(path, "ann"), bob = desk.worker(path, "bob");
    const Answered first = desk.post(path + "/assignments", ann, "", "k");
    EXPECT_EQ(desk.post(path + "/assignments", ann, "", "k").body, first.body);
    EXPECT_NE(first_item(desk.post(path + "/assignments", bob, "", "k")), "")
        << "the key of another token is another key";
    const std::string body =
        "{\"item\": \"" + first_item(first) + "\", \"label\": \"yes\", \"next\": 1}";
    const Answered given = desk.post(path + "/labels", ann, body, "l");
    const Answered again = desk.post(path + "/labels", ann, body, "l");
    EXPECT_EQ(again.json().at("next"), given.json().at("next"));
    EXPECT_EQ(desk.get(path, desk.requester).json().at("leases").as_int64(), 2);
    EXPECT_EQ(desk.get(path, desk.requester).json().at("labels").as_int64(), 1);
  }
}

TEST(Work, PushCampaignsAskWhom) {
  Desk desk;
  const std::string path = desk.campaign();
  const Answered nobody = desk.post(path + "/whom-next", desk.requester);
  EXPECT_TRUE(nobody.json().at("worker").is_null());
  desk.ask({.method = Method::put,
            .path = path + "/prices",
            .token = desk.requester,
            .body = R"({"worker": "model", "price": 0.01})"});
  const Answered whom = desk.post(path + "/whom-next", desk.requester);
  EXPECT_EQ(whom.text("worker"), "model");
  EXPECT_EQ(count_of(whom, "assignments"), 1U);
}

TEST(Work, WhomToAskSaysWhyThereIsNobody) {
  Desk desk;
  const auto shortfall = [&](const std::string& path) {
    const Answered got = desk.post(path + "/whom-next", desk.requester);
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(count_of(got, "assignments"), 0U);
    const json::value& why = got.json().at("shortfall");
    return std::string(why.at("code").as_string()) + ": " +
           std::string(why.at("detail").as_string());
  };
  for (const bool with_worker : {false, true}) {
    const std::string path = desk.campaign();
    if (with_worker) desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})");
    desk.post(path + "/pause", desk.requester);
    const std::string paused = shortfall(path);
    EXPECT_EQ(paused.find("forbidden: "), 0U) << paused;
    EXPECT_NE(paused.find("is paused"), std::string::npos) << paused;
    desk.post(path + "/close", desk.requester, R"({"reason": "enough"})");
    EXPECT_EQ(shortfall(path),
              "forbidden: the campaign is closed (enough), nobody is asked any more");
  }
  const std::string empty = desk.campaign(0);
  EXPECT_EQ(shortfall(empty), "not_found: there are no items yet");
  const std::string unknown = desk.campaign();
  EXPECT_NE(shortfall(unknown).find("no worker is known yet"), std::string::npos);
  desk.post(unknown + "/assignments", desk.requester, R"({"worker": "ann"})");
  desk.ask({.method = Method::patch,
            .path = unknown,
            .token = desk.requester,
            .body = R"({"budget": 1})"});
  const std::string spent = shortfall(unknown);
  EXPECT_EQ(spent.find("budget_exhausted: no label can be paid: of the budget of 1 "), 0U) << spent;
  // Nothing but a label has to be there for this rule to hold.
  const std::string path = desk.campaign(3, R"(, "stop": ["accuracy:0.5"])");
  desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})");
  const std::string ruled = shortfall(path);
  EXPECT_NE(ruled.find("paused by the stop rule 'accuracy"), std::string::npos) << ruled;
}

/// Every whole number that a request can have, at its bounds and just beyond.
TEST(Document, BoundsOfWholeNumbersAreThoseOfTheServer) {
  Desk desk;
  const std::string path = desk.campaign(3);
  const std::string id = path.substr(path.rfind('/') + 1);
  const std::string webhook(
      desk.post(path + "/webhooks", desk.requester,
                R"({"url": "https://example.org/", "events": ["campaign.closed"]})")
          .json()
          .at_pointer("/webhook/id")
          .as_string());
  const json::value document = desk.get("/openapi.json", "").json();
  const auto bounds = [](const json::value& schema) {
    EXPECT_TRUE(schema.as_object().contains("maximum")) << schema;
    return std::pair(schema.at("minimum").to_number<std::uint64_t>(),
                     schema.at("maximum").to_number<std::uint64_t>());
  };
  const auto is_whole = [](const json::value& schema) {
    const auto* type = schema.as_object().if_contains("type");
    return type && type->is_string() && type->as_string() == "integer";
  };
  /// send(number) is a status.
  const auto check = [&](const json::value& schema, const std::string& what, const auto& send) {
    const auto [least, most] = bounds(schema);
    for (const std::uint64_t in : {least, most}) {
      const int status = send(std::to_string(in));
      EXPECT_TRUE(status != 400 && status != 413) << what << " " << in << " " << status;
    }
    const auto out = [&](const std::string& number) {
      const int status = send(number);
      EXPECT_TRUE(status == 400 || status == 413) << what << " " << number << " " << status;
    };
    out(least == 0 ? "-1" : std::to_string(least - 1));
    out(std::to_string(most + 1));
  };
  const auto fill = [&](std::string pattern) {
    const auto put = [&](const std::string& name, const std::string& value) {
      const std::size_t at = pattern.find(name);
      if (at != std::string::npos) pattern.replace(at, name.size(), value);
    };
    put("{campaign}", id);
    put("{webhook}", webhook);
    return pattern;
  };
  /// What a request needs besides.
  const std::map<std::string, std::string> rest{
      {"ask", R"("worker": "ann")"},
      {"give_labels", R"("worker": "ann", "item": "i0", "label": "yes")"},
      {"skip", R"("worker": "ann", "item": "i1")"},
      {"release", R"("worker": "ann", "item": "i2")"},
      {"forecast", R"("budget": 1, "items": 1)"}};
  int checked = 0;
  for (const auto& [pattern, methods] : document.at("paths").as_object()) {
    for (const auto& [method, operation] : methods.as_object()) {
      const std::string name(operation.at("operationId").as_string());
      for (const json::value& one : operation.at("parameters").as_array()) {
        if (!is_whole(one.at("schema"))) continue;
        ++checked;
        const std::string parameter(one.at("name").as_string());
        check(one.at("schema"), name + " " + parameter, [&](const std::string& number) {
          return desk
              .ask({.path = fill(std::string(pattern)) + "?" + parameter + "=" + number,
                    .token = desk.requester},
                   true)
              .status;
        });
      }
      const auto* body = operation.as_object().if_contains("requestBody");
      if (!body || !body->at("content").as_object().contains("application/json")) continue;
      const json::value& schema = body->at_pointer("/content/application~1json/schema");
      if (!schema.as_object().contains("properties")) continue;
      for (const auto& [member, of] : schema.at("properties").as_object()) {
        if (!is_whole(of)) continue;
        ++checked;
        ASSERT_TRUE(rest.contains(name)) << name;
        check(of, name + " " + std::string(member), [&](const std::string& number) {
          // The last one counts, as the parser has it.
          return desk
              .post(fill(std::string(pattern)), desk.requester,
                    "{" + rest.at(name) + ", \"" + std::string(member) + "\": " + number + "}")
              .status;
        });
      }
    }
  }
  EXPECT_GE(checked, 15);
}

TEST(Campaigns, RefuseClassesWithControlCharacters) {
  Desk desk;
  for (const char* one : {"a\\u0000b", "\\t", "a\\nb", "\\u001b[31m", "\\u007f"}) {
    const Answered got =
        desk.post("/api/v1/campaigns", desk.requester,
                  std::string(R"({"name": "c", "budget": 5, "classes": ["no", ")") + one + "\"]}");
    EXPECT_EQ(got.status, 400) << one;
    EXPECT_NE(got.text("detail").find("has the control character U+00"), std::string::npos)
        << got.body;
  }
  EXPECT_EQ(count_of(desk.get("/api/v1/campaigns", desk.requester), "campaigns"), 0U);
  EXPECT_EQ(desk.post("/api/v1/campaigns", desk.requester,
                      R"({"name": "c", "budget": 5, "classes": ["nö", "ja \u00a0"]})")
                .status,
            201);
}

TEST(Server, IsReadyOnlyWhileItsFolderCanBeWritten) {
  const Folder folder;
  const std::string data = folder / "data";
  serve::WriteProbe probe(data, std::chrono::milliseconds(0));
  EXPECT_NE(probe.trouble().find("No such file"), std::string::npos) << probe.trouble();
  std::filesystem::create_directory(data);
  EXPECT_EQ(probe.trouble(), "");
  EXPECT_TRUE(std::filesystem::is_empty(data));
  serve::WriteProbe lazy(data, std::chrono::hours(1));
  EXPECT_EQ(lazy.trouble(), "");
  std::filesystem::remove(data);
  EXPECT_EQ(lazy.trouble(), "") << "as it was found not long ago";
  EXPECT_NE(probe.trouble(), "");
}

TEST(Reports, AnswersWorkersStatusAndWhy) {
  Desk desk;
  const std::string path = desk.campaign(9);
  const std::string ann = desk.worker(path, "ann");
  const std::string item = first_item(desk.post(path + "/assignments", ann));
  desk.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
  const Answered answers = desk.get(path + "/answers?limit=2", desk.requester);
  EXPECT_EQ(count_of(answers, "answers"), 2U);
  EXPECT_EQ(count_of(desk.get(path + "/answers?cursor=" + answers.text("next"), desk.requester),
                     "answers"),
            7U);
  for (const char* what : {"/answers", "/workers", "/status"}) {
    const Answered fresh = desk.get(path + what, desk.requester);
    const Ask same{.path = path + what,
                   .token = desk.requester,
                   .fields = {{"If-None-Match", fresh.field("ETag")}}};
    EXPECT_EQ(desk.ask(same).status, 304) << what;
    desk.post(path + "/assignments", ann);
    EXPECT_EQ(desk.ask(same).status, 200) << what;
  }
  const Answered why = desk.get(path + "/explain?item=" + item + "&worker=ann", desk.requester);
  EXPECT_EQ(why.json().at("workers").at(0).at("label").as_string(), "yes");
  EXPECT_EQ(why.json().at("fields").at("text").as_string(), "text of " + item);
  EXPECT_EQ(desk.get(path + "/explain?item=zzz", desk.requester).status, 404);
  EXPECT_EQ(desk.get(path + "/explain", desk.requester).status, 400);
  EXPECT_EQ(desk.get(path + "/answers?cursor=x", desk.requester).status, 400);
}

TEST(Reports, EventsAndExports) {
  Desk desk;
  const std::string path = desk.campaign(3);
  const std::string ann = desk.worker(path, "ann");
  const std::string item = first_item(desk.post(path + "/assignments", ann));
  desk.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
  const Answered events = desk.get(path + "/events", desk.requester);
  std::vector<std::string> names;
  for (const auto& one : events.json().at("events").as_array()) {
    names.emplace_back(one.at("event").as_string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"created", "items-added", "worker-joined", "leased",
                                             "answered"}));
  const Answered rest = desk.get(path + "/events?after=3&limit=1", desk.requester);
  EXPECT_EQ(rest.json().at("next").as_int64(), 4);
  EXPECT_EQ(count_of(desk.get(path + "/events?after=5", desk.requester), "events"), 0U);
  const Answered labels = desk.get(path + "/export/labels", desk.requester);
  EXPECT_EQ(labels.body, "item,worker,label,time,price,how,truth\n" + item +
                             ",ann,yes,2027-01-15T08:00:00Z,1,leased,\n");
  EXPECT_EQ(labels.field("Content-Disposition"), "attachment; filename=\"labels.csv\"");
  for (const char* what : {"labels", "answers", "probabilities", "workers", "events"}) {
    const Answered lines = desk.get(path + "/export/" + what + "?format=jsonl", desk.requester);
    EXPECT_EQ(lines.field("Content-Type"), "application/x-ndjson");
    const std::string first = lines.body.substr(0, lines.body.find('\n'));
    EXPECT_TRUE(json::parse(first).is_object()) << first;
  }
  EXPECT_EQ(desk.get(path + "/export/secrets", desk.requester).status, 404);
  EXPECT_EQ(desk.get(path + "/export/labels?format=pdf", desk.requester).status, 400);
  EXPECT_EQ(desk.get(path + "/export/events?format=crowd-kit", desk.requester).status, 400);
}

TEST(Documents, AreMadeOfTheTable) {
  Desk desk;
  const Answered document = desk.get("/openapi.json", "");
  EXPECT_EQ(document.json().at("openapi").as_string(), "3.1.0");
  const std::string tag = document.field("ETag");
  const auto status_with = [&](const std::string& known) {
    return desk.ask({.path = "/openapi.json", .fields = {{"If-None-Match", known}}}).status;
  };
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    EXPECT_EQ(status_with(known), 304) << known;
  }
  EXPECT_EQ(status_with("\"other\""), 200);
  std::set<std::string> names;
  for (const Route& route : desk.service().routes()) {
    EXPECT_TRUE(names.insert(route.name).second) << route.name << " twice";
    EXPECT_EQ(document.json().at("paths").as_object().contains(route.pattern), !route.page);
  }
  const Answered page = desk.get("/docs", "");
  EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
  EXPECT_EQ(page.body.find("style="), std::string::npos);
  EXPECT_EQ(desk.get("/docs.css", "").status, 200);
  EXPECT_EQ(desk.get("/healthz", "").status, 200);
  EXPECT_EQ(desk.get("/readyz", "").status, 200);
  desk.hub().stop();
  EXPECT_EQ(desk.get("/readyz", "").status, 503);
}

TEST(Body, RemembersTheFirstThingThatIsWrong) {
  const auto wrong = [](std::string_view text, auto read) {
    serve::Body body = serve::Body::parse(text);
    read(body);
    const auto error = body.done();
    return error ? error->message : "";
  };
  const auto text = [](serve::Body& body) { body.text("a"); };
  EXPECT_EQ(wrong(R"({"a": "x"})", text), "");
  EXPECT_EQ(wrong(R"({"a": 1})", text), "a is a number; expected a text");
  EXPECT_EQ(wrong(R"({"a": null})", text), "a is missing; expected a text");
  EXPECT_EQ(wrong(R"({"a": "x", "b": 1})", text),
            "'b' is unknown here; expected a, did you mean 'a'?");
  EXPECT_EQ(wrong(R"({"a": "x\u0000y"})", text), "a has a zero byte; expected none");
  const auto whole = [](serve::Body& body) { body.whole("a", 1, 1, 9); };
  EXPECT_EQ(wrong(R"({"a": 1.5})", whole), "a is 1.5; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": -1})", whole), "a is -1; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": 1e30})", whole), "a is 1e+30; expected a whole number from 1 to 9");
  EXPECT_EQ(wrong(R"({"a": 10})", whole), "a is 10; expected at most 9");
  EXPECT_EQ(wrong(R"({"a": [{"b": 1}]})",
                  [](serve::Body& body) {
                    for (serve::Body& one : body.objects("a", 5)) {
                      one.text("b");
                      one.done();
                    }
                  }),
            "a[0].b is a number; expected a text");
  EXPECT_NE(wrong(std::string(100, '['), [](serve::Body&) {}).find("no JSON"), std::string::npos);
}

TEST(Load, ThirtyTwoThreadsAskAndAnswer) {
  Desk desk;
  constexpr int kThreads = 32, kLabels = 20;
  const std::string path = desk.campaign(200, R"(, "labels_an_item": 5)");
  std::vector<std::thread> threads;
  std::atomic<int> recorded = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, token = desk.worker(path, "w" + std::to_string(t))] {
      Answered asked = desk.post(path + "/assignments", token);
      std::string item = first_item(asked);
      for (int n = 0; n < kLabels; ++n) {
        const std::string key = "k" + std::to_string(n);
        const std::string body = "{\"item\": \"" + item + "\", \"label\": \"yes\", \"next\": 1}";
        const Answered given = desk.post(path + "/labels", token, body, key);
        ASSERT_EQ(given.status, 200) << given.body;
        recorded += given.json().at("labels").at(0).at("outcome").as_string() == "recorded";
        if (n % 5 == 0) {
          ASSERT_EQ(desk.post(path + "/labels", token, body, key).body, given.body);
        }
        ASSERT_EQ(given.json().at("next").at("assignments").as_array().size(), 1U);
        item = given.json().at("next").at("assignments").at(0).at("item").as_string();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(recorded, kThreads * kLabels);
  const json::value now = desk.get(path, desk.requester).json();
  EXPECT_EQ(now.at("labels").as_int64(), kThreads * kLabels);
  EXPECT_EQ(now.at("leases").as_int64(), kThreads);
  EXPECT_EQ(now.at("spent").to_number<double>(), kThreads * kLabels);
  EXPECT_EQ(now.at("reserved").to_number<double>(), kThreads);
  const auto figures = desk.hub().figures();
  EXPECT_LE(figures.batches, figures.commands + 10) << "requests share commits";
  desk.hub().stop();
  const auto store =
      store::open_sqlite(desk.data() + "/campaigns/" + path.substr(path.rfind('/') + 1) + ".db");
  ASSERT_TRUE(store);
  const auto campaign = campaign::Campaign::open(**store, "Reviews");
  ASSERT_TRUE(campaign);
  const auto verified = (*campaign)->verify();
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->differences.empty()) << verified->differences.front();
}

}  // namespace
}  // namespace allot::test
