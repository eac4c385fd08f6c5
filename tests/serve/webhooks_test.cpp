// Delivery of messages to webhooks.
#include "serve/webhooks.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>

#include "serve/secret.hpp"
#include "serve/webhook_fixture.hpp"
#include "store/sqlite.hpp"
#include "support/http_client.hpp"
#include "support/rude_server.hpp"

namespace allot::test::webhooks_test {
namespace {

TEST(Webhooks, TellEverythingInOrderAndSigned) {
  Receiver receiver;
  TestApi api(options());
  const std::string path = api.campaign(3, R"(, "labels_per_item": 1, "lease": "5m")");
  label(api, path, "before");
  const Hook all = hook(api, path, receiver.url(), kEverything);
  label(api, path, "ann");
  receiver.wait_for(2);
  api.post(path + "/assignments", api.requester, R"({"worker": "bob"})");
  api.now += 301'000'000;
  receiver.wait_for(3);
  ASSERT_EQ(patch(api, path, R"({"budget": 2})").status, 200);
  receiver.wait_for(4);
  api.post(path + "/close", api.requester, R"({"reason": "enough"})");
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
    const json::array list = deliveries(api, all.path);
    return list.size() == 5 && std::ranges::all_of(list, [](const json::value& one) {
             return one.at("state").as_string() == "delivered";
           });
  }));
  EXPECT_EQ(deliveries(api, all.path)[0].at("type").as_string(), "campaign.closed");
  EXPECT_EQ(api.get(all.path + "/deliveries?limit=2", api.requester)
                .json()
                .at("deliveries")
                .as_array()
                .size(),
            2U);
  const std::string metrics = api.get("/metrics", api.admin).body;
  EXPECT_NE(metrics.find("allot_webhook_deliveries_total{result=\"delivered\"} 5\n"),
            std::string::npos);
}

TEST(Webhooks, TryAgainUnderTheSameIdWhenItIsTime) {
  Receiver receiver;
  receiver.answer = [](std::size_t n) { return n <= 2 ? 500 : 204; };
  TestApi api(options());
  const std::string path = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  label(api, path, "ann");
  receiver.wait_for(1);
  const auto state = [&] {
    const json::array list = deliveries(api, one.path);
    return list.empty() ? json::value() : list[0];
  };
  const auto attempts = [&](std::int64_t count) {
    return eventually([&] { return !state().is_null() && state().at("attempts") == count; });
  };
  ASSERT_TRUE(attempts(1));
  EXPECT_EQ(state().at("state").as_string(), "waiting");
  EXPECT_EQ(state().at("status").as_int64(), 500);
  EXPECT_EQ(state().at("next_attempt").as_string(), "2027-01-15T08:00:05Z");
  EXPECT_TRUE(eventually([&] { return shown(api, one.path).at("failing_since").is_string(); }));
  api.now += 4'999'999;
  // Another message goes out meanwhile, so this one had its chance.
  EXPECT_EQ(api.post(one.path + "/test", api.requester).status, 202);
  EXPECT_EQ(receiver.wait_for(2)[1].type(), "webhook.test");
  api.now += 1;
  const auto got = receiver.wait_for(3);
  EXPECT_EQ(got[2].id, got[0].id);
  EXPECT_EQ(got[2].body, got[0].body);
  EXPECT_NE(got[2].timestamp, got[0].timestamp);
  EXPECT_NE(got[2].signature, got[0].signature);
  EXPECT_EQ(got[2].signature, signature(one.secret, got[2]));
  api.now += 60'000'000;
  EXPECT_EQ(receiver.wait_for(4)[3].id, got[1].id);
  EXPECT_TRUE(eventually([&] {
    const json::array list = deliveries(api, one.path);
    return list[0].at("state") == "delivered" && list[1].at("state") == "delivered";
  }));
  EXPECT_TRUE(eventually([&] { return shown(api, one.path).at("failing_since").is_null(); }));
  const std::string metrics = api.get("/metrics", api.admin).body;
  EXPECT_NE(metrics.find("allot_webhook_deliveries_total{result=\"retried\"} 2\n"),
            std::string::npos);
}

TEST(Webhooks, GiveUpInTheEndAndAreSwitchedOffAfterDays) {
  Receiver receiver;
  receiver.answer_always(302);
  serve::ServiceOptions set = options();
  set.webhooks.waits = {1s, 2s};
  set.webhooks.kept = 2;
  TestApi api(set);
  const std::string path = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  label(api, path, "ann");
  for (std::size_t n = 1; n <= 3; ++n) {
    receiver.wait_for(n);
    EXPECT_TRUE(eventually([&] {
      return deliveries(api, one.path)[0].at("attempts") == static_cast<std::int64_t>(n);
    }));
    api.now += 2'000'000;
  }
  EXPECT_EQ(deliveries(api, one.path)[0].at("state").as_string(), "failed");
  EXPECT_EQ(receiver.ids().size(), 1U);
  EXPECT_TRUE(shown(api, one.path).at("active").as_bool());
  api.now += 72LL * 3600 * 1'000'000;
  label(api, path, "bob");
  receiver.wait_for(4);
  EXPECT_TRUE(eventually([&] { return !shown(api, one.path).at("active").as_bool(); }));
  EXPECT_EQ(shown(api, one.path).at("off_reason").as_string(),
            "all deliveries have failed since 2027-01-15T08:00:00Z");
  EXPECT_EQ(api.post(one.path + "/test", api.requester).code(), "conflict");
  // Switched on again, it goes on with what it missed.
  label(api, path, "eve");
  receiver.answer_always(200);
  api.now += 60'000'000;
  const ApiResponse on = patch(api, one.path, R"({"active": true})");
  EXPECT_TRUE(on.json().at("off_reason").is_null());
  const auto got = receiver.wait_for(6);
  EXPECT_EQ(got[4].id, got[3].id) << "what waited";
  EXPECT_NE(got[5].body.find("eve"), std::string::npos);
  EXPECT_EQ(patch(api, one.path, R"({"active": false})").json().at("off_reason"), nullptr);
  label(api, path, "kim");
  EXPECT_EQ(patch(api, one.path, R"({"active": true})").status, 200);
  EXPECT_NE(receiver.wait_for(7)[6].body.find("kim"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return deliveries(api, one.path).size() == 2; }))
      << "only the last ones are kept";
}

TEST(Webhooks, TimeOutsAndClosedConnectionsAreFailures) {
  Receiver receiver;
  receiver.answer_always(0);
  serve::ServiceOptions set = options();
  set.webhooks.client.answer_time = 20ms;
  TestApi api(set);
  const std::string path = api.campaign();
  const Hook slow = hook(api, path, receiver.url());
  label(api, path, "ann");
  const auto trouble = [&](const Hook& one) {
    return eventually([&] {
      const json::array list = deliveries(api, one.path);
      return !list.empty() && list[0].at("trouble").is_string();
    })
               ? std::string(deliveries(api, one.path)[0].at("trouble").as_string())
               : "";
  };
  EXPECT_EQ(trouble(slow), "there was no response in time");
  const std::string id(deliveries(api, slow.path)[0].at("id").as_string());
  const auto attempts = [&](int count) {
    return eventually([&] { return deliveries(api, slow.path)[0].at("attempts") == count; });
  };
  // The same message goes to another address once it is due.
  api.reopen(options());
  auto rude = std::make_unique<Rude>("");
  EXPECT_EQ(patch(api, slow.path, "{\"url\": \"" + rude->url + "\"}").status, 200);
  api.now += 5'000'000;
  EXPECT_TRUE(attempts(2));
  EXPECT_EQ(trouble(slow), "the connection was closed before there was a response");
  EXPECT_NE(rude->heard().at(0).find("webhook-id: " + id + "\r\n"), std::string::npos);
  rude.reset();
  api.now += 60'000'000;
  EXPECT_TRUE(attempts(3));
  EXPECT_NE(trouble(slow).find("no connection"), std::string::npos);
  receiver.answer_always(200);
  EXPECT_EQ(patch(api, slow.path, "{\"url\": \"" + receiver.url() + "\"}").status, 200);
  api.now += 300'000'000;
  EXPECT_TRUE(attempts(4));
  EXPECT_EQ(receiver.got().back().id, id);
}

TEST(Webhooks, OneThatHangsHoldsUpNoOther) {
  Receiver hanging, quick;
  hanging.answer_always(0);
  serve::ServiceOptions set = options();
  set.webhooks.client.answer_time = 10min;
  TestApi api(set);
  const std::string path = api.campaign(50);
  for (int n = 0; n < 9; ++n) hook(api, path, hanging.url());
  hook(api, path, quick.url());
  for (int n = 0; n < 30; ++n) label(api, path, "w" + std::to_string(n));
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
  TestApi api(set);
  const std::string path = api.campaign(60, R"(, "labels_per_item": 2)");
  const Hook one = hook(api, path, receiver.url(), R"(["label.created", "item.settled"])");
  const Hook other = hook(api, path, receiver.url(), R"(["item.settled"])");
  for (int round = 0; round < 12; ++round) {
    for (int n = 0; n < 8; ++n) {
      // Some happen while nobody looks.
      if (round % 3 == 2 && n == 4) api.service().webhooks().stop();
      label(api, path, "w" + std::to_string(round * 8 + n));
    }
    api.reopen(set);
  }
  receiver.answer_always(200);
  api.reopen(set);
  std::set<std::string> expected;
  std::map<std::string, std::string> body_of;
  const auto id = [](const Hook& hook, std::int64_t sequence, int place) {
    return "msg_" + hook.path.substr(hook.path.rfind('/') + 1) + "_" + std::to_string(sequence) +
           "_" + std::to_string(place);
  };
  std::map<std::string, int> labels;
  const ApiResponse events = api.get(path + "/events?limit=1000", api.requester);
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
  TestApi api(options());
  const std::string path = api.campaign(20);
  const Hook one = hook(api, path, receiver.url());
  for (int n = 0; n < 5; ++n) label(api, path, "a" + std::to_string(n));
  receiver.wait_for(1);
  EXPECT_TRUE(eventually([&] { return deliveries(api, one.path).size() == 5; }));
  // The folder as a crash leaves it, while the first message is under way.
  const Folder image;
  std::filesystem::copy(api.data(), image / "data", std::filesystem::copy_options::recursive);
  serve::HubOptions hub{.folder = image / "data"};
  hub.clock = [&] { return api.hub().now(); };
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
  TestApi api(set);
  const std::string path = api.campaign(50);
  const Hook one = hook(api, path, receiver.url());
  for (int n = 0; n < 40; ++n) label(api, path, "w" + std::to_string(n));
  receiver.wait_for(4);
  EXPECT_LE(deliveries(api, one.path).size(), 5U);
  EXPECT_LT(shown(api, one.path).at("cursor").as_int64(), 40);
  EXPECT_TRUE(
      eventually([&] { return api.post(one.path + "/test", api.requester).status == 409; }));
  receiver.answer_always(200);
  EXPECT_TRUE(eventually([&] {
    api.now += 5'000'000;
    std::set<std::string> labels;
    for (const auto& got : receiver.got()) {
      if (got.type() == "label.created") labels.insert(got.id);
    }
    return labels.size() == 40;
  }));
}

TEST(Webhooks, ARevokedTokenSendsNoMore) {
  Receiver receiver;
  TestApi api(options());
  const std::string path = api.campaign();
  const Hook one = hook(api, path, receiver.url());
  label(api, path, "ann");
  receiver.wait_for(1);
  const std::string owner = api.requester;
  const auto token = api.hub().vault().find(owner);
  api.requester = api.admin;
  ASSERT_TRUE(api.hub().vault().revoke(token->id, api.hub().now()));
  EXPECT_TRUE(eventually([&] { return !shown(api, one.path).at("active").as_bool(); }));
  EXPECT_EQ(shown(api, one.path).at("off_reason").as_string(),
            "the token that created it was revoked");
  label(api, path, "bob");
  EXPECT_EQ(receiver.got().size(), 1U);
  EXPECT_EQ(patch(api, one.path, R"({"active": true})").status, 200);
  EXPECT_NE(receiver.wait_for(2)[1].body.find("bob"), std::string::npos)
      << "an admin vouches for it now";
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

TEST(Webhooks, TheLogSaysWhenOneIsSwitchedOff) {
  serve::ServiceOptions set = options();
  std::mutex mutex;
  std::string log;
  set.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line + "\n";
  };
  TestApi api(set);
  Receiver receiver;
  const std::string path = api.campaign(5);
  const auto maker = api.hub().vault().issue({.role = serve::Role::admin}, api.hub().now());
  const ApiResponse made =
      api.post(path + "/webhooks", maker->text,
               "{\"url\": \"" + receiver.url() + "\", \"events\": [\"label.created\"]}");
  ASSERT_EQ(made.status, 201);
  ASSERT_TRUE(api.hub().vault().revoke(maker->token.id, api.hub().now()));
  EXPECT_TRUE(eventually([&] {
    const std::scoped_lock lock(mutex);
    return log.find("\"level\": \"warning\", \"what\": \"a webhook was switched off\"") !=
               std::string::npos &&
           log.find("the token that created it was revoked") != std::string::npos;
  })) << log;
}

}  // namespace
}  // namespace allot::test::webhooks_test
