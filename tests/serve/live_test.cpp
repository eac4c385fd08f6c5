// What is watched while it runs: events as they happen, figures, the log.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <sstream>

#include "support/test_api.hpp"

namespace allot::test::live_test {
namespace {

using serve::Role;

TEST(Live, EventsComeAsTheyHappen) {
  TestApi api;
  const std::string path = api.campaign(3);
  const ApiResponse live = api.ask({.path = path + "/events/live", .token = api.requester}, true);
  EXPECT_EQ(live.field("Content-Type"), "text/event-stream");
  EXPECT_EQ(TestApi::pulled(*live.stream), "retry: 2000\n\n");
  const std::string past = TestApi::pulled(*live.stream).value();
  EXPECT_TRUE(past.starts_with("id: 1\nevent: created\ndata: {")) << past;
  EXPECT_NE(past.find("id: 2\nevent: items-added\n"), std::string::npos);
  EXPECT_EQ(TestApi::pulled(*live.stream), ": still here\n\n") << "after a heartbeat";
  std::promise<std::optional<std::string>> news;
  live.stream->pull([&](TestApi::Piece text) { news.set_value(*std::move(text)); });
  api.post(path + "/assignments", api.requester, R"({"worker": "ann"})");
  std::string seen = news.get_future().get().value();
  while (seen.find("event: leased") == std::string::npos) {
    seen += TestApi::pulled(*live.stream).value();
  }
  EXPECT_NE(seen.find("id: 3\nevent: worker-joined"), std::string::npos) << seen;
  const ApiResponse rest = api.ask(
      {.path = path + "/events/live", .token = api.requester, .fields = {{"Last-Event-ID", "3"}}},
      true);
  TestApi::pulled(*rest.stream);
  EXPECT_TRUE(TestApi::pulled(*rest.stream)->starts_with("id: 4\nevent: leased"));
  EXPECT_EQ(api.ask({.path = path + "/events/live",
                     .token = api.requester,
                     .fields = {{"Last-Event-ID", "x"}}})
                .status,
            400);
}

TEST(Live, EndsWithTheTokenAndTheServer) {
  TestApi api;
  const std::string path = api.campaign(1);
  const auto token = api.hub().vault().issue({.role = Role::admin}, api.hub().now());
  const ApiResponse one = api.ask({.path = path + "/events/live", .token = token->text}, true),
                    two = api.ask({.path = path + "/events/live", .token = api.admin}, true);
  for (const ApiResponse* live : {&one, &two}) {
    TestApi::pulled(*live->stream);
    TestApi::pulled(*live->stream);
  }
  ASSERT_TRUE(api.hub().vault().revoke(token->token.id, api.hub().now()));
  EXPECT_FALSE(TestApi::pulled(*one.stream));
  std::promise<std::optional<std::string>> last;
  two.stream->pull([&](TestApi::Piece text) { last.set_value(*std::move(text)); });
  api.hub().stop();
  auto piece = last.get_future().get();
  if (piece) piece = TestApi::pulled(*two.stream);  // a heartbeat came first
  EXPECT_FALSE(piece);
}

TEST(Live, EndsWhenTheCampaignGetsAnotherOwner) {
  TestApi api;
  const std::string path = api.campaign(1), id = path.substr(path.rfind('/') + 1);
  const ApiResponse live = api.ask({.path = path + "/events/live", .token = api.requester}, true);
  TestApi::pulled(*live.stream);
  TestApi::pulled(*live.stream);
  ASSERT_TRUE(
      api.hub().vault().change(id, [](serve::CampaignEntry& entry) { entry.owner = "another"; }));
  EXPECT_FALSE(TestApi::pulled(*live.stream));
}

TEST(Live, AStreamThatIsLetGoEndsQuietly) {
  TestApi api;
  const std::string path = api.campaign(1);
  {
    ApiResponse live = api.ask({.path = path + "/events/live?after=2", .token = api.admin}, true);
    TestApi::pulled(*live.stream);
    live.stream->pull([](const TestApi::Piece&) {});
  }
  while (api.hub().figures().watchers > 0) std::this_thread::yield();
}

TEST(Metrics, WaitForNoCampaign) {
  TestApi api;
  const std::string path = api.campaign(3);
  std::promise<void> begun, finish, ended;
  api.hub().command(
      path.substr(path.rfind('/') + 1),
      [&](serve::OpenBatch&) {
        begun.set_value();
        finish.get_future().wait();
        return http::Response();
      },
      [&](http::Response) { ended.set_value(); });
  begun.get_future().wait();
  const ApiResponse figures = api.get("/metrics", api.admin);
  EXPECT_NE(figures.body.find("allot_items 3\n"), std::string::npos) << figures.body;
  finish.set_value();
  ended.get_future().wait();
}

TEST(Metrics, CountWhatHappened) {
  TestApi api;
  const std::string path = api.campaign(3);
  const ApiResponse asked = api.post(path + "/assignments", api.requester, R"({"worker": "ann"})");
  const std::string item(asked.json().at("assignments").at(0).at("item").as_string());
  api.post(path + "/labels", api.requester,
           "{\"worker\": \"ann\", \"item\": \"" + item + "\", \"label\": \"yes\"}");
  api.get("/nothing", "");
  const ApiResponse metrics = api.get("/metrics", api.admin);
  EXPECT_EQ(metrics.field("Content-Type"), "text/plain; version=0.0.4");
  for (const char* line :
       {"allot_campaigns 1\n", "allot_items 3\n", "allot_labels 1\n", "allot_leases_active 0\n",
        "allot_labels_total{kind=\"recorded\"} 1\n", "allot_assignments_total 1\n",
        "allot_refits_total 0\n", "allot_store_commits_total 3\n",
        "allot_decision_duration_seconds_count 1\n", "allot_build_info{version=\"0.1.0\"} 1\n",
        "allot_http_request_duration_seconds_count{route=\"/api/v1/campaigns\",method=\"POST\","
        "code=\"201\"} 1\n",
        "code=\"404\"} 1\n"}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
  EXPECT_EQ(metrics.body.find("ann"), std::string::npos);
  // Every figure has its head, once.
  std::set<std::string> heads;
  std::istringstream lines(metrics.body);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# TYPE ")) {
      EXPECT_TRUE(heads.insert(line.substr(7, line.find(' ', 7) - 7)).second) << line;
    } else if (!line.starts_with("#")) {
      std::string name = line.substr(0, line.find_first_of("{ "));
      for (const char* end : {"_bucket", "_sum", "_count"}) {
        if (!heads.contains(name) && name.ends_with(end)) {
          name.resize(name.size() - std::string_view(end).size());
        }
      }
      EXPECT_TRUE(heads.contains(name)) << line;
    }
  }
}

TEST(Logs, OneLineARequestAndNoSecrets) {
  std::mutex mutex;
  std::vector<std::string> lines;
  serve::ServiceOptions options = TestApi::generous();
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    lines.push_back(line);
  };
  TestApi api(options);
  const std::string path = api.campaign(2);
  const std::string ann = api.worker(path, "ann");
  api.post(path + "/assignments", ann);
  api.get(path + "/status", ann);
  api.get("/api/v1/me", "allot_wrong");
  api.get("/healthz", "");
  const std::string lost(32, 'a');
  ASSERT_TRUE(api.hub().vault().add({lost, "lost", "", api.hub().now()}));
  const ApiResponse trouble = api.get("/api/v1/campaigns/" + lost, api.admin);
  EXPECT_EQ(trouble.status, 503);
  EXPECT_EQ(trouble.body.find(lost), std::string::npos) << "the cause is not for clients";
  ASSERT_EQ(lines.size(), 6U) << "health is for debugging";
  const auto read = [&](std::size_t n) { return json::parse(lines[n]).as_object(); };
  EXPECT_EQ(read(0).at("route").as_string(), "/api/v1/campaigns");
  EXPECT_EQ(read(0).at("level").as_string(), "info");
  EXPECT_EQ(read(2).at("role").as_string(), "worker");
  EXPECT_EQ(read(3).at("level").as_string(), "warning");
  EXPECT_EQ(read(4).at("status").as_int64(), 401);
  EXPECT_EQ(read(5).at("level").as_string(), "error");
  EXPECT_NE(std::string(read(5).at("cause").as_string()).find("there is no file"),
            std::string::npos);
  for (const std::string& line : lines) {
    EXPECT_EQ(line.find("allot_"), std::string::npos) << line;
    EXPECT_EQ(line.find("\"ann"), std::string::npos) << line;
    EXPECT_EQ(line.find("127.0.0.1"), std::string::npos) << line;
    EXPECT_EQ(json::parse(line).at("request").as_string(), "test");
  }
}

}  // namespace
}  // namespace allot::test::live_test
