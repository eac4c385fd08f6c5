// Thousands of requests that make some sense or none: the service never breaks, and whatever it
// answers is as its document says (support/test_api.hpp checks that).
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/test_api.hpp"

namespace allot::test::hostile_test {
namespace {

class Nonsense {
 public:
  explicit Nonsense(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename List>
  const auto& any(const List& list) {
    return list[below(std::size(list))];
  }

  std::string text() {
    static const std::vector<std::string> kTexts{"",
                                                 "i0",
                                                 "i1",
                                                 "ann",
                                                 "yes",
                                                 "no",
                                                 "0",
                                                 "-1",
                                                 "1e9",
                                                 "null",
                                                 "9" + std::string(30, '9'),
                                                 "accuracy:0.9",
                                                 "opt-kg",
                                                 "\\u0000",
                                                 "\\ud83d\\ude00",
                                                 "%2F..",
                                                 "a b",
                                                 "learn",
                                                 "off",
                                                 "10m",
                                                 "'; DROP TABLE",
                                                 "<b>",
                                                 "{}",
                                                 std::string(600, 'x')};
    return any(kTexts);
  }
  std::string value(int depth = 0) {
    switch (below(depth > 2 ? 6 : 9)) {
      case 0:
        return "null";
      case 1:
        return one_in(2) ? "true" : "false";
      case 2:
        return std::to_string(static_cast<std::int64_t>(random_()) >> below(64));
      case 3:
        return any(
            std::vector<std::string>{"0", "1", "-0.5", "1e308", "1e-9", "18446744073709551615"});
      case 4:
      case 5:
        return "\"" + text() + "\"";
      case 6: {
        std::string list;
        for (std::size_t n = below(4); n > 0; --n)
          list += (list.empty() ? "" : ",") + value(depth + 1);
        return "[" + list + "]";
      }
      default:
        return object(depth + 1);
    }
  }
  std::string object(int depth = 0) {
    static const std::vector<std::string> kNames{
        "name",  "classes",  "budget", "items", "id",        "fields", "gold",
        "price", "features", "worker", "count", "item",      "label",  "labels",
        "next",  "revise",   "reason", "role",  "campaign",  "policy", "lease",
        "stop",  "refit",    "seed",   "coins", "gold_rate", "what"};
    std::string members;
    for (std::size_t n = below(6); n > 0; --n) {
      members += (members.empty() ? "\"" : ",\"") + any(kNames) + "\":" + value(depth);
    }
    return "{" + members + "}";
  }
  /// A value as the schema says, but for one place in twenty.
  std::string likely(const json::object& schema) {
    if (one_in(20)) return value();
    if (const auto* words = schema.if_contains("enum"))
      return json::serialize(any(words->as_array()));
    const auto* type = schema.if_contains("type");
    const std::string kind(!type               ? "object"
                           : type->is_string() ? type->as_string()
                                               : any(type->as_array()).as_string());
    if (kind == "string") return "\"" + text() + "\"";
    if (kind == "integer" || kind == "number") return std::to_string(below(6));
    if (kind == "boolean") return one_in(2) ? "true" : "false";
    if (kind == "array") {
      std::string list;
      for (std::size_t n = 1 + below(3); n > 0; --n) {
        list += (list.empty() ? "" : ",") + likely(schema.at("items").as_object());
      }
      return "[" + list + "]";
    }
    std::string members;
    const auto* properties = schema.if_contains("properties");
    if (!properties) return object(1);
    for (const auto& [name, member] : properties->as_object()) {
      const auto& required = schema.at("required").as_array();
      const bool needed =
          std::find(required.begin(), required.end(), json::value(name)) != required.end();
      if (needed ? one_in(20) : !one_in(3)) continue;
      members +=
          (members.empty() ? "\"" : ",\"") + std::string(name) + "\":" + likely(member.as_object());
    }
    return "{" + members + "}";
  }
  std::string body(const std::string& schema) {
    std::string text =
        schema.empty() || one_in(5) ? object() : likely(json::parse(schema).as_object());
    if (one_in(12) && !text.empty()) text[below(text.size())] = static_cast<char>(below(256));
    if (one_in(20)) text.resize(below(text.size() + 1));
    return text;
  }

 private:
  std::mt19937_64 random_;
};

TEST(Hostile, NothingBreaksTheService) {
  TestApi api;
  const std::string path = api.campaign(20);
  const std::vector<std::string> tokens{api.admin, api.requester, api.worker(path, "ann"), "",
                                        "allot_"};
  const std::string uploads[]{
      "id,text\na,b\n", "id\n\"",     "{\"id\": 1}\n{",       "\xff\xfe", "",
      "id,id\n1,2\n",   "a;b\n1;2\n", std::string(3000, '\n')};
  Nonsense any(20'261'115);
  std::map<int, int> statuses;
  const int requests = std::getenv("ALLOT_STRESS") ? 400'000 : 8000;
  for (int n = 0; n < requests; ++n) {
    const serve::Route& route = any.any(api.service().routes());
    // The campaign and its tokens are still wanted; one that is not archived is not deleted.
    if (route.name == "close_campaign" || route.name == "archive_campaign" ||
        route.name == "live_events")
      continue;
    std::string target = route.pattern;
    const auto put = [&](const std::string& name, const std::string& value) {
      const std::size_t at = target.find(name);
      if (at != std::string::npos) target.replace(at, name.size(), value);
    };
    put("/api/v1/campaigns/{campaign}", any.one_in(10) ? "/api/v1/campaigns/" + any.text() : path);
    put("{token}", any.text());
    put("{what}", any.one_in(2) ? "labels" : any.text());
    if (any.one_in(3)) {
      target += "?" +
                (route.query.empty() || any.one_in(4) ? any.text() : any.any(route.query).name) +
                "=" + any.text();
    }
    ApiRequest asked{any.one_in(20) ? http::Method::put : route.method, target, any.any(tokens),
                     any.body(route.request)};
    if (any.one_in(5)) asked.fields.emplace_back("Idempotency-Key", any.text());
    if (any.one_in(5)) asked.fields.emplace_back("If-None-Match", any.text());
    if (!route.uploads.empty()) {
      asked.upload = any.any(uploads);
      asked.piece = 1 + any.below(50);
      asked.fields.emplace_back("Content-Type", any.any(route.uploads));
    }
    const ApiResponse answered = api.ask(std::move(asked));
    EXPECT_LT(answered.status, 500) << target << ": " << answered.body;
    ++statuses[answered.status];
    if (HasFailure()) return;
  }
  for (const int status : {200, 201, 400, 401, 403, 404, 405})
    EXPECT_GT(statuses[status], 5) << status;
  EXPECT_EQ(api.get(path, api.requester).status, 200);
}

}  // namespace
}  // namespace allot::test::hostile_test
