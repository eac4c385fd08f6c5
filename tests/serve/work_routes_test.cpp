// Asking for items and recording labels.
#include <gtest/gtest.h>

#include <set>

#include "serve/campaign_fixture.hpp"

namespace allot::test::work_routes_test {
namespace {

TEST(Work, AskAnswerAndGoOnInOneCall) {
  TestApi api;
  const std::string path = api.campaign();
  const std::string ann = api.worker(path, "ann");
  const ApiResponse asked = api.post(path + "/assignments", ann);
  const std::string item = first_item(asked);
  EXPECT_EQ(asked.json().at("assignments").at(0).at("fields").at("text").as_string(),
            "text of " + item);
  EXPECT_EQ(count_of(api.get(path + "/assignments", ann), "assignments"), 1U);
  const ApiResponse given = api.post(
      path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"yes\", \"next\": 2}");
  ASSERT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(given.json().at("labels").at(0).at("outcome").as_string(), "recorded");
  EXPECT_EQ(given.json().at("next").at("assignments").as_array().size(), 2U);
  const std::string one(given.json().at("next").at("assignments").at(0).at("item").as_string()),
      two(given.json().at("next").at("assignments").at(1).at("item").as_string());
  EXPECT_EQ(api.post(path + "/skip", ann, "{\"item\": \"" + one + "\"}").status, 200);
  EXPECT_EQ(api.post(path + "/skip", ann, "{\"item\": \"" + one + "\"}").code(), "conflict");
  const ApiResponse released =
      api.post(path + "/release", ann, "{\"item\": \"" + two + "\", \"next\": 1}");
  EXPECT_EQ(released.json().at("next").at("assignments").as_array().size(), 1U);
  EXPECT_EQ(
      api.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"no\"}").code(),
      "conflict");
  EXPECT_EQ(api.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"perhaps\"}")
                .status,
            400);
  const ApiResponse revised = api.post(
      path + "/labels", api.requester,
      "{\"worker\": \"ann\", \"item\": \"" + item + "\", \"label\": \"no\", \"revise\": true}");
  EXPECT_EQ(revised.json().at("labels").at(0).at("outcome").as_string(), "revised");
  for (const char* wrong :
       {"{}", R"({"labels": []})", R"({"labels": [1]})", R"({"labels": {}})", R"({"item": "i0"})",
        R"({"item": "i0", "label": 1})", R"({"item": "i0", "label": "yes", "labels": []})",
        R"({"item": "i0", "label": "yes", "next": -1})"}) {
    EXPECT_EQ(api.post(path + "/labels", ann, wrong).status, 400) << wrong;
  }
  EXPECT_EQ(api.post(path + "/assignments", ann, R"({"count": 101})").code(), "too_large");
  EXPECT_EQ(api.post(path + "/assignments", ann, R"({"count": 0})").status, 400);
  EXPECT_EQ(api.post(path + "/assignments", api.requester).status, 400) << "whose?";
}

TEST(Work, ManyLabelsEachForItself) {
  TestApi api;
  const std::string path = api.campaign(4);
  EXPECT_EQ(
      count_of(api.post(path + "/assignments", api.requester, R"({"worker": "ann", "count": 2})"),
               "assignments"),
      2U);
  const json::value held = api.get(path + "/assignments?worker=ann", api.requester).json();
  const std::string a(held.at("assignments").at(0).at("item").as_string());
  const std::string body = "{\"labels\": [{\"worker\": \"ann\", \"item\": \"" + a +
                           "\", \"label\": \"yes\"}, {\"worker\": \"bob\", \"item\": \"" + a +
                           "\", \"label\": \"yes\"}]}";
  const ApiResponse given = api.post(path + "/labels", api.requester, body, "k");
  const auto& rows = given.json().at("labels").as_array();
  EXPECT_EQ(rows[0].at("outcome").as_string(), "recorded");
  EXPECT_EQ(rows[1].at("outcome").as_string(), "refused");
  EXPECT_EQ(rows[1].at("code").as_string(), "not_found");
  EXPECT_EQ(api.post(path + "/labels", api.requester, body, "k").body, given.body);
  EXPECT_EQ(api.post(path + "/labels", api.requester, body).json().at("labels").at(0).at("outcome"),
            "already");
  EXPECT_EQ(
      api.post(path + "/labels", api.requester, body.substr(0, body.size() - 1) + ", \"next\": 1}")
          .status,
      400)
      << "next for two workers";
  EXPECT_EQ(api.get(path + "/status", api.requester).json().at("labels").as_int64(), 1);
}

TEST(Work, TheSameKeyGetsTheSameItem) {
  serve::ServiceOptions options = TestApi::generous();
  for (const std::size_t kept : {std::size_t{0}, std::size_t{100}}) {
    options.kept_answers = kept;  // without a memory the ledger has the key
    TestApi api(options);
    const std::string path = api.campaign();
    const std::string ann = api.worker(path, "ann"), bob = api.worker(path, "bob");
    const ApiResponse first = api.post(path + "/assignments", ann, "", "k");
    EXPECT_EQ(api.post(path + "/assignments", ann, "", "k").body, first.body);
    EXPECT_NE(first_item(api.post(path + "/assignments", bob, "", "k")), "")
        << "the key of another token is another key";
    const std::string body =
        "{\"item\": \"" + first_item(first) + "\", \"label\": \"yes\", \"next\": 1}";
    const ApiResponse given = api.post(path + "/labels", ann, body, "l");
    const ApiResponse again = api.post(path + "/labels", ann, body, "l");
    EXPECT_EQ(again.json().at("next"), given.json().at("next"));
    EXPECT_EQ(api.get(path, api.requester).json().at("leases").as_int64(), 2);
    EXPECT_EQ(api.get(path, api.requester).json().at("labels").as_int64(), 1);
  }
}

TEST(Work, PushCampaignsAskWhom) {
  TestApi api;
  const std::string path = api.campaign();
  const ApiResponse nobody = api.post(path + "/whom-next", api.requester);
  EXPECT_TRUE(nobody.json().at("worker").is_null());
  api.ask({.method = Method::put,
           .path = path + "/prices",
           .token = api.requester,
           .body = R"({"worker": "model", "price": 0.01})"});
  const ApiResponse whom = api.post(path + "/whom-next", api.requester);
  EXPECT_EQ(whom.text("worker"), "model");
  EXPECT_EQ(count_of(whom, "assignments"), 1U);
}

TEST(Work, WhomToAskSaysWhyThereIsNobody) {
  TestApi api;
  const auto shortfall = [&](const std::string& path) {
    const ApiResponse got = api.post(path + "/whom-next", api.requester);
    EXPECT_EQ(got.status, 200) << got.body;
    EXPECT_EQ(count_of(got, "assignments"), 0U);
    const json::value& why = got.json().at("shortfall");
    return std::string(why.at("code").as_string()) + ": " +
           std::string(why.at("detail").as_string());
  };
  for (const bool with_worker : {false, true}) {
    const std::string path = api.campaign();
    if (with_worker) api.post(path + "/assignments", api.requester, R"({"worker": "ann"})");
    api.post(path + "/pause", api.requester);
    const std::string paused = shortfall(path);
    EXPECT_EQ(paused.find("forbidden: "), 0U) << paused;
    EXPECT_NE(paused.find("is paused"), std::string::npos) << paused;
    api.post(path + "/close", api.requester, R"({"reason": "enough"})");
    EXPECT_EQ(shortfall(path),
              "forbidden: the campaign is closed (enough); no more labels are bought");
  }
  const std::string empty = api.campaign(0);
  EXPECT_EQ(shortfall(empty), "not_found: the campaign has no items yet");
  const std::string unknown = api.campaign();
  EXPECT_NE(shortfall(unknown).find("knows no worker yet"), std::string::npos);
  api.post(unknown + "/assignments", api.requester, R"({"worker": "ann"})");
  api.ask({.method = Method::patch,
           .path = unknown,
           .token = api.requester,
           .body = R"({"budget": 1})"});
  const std::string spent = shortfall(unknown);
  EXPECT_EQ(spent.find("budget_exhausted: the budget of 1 cannot pay for another label"), 0U)
      << spent;
  // Nothing but a label has to be there for this rule to hold.
  const std::string path = api.campaign(3, R"(, "stop": ["accuracy:0.01"])");
  api.post(path + "/assignments", api.requester, R"({"worker": "ann"})");
  const std::string ruled = shortfall(path);
  EXPECT_NE(ruled.find("paused by the stop rule 'accuracy"), std::string::npos) << ruled;
}

}  // namespace
}  // namespace allot::test::work_routes_test
