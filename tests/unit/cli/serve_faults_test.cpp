// `allot serve` when it is killed, when its disk is full, and with folders of other versions.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "support/http_client.hpp"
#include "support/program.hpp"
#include "support/receiver.hpp"
#include "support/started.hpp"

namespace allot::test::serve_faults_test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kCampaign = R"({"name": "c", "classes": ["no", "yes"], "budget": 100})";
constexpr const char* kWebhook =
    R"({"url": "https://example.org/hook", "events": ["campaign.closed"]})";

/// Requests on one connection; throws when the server is gone.
class Caller {
 public:
  Caller(const Started& server, std::string token)
      : client_(std::make_unique<PlainWire>(server.address())), token_(std::move(token)) {}

  Answer ask(const std::string& method, const std::string& path, const std::string& body = "") {
    client_.send(method + " " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token_ +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    if (client_.at_end()) throw std::runtime_error("the server is gone");
    return client_.answer();
  }
  std::string made(const std::string& path, const std::string& body, const char* member) {
    const Answer answer = ask("POST", path, body);
    return answer.status == 201 ? text_at(json::parse(answer.body), member) : "";
  }

 private:
  static std::string text_at(const json::value& value, const char* pointer) {
    return std::string(value.at_pointer(pointer).as_string());
  }

  Client client_;
  const std::string token_;
};

std::vector<std::string> arguments(const std::string& data) {
  return {"serve",     "--data", data,      "--listen", "127.0.0.1:0", "--log",
          "/dev/null", "--rate", "1000000", "--burst",  "1000000"};
}

/// All campaigns that the server lists.
std::vector<std::string> listed(const Started& server, const std::string& admin) {
  Caller caller(server, admin);
  std::vector<std::string> ids;
  std::string cursor;
  do {
    const json::value page =
        json::parse(caller.ask("GET", "/api/v1/campaigns?limit=1000" + cursor).body);
    for (const json::value& campaign : page.at("campaigns").as_array())
      ids.emplace_back(campaign.at("id").as_string());
    cursor = page.at("next").is_null() ? "" : "&cursor=" + std::string(page.at("next").as_string());
  } while (!cursor.empty());
  return ids;
}

/// Everything that the server acknowledged.
struct Acknowledged {
  std::mutex mutex;
  std::vector<std::string> tokens, campaigns;
  std::vector<std::pair<std::string, std::string>> webhooks;  // campaign and id

  std::size_t count() {
    const std::scoped_lock lock(mutex);
    return tokens.size() + campaigns.size() + webhooks.size();
  }
  void expect_kept(const Started& server, const std::string& admin) {
    Caller caller(server, admin);
    for (const std::string& token : tokens) {
      EXPECT_EQ(Caller(server, token).ask("GET", "/api/v1/me").status, 200);
    }
    for (const std::string& id : campaigns) {
      EXPECT_EQ(caller.ask("GET", "/api/v1/campaigns/" + id).status, 200) << id;
    }
    for (const auto& [campaign, webhook] : webhooks) {
      const Answer all = caller.ask("GET", "/api/v1/campaigns/" + campaign + "/webhooks");
      EXPECT_NE(all.body.find(webhook), std::string::npos) << all.body;
    }
  }
};

/// Every listed campaign can be read, and there is no other file.
void expect_nothing_half(const Started& server, const std::string& admin, const std::string& data) {
  Caller caller(server, admin);
  const std::vector<std::string> ids = listed(server, admin);
  for (const std::string& id : ids) {
    EXPECT_EQ(caller.ask("GET", "/api/v1/campaigns/" + id).status, 200) << id;
  }
  for (const auto& file : fs::directory_iterator(data + "/campaigns")) {
    const std::string id = file.path().filename().string().substr(0, 32);
    EXPECT_NE(std::ranges::find(ids, id), ids.end()) << file.path();
  }
}

TEST(ServeFaults, KilledWhileThingsAreMadeItKeepsThemWholeOrNotAtAll) {
  const Folder folder;
  const std::string data = folder / "data";
  std::string admin;
  Acknowledged done;
  std::mt19937 random(8);
  const int rounds = std::getenv("ALLOT_STRESS") ? 200 : 8;
  for (int round = 0; round <= rounds; ++round) {
    Started server(folder, arguments(data));
    ASSERT_NE(server.address(), "") << read_file(folder / "serve.err");
    if (round == 0) admin = token_in(server.said());
    expect_nothing_half(server, admin, data);
    done.expect_kept(server, admin);
    if (round == rounds || testing::Test::HasFailure()) break;
    // Killed after some acknowledged things and in the middle of others, however slow the disk is.
    const std::size_t enough = done.count() + 3 + random() % 40;
    std::vector<std::jthread> makers;
    for (int n = 0; n < 4; ++n) {
      makers.emplace_back([&, caller = Caller(server, admin)]() mutable {
        try {
          while (true) {
            const auto keep = [&done](auto& among, auto made) {
              const std::scoped_lock lock(done.mutex);
              among.push_back(std::move(made));
            };
            const std::string token =
                caller.made("/api/v1/tokens", R"({"role": "requester"})", "/secret");
            if (token.empty()) return;
            keep(done.tokens, token);
            const std::string id = caller.made("/api/v1/campaigns", kCampaign, "/id");
            if (id.empty()) return;
            keep(done.campaigns, id);
            const std::string webhook =
                caller.made("/api/v1/campaigns/" + id + "/webhooks", kWebhook, "/webhook/id");
            if (!webhook.empty()) keep(done.webhooks, std::pair(id, webhook));
          }
        } catch (const std::exception&) {
          // The server was killed.
        }
      });
    }
    EXPECT_TRUE(eventually([&] { return done.count() >= enough; })) << done.count();
    EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
  }
  EXPECT_GT(done.campaigns.size(), 0U);
}

/// Creates tokens until the disk is full.
void fill(const Started& server, const std::string& admin, Acknowledged& done) {
  Caller caller(server, admin);
  const std::string label(400, 'x');
  bool refused = false;
  for (int n = 0; n < 20'000 && !refused; ++n) {
    const Answer made =
        caller.ask("POST", "/api/v1/tokens", R"({"role": "requester", "label": ")" + label + "\"}");
    refused = made.status != 201;
    if (refused) {
      EXPECT_EQ(made.status, 503) << made.body;
      EXPECT_NE(made.body.find("store_failure"), std::string::npos) << made.body;
    } else {
      done.tokens.emplace_back(json::parse(made.body).at("secret").as_string());
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_EQ(caller.ask("GET", "/api/v1/campaigns").status, 200) << "it can still be read";
  EXPECT_EQ(caller.ask("GET", "/metrics").status, 200);
}

TEST(ServeFaults, AFileThatMayNotGrowIsRefusedAndWhatWasAcknowledgedStays) {
  const Folder folder;
  const std::string data = folder / "data";
  std::string admin;
  Acknowledged done;
  {
    Started server(folder, arguments(data), {}, 1 << 20);
    ASSERT_NE(server.address(), "");
    admin = token_in(server.said());
    fill(server, admin, done);
    done.expect_kept(server, admin);
    EXPECT_EQ(server.stop(SIGTERM), 0);
  }
  Started again(folder, arguments(data));
  ASSERT_NE(again.address(), "") << read_file(folder / "serve.err");
  done.expect_kept(again, admin);
  expect_nothing_half(again, admin, data);
  EXPECT_NE(Caller(again, admin).made("/api/v1/campaigns", kCampaign, "/id"), "");
}

/// A separate disk, for tests that run as root.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& path, const std::string& size) : path_(path) {
    fs::create_directories(path);
    there_ = ::mount("none", path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~SmallDisk() {
    if (there_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  bool there() const { return there_; }
  void grow(const std::string& size) const {
    ASSERT_EQ(::mount("none", path_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()), 0);
  }

 private:
  const std::string path_;
  bool there_ = false;
};

TEST(ServeFaults, AFullDiskIsRefusedAndWorkGoesOnOnceThereIsRoom) {
  const Folder folder;
  const std::string data = folder / "disk";
  const SmallDisk disk(data, "2m");
  if (!disk.there()) GTEST_SKIP() << "only root can make a small disk";
  Started server(folder, arguments(data));
  ASSERT_NE(server.address(), "");
  const std::string admin = token_in(server.said());
  Caller caller(server, admin);
  const std::string id = caller.made("/api/v1/campaigns", kCampaign, "/id");
  ASSERT_NE(id, "");
  const std::string path = "/api/v1/campaigns/" + id;
  Acknowledged done;
  done.campaigns.push_back(id);
  ASSERT_EQ(caller.ask("GET", path).status, 200);
  EXPECT_EQ(caller.ask("GET", "/readyz").status, 200);
  fill(server, admin, done);
  EXPECT_EQ(caller.ask("POST", "/api/v1/campaigns", kCampaign).status, 503);
  Answer ready;
  EXPECT_TRUE(eventually([&] { return (ready = caller.ask("GET", "/readyz")).status == 503; }));
  EXPECT_NE(ready.body.find("No space left on device"), std::string::npos) << ready.body;
  // The campaign's own file has no room either: items are added whole or not at all.
  int added = 0, refused = 0;
  for (; refused == 0 && added < 1000; ++added) {
    std::string items;
    for (int n = 0; n < 50; ++n) {
      items += (n > 0 ? "," : "") + ("{\"id\": \"" + std::to_string(added)) + "-" +
               std::to_string(n) + "\", \"fields\": {\"text\": \"" + std::string(200, 'y') + "\"}}";
    }
    const Answer answer = caller.ask("POST", path + "/items", "{\"items\": [" + items + "]}");
    if (answer.status == 201) continue;
    EXPECT_EQ(answer.status, 503) << answer.body;
    ++refused;
    --added;
  }
  EXPECT_EQ(refused, 1);
  const auto items_of = [&] {
    return json::parse(caller.ask("GET", path).body).at("items").to_number<int>();
  };
  EXPECT_EQ(items_of(), 50 * added);
  disk.grow("20m");
  EXPECT_TRUE(eventually([&] { return caller.ask("GET", "/readyz").status == 200; }));
  EXPECT_EQ(caller.ask("POST", path + "/items", R"({"items": [{"id": "last"}]})").status, 201);
  EXPECT_EQ(items_of(), 50 * added + 1);
  EXPECT_NE(caller.made("/api/v1/campaigns", kCampaign, "/id"), "");
  done.expect_kept(server, admin);
  EXPECT_EQ(server.stop(SIGTERM), 0);
  Started again(folder, arguments(data));
  ASSERT_NE(again.address(), "");
  done.expect_kept(again, admin);
  expect_nothing_half(again, admin, data);
}

/// Items i0, i1, ... as the body of a request.
std::string items_body(int count) {
  std::string items;
  for (int n = 0; n < count; ++n)
    items += (n > 0 ? ",{\"id\": \"i" : "{\"id\": \"i") + std::to_string(n) + "\"}";
  return "{\"items\": [" + items + "]}";
}

/// A campaign whose labels go to a webhook; its path, empty if it could not be made.
std::string campaign_with_webhook(Caller& caller, const std::string& url) {
  const std::string path =
      "/api/v1/campaigns/" +
      caller.made("/api/v1/campaigns",
                  R"({"name": "c", "classes": ["no", "yes"], "budget": 100000})", "/id");
  const bool added = caller.ask("POST", path + "/items", items_body(900)).status == 201;
  const std::string webhook =
      caller.made(path + "/webhooks", "{\"url\": \"" + url + "\", \"events\": [\"label.created\"]}",
                  "/webhook/id");
  return added && !webhook.empty() ? path : "";
}

/// Labels items until the server is killed; calls `acknowledged` with each item.
void label_until_killed(Caller& caller, const std::string& path, const std::string& worker,
                        const std::function<void(const std::string&)>& acknowledged) {
  try {
    while (true) {
      const Answer asked =
          caller.ask("POST", path + "/assignments", "{\"worker\": \"" + worker + "\"}");
      const std::string item(
          json::parse(asked.body).at("assignments").at(0).at("item").as_string());
      const Answer given = caller.ask(
          "POST", path + "/labels",
          "{\"worker\": \"" + worker + "\", \"item\": \"" + item + "\", \"label\": \"yes\"}");
      if (given.status == 200 && given.whole) acknowledged(item);
    }
  } catch (const std::exception&) {
    // The server was killed.
  }
}

/// Labels that a webhook was told about, as "WORKER ITEM".
std::set<std::string> labels_told(const Receiver& receiver) {
  std::set<std::string> labels;
  for (const Receiver::Got& got : receiver.got()) {
    const json::value message = json::parse(got.body);
    labels.insert(std::string(message.at_pointer("/data/worker").as_string()) + " " +
                  std::string(message.at_pointer("/data/item").as_string()));
  }
  return labels;
}

/// Every label that was acknowledged becomes a message, whenever the server is killed.
TEST(ServeFaults, KilledAgainAndAgainNoMessageToAWebhookIsLost) {
  const Folder folder;
  Receiver receiver;
  std::vector<std::string> flags = arguments(folder / "data");
  flags.insert(flags.end(), {"--private-webhooks", "yes"});
  std::string admin, path;
  std::set<std::string> acknowledged;
  std::mt19937 random(9);
  for (int round = 0; round < 6; ++round) {
    Started server(folder, flags);
    ASSERT_NE(server.address(), "") << read_file(folder / "serve.err");
    if (round == 0) {
      admin = token_in(server.said());
      Caller caller(server, admin);
      path = campaign_with_webhook(caller, receiver.url());
      ASSERT_NE(path, "");
    }
    const std::size_t enough = 1 + random() % 100;
    std::atomic<std::size_t> labels = 0;
    std::jthread worker([&, caller = Caller(server, admin), round]() mutable {
      const std::string name = "w" + std::to_string(round);
      label_until_killed(caller, path, name, [&](const std::string& item) {
        acknowledged.insert(name + " " + item);
        ++labels;
      });
    });
    EXPECT_TRUE(eventually([&] { return labels >= enough; })) << labels;
    EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
  }
  Started server(folder, flags);
  const auto all_told = [&] { return std::ranges::includes(labels_told(receiver), acknowledged); };
  EXPECT_TRUE(eventually(all_told))
      << labels_told(receiver).size() << " of " << acknowledged.size();
}

}  // namespace
}  // namespace allot::test::serve_faults_test
