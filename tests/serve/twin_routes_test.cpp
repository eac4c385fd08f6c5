// Copies of a campaign with another policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "serve/campaign_fixture.hpp"

namespace allot::test::twin_routes_test {
namespace {

TEST(Twins, AreMadeOnceAKeyAlsoAfterARestart) {
  TestApi api;
  const std::string path = measured(api, 3, "");
  const auto make = [&](const std::string& body) {
    return api.ask({Method::post, path + "/twin", api.requester, body, {{"Idempotency-Key", "k"}}});
  };
  const ApiResponse made = make(R"({"policy": "uniform"})");
  ASSERT_EQ(made.status, 201) << made.body;
  api.reopen(TestApi::generous());
  const ApiResponse again = make(R"({"policy": "uniform"})");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.text("id"), made.text("id"));
  EXPECT_EQ(make(R"({"policy": "kg"})").status, 422);
}

TEST(Twins, HaveTheSameItemsAndAnotherPolicy) {
  TestApi api;
  const std::string path =
      measured(api, 12, R"(, "page": {"question": "Which?"}, "labels_per_item": 4)");
  EXPECT_EQ(api.post(path + "/items", api.requester,
                     R"({"items": [{"id": "i99", "price": 7, "fields": {"a": 1}}]})")
                .status,
            201);
  EXPECT_EQ(
      api.ask({Method::put, path + "/prices", api.requester, R"({"worker": "good", "price": 2})"})
          .status,
      200);
  label(api, path, 10);
  const ApiResponse made =
      api.post(path + "/twin", api.requester, R"({"policy": "least-labelled"})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.text("twin_of"), path.substr(path.rfind('/') + 1));
  EXPECT_EQ(made.text("name"), "Reviews (least-labelled)");
  const std::string twin = made.field("Location");
  const json::value first = api.get(path, api.requester).json();
  const json::value second = api.get(twin, api.requester).json();
  EXPECT_EQ(second.at("options").at("policy").as_string(), "least-labelled");
  for (const char* same : {"budget", "items", "gold", "page"}) {
    EXPECT_EQ(first.at(same), second.at(same)) << same;
  }
  EXPECT_EQ(second.at("labels").as_int64(), 0);
  EXPECT_EQ(number_of(second.at("spent")), 0);
  for (const char* item : {"i0", "i3", "i4", "i99"}) {
    const json::value one = api.get(path + "/items/" + item, api.requester).json();
    const json::value other = api.get(twin + "/items/" + item, api.requester).json();
    for (const char* same : {"fields", "price", "gold", "truth"}) {
      EXPECT_EQ(one.at(same), other.at(same)) << item << same;
    }
  }
  const json::value workers = api.get(twin + "/workers", api.requester).json();
  EXPECT_EQ(number_of(workers.at("workers").at(0).at("price")), 2);
  const json::value list = api.get("/api/v1/campaigns", api.requester).json();
  int twins = 0;
  for (const json::value& one : list.at("campaigns").as_array())
    twins += !one.at("twin_of").is_null();
  EXPECT_EQ(twins, 1);
  const ApiResponse named =
      api.post(path + "/twin", api.requester, R"({"policy": "kg", "name": "Other", "budget": 5})");
  EXPECT_EQ(named.text("name"), "Other");
  EXPECT_EQ(number_of(api.get(named.field("Location"), api.requester).json().at("budget")), 5);
  for (const char* wrong : {"{}", R"({"policy": "magic"})", R"({"policy": "kg", "name": ""})"}) {
    EXPECT_EQ(api.post(path + "/twin", api.requester, wrong).status, 400) << wrong;
  }
}

}  // namespace
}  // namespace allot::test::twin_routes_test
