// What is watched while it runs: events as they happen, figures, the log.
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <set>
#include <sstream>

#include "support/desk.hpp"

namespace allot::test {
namespace {

using serve::Role;

TEST(Live, EventsComeAsTheyHappen) {
  Desk desk;
  const std::string path = desk.campaign(3);
  const Answered live = desk.ask({.path = path + "/events/live", .token = desk.requester}, true);
  EXPECT_EQ(live.field("Content-Type"), "text/event-stream");
  EXPECT_EQ(Desk::pulled(*live.stream), "retry: 2000\n\n");
  const std::string past = Desk::pulled(*live.stream).value();
  EXPECT_TRUE(past.starts_with("id: 1\nevent: created\ndata: {")) << past;
  EXPECT_NE(past.find("id: 2\nevent: items-added\n"), std::string::npos);
  EXPECT_EQ(Desk::pulled(*live.stream), ": still here\n\n") << "after a heartbeat";
  std::promise<std::optional<std::string>> news;
  live.stream->pull([&](Desk::Piece text) { news.set_value(*std::move(text)); });
  desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})");
  std::string seen = news.get_future().get().value();
  while (seen.find("event: leased") == std::string::npos) {
    seen += Desk::pulled(*live.stream).value();
  }
  EXPECT_NE(seen.find("id: 3\nevent: worker-joined"), std::string::npos) << seen;
  const Answered rest = desk.ask(
      {.path = path + "/events/live", .token = desk.requester, .fields = {{"Last-Event-ID", "3"}}},
      true);
  Desk::pulled(*rest.stream);
  EXPECT_TRUE(Desk::pulled(*rest.stream)->starts_with("id: 4\nevent: leased"));
  EXPECT_EQ(desk.ask({.path = path + "/events/live",
                      .token = desk.requester,
                      .fields = {{"Last-Event-ID", "x"}}})
                .status,
            400);
}

TEST(Live, EndsWithTheTokenAndTheServer) {
  Desk desk;
  const std::string path = desk.campaign(1);
  const auto token = desk.hub().vault().issue({.role = Role::admin}, desk.hub().now());
  const Answered one = desk.ask({.path = path + "/events/live", .token = token->text}, true),
                 two = desk.ask({.path = path + "/events/live", .token = desk.admin}, true);
  for (const Answered* live : {&one, &two}) {
    Desk::pulled(*live->stream);
    Desk::pulled(*live->stream);
  }
  ASSERT_TRUE(desk.hub().vault().revoke(token->token.id, desk.hub().now()));
  EXPECT_FALSE(Desk::pulled(*one.stream));
  std::promise<std::optional<std::string>> last;
  two.stream->pull([&](Desk::Piece text) { last.set_value(*std::move(text)); });
  desk.hub().stop();
  auto piece = last.get_future().get();
  if (piece) piece = Desk::pulled(*two.stream);  // a heartbeat came first
  EXPECT_FALSE(piece);
}

TEST(Live, AStreamThatIsLetGoEndsQuietly) {
  Desk desk;
  const std::string path = desk.campaign(1);
  {
    Answered live = desk.ask({.path = path + "/events/live?after=2", .token = desk.admin}, true);
    Desk::pulled(*live.stream);
    live.stream->pull([](const Desk::Piece&) {});
  }
  while (desk.hub().figures().watchers > 0) std::this_thread::yield();
}

TEST(Metrics, WaitForNoCampaign) {
  Desk desk;
  const std::string path = desk.campaign(3);
  std::promise<void> begun, finish, ended;
  desk.hub().command(
      path.substr(path.rfind('/') + 1),
      [&](serve::Room&) {
        begun.set_value();
        finish.get_future().wait();
        return http::Response();
      },
      [&](http::Response) { ended.set_value(); });
  begun.get_future().wait();
  const Answered figures = desk.get("/metrics", desk.admin);
  EXPECT_NE(figures.body.find("allot_items 3\n"), std::string::npos) << figures.body;
  finish.set_value();
  ended.get_future().wait();
}

TEST(Metrics, CountWhatHappened) {
  Desk desk;
  const std::string path = desk.campaign(3);
  const Answered asked = desk.post(path + "/assignments", desk.requester, R"({"worker": "ann"})");
  const std::string item(asked.json().at("assignments").at(0).at("item").as_string());
  desk.post(path + "/labels", desk.requester,
            "{\"worker\": \"ann\", \"item\": \"" + item + "\", \"label\": \"yes\"}");
  desk.get("/nothing", "");
  const Answered metrics = desk.get("/metrics", desk.admin);
  EXPECT_EQ(metrics.field("Content-Type"), "text/plain; version=0.0.4");
  for (const char* line :
       {"allot_campaigns 1\n", "allot_items 3\n", "allot_labels 1\n", "allot_leases_active 0\n",
        "allot_labels_total{kind=\"recorded\"} 1\n", "allot_assignments_total 1\n",
        "allot_refits 0\n", "allot_store_commits_total 3\n",
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
  serve::ServiceOptions options = Desk::generous();
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    lines.push_back(line);
  };
  Desk desk(options);
  const std::string path = desk.campaign(2);
  const std::string ann = desk.worker(path, "ann");
  desk.post(path + "/assignments", ann);
  desk.get(path + "/status", ann);
  desk.get("/api/v1/me", "allot_wrong");
  desk.get("/healthz", "");
  const std::string lost(32, 'a');
  ASSERT_TRUE(desk.hub().vault().add({lost, "lost", "", desk.hub().now()}));
  const Answered trouble = desk.get("/api/v1/campaigns/" + lost, desk.admin);
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
  EXPECT_NE(std::string(read(5).at("cause").as_string()).find("cannot be opened"),
            std::string::npos);
  for (const std::string& line : lines) {
    EXPECT_EQ(line.find("allot_"), std::string::npos) << line;
    EXPECT_EQ(line.find("\"ann"), std::string::npos) << line;
    EXPECT_EQ(line.find("127.0.0.1"), std::string::npos) << line;
    EXPECT_EQ(json::parse(line).at("request").as_string(), "test");
  }
}

}  // namespace
}  // namespace allot::test
