// Webhooks: created, listed, changed, deleted; their secrets.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>

#include "serve/secret.hpp"
#include "serve/webhook_fixture.hpp"
#include "serve/webhooks.hpp"
#include "store/sqlite.hpp"
#include "support/http_client.hpp"
#include "support/rude_server.hpp"

namespace allot::test::webhook_routes_test {
namespace {

TEST(WebhookRoutes, AreMadeListedChangedAndDeleted) {
  Receiver receiver, other;
  TestApi api(options());
  const std::string path = api.campaign(), elsewhere = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  const ApiResponse changed = patch(
      api, one.path,
      "{\"url\": \"" + other.url() + R"(", "events": ["item.settled"], "description": "ours"})");
  EXPECT_EQ(changed.text("description"), "ours");
  EXPECT_EQ(changed.text("url"), other.url());
  EXPECT_EQ(json::serialize(changed.json().at("events")), R"(["item.settled"])");
  EXPECT_EQ(shown(api, one.path), changed.json());
  label(api, path, "ann");
  api.post(path + "/settle", api.requester, R"({"item": "i0"})");
  EXPECT_EQ(other.wait_for(1)[0].type(), "item.settled");
  EXPECT_TRUE(receiver.got().empty());
  const std::string id = one.path.substr(one.path.rfind('/') + 1);
  EXPECT_EQ(patch(api, elsewhere + "/webhooks/" + id, "{}").status, 404) << "of another campaign";
  EXPECT_EQ(api.get(elsewhere + "/webhooks/" + id + "/deliveries", api.requester).status, 404);
  const ApiResponse test = api.post(one.path + "/test", api.requester);
  EXPECT_EQ(other.wait_for(2)[1].id, test.text("id"));
  const auto remove = [&] { return api.ask({Method::del, one.path, api.requester}).status; };
  EXPECT_EQ(remove(), 204);
  EXPECT_EQ(remove(), 404);
  EXPECT_TRUE(shown(api, one.path).is_null());
  for (int n = 0; n < 10; ++n) hook(api, path, receiver.url());
  EXPECT_EQ(api.post(path + "/webhooks", api.requester,
                     R"({"url": "http://a.b", "events": ["item.settled"]})")
                .code(),
            "conflict")
      << "ten a campaign";
}

TEST(WebhookRoutes, PrivateAddressesAreCheckedWhenSomethingIsSentAsWell) {
  Receiver receiver;
  TestApi api(options());
  const std::string path = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  serve::ServiceOptions strict = options();
  strict.private_webhooks = false;
  api.reopen(strict);
  label(api, path, "ann");
  EXPECT_TRUE(eventually([&] {
    const json::array list = deliveries(api, one.path);
    return !list.empty() && list[0].at("attempts") == 1;
  }));
  EXPECT_NE(deliveries(api, one.path)[0].at("trouble").as_string().find("private address"),
            std::string::npos);
  EXPECT_TRUE(receiver.got().empty());
}

TEST(WebhookRoutes, SecretsAreShownOnceAndNeverAgain) {
  Receiver receiver;
  std::mutex mutex;
  std::string log;
  serve::ServiceOptions set = options();
  set.log_level = serve::Level::debug;
  set.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line + "\n";
  };
  TestApi api(set);
  const std::string path = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  const Hook two = hook(api, path, receiver.url());
  EXPECT_NE(one.secret, two.secret);
  label(api, path, "ann");
  const auto got = receiver.wait_for(2);
  std::string seen;
  for (const char* what : {"/webhooks", "/events", "/export/events?format=jsonl", "/status"}) {
    seen += api.get(path + what, api.requester).body;
  }
  seen += api.get(one.path + "/deliveries", api.requester).body;
  seen += patch(api, one.path, R"({"description": "x"})").body;
  seen += api.post(one.path + "/test", api.requester).body;
  seen += api.get("/metrics", api.admin).body;
  for (const auto& message : got) seen += message.body + message.id;
  const std::scoped_lock lock(mutex);
  EXPECT_FALSE(log.empty());
  for (const Hook& hidden : {one, two}) {
    EXPECT_EQ(seen.find(hidden.secret.substr(6)), std::string::npos);
    EXPECT_EQ(log.find(hidden.secret.substr(6)), std::string::npos);
  }
  EXPECT_EQ(seen.find("whsec_"), std::string::npos);
  EXPECT_EQ(log.find("whsec_"), std::string::npos);
  EXPECT_EQ(log.find("127.0.0.1"), std::string::npos) << "nor where messages go";
}

TEST(WebhookRoutes, ANewSecretAndTheOldOneCountForADay) {
  TestApi api(options());
  Receiver receiver;
  const std::string path = api.campaign(5);
  const Hook hooked = hook(api, path, receiver.url());
  const ApiResponse rotated = api.post(hooked.path + "/secret", api.requester);
  ASSERT_EQ(rotated.status, 200) << rotated.body;
  const std::string fresh = rotated.text("secret");
  EXPECT_NE(fresh, hooked.secret);
  EXPECT_EQ(rotated.text("old_secret_until"), "2027-01-16T08:00:00Z");
  EXPECT_EQ(shown(api, hooked.path).at("old_secret_until").as_string(), "2027-01-16T08:00:00Z");
  label(api, path, "ann");
  const auto both = receiver.wait_for(1).front();
  EXPECT_EQ(both.signature, signature(fresh, both) + " " + signature(hooked.secret, both));
  api.now += std::int64_t{24} * 3600 * 1'000'000;
  label(api, path, "bob");
  const auto later = receiver.wait_for(2).back();
  EXPECT_EQ(later.signature, signature(fresh, later));
  EXPECT_EQ(api.post(path + "/webhooks/none/secret", api.requester).status, 404);
}

TEST(WebhookRoutes, HostileAddressesAreRefused) {
  TestApi api;  // no private addresses
  const std::string path = api.campaign();
  const auto create = [&](const std::string& url) {
    return api.post(path + "/webhooks", api.requester,
                    json::serialize(json::value{{"url", url}, {"events", {"item.settled"}}}));
  };
  for (const std::string url : {"",
                                "example.org",
                                "ftp://example.org/",
                                "file:///etc/passwd",
                                "http://localhost/",
                                "http://LOCALHOST:8080/",
                                "http://a.localhost/",
                                "http://127.0.0.1/",
                                "http://127.1/",
                                "http://0/",
                                "http://2130706433/",
                                "http://0x7f000001/",
                                "http://017700000001/",
                                "http://[::1]/",
                                "http://[::ffff:127.0.0.1]/",
                                "http://[::ffff:7f00:1]/",
                                "http://[fe80::1]/",
                                "http://[fc00::1]/",
                                "http://10.1.2.3/",
                                "http://192.168.0.1/",
                                "http://172.20.0.1/",
                                "http://169.254.169.254/latest/meta-data",
                                "http://0.0.0.0/",
                                "http://100.64.0.1/",
                                "http://user:pass@example.org/",
                                "http://example.org@127.0.0.1/",
                                "http://example.org/\r\nX: y",
                                "http://example.org/#x",
                                "http://ex ample.org/",
                                "http://example.org:99999/",
                                "http://\xe2\x91\xa0.org/",
                                "javascript:alert(1)"}) {
    EXPECT_EQ(create(url).status, 400) << url;
  }
  EXPECT_EQ(create("http://a.b/" + std::string(3000, 'x')).status, 413);
  EXPECT_EQ(create("https://example.org/hook").status, 201);
}

TEST(WebhookRoutes, BadBodiesAreRefused) {
  TestApi api;
  const std::string path = api.campaign();
  for (const char* body :
       {"", "[]", R"({"url": "http://a.b"})", R"({"url": "http://a.b", "events": []})",
        R"({"url": "http://a.b", "events": ["label.eaten"]})",
        R"({"url": "http://a.b", "events": "label.created"})",
        R"({"url": 3, "events": ["label.created"]})", R"({"events": ["label.created"]})",
        R"({"url": "http://a.b", "events": ["label.created"], "secret": "mine"})"}) {
    EXPECT_EQ(api.post(path + "/webhooks", api.requester, body).status, 400) << body;
  }
}

TEST(WebhookRoutes, BadChangesAreRefused) {
  TestApi api;
  const std::string path = api.campaign();
  const ApiResponse good =
      api.post(path + "/webhooks", api.requester,
               R"({"url": "https://example.org", "events": ["item.settled"]})");
  ASSERT_EQ(good.status, 201);
  const std::string one =
      path + "/webhooks/" + std::string(good.json().at("webhook").at("id").as_string());
  for (const char* change : {R"({"url": "http://127.0.0.1/"})", R"({"events": []})",
                             R"({"active": 1})", R"({"cursor": 1})"}) {
    EXPECT_EQ(patch(api, one, change).status, 400) << change;
  }
}

TEST(Secret, CodesAreThoseOfTheStandards) {
  EXPECT_EQ(serve::base64("foobar"), "Zm9vYmFy");  // RFC 4648
  EXPECT_EQ(serve::base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(serve::base64(""), "");
  EXPECT_EQ(serve::hex(serve::authentication_code("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");  // RFC 4231
}

}  // namespace
}  // namespace allot::test::webhook_routes_test
