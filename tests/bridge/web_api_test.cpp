#include "bridge/web_api.hpp"

#include <gtest/gtest.h>

#include "support/http_client.hpp"
#include "support/rude_server.hpp"

namespace allot::bridge::web_api_test {
namespace {

using namespace std::chrono_literals;

/// Answers the n-th request, from 1, by the n-th response; the last one stays.
class Script : public http::Service {
 public:
  struct Line {
    int status;
    std::string body = {}, retry_after = {};
  };
  explicit Script(std::vector<Line> lines)
      : lines_(std::move(lines)), server_(test::serve(*this)) {}
  ~Script() override { server_->stop(); }

  Intake intake(const http::Request&) const override { return {}; }
  void handle(http::Request, http::Reply reply) override {
    const std::size_t n = requests++;
    const Line& line = lines_[std::min(n, lines_.size() - 1)];
    http::Response response{.status = line.status, .body = line.body};
    if (!line.retry_after.empty()) response.fields.add("Retry-After", line.retry_after);
    reply(std::move(response));
  }
  std::string url() const { return "http://" + server_->addresses().front(); }

  std::atomic<std::size_t> requests = 0;

 private:
  const std::vector<Line> lines_;
  std::unique_ptr<http::Server> server_;
};

class WebApiTest : public testing::Test {
 protected:
  StopFlag stop_;
  std::unique_ptr<WebApi> open(const std::string& url, std::chrono::milliseconds pause = 1ms) {
    return WebApi::open({.base = url, .tries = 3, .first_pause = pause, .longest_pause = pause},
                        stop_)
        .value();
  }
};

TEST_F(WebApiTest, RepeatsTroubleAndNothingElse) {
  Script script({{500}, {429}, {200, "fine"}});
  EXPECT_EQ(open(script.url())->send({.path = "/x"}).value().body, "fine");
  EXPECT_EQ(script.requests, 3U);
  Script refuses({{404, "no"}});
  const WebApi::Call call{.path = "/x"};
  const auto answer = open(refuses.url())->send(call).value();
  EXPECT_EQ(refuses.requests, 1U);
  EXPECT_EQ(json_of(call, answer).error().code, ErrorCode::not_found);
}

TEST_F(WebApiTest, GivesUpAfterAFewTries) {
  Script script({{503, "busy"}});
  const auto api = open(script.url());
  const auto answer = api->send({.path = "/x"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "GET /x: it failed (status 503) and says 'busy'");
  EXPECT_EQ(script.requests, 3U);
  EXPECT_EQ(api->failures(), 3U);
}

TEST_F(WebApiTest, WaitsAsLongAsTheServerAsksFor) {
  // The pauses of its own would take hours.
  Script script({{429, "", "0"}, {503, "", "0"}, {200, "fine"}});
  EXPECT_EQ(open(script.url(), 10h)->send({.path = "/x"}).value().body, "fine");
}

TEST_F(WebApiTest, AFlagEndsAPause) {
  Script script(std::vector<Script::Line>{{500}});
  const auto api = open(script.url(), 10h);
  std::thread raiser([&] {
    EXPECT_TRUE(test::eventually([&] { return script.requests == 1; }));
    stop_.raise();
  });
  EXPECT_FALSE(api->send({.path = "/x"}));
  raiser.join();
  EXPECT_EQ(script.requests, 1U);
}

TEST_F(WebApiTest, RepeatsAnUnsafeCallOnlyIfItDidNotHappen) {
  const WebApi::Call unsafe{.method = "POST", .path = "/x", .repeat = WebApi::Repeat::unsafe};
  Script told({{503}, {429}, {201, "{}"}});
  EXPECT_TRUE(open(told.url())->send(unsafe));
  EXPECT_EQ(told.requests, 3U);
  Script unclear(std::vector<Script::Line>{{502}});
  EXPECT_FALSE(open(unclear.url())->send(unsafe));
  EXPECT_EQ(unclear.requests, 1U);
  const test::Rude silent("");  // closes without a word
  EXPECT_FALSE(open(silent.url)->send(unsafe));
  EXPECT_EQ(silent.heard().size(), 1U);
  const test::Rude again("");
  EXPECT_FALSE(open(again.url)->send({.path = "/x"}));
  EXPECT_EQ(again.heard().size(), 3U);
}

TEST_F(WebApiTest, StrikesTheSecretOutHoweverItIsEscaped) {
  const std::string secret = R"(sk/a"b\c)";
  Script script(
      {{200,
        R"(sk/a"b\c | sk\/a\"b\\c | \u0073k\u002fa\u0022b\u005Cc | \u1sk\/a\"b\\c | sk\/a\"b sk/)"}});
  WebApiOptions options{.base = script.url()};
  options.secret = secret;
  const auto api = WebApi::open(options, stop_).value();
  EXPECT_EQ(api->send({.path = "/x"}).value().body,
            R"([secret] | [secret] | [secret] | \u1[secret] | sk\/a\"b sk/)");
}

TEST_F(WebApiTest, ShowsTheBeginningOfABodyThatIsNoJson) {
  Script script({{200, "<html>" + std::string(1000, 'x')}});
  const WebApi::Call call{.path = "/x"};
  const auto parsed = json_of(call, open(script.url())->send(call).value());
  ASSERT_FALSE(parsed);
  EXPECT_NE(parsed.error().message.find("is not JSON"), std::string::npos);
  EXPECT_LT(parsed.error().message.size(), 300U);
}

}  // namespace
}  // namespace allot::bridge::web_api_test
