// Requests that are repeated under the same Idempotency-Key.
#include <gtest/gtest.h>

#include "serve/admission.hpp"
#include "serve/campaign_fixture.hpp"

namespace allot::test::idempotency_test {
namespace {

TEST(ResponseCache, KeepsTheLastFew) {
  serve::ResponseCache cache(100);
  for (int n = 0; n < 150; ++n) cache.keep(std::to_string(n), {"d", 200, "t", "b"});
  EXPECT_FALSE(cache.find("49"));
  EXPECT_TRUE(cache.find("50"));
  cache.keep("50", {"other", 200, "t", "b"});
  EXPECT_EQ(cache.find("50")->digest, "d") << "the first answer stays";
  serve::ResponseCache large(1'000'000);
  for (int n = 0; n < 100; ++n) {
    large.keep(std::to_string(n), {"d", 200, "t", std::string(1 << 20, 'x')});
  }
  EXPECT_FALSE(large.find("60")) << "32 MB at most";
  EXPECT_TRUE(large.find("99"));
}

/// Requests with an Idempotency-Key, repeated after the server was started again.
class KeysAfterARestart : public testing::Test {
 protected:
  KeysAfterARestart() {
    for (const char* worker : {"ann", "bob", "eve"}) {
      const std::string price = body({{"worker", worker}, {"price", 1}});
      EXPECT_EQ(api.ask({Method::put, path + "/prices", api.requester, price}).status, 200);
    }
  }

  ApiResponse post(const std::string& what, const std::string& text, const std::string& key) {
    return api.post(path + what, api.requester, text, key);
  }
  /// An item that is leased to the worker.
  std::string leased(const char* worker) {
    return first_item(post("/assignments", body({{"worker", worker}}), ""));
  }
  static std::string label(const char* worker, const std::string& item, const char* label) {
    return body({{"worker", worker}, {"item", item}, {"label", label}});
  }
  std::uint64_t events() {
    return api.get(path, api.requester).json().at("events").to_number<std::uint64_t>();
  }
  /// Sends the request, starts the server again and repeats it: the same body, and no new event.
  ApiResponse expect_same(const std::string& what, const std::string& text) {
    const ApiResponse first = post(what, text, "key");
    EXPECT_EQ(first.status, 200) << first.body;
    const std::uint64_t before = events();
    api.reopen(TestApi::generous());
    ApiResponse again = post(what, text, "key");
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(events(), before) << "nothing happened";
    return again;
  }
  static std::string outcome(const ApiResponse& answered, std::size_t n) {
    return std::string(answered.json().at("labels").at(n).at("outcome").as_string());
  }

  TestApi api;
  const std::string path = api.campaign(6);
};

TEST_F(KeysAfterARestart, ACampaignIsCreatedOnce) {
  const std::string request = R"({"name": "once", "classes": ["no", "yes"], "budget": 50})";
  const ApiResponse created = api.post("/api/v1/campaigns", api.requester, request, "make");
  ASSERT_EQ(created.status, 201);
  api.reopen(TestApi::generous());
  const ApiResponse again = api.post("/api/v1/campaigns", api.requester, request, "make");
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body, created.body);
  EXPECT_EQ(again.field("Location"), created.field("Location"));
  EXPECT_EQ(count_of(api.get("/api/v1/campaigns", api.requester), "campaigns"), 2U);
}

TEST_F(KeysAfterARestart, ACreationKeyIsRefusedForAnotherCampaign) {
  const auto create = [&](const std::string& token, const char* name) {
    return api.post("/api/v1/campaigns", token,
                    body({{"name", name}, {"classes", {"no", "yes"}}, {"budget", 50}}), "make");
  };
  ASSERT_EQ(create(api.requester, "once").status, 201);
  api.reopen(TestApi::generous());
  EXPECT_EQ(create(api.requester, "other").code(), "key_reused");
  EXPECT_EQ(create(api.admin, "once").status, 201) << "a key belongs to its token";
}

TEST_F(KeysAfterARestart, WhomNextNamesTheSameWorkerAndItem) {
  const ApiResponse whom = expect_same("/whom-next", "");
  EXPECT_EQ(count_of(whom, "assignments"), 1U) << whom.body;
}

TEST_F(KeysAfterARestart, ASkipAnswersWithTheSameNextItem) {
  expect_same("/skip", body({{"worker", "ann"}, {"item", leased("ann")}, {"next", 1}}));
}

TEST_F(KeysAfterARestart, AReleaseIsDoneOnce) {
  expect_same("/release", body({{"worker", "ann"}, {"item", leased("ann")}}));
}

TEST_F(KeysAfterARestart, TheKeyOfASkipIsRefusedForARelease) {
  const std::string request = body({{"worker", "ann"}, {"item", leased("ann")}});
  ASSERT_EQ(post("/skip", request, "skip").status, 200);
  api.reopen(TestApi::generous());
  EXPECT_EQ(post("/release", request, "skip").code(), "key_reused");
}

TEST_F(KeysAfterARestart, ALabelIsRecordedOnceWithTheSameNextItem) {
  const ApiResponse again = expect_same(
      "/labels", body({{"worker", "bob"}, {"item", leased("bob")}, {"label", "yes"}, {"next", 1}}));
  EXPECT_EQ(outcome(again, 0), "recorded");
}

TEST_F(KeysAfterARestart, ARevisionIsMadeOnce) {
  const std::string item = leased("bob");
  ASSERT_EQ(post("/labels", label("bob", item, "yes"), "").status, 200);
  const ApiResponse again = expect_same(
      "/labels", body({{"worker", "bob"}, {"item", item}, {"label", "no"}, {"revise", true}}));
  EXPECT_EQ(outcome(again, 0), "revised");
}

class ManyLabelsAfterARestart : public KeysAfterARestart {
 protected:
  /// One label that is recorded already, two new ones, and one by a worker who has no item.
  std::string request() {
    const std::string known = leased("bob"), first = leased("eve"), second = leased("eve");
    EXPECT_EQ(post("/labels", label("bob", known, "no"), "").status, 200);
    return "{\"labels\": [" + label("bob", known, "no") + "," + label("eve", first, "no") + "," +
           label("zoe", first, "no") + "," + label("eve", second, "yes") + "]}";
  }
};

TEST_F(ManyLabelsAfterARestart, HaveTheSameOutcomes) {
  const std::string many = request();
  const ApiResponse first = post("/labels", many, "many");
  EXPECT_EQ(outcome(first, 0), "already");
  EXPECT_EQ(outcome(first, 1), "recorded");
  EXPECT_EQ(outcome(first, 2), "refused");
  const std::uint64_t before = events();
  api.reopen(TestApi::generous());
  const ApiResponse again = post("/labels", many, "many");
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(outcome(again, n), outcome(first, n)) << n;
  EXPECT_EQ(events(), before) << "nothing happened";
}

TEST_F(ManyLabelsAfterARestart, AreAlreadyThereUnderANewKey) {
  const std::string many = request();
  ASSERT_EQ(post("/labels", many, "many").status, 200);
  api.reopen(TestApi::generous());
  EXPECT_EQ(outcome(post("/labels", many, "new"), 1), "already");
}

TEST_F(KeysAfterARestart, ARefusedLabelIsRefusedAgainIfItemsWereHandedOut) {
  const std::string request = "{\"labels\": [" + label("bob", "i5", "yes") + R"(], "next": 1})";
  const ApiResponse first = post("/labels", request, "key");
  ASSERT_EQ(outcome(first, 0), "refused") << first.body;
  // Now the worker gets the item that was refused.
  const std::string all = body({{"worker", "bob"}, {"count", 6}});
  ASSERT_EQ(count_of(post("/assignments", all, ""), "assignments"), 5U);
  const std::uint64_t before = events();
  api.reopen(TestApi::generous());
  const ApiResponse again = post("/labels", request, "key");
  EXPECT_EQ(outcome(again, 0), "refused") << again.body;
  EXPECT_EQ(again.json().at("next"), first.json().at("next"));
  EXPECT_EQ(events(), before) << "nothing happened";
  EXPECT_EQ(outcome(post("/labels", request, "new"), 0), "recorded")
      << "a new key is a new request";
}

TEST_F(KeysAfterARestart, AKeyIsRefusedForOtherLabelsAndStaysGood) {
  const std::string item = leased("bob");
  const std::string single = label("bob", item, "yes");
  const ApiResponse first = post("/labels", single, "one");
  api.reopen(TestApi::generous());
  const std::string revision =
      body({{"worker", "bob"}, {"item", item}, {"label", "no"}, {"revise", true}});
  for (const std::string& other : {revision, "{\"labels\": [" + label("bob", item, "no") + "]}"}) {
    const ApiResponse refused = post("/labels", other, "one");
    ASSERT_EQ(refused.status, 422) << refused.body;
    EXPECT_EQ(refused.code(), "key_reused") << refused.body;
    EXPECT_NE(refused.text("detail").find("'one'"), std::string::npos) << refused.body;
  }
  EXPECT_EQ(post("/labels", single, "one").body, first.body) << "which those did not spoil";
}

TEST_F(KeysAfterARestart, NoKeyOfAClientIsOneThatTheServerMakesOfAnother) {
  const ApiResponse given = post(
      "/labels", body({{"worker", "bob"}, {"item", leased("bob")}, {"label", "yes"}, {"next", 1}}),
      "one");
  const std::string next(given.json().at_pointer("/next/assignments/0/item").as_string());
  api.reopen(TestApi::generous());
  EXPECT_NE(first_item(post("/assignments", body({{"worker", "bob"}}), "one/next")), next);
}

}  // namespace
}  // namespace allot::test::idempotency_test
