// The OpenAPI document and the page made from the route table.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "serve/campaign_fixture.hpp"

namespace allot::test::openapi_test {
namespace {

using serve::Route;

TEST(Docs, BeginWithALinkToEveryRoute) {
  TestApi api;
  const std::string page = api.get("/docs", "").body;
  const std::string contents = page.substr(0, page.find("</nav>"));
  for (const Route& route : api.service().routes()) {
    if (route.page) continue;
    EXPECT_NE(contents.find("<a href=\"#" + route.name + "\">"), std::string::npos) << route.name;
    EXPECT_NE(page.find("<section id=\"" + route.name + "\">"), std::string::npos) << route.name;
  }
}

/// Sends whole numbers at and just beyond the bounds that the document states.
class Bounds : public testing::Test {
 protected:
  static bool is_whole(const json::value& schema) {
    const auto* type = schema.as_object().if_contains("type");
    return type && type->is_string() && type->as_string() == "integer";
  }
  /// send(number) returns a status.
  template <typename Send>
  static void check(const json::value& schema, const std::string& what, Send send) {
    ASSERT_TRUE(schema.as_object().contains("maximum")) << what << " " << schema;
    const auto least = schema.at("minimum").to_number<std::uint64_t>();
    const auto most = schema.at("maximum").to_number<std::uint64_t>();
    const auto is_out_of_range = [&](const std::string& number) {
      const int status = send(number);
      return status == 400 || status == 413;
    };
    for (const std::uint64_t in : {least, most}) {
      EXPECT_FALSE(is_out_of_range(std::to_string(in))) << what << " " << in;
    }
    for (const std::string& out :
         {least == 0 ? "-1" : std::to_string(least - 1), std::to_string(most + 1)}) {
      EXPECT_TRUE(is_out_of_range(out)) << what << " " << out;
    }
  }
  std::string fill(std::string pattern) const {
    for (const auto& [name, value] :
         {std::pair("{campaign}", id), std::pair("{webhook}", webhook)}) {
      const std::size_t at = pattern.find(name);
      if (at != std::string::npos) pattern.replace(at, std::string(name).size(), value);
    }
    return pattern;
  }
  /// Calls visit(path, operation) for every operation of the document.
  template <typename Visit>
  void each_operation(Visit visit) {
    for (const auto& [pattern, methods] : api.document().at("paths").as_object()) {
      for (const auto& [method, operation] : methods.as_object()) {
        visit(fill(std::string(pattern)), operation);
      }
    }
  }

  TestApi api;
  const std::string path = api.campaign(3);
  const std::string id = path.substr(path.rfind('/') + 1);
  const std::string webhook{
      api.post(path + "/webhooks", api.requester,
               R"({"url": "https://example.org/", "events": ["campaign.closed"]})")
          .json()
          .at_pointer("/webhook/id")
          .as_string()};
};

TEST_F(Bounds, OfParametersAreThoseOfTheServer) {
  int checked = 0;
  each_operation([&](const std::string& address, const json::value& operation) {
    for (const json::value& one : operation.at("parameters").as_array()) {
      if (!is_whole(one.at("schema"))) continue;
      ++checked;
      const std::string name(one.at("name").as_string());
      check(one.at("schema"), address + " " + name, [&](const std::string& number) {
        const ApiRequest asked{.path = address + "?" + name + "=" + number, .token = api.requester};
        return api.ask(asked, true).status;
      });
    }
  });
  EXPECT_GE(checked, 8);
}

TEST_F(Bounds, OfMembersAreThoseOfTheServer) {
  // Other members that a request needs.
  const std::map<std::string, std::string> rest{
      {"ask", R"("worker": "ann")"},
      {"give_labels", R"("worker": "ann", "item": "i0", "label": "yes")"},
      {"skip", R"("worker": "ann", "item": "i1")"},
      {"release", R"("worker": "ann", "item": "i2")"},
      {"make_recruiting", R"("platform": "panel")"},
      {"forecast", R"("budget": 1, "items": 1)"}};
  int checked = 0;
  each_operation([&](const std::string& address, const json::value& operation) {
    const auto* content = operation.as_object().if_contains("requestBody");
    if (!content || !content->at("content").as_object().contains("application/json")) return;
    const json::value& schema = content->at_pointer("/content/application~1json/schema");
    if (!schema.as_object().contains("properties")) return;
    const std::string name(operation.at("operationId").as_string());
    if (name == "change_recruiting") return;  // the members of make_recruiting
    for (const auto& [member, of] : schema.at("properties").as_object()) {
      if (!is_whole(of)) continue;
      ++checked;
      ASSERT_TRUE(rest.contains(name)) << name;
      json::object members = json::parse("{" + rest.at(name) + "}").as_object();
      check(of, name + " " + std::string(member), [&](const std::string& number) {
        members[member] = json::parse(number);
        return api.post(address, api.requester, json::serialize(members)).status;
      });
    }
  });
  EXPECT_GE(checked, 7);
}

TEST(Documents, AreMadeOfTheTable) {
  TestApi api;
  const ApiResponse document = api.get("/openapi.json", "");
  EXPECT_EQ(document.json().at("openapi").as_string(), "3.1.0");
  const std::string tag = document.field("ETag");
  const auto status_with = [&](const std::string& known) {
    return api.ask({.path = "/openapi.json", .fields = {{"If-None-Match", known}}}).status;
  };
  for (const std::string& known : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    EXPECT_EQ(status_with(known), 304) << known;
  }
  EXPECT_EQ(status_with("\"other\""), 200);
  std::set<std::string> names;
  for (const Route& route : api.service().routes()) {
    EXPECT_TRUE(names.insert(route.name).second) << route.name << " twice";
    EXPECT_EQ(document.json().at("paths").as_object().contains(route.pattern), !route.page);
  }
  const ApiResponse page = api.get("/docs", "");
  EXPECT_EQ(page.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
  EXPECT_EQ(page.body.find("style="), std::string::npos);
  EXPECT_EQ(api.get("/docs.css", "").status, 200);
  EXPECT_EQ(api.get("/healthz", "").status, 200);
  EXPECT_EQ(api.get("/readyz", "").status, 200);
  api.hub().stop();
  EXPECT_EQ(api.get("/readyz", "").status, 503);
}

}  // namespace
}  // namespace allot::test::openapi_test
