// The service inside the test's process, without sockets. Every response, including refusals, is
// checked against the OpenAPI document.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "serve/route.hpp"
#include "serve/service.hpp"
#include "support/folder.hpp"
#include "support/json_schema.hpp"

namespace allot::test {

namespace json = boost::json;

/// A JSON object as text: body({{"worker", "ann"}, {"count", 2}}).
inline std::string body(std::initializer_list<json::value_ref> members) {
  return json::serialize(json::value(members));
}

/// The pieces of a text.
class TextUpload final : public http::Upload {
 public:
  TextUpload(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<std::optional<std::string>> read() override {
    if (at_ == text_.size()) return std::nullopt;
    std::string piece = text_.substr(at_, piece_);
    at_ += piece.size();
    return piece;
  }

 private:
  const std::string text_;
  const std::size_t piece_;
  std::size_t at_ = 0;
};

struct ApiRequest {
  http::Method method = http::Method::get;
  std::string path = {};  // with its query
  std::string token = {};
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> fields = {};
  /// Sent piece by piece instead.
  std::optional<std::string> upload = {};
  std::size_t piece = 1000;
  std::string query_problem = {};
};

struct ApiResponse {
  int status = 0;
  http::Fields fields;
  std::string body;
  std::unique_ptr<http::Stream> stream;
  /// The private cause; it must not appear in body or fields.
  std::string cause;
  mutable std::optional<json::value> parsed = {};

  /// The body as JSON, parsed once.
  const json::value& json() const {
    if (!parsed) parsed = json::parse(body);
    return *parsed;
  }
  std::string field(const char* name) const { return std::string(fields.find(name).value_or("")); }
  std::string code() const { return std::string(json().at("code").as_string()); }
  std::string text(const char* name) const { return std::string(json().at(name).as_string()); }
};

class TestApi {
 public:
  explicit TestApi(serve::ServiceOptions options = generous(), serve::HubOptions hub = {}) {
    open(std::move(options), std::move(hub));
    document_ = json::parse(service_->openapi());
    admin = issue({.role = serve::Role::admin, .label = "first"});
    requester = issue({.role = serve::Role::requester, .label = "team"});
  }
  ~TestApi() { hub_->stop(); }

  /// Starts the server again on the same folder.
  void reopen(serve::ServiceOptions options) {
    hub_->stop();
    service_.reset();
    hub_.reset();
    open(std::move(options), {});
  }

  static serve::ServiceOptions generous() {
    serve::ServiceOptions options;
    options.rate = options.burst = 1e9;
    options.heartbeat = std::chrono::milliseconds(20);
    options.forecast_time = std::chrono::hours(1);
    return options;
  }

  std::string issue(serve::Token draft) {
    return hub_->vault().issue(std::move(draft), hub_->now()).value().text;
  }

  /// Waits for the response, and for the end of a stream unless it is endless.
  ApiResponse ask(ApiRequest asked, bool endless = false) {
    http::Request request;
    request.method = asked.method;
    request.path = asked.path.substr(0, asked.path.find('?'));
    request.query = query_of(asked.path);
    request.query_problem = asked.query_problem;
    if (!asked.token.empty()) request.fields.add("Authorization", "Bearer " + asked.token);
    for (const auto& [name, value] : asked.fields) request.fields.add(name, value);
    request.body = asked.body;
    if (asked.upload) request.upload = std::make_unique<TextUpload>(*asked.upload, asked.piece);
    request.peer = "127.0.0.1";
    request.id = "test";
    std::promise<http::Response> promise;
    service_->handle(std::move(request),
                     [&](http::Response response) { promise.set_value(std::move(response)); });
    http::Response raw = promise.get_future().get();
    ApiResponse response{raw.status, raw.fields, raw.body, std::move(raw.stream), raw.cause, {}};
    while (response.stream && !endless) {
      auto piece = pulled(*response.stream);
      if (!piece) break;
      EXPECT_FALSE(piece->empty());
      response.body += *piece;
    }
    check(asked, asked.path.substr(0, asked.path.find('?')), response);
    return response;
  }

  using Piece = Result<std::optional<std::string>>;
  static Piece tried(http::Stream& stream) {
    std::promise<Piece> piece;
    stream.pull([&](Piece text) { piece.set_value(std::move(text)); });
    return piece.get_future().get();
  }
  static std::optional<std::string> pulled(http::Stream& stream) {
    const Piece piece = tried(stream);
    EXPECT_TRUE(piece) << piece.error().message;
    return piece.value_or(std::nullopt);
  }

  ApiResponse get(const std::string& path, const std::string& token) {
    return ask({.path = path, .token = token});
  }
  ApiResponse post(const std::string& path, const std::string& token, const std::string& body = "",
                   const std::string& key = "") {
    ApiRequest asked{http::Method::post, path, token, body};
    if (!key.empty()) asked.fields.emplace_back("Idempotency-Key", key);
    return ask(std::move(asked));
  }

  /// The path of a new campaign, with items i0, i1, ...
  std::string campaign(int items = 5, const std::string& more = "", const std::string& owner = "") {
    const std::string& token = owner.empty() ? requester : owner;
    const ApiResponse made =
        post("/api/v1/campaigns", token,
             R"({"name": "Reviews", "classes": ["no", "yes"], "budget": 100000)" + more + "}");
    EXPECT_EQ(made.status, 201) << made.body;
    const std::string path = made.field("Location");
    for (int from = 0; from < items; from += 1000) {
      std::string list;
      for (int n = from; n < std::min(items, from + 1000); ++n) {
        list += (list.empty() ? "" : ",") + ("{\"id\": \"i" + std::to_string(n)) +
                "\", \"fields\": {\"text\": \"text of i" + std::to_string(n) + "\"}}";
      }
      const ApiResponse added = post(path + "/items", token, "{\"items\": [" + list + "]}");
      EXPECT_EQ(added.status, 201) << added.body;
    }
    return path;
  }
  /// A worker's token for that campaign.
  std::string worker(const std::string& campaign, const std::string& name) {
    return issue({.role = serve::Role::worker,
                  .campaign = campaign.substr(campaign.rfind('/') + 1),
                  .person = name});
  }

  /// Adds a worker, who labels the next item: yes.
  void label(const std::string& campaign, const std::string& name) {
    const std::string token = worker(campaign, name);
    const ApiResponse next = post(campaign + "/assignments", token);
    ASSERT_EQ(next.status, 200) << next.body;
    const std::string item(next.json().at("assignments").at(0).at("item").as_string());
    const ApiResponse given =
        post(campaign + "/labels", token, R"({"item": ")" + item + R"(", "label": "yes"})");
    ASSERT_EQ(given.status, 200) << given.body;
  }

  serve::Service& service() { return *service_; }
  serve::Hub& hub() { return *hub_; }
  const json::value& document() const { return document_; }
  std::string data() const { return folder_ / "data"; }

  std::string admin, requester;
  std::atomic<std::int64_t> now = 1'800'000'000'000'000;

 private:
  void open(serve::ServiceOptions options, serve::HubOptions hub) {
    hub.folder = folder_ / "data";
    if (!hub.clock) {
      hub.clock = [this] { return serve::Time(std::chrono::microseconds(now.load())); };
    }
    hub_ = serve::Hub::open(std::move(hub)).value();
    service_ = std::make_unique<serve::Service>(*hub_, std::move(options));
    EXPECT_TRUE(service_->join("127.0.0.1:1"));
  }

  static std::vector<std::pair<std::string, std::string>> query_of(const std::string& path) {
    std::vector<std::pair<std::string, std::string>> query;
    std::size_t at = path.find('?');
    while (at != std::string::npos) {
      const std::size_t end = path.find('&', at + 1);
      const std::string one = path.substr(at + 1, end - at - 1);
      const std::size_t equals = one.find('=');
      query.emplace_back(one.substr(0, equals),
                         equals == std::string::npos ? "" : one.substr(equals + 1));
      at = end;
    }
    return query;
  }

  const serve::Route* route_of(http::Method method, const std::string& path) const {
    for (const serve::Route& route : service_->routes()) {
      if (route.method != method) continue;
      std::size_t at = 0, pattern_at = 0;
      const std::string& pattern = route.pattern;
      bool fits = true;
      while (fits && pattern_at < pattern.size() && at <= path.size()) {
        if (pattern[pattern_at] == '{') {
          pattern_at = pattern.find('}', pattern_at) + 1;
          const std::size_t end = std::min(path.find('/', at), path.size());
          fits = end > at;
          at = end;
        } else {
          fits = at < path.size() && path[at++] == pattern[pattern_at++];
        }
      }
      if (!fits || at != path.size() || pattern_at != pattern.size()) continue;
      return &route;
    }
    return nullptr;
  }

  static bool wants_html(const ApiRequest& asked) {
    return asked.method == http::Method::get &&
           std::ranges::any_of(asked.fields, [](const auto& field) {
             return field.first == "Accept" && field.second.starts_with("text/html");
           });
  }

  /// The route in the OpenAPI document.
  const json::value& operation(const serve::Route& route) const {
    std::string word(serve::name(route.method));
    for (char& c : word) c = static_cast<char>(c | 0x20);
    return document_.at("paths").at(route.pattern).at(word);
  }

  void check(const ApiRequest& asked, const std::string& path, const ApiResponse& response) const {
    const SchemaChecker checker(document_);
    const std::string what = std::string(serve::name(asked.method)) + " " + asked.path;
    EXPECT_EQ(response.field("X-Content-Type-Options"), "nosniff") << what;
    EXPECT_FALSE(response.field("Content-Security-Policy").empty()) << what;
    if (!response.cause.empty()) {
      EXPECT_EQ(response.body.find(response.cause), std::string::npos) << what;
      for (const auto& [name, value] : response.fields.list()) {
        EXPECT_EQ(value.find(response.cause), std::string::npos) << what << ": " << name;
      }
    }
    EXPECT_EQ(response.body.find("allot_secret"), std::string::npos);
    // A browser gets a page for an unknown address, every other client a problem.
    if (response.status == 404 && !path.starts_with("/api") && wants_html(asked)) return;
    if (response.status >= 400) {
      EXPECT_EQ(response.field("Content-Type"), "application/problem+json") << what;
      EXPECT_EQ(
          checker.wrong(response.json(), document_.at("components").at("schemas").at("Problem")),
          "")
          << what;
      EXPECT_EQ(response.json().at("status").as_int64(), response.status) << what;
      return;
    }
    const serve::Route* route = route_of(asked.method, path);
    ASSERT_TRUE(route) << what;
    if (response.status == 304 || route->page) return;
    const auto& responses = operation(*route).at("responses").as_object();
    const auto* stated = responses.if_contains(std::to_string(response.status));
    ASSERT_TRUE(stated) << what << " answered " << response.status;
    const auto* content = stated->as_object().if_contains("content");
    if (!content) {
      EXPECT_EQ(response.body, "") << what;
      return;
    }
    const std::string type = response.field("Content-Type");
    if (type != "application/json") return;
    const auto* json_content = content->as_object().if_contains(type);
    ASSERT_TRUE(json_content) << what << " answered " << type;
    EXPECT_EQ(checker.wrong(response.json(), json_content->at("schema")), "")
        << what << ": " << response.body.substr(0, 500);
  }

  Folder folder_;
  std::unique_ptr<serve::Hub> hub_;
  std::unique_ptr<serve::Service> service_;
  json::value document_;
};

inline ApiResponse patch(TestApi& api, const std::string& path, const std::string& body) {
  return api.ask(
      {.method = http::Method::patch, .path = path, .token = api.requester, .body = body});
}

}  // namespace allot::test
