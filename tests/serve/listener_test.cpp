// The service behind a real listener: what only shows on the wire.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <mutex>

#include "store/sqlite.hpp"
#include "support/http_client.hpp"
#include "support/test_api.hpp"

namespace allot::test::listener_test {
namespace {

std::string request(const std::string& method, const std::string& path, const std::string& token,
                    const std::string& body = "", const std::string& more = "") {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n{}Content-Length: {}\r\n\r\n{}",
      method, path, token, more, body.size(), body);
}

TEST(Listener, ACampaignOverTheWire) {
  TestApi api;
  const auto server = serve(api.service());
  Client client(*server);
  client.send(request("POST", "/api/v1/campaigns", api.requester,
                      R"({"name": "x", "classes": ["no", "yes"], "budget": 5000})"));
  const Answer made = client.answer();
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_FALSE(made.field("X-Request-Id").empty());
  const std::string path = made.field("Location");
  client.send(
      fmt::format("POST {}/items/upload HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n"
                  "Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n",
                  path, api.requester));
  const auto chunk = [&](const std::string& text) {
    client.send(fmt::format("{:x}\r\n{}\r\n", text.size(), text));
  };
  chunk("id,te");
  for (int n = 0; n < 3000; ++n) chunk(fmt::format("{}i{},some text\n", n == 0 ? "xt\n" : "", n));
  client.send("0\r\n\r\n");
  const Answer added = client.answer();
  EXPECT_EQ(added.body, R"({"added": 3000, "known": 0})");
  const std::string ann = api.worker(path, "ann");
  client.send(request("POST", path + "/assignments", ann));
  const Answer asked = client.answer();
  const std::string item(json::parse(asked.body).at("assignments").at(0).at("item").as_string());
  client.send(request("POST", path + "/labels", ann,
                      "{\"item\": \"" + item + "\", \"label\": \"yes\", \"next\": 1}",
                      "Idempotency-Key: k\r\n"));
  EXPECT_EQ(client.answer().status, 200);
  client.send(request("GET", path + "/export/events?format=jsonl", api.requester));
  const Answer events = client.answer();
  EXPECT_TRUE(events.whole);
  EXPECT_EQ(std::ranges::count(events.body, '\n'), 1 + 3000 + 1 + 1 + 1 + 1);
  client.send(request("HEAD", "/openapi.json", ""));
  EXPECT_EQ(client.answer(true).status, 200);
  EXPECT_EQ(client.get("/metrics").status, 401);
}

TEST(Listener, RequestsThatNeverReachARouteAreLogged) {
  struct Row {
    std::string sent;
    int status;
    std::string reason, method, path, route, address;
  };
  const std::string large(20'000, 'a');
  const Row rows[] = {
      {"POST /api/v1/campaigns HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.7\r\n"
       "Content-Length: 5000000\r\n\r\n",
       413, "body_too_large", "POST", "/api/v1/campaigns", "/api/v1/campaigns", "203.0.113.7"},
      {"GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX-Large: " + large + "\r\n\r\n", 431,
       "head_too_large", "GET", "", "", "127.0.0.1"},
      {"GET /api/v1/me HTTP/1.1\r\n\r\n", 400, "bad_host", "GET", "", "", "127.0.0.1"},
      {"nonsense\r\n\r\n", 400, "bad_request", "", "", "", "127.0.0.1"},
      {"FETCH / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "unknown_method", "FETCH", "", "", "127.0.0.1"},
  };
  std::mutex mutex;
  std::vector<std::string> log, access;
  const auto into = [&](std::vector<std::string>& lines) {
    return [&](const std::string& line) {
      const std::scoped_lock lock(mutex);
      lines.push_back(line);
    };
  };
  serve::ServiceOptions options = TestApi::generous();
  options.log = into(log);
  options.access_log = into(access);
  options.sign_in.proxies = {serve::Network::parse("127.0.0.1").value()};
  TestApi api(options);
  for (const Row& row : rows) {
    log.clear();
    access.clear();
    http::ServerOptions listening;
    listening.refused = [&](const http::RefusedRequest& refused) {
      api.service().note_refusal(refused);
    };
    const auto server = serve(api.service(), listening);
    Client client(*server);
    client.send(row.sent);
    EXPECT_EQ(client.answer().status, row.status) << row.reason;
    server->stop();
    ASSERT_EQ(log.size(), 1U) << row.reason;
    ASSERT_EQ(access.size(), 1U) << row.reason;
    const json::value line = json::parse(log[0]), who = json::parse(access[0]);
    EXPECT_EQ(line.at("reason").as_string(), row.reason);
    EXPECT_EQ(line.at("level").as_string(), "info") << "the client is at fault, not the server";
    EXPECT_EQ(line.at("status").to_number<int>(), row.status);
    EXPECT_EQ(line.at("method").as_string(), row.method) << row.reason;
    if (row.route.empty()) {
      EXPECT_TRUE(line.at("route").is_null()) << log[0];
    } else {
      EXPECT_EQ(line.at("route").as_string(), row.route);
    }
    EXPECT_EQ(log[0].find(row.address), std::string::npos) << "the log has no addresses";
    EXPECT_EQ(who.at("reason").as_string(), row.reason);
    EXPECT_EQ(who.at("address").as_string(), row.address);
    EXPECT_EQ(who.at("path").as_string(), row.path);
    EXPECT_TRUE(who.at("person").is_null());
    EXPECT_EQ(who.at("request").as_string(), line.at("request").as_string());
  }
}

TEST(Listener, AnExportThatFailsIsCutAndTheLogSaysWhy) {
  serve::ServiceOptions options = TestApi::generous();
  std::mutex mutex;
  std::string log;
  options.log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line + "\n";
  };
  TestApi api(options);
  const std::string path = api.campaign(6000);
  for (int n = 0; n < 55; ++n) {
    api.post(path + "/assignments", api.requester, R"({"worker": "ann", "count": 100})");
  }
  const std::string file = api.data() + "/campaigns/" + path.substr(path.rfind('/') + 1) + ".db";
  const auto other = store::Connection::open(file, SQLITE_OPEN_READWRITE, 10'000);
  ASSERT_TRUE(other && (*other)->execute("UPDATE record SET checksum = 1 WHERE sequence = 5200"));
  const auto server = serve(api.service());
  Client client(*server);
  client.send(request("GET", path + "/export/events?format=jsonl", api.requester, "",
                      "X-Request-Id: the-export\r\n"));
  const Answer cut = client.answer();
  EXPECT_EQ(cut.status, 200);
  EXPECT_FALSE(cut.body.empty()) << "part of it was sent before";
  EXPECT_FALSE(cut.whole);
  EXPECT_TRUE(client.at_end());
  const std::scoped_lock lock(mutex);
  const std::size_t told =
      log.find("\"what\": \"a response was cut\", \"request\": \"the-export\"");
  ASSERT_NE(told, std::string::npos) << log;
  EXPECT_NE(log.find("record 5200 does not match its checksum", told), std::string::npos) << log;
}

TEST(Listener, LiveEventsEndWithTheServer) {
  TestApi api;
  const std::string path = api.campaign(1);
  const auto server = serve(api.service());
  Client client(*server);
  client.send(request("GET", path + "/events/live", api.requester, "", "Last-Event-ID: 1\r\n"));
  EXPECT_TRUE(client.read_past("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(client.chunk(), "retry: 2000\n\n");
  EXPECT_TRUE(client.chunk()->starts_with("id: 2\nevent: items-added\n"));
  server->stop();
  while (const auto piece = client.chunk()) {
    if (piece->empty()) break;
    EXPECT_EQ(*piece, ": still here\n\n");
  }
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace allot::test::listener_test
