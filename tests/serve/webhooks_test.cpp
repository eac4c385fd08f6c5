// Webhooks and a receiver on this machine: what is sent, in which order, how it is signed, and what
// becomes of it when receivers or the server fail.
#include "serve/webhooks.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sqlite3.h>

#include <set>

#include "serve/secret.hpp"
#include "store/sqlite.hpp"
#include "support/desk.hpp"
#include "support/http_client.hpp"
#include "support/receiver.hpp"
#include "support/rude_server.hpp"

namespace allot::test {
namespace {

using namespace std::chrono_literals;
using http::Method;

constexpr const char* kEverything =
    R"(["label.created", "item.settled", "budget.exhausted", "campaign.closed", "lease.expired"])";

serve::ServiceOptions options() {
  serve::ServiceOptions all = Desk::generous();
  all.private_webhooks = true;
  all.webhooks.tick = 2ms;
  all.webhooks.grace = 0ms;
  return all;
}

struct Hook {
  std::string path, secret;
};

Hook hook(Desk& desk, const std::string& campaign, const std::string& url,
          const std::string& events = R"(["label.created"])") {
  const Answered made = desk.post(campaign + "/webhooks", desk.requester,
                                  "{\"url\": \"" + url + "\", \"events\": " + events + "}");
  EXPECT_EQ(made.status, 201) << made.body;
  return {campaign + "/webhooks/" + std::string(made.json().at("webhook").at("id").as_string()),
          made.text("secret")};
}

json::value shown(Desk& desk, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const Answered listed = desk.get(path.substr(0, slash), desk.requester);
  for (const auto& one : listed.json().at("webhooks").as_array()) {
    if (one.at("id").as_string() == path.substr(slash + 1)) return one;
  }
  return nullptr;
}

json::array deliveries(Desk& desk, const std::string& path) {
  return desk.get(path + "/deliveries", desk.requester).json().at("deliveries").as_array();
}

Answered patch(Desk& desk, const std::string& path, const std::string& body) {
  return desk.ask({Method::patch, path, desk.requester, body});
}

/// A label by a worker of that name; each is one label.created.
void label(Desk& desk, const std::string& campaign, const std::string& worker) {
  const Answered asked =
      desk.post(campaign + "/assignments", desk.requester, "{\"worker\": \"" + worker + "\"}");
  ASSERT_EQ(asked.json().at("assignments").as_array().size(), 1U) << asked.body;
  const std::string item(asked.json().at("assignments").at(0).at("item").as_string());
  const Answered given =
      desk.post(campaign + "/labels", desk.requester,
                "{\"worker\": \"" + worker + "\", \"item\": \"" + item + "\", \"label\": \"yes\"}");
  ASSERT_EQ(given.status, 200) << given.body;
}

/// By OpenSSL, as a receiver would.
std::string signature(const std::string& secret, const Receiver::Got& got) {
  EXPECT_TRUE(secret.starts_with("whsec_"));
  const std::string text = secret.substr(6);
  std::vector<unsigned char> key(text.size());
  const int size = EVP_DecodeBlock(key.data(), reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  EXPECT_EQ(size, 33) << "32 bytes and one that stands for =";
  const std::string message = got.id + "." + got.timestamp + "." + got.body;
  unsigned char code[32];
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), 32, reinterpret_cast<const unsigned char*>(message.data()),
       message.size(), code, &length);
  std::string base64(45, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(base64.data()), code, 32);
  base64.pop_back();
  return "v1," + base64;
}

TEST(Secret, CodesAreThoseOfTheStandards) {
  EXPECT_EQ(serve::base64("foobar"), "Zm9vYmFy");  // RFC 4648
  EXPECT_EQ(serve::base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(serve::base64(""), "");
  EXPECT_EQ(serve::hex(serve::authentication_code("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");  // RFC 4231
}

TEST(Webhooks, TellEverythingInOrderAndSigned) {
  Receiver receiver;
  Desk desk(options());
  const std::string path = desk.campaign(3, R"(, "labels_an_item": 1, "lease": "5m")");
  label(desk, path, "before");
  const Hook all = hook(desk, path, receiver.url(), kEverything);
  label(desk, path, "ann");
  receiver.wait_for(2);
  desk.post(path + "/assignments", desk.requester, R"({"worker": "bob"})");
  desk.now += 301'000'000;
  receiver.wait_for(3);
  ASSERT_EQ(patch(desk, path, R"({"budget": 2})").status, 200);
  receiver.wait_for(4);
  desk.post(path + "/close", desk.requester, R"({"reason": "enough"})");
  const auto got = receiver.wait_for(5);
  std::vector<std::string> types;
  std::int64_t last = 0;
  for (const auto& one : got) {
    EXPECT_EQ(one.signature, signature(all.secret, one));
    EXPECT_TRUE(one.id.starts_with("msg_")) << one.id;
    EXPECT_EQ(one.id.find('.'), std::string::npos);
    const json::value body = json::parse(one.body);
    EXPECT_EQ(body.as_object().size(), 3U);
    types.push_back(one.type());
    const std::int64_t sequence = body.at("data").at("sequence").as_int64();
    EXPECT_GE(sequence, last);
    last = sequence;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"label.created", "item.settled", "lease.expired",
                                             "budget.exhausted", "campaign.closed"}));
  EXPECT_EQ(got[0].timestamp, "1800000000");
  EXPECT_EQ(got[4].timestamp, "1800000301");
  EXPECT_EQ(receiver.ids().size(), 5U);
  const json::value label = json::parse(got[0].body);
  EXPECT_EQ(label.at("data").at("worker").as_string(), "ann");
  EXPECT_EQ(label.at("data").at("how").as_string(), "leased");
  EXPECT_TRUE(eventually([&] {
    const json::array list = deliveries(desk, all.path);
    return list.size() == 5 && std::ranges::all_of(list, [](const json::value& one) {
             return one.at("state").as_string() == "delivered";
           });
  }));
  EXPECT_EQ(deliveries(desk, all.path)[0].at("type").as_string(), "campaign.closed");
  EXPECT_EQ(desk.get(all.path + "/deliveries?limit=2", desk.requester)
                .json()
                .at("deliveries")
                .as_array()
                .size(),
            2U);
  const std::string metrics = desk.get("/metrics", desk.admin).body;
  EXPECT_NE(metrics.find("allot_webhook_deliveries_total{result=\"delivered\"} 5\n"),
            std::string::npos);
}

TEST(Webhooks, TryAgainUnderTheSameIdWhenItIsTime) {
  Receiver receiver;
  receiver.answer = [](std::size_t n) { return n <= 2 ? 500 : 204; };
  Desk desk(options());
  const std::string path = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  label(desk, path, "ann");
  receiver.wait_for(1);
  const auto state = [&] {
    const json::array list = deliveries(desk, one.path);
    return list.empty() ? json::value() : list[0];
  };
  const auto attempts = [&](std::int64_t count) {
    return eventually([&] { return !state().is_null() && state().at("attempts") == count; });
  };
  ASSERT_TRUE(attempts(1));
  EXPECT_EQ(state().at("state").as_string(), "waiting");
  EXPECT_EQ(state().at("status").as_int64(), 500);
  EXPECT_EQ(state().at("next_attempt").as_string(), "2027-01-15T08:00:05Z");
  EXPECT_TRUE(eventually([&] { return shown(desk, one.path).at("failing_since").is_string(); }));
  desk.now += 4'999'999;
  // Another message goes out meanwhile, so this one had its chance.
  EXPECT_EQ(desk.post(one.path + "/test", desk.requester).status, 202);
  EXPECT_EQ(receiver.wait_for(2)[1].type(), "webhook.test");
  desk.now += 1;
  const auto got = receiver.wait_for(3);
  EXPECT_EQ(got[2].id, got[0].id);
  EXPECT_EQ(got[2].body, got[0].body);
  EXPECT_NE(got[2].timestamp, got[0].timestamp);
  EXPECT_NE(got[2].signature, got[0].signature);
  EXPECT_EQ(got[2].signature, signature(one.secret, got[2]));
  desk.now += 60'000'000;
  EXPECT_EQ(receiver.wait_for(4)[3].id, got[1].id);
  EXPECT_TRUE(eventually([&] {
    const json::array list = deliveries(desk, one.path);
    return list[0].at("state") == "delivered" && list[1].at("state") == "delivered";
  }));
  EXPECT_TRUE(eventually([&] { return shown(desk, one.path).at("failing_since").is_null(); }));
  const std::string metrics = desk.get("/metrics", desk.admin).body;
  EXPECT_NE(metrics.find("allot_webhook_deliveries_total{result=\"retried\"} 2\n"),
            std::string::npos);
}

TEST(Webhooks, GiveUpInTheEndAndAreSwitchedOffAfterDays) {
  Receiver receiver;
  receiver.answer_always(302);
  serve::ServiceOptions set = options();
  set.webhooks.waits = {1s, 2s};
  set.webhooks.kept = 2;
  Desk desk(set);
  const std::string path = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  label(desk, path, "ann");
  for (std::size_t n = 1; n <= 3; ++n) {
    receiver.wait_for(n);
    EXPECT_TRUE(eventually([&] {
      return deliveries(desk, one.path)[0].at("attempts") == static_cast<std::int64_t>(n);
    }));
    desk.now += 2'000'000;
  }
  EXPECT_EQ(deliveries(desk, one.path)[0].at("state").as_string(), "failed");
  EXPECT_EQ(receiver.ids().size(), 1U);
  EXPECT_TRUE(shown(desk, one.path).at("active").as_bool());
  desk.now += 72LL * 3600 * 1'000'000;
  label(desk, path, "bob");
  receiver.wait_for(4);
  EXPECT_TRUE(eventually([&] { return !shown(desk, one.path).at("active").as_bool(); }));
  EXPECT_EQ(shown(desk, one.path).at("off_reason").as_string(),
            "nothing was delivered since 2027-01-15T08:00:00Z");
  EXPECT_EQ(desk.post(one.path + "/test", desk.requester).code(), "conflict");
  // Switched on again, it goes on with what it missed.
  label(desk, path, "eve");
  receiver.answer_always(200);
  desk.now += 60'000'000;
  const Answered on = patch(desk, one.path, R"({"active": true})");
  EXPECT_TRUE(on.json().at("off_reason").is_null());
  const auto got = receiver.wait_for(6);
  EXPECT_EQ(got[4].id, got[3].id) << "what waited";
  EXPECT_NE(got[5].body.find("eve"), std::string::npos);
  EXPECT_EQ(patch(desk, one.path, R"({"active": false})").json().at("off_reason"), nullptr);
  label(desk, path, "kim");
  EXPECT_EQ(patch(desk, one.path, R"({"active": true})").status, 200);
  EXPECT_NE(receiver.wait_for(7)[6].body.find("kim"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return deliveries(desk, one.path).size() == 2; }))
      << "only the last ones are kept";
}

TEST(Webhooks, TimeOutsAndClosedConnectionsAreFailures) {
  Receiver receiver;
  receiver.answer_always(0);
  serve::ServiceOptions set = options();
  set.webhooks.client.answer_time = 20ms;
  Desk desk(set);
  const std::string path = desk.campaign();
  const Hook slow = hook(desk, path, receiver.url());
  label(desk, path, "ann");
  const auto trouble = [&](const Hook& one) {
    return eventually([&] {
      const json::array list = deliveries(desk, one.path);
      return !list.empty() && list[0].at("trouble").is_string();
    })
               ? std::string(deliveries(desk, one.path)[0].at("trouble").as_string())
               : "";
  };
  EXPECT_EQ(trouble(slow), "there was no answer in time");
  const std::string id(deliveries(desk, slow.path)[0].at("id").as_string());
  const auto attempts = [&](int count) {
    return eventually([&] { return deliveries(desk, slow.path)[0].at("attempts") == count; });
  };
  // The same message goes to another address once it is due.
  desk.reopen(options());
  auto rude = std::make_unique<Rude>("");
  EXPECT_EQ(patch(desk, slow.path, "{\"url\": \"" + rude->url + "\"}").status, 200);
  desk.now += 5'000'000;
  EXPECT_TRUE(attempts(2));
  EXPECT_EQ(trouble(slow), "the connection was closed before there was an answer");
  EXPECT_NE(rude->heard().at(0).find("webhook-id: " + id + "\r\n"), std::string::npos);
  rude.reset();
  desk.now += 60'000'000;
  EXPECT_TRUE(attempts(3));
  EXPECT_NE(trouble(slow).find("no connection"), std::string::npos);
  receiver.answer_always(200);
  EXPECT_EQ(patch(desk, slow.path, "{\"url\": \"" + receiver.url() + "\"}").status, 200);
  desk.now += 300'000'000;
  EXPECT_TRUE(attempts(4));
  EXPECT_EQ(receiver.got().back().id, id);
}

TEST(Webhooks, OneThatHangsHoldsUpNoOther) {
  Receiver hanging, quick;
  hanging.answer_always(0);
  serve::ServiceOptions set = options();
  set.webhooks.client.answer_time = 10min;
  Desk desk(set);
  const std::string path = desk.campaign(50);
  for (int n = 0; n < 9; ++n) hook(desk, path, hanging.url());
  hook(desk, path, quick.url());
  for (int n = 0; n < 30; ++n) label(desk, path, "w" + std::to_string(n));
  const auto got = quick.wait_for(30);
  for (std::size_t n = 0; n < 30; ++n) {
    EXPECT_NE(got[n].body.find("\"w" + std::to_string(n) + "\""), std::string::npos) << "in order";
  }
  EXPECT_EQ(hanging.wait_for(9).size(), 9U) << "one message at a time each";
}

TEST(Webhooks, NothingIsLostHoweverOftenTheServerStops) {
  Receiver receiver;
  // Every third is taken without an answer: the server cannot know.
  receiver.answer = [](std::size_t n) { return n % 3 == 0 ? 0 : 200; };
  serve::ServiceOptions set = options();
  set.webhooks.page = 3;
  Desk desk(set);
  const std::string path = desk.campaign(60, R"(, "labels_an_item": 2)");
  const Hook one = hook(desk, path, receiver.url(), R"(["label.created", "item.settled"])");
  const Hook other = hook(desk, path, receiver.url(), R"(["item.settled"])");
  for (int round = 0; round < 12; ++round) {
    for (int n = 0; n < 8; ++n) {
      // Some happen while nobody looks.
      if (round % 3 == 2 && n == 4) desk.service().webhooks().stop();
      label(desk, path, "w" + std::to_string(round * 8 + n));
    }
    desk.reopen(set);
  }
  receiver.answer_always(200);
  desk.reopen(set);
  std::set<std::string> expected;
  std::map<std::string, std::string> body_of;
  const auto id = [](const Hook& hook, std::int64_t sequence, int place) {
    return "msg_" + hook.path.substr(hook.path.rfind('/') + 1) + "_" + std::to_string(sequence) +
           "_" + std::to_string(place);
  };
  std::map<std::string, int> labels;
  const Answered events = desk.get(path + "/events?limit=1000", desk.requester);
  for (const auto& event : events.json().at("events").as_array()) {
    if (event.at("event").as_string() != "answered") continue;
    const std::int64_t sequence = event.at("sequence").as_int64();
    expected.insert(id(one, sequence, 0));
    if (++labels[std::string(event.at("item").as_string())] < 2) continue;
    expected.insert(id(one, sequence, 1));
    expected.insert(id(other, sequence, 1));
  }
  EXPECT_GT(expected.size(), 100U);
  EXPECT_TRUE(eventually([&] { return receiver.ids().size() >= expected.size(); }));
  EXPECT_EQ(receiver.ids(), expected);
  for (const auto& got : receiver.got()) {
    const auto [known, fresh] = body_of.emplace(got.id, got.body);
    EXPECT_EQ(known->second, got.body) << "the same id, the same message";
  }
}

TEST(Webhooks, ACrashLosesNothing) {
  Receiver receiver;
  receiver.answer_always(0);
  Desk desk(options());
  const std::string path = desk.campaign(20);
  const Hook one = hook(desk, path, receiver.url());
  for (int n = 0; n < 5; ++n) label(desk, path, "a" + std::to_string(n));
  receiver.wait_for(1);
  EXPECT_TRUE(eventually([&] { return deliveries(desk, one.path).size() == 5; }));
  // The folder as a crash leaves it, while the first message is under way.
  const Folder image;
  std::filesystem::copy(desk.data(), image / "data", std::filesystem::copy_options::recursive);
  serve::HubOptions hub{.folder = image / "data"};
  hub.clock = [&] { return desk.hub().now(); };
  const auto again = serve::Hub::open(std::move(hub)).value();
  const std::string first = receiver.got()[0].id;
  receiver.answer_always(200);
  {
    serve::Service service(*again, options());
    EXPECT_TRUE(eventually([&] { return receiver.ids().size() == 5; }));
    again->stop();
  }
  EXPECT_EQ(receiver.got()[1].id, first) << "it is sent again";
}

TEST(Webhooks, MessagesThatWaitAreLimitedButNotLost) {
  Receiver receiver;
  receiver.answer_always(500);
  serve::ServiceOptions set = options();
  set.webhooks.most_waiting = 4;
  set.webhooks.page = 2;
  Desk desk(set);
  const std::string path = desk.campaign(50);
  const Hook one = hook(desk, path, receiver.url());
  for (int n = 0; n < 40; ++n) label(desk, path, "w" + std::to_string(n));
  receiver.wait_for(4);
  EXPECT_LE(deliveries(desk, one.path).size(), 5U);
  EXPECT_LT(shown(desk, one.path).at("cursor").as_int64(), 40);
  EXPECT_TRUE(
      eventually([&] { return desk.post(one.path + "/test", desk.requester).status == 409; }));
  receiver.answer_always(200);
  EXPECT_TRUE(eventually([&] {
    desk.now += 5'000'000;
    std::set<std::string> labels;
    for (const auto& got : receiver.got()) {
      if (got.type() == "label.created") labels.insert(got.id);
    }
    return labels.size() == 40;
  }));
}

TEST(Webhooks, ARevokedTokenSendsNoMore) {
  Receiver receiver;
  Desk desk(options());
  const std::string path = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  label(desk, path, "ann");
  receiver.wait_for(1);
  const std::string owner = desk.requester;
  const auto token = desk.hub().vault().find(owner);
  desk.requester = desk.admin;
  ASSERT_TRUE(desk.hub().vault().revoke(token->id, desk.hub().now()));
  EXPECT_TRUE(eventually([&] { return !shown(desk, one.path).at("active").as_bool(); }));
  EXPECT_EQ(shown(desk, one.path).at("off_reason").as_string(),
            "the token of its maker was revoked");
  label(desk, path, "bob");
  EXPECT_EQ(receiver.got().size(), 1U);
  EXPECT_EQ(patch(desk, one.path, R"({"active": true})").status, 200);
  EXPECT_NE(receiver.wait_for(2)[1].body.find("bob"), std::string::npos)
      << "an admin vouches for it now";
}

TEST(Webhooks, AreMadeListedChangedAndDeleted) {
  Receiver receiver, other;
  Desk desk(options());
  const std::string path = desk.campaign(), elsewhere = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  const Answered changed = patch(
      desk, one.path,
      "{\"url\": \"" + other.url() + R"(", "events": ["item.settled"], "description": "ours"})");
  EXPECT_EQ(changed.text("description"), "ours");
  EXPECT_EQ(changed.text("url"), other.url());
  EXPECT_EQ(json::serialize(changed.json().at("events")), R"(["item.settled"])");
  EXPECT_EQ(shown(desk, one.path), changed.json());
  label(desk, path, "ann");
  desk.post(path + "/settle", desk.requester, R"({"item": "i0"})");
  EXPECT_EQ(other.wait_for(1)[0].type(), "item.settled");
  EXPECT_TRUE(receiver.got().empty());
  const std::string id = one.path.substr(one.path.rfind('/') + 1);
  EXPECT_EQ(patch(desk, elsewhere + "/webhooks/" + id, "{}").status, 404) << "of another campaign";
  EXPECT_EQ(desk.get(elsewhere + "/webhooks/" + id + "/deliveries", desk.requester).status, 404);
  const Answered test = desk.post(one.path + "/test", desk.requester);
  EXPECT_EQ(other.wait_for(2)[1].id, test.text("id"));
  const auto remove = [&] { return desk.ask({Method::del, one.path, desk.requester}).status; };
  EXPECT_EQ(remove(), 204);
  EXPECT_EQ(remove(), 404);
  EXPECT_TRUE(shown(desk, one.path).is_null());
  for (int n = 0; n < 10; ++n) hook(desk, path, receiver.url());
  EXPECT_EQ(desk.post(path + "/webhooks", desk.requester,
                      R"({"url": "http://a.b", "events": ["item.settled"]})")
                .code(),
            "conflict")
      << "ten a campaign";
}

TEST(Webhooks, HostileAddressesAndBodiesAreRefused) {
  Desk desk;  // no private addresses
  const std::string path = desk.campaign();
  const auto made = [&](const std::string& url) {
    return desk.post(path + "/webhooks", desk.requester,
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
    EXPECT_EQ(made(url).status, 400) << url;
  }
  EXPECT_EQ(made("http://a.b/" + std::string(3000, 'x')).status, 413);
  const Answered good = made("https://example.org/hook");
  ASSERT_EQ(good.status, 201);
  const std::string one =
      path + "/webhooks/" + std::string(good.json().at("webhook").at("id").as_string());
  EXPECT_EQ(patch(desk, one, R"({"url": "http://127.0.0.1/"})").status, 400);
  for (const char* body :
       {"", "[]", R"({"url": "http://a.b"})", R"({"url": "http://a.b", "events": []})",
        R"({"url": "http://a.b", "events": ["label.eaten"]})",
        R"({"url": "http://a.b", "events": "label.created"})",
        R"({"url": 3, "events": ["label.created"]})", R"({"events": ["label.created"]})",
        R"({"url": "http://a.b", "events": ["label.created"], "secret": "mine"})"}) {
    EXPECT_EQ(desk.post(path + "/webhooks", desk.requester, body).status, 400) << body;
  }
  EXPECT_EQ(patch(desk, one, R"({"events": []})").status, 400);
  EXPECT_EQ(patch(desk, one, R"({"active": 1})").status, 400);
  EXPECT_EQ(patch(desk, one, R"({"cursor": 1})").status, 400);
}

TEST(Webhooks, PrivateAddressesAreCheckedWhenSomethingIsSentAsWell) {
  Receiver receiver;
  Desk desk(options());
  const std::string path = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  serve::ServiceOptions strict = options();
  strict.private_webhooks = false;
  desk.reopen(strict);
  label(desk, path, "ann");
  EXPECT_TRUE(eventually([&] {
    const json::array list = deliveries(desk, one.path);
    return !list.empty() && list[0].at("attempts") == 1;
  }));
  EXPECT_NE(deliveries(desk, one.path)[0].at("trouble").as_string().find("private address"),
            std::string::npos);
  EXPECT_TRUE(receiver.got().empty());
}

TEST(Webhooks, SecretsAreShownOnceAndNeverAgain) {
  Receiver receiver;
  std::mutex mutex;
  std::string log;
  serve::ServiceOptions set = options();
  set.log_level = serve::Level::debug;
  set.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line + "\n";
  };
  Desk desk(set);
  const std::string path = desk.campaign();
  const Hook one = hook(desk, path, receiver.url());
  const Hook two = hook(desk, path, receiver.url());
  EXPECT_NE(one.secret, two.secret);
  label(desk, path, "ann");
  const auto got = receiver.wait_for(2);
  std::string seen;
  for (const char* what : {"/webhooks", "/events", "/export/events?format=jsonl", "/status"}) {
    seen += desk.get(path + what, desk.requester).body;
  }
  seen += desk.get(one.path + "/deliveries", desk.requester).body;
  seen += patch(desk, one.path, R"({"description": "x"})").body;
  seen += desk.post(one.path + "/test", desk.requester).body;
  seen += desk.get("/metrics", desk.admin).body;
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

TEST(Webhooks, AFolderFromBeforeThemIsBroughtUpToDate) {
  const Folder folder;
  std::filesystem::create_directories(folder / "data");
  {
    // As the first version of the service made it.
    auto file = store::Connection::open(folder / "data/server.db",
                                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    ASSERT_TRUE(file && (*file)->execute(R"(
      CREATE TABLE token (
        id TEXT PRIMARY KEY, role INTEGER NOT NULL, campaign TEXT NOT NULL, worker TEXT NOT NULL,
        label TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER, digest BLOB NOT NULL)
        STRICT, WITHOUT ROWID;
      CREATE TABLE campaign (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
      INSERT INTO campaign VALUES ('abc', 'Old', 'nobody', 5);
      PRAGMA application_id = 1634495603; PRAGMA user_version = 1)"));
  }
  for (int n = 0; n < 2; ++n) {
    const auto hub = serve::Hub::open({.folder = folder / "data"});
    ASSERT_TRUE(hub) << hub.error().message;
    EXPECT_EQ((*hub)->vault().campaign("abc")->name, "Old");
    EXPECT_EQ((*hub)->webhooks().list().value().size(), static_cast<std::size_t>(n));
    EXPECT_TRUE((*hub)->webhooks().make({.campaign = "abc", .url = "http://a.b"}, 10, 10));
  }
}

TEST(Webhooks, ANewSecretAndTheOldOneCountForADay) {
  Desk desk(options());
  Receiver receiver;
  const std::string path = desk.campaign(5);
  const Hook hooked = hook(desk, path, receiver.url());
  const Answered rotated = desk.post(hooked.path + "/secret", desk.requester);
  ASSERT_EQ(rotated.status, 200) << rotated.body;
  const std::string fresh = rotated.text("secret");
  EXPECT_NE(fresh, hooked.secret);
  EXPECT_EQ(rotated.text("old_secret_until"), "2027-01-16T08:00:00Z");
  EXPECT_EQ(shown(desk, hooked.path).at("old_secret_until").as_string(), "2027-01-16T08:00:00Z");
  label(desk, path, "ann");
  const auto both = receiver.wait_for(1).front();
  EXPECT_EQ(both.signature, signature(fresh, both) + " " + signature(hooked.secret, both));
  desk.now += std::int64_t{24} * 3600 * 1'000'000;
  label(desk, path, "bob");
  const auto later = receiver.wait_for(2).back();
  EXPECT_EQ(later.signature, signature(fresh, later));
  EXPECT_EQ(desk.post(path + "/webhooks/none/secret", desk.requester).status, 404);
}

TEST(Webhooks, TheLogSaysWhenOneIsSwitchedOff) {
  serve::ServiceOptions set = options();
  std::mutex mutex;
  std::string log;
  set.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line + "\n";
  };
  Desk desk(set);
  Receiver receiver;
  const std::string path = desk.campaign(5);
  const auto maker = desk.hub().vault().issue({.role = serve::Role::admin}, desk.hub().now());
  const Answered made =
      desk.post(path + "/webhooks", maker->text,
                "{\"url\": \"" + receiver.url() + "\", \"events\": [\"label.created\"]}");
  ASSERT_EQ(made.status, 201);
  ASSERT_TRUE(desk.hub().vault().revoke(maker->token.id, desk.hub().now()));
  EXPECT_TRUE(eventually([&] {
    const std::scoped_lock lock(mutex);
    return log.find("\"level\": \"warning\", \"what\": \"a webhook was switched off\"") !=
               std::string::npos &&
           log.find("the token of its maker was revoked") != std::string::npos;
  })) << log;
}

}  // namespace
}  // namespace allot::test
