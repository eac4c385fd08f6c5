// Who did what, and who was refused: the access log.
#include <gtest/gtest.h>

#include "serve/sign_in.hpp"
#include "support/test_api.hpp"

namespace allot::test::access_log_test {
namespace {

namespace json = boost::json;
using serve::Network;

TEST(AccessLog, HasTheClientThatTrustedProxiesName) {
  struct Row {
    std::string peer;
    std::vector<std::string> forwarded;
    std::string client;
  };
  const Row rows[] = {
      {"10.0.0.1", {"203.0.113.7"}, "203.0.113.7"},
      {"10.0.0.1", {"1.1.1.1, 203.0.113.7"}, "203.0.113.7"},
      {"10.0.0.1", {"1.1.1.1", "203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
      {"10.0.0.1", {"10.0.0.3,10.0.0.2"}, "10.0.0.3"},
      {"10.0.0.1", {"2001:db8::1"}, "2001:db8::1"},
      {"10.0.0.1", {"203.0.113.7:5555"}, "203.0.113.7"},
      {"10.0.0.1", {"203.0.113.7:5555, 10.0.0.2:80"}, "203.0.113.7"},
      {"10.0.0.1", {"[2001:db8::1]:443"}, "2001:db8::1"},
      {"10.0.0.1", {"[2001:db8::1]"}, "2001:db8::1"},
      {"10.0.0.1", {"203.0.113.7:"}, "10.0.0.1"},
      {"10.0.0.1", {"[203.0.113.7:80"}, "10.0.0.1"},
      {"10.0.0.1", {"203.0.113.7, unknown"}, "10.0.0.1"},
      {"10.0.0.1", {"<b>, 10.0.0.2"}, "10.0.0.2"},
      {"10.0.0.1", {""}, "10.0.0.1"},
      {"10.0.0.1", {}, "10.0.0.1"},
      {"198.51.100.9", {"203.0.113.7"}, "198.51.100.9"},
  };
  serve::SignInOptions options;
  options.proxies = {Network::parse("10.0.0.0/8").value()};
  for (const auto& [peer, forwarded, client] : rows) {
    http::Fields fields;
    for (const std::string& value : forwarded) fields.add("x-forwarded-for", value);
    EXPECT_EQ(options.client_address(peer, fields), client) << peer;
  }
  std::vector<std::string> lines;
  serve::ServiceOptions of_service = TestApi::generous();
  of_service.sign_in.proxies = {Network::parse("127.0.0.1").value()};
  of_service.access_log = [&](const std::string& line) { lines.push_back(line); };
  TestApi api(of_service);
  EXPECT_EQ(api.ask({.path = "/api/v1/me",
                     .token = api.admin,
                     .fields = {{"X-Forwarded-For", "203.0.113.7"}}})
                .status,
            200);
  EXPECT_EQ(json::parse(lines.at(0)).at("address").as_string(), "203.0.113.7");
}

TEST(AccessLog, TellsWhoWasRefused) {
  std::vector<std::string> access, log;
  serve::ServiceOptions options = TestApi::generous();
  options.sign_in.proxy_header = "X-Person";
  options.sign_in.proxies = {Network::parse("127.0.0.1").value()};
  options.sign_in.roles.workers = {"@example.org"};
  options.access_log = [&](const std::string& line) { access.push_back(line); };
  options.log = [&](const std::string& line) { log.push_back(line); };
  TestApi api(options);
  for (const char* path : {"/api/v1/me", "/metrics"}) {
    EXPECT_EQ(api.ask({.path = path, .fields = {{"X-Person", "Eve@example.com"}}}).status, 403);
    const json::value line = json::parse(access.back());
    EXPECT_EQ(line.at("path").as_string(), path);
    EXPECT_EQ(line.at("person").as_string(), "eve@example.com");
    EXPECT_EQ(line.at("reason").as_string(), "sign_in_refused");
    EXPECT_EQ(json::parse(log.back()).at("reason").as_string(), "sign_in_refused");
    EXPECT_EQ(log.back().find("eve@"), std::string::npos) << "the log has no names";
  }
  EXPECT_EQ(access.size(), 2U);
}

TEST(AccessLog, TellsWhoDidWhat) {
  std::vector<std::string> lines;
  serve::ServiceOptions options = TestApi::generous();
  options.access_log = [&](const std::string& line) { lines.push_back(line); };
  TestApi api(options);
  const std::string path = api.campaign(2);
  lines.clear();
  EXPECT_EQ(api.post(path + "/assignments", api.worker(path, "bob")).status, 200);
  EXPECT_EQ(api.get("/api/v1/tokens", "").status, 401);
  EXPECT_EQ(api.get("/healthz", "").status, 200);
  ASSERT_EQ(lines.size(), 2U);
  const json::value first = json::parse(lines[0]);
  EXPECT_EQ(first.at("person").as_string(), "bob");
  EXPECT_EQ(first.at("address").as_string(), "127.0.0.1");
  EXPECT_EQ(first.at("role").as_string(), "worker");
  EXPECT_EQ(first.at("method").as_string(), "POST");
  EXPECT_EQ(first.at("path").as_string(), path + "/assignments");
  EXPECT_EQ(first.at("status").to_number<int>(), 200);
  EXPECT_TRUE(json::parse(lines[1]).at("person").is_null());
  EXPECT_EQ(json::parse(lines[1]).at("reason").as_string(), "no_token");
  EXPECT_EQ(lines[0].find("allot_"), std::string::npos) << "no secrets";
}

}  // namespace
}  // namespace allot::test::access_log_test
