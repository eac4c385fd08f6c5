// Workers who change their last label.
#include <gtest/gtest.h>

#include <algorithm>

#include "serve/campaign_fixture.hpp"

namespace allot::test::revision_test {
namespace {

/// Ann has four items, two of them gold, and labels them one after the other.
class Undo : public testing::Test {
 protected:
  Undo() {
    const std::string gold =
        R"({"items": [{"id": "g0", "gold": "yes"}, {"id": "g1", "gold": "no"}]})";
    EXPECT_EQ(api.post(path + "/items", api.requester, gold).status, 201);
    const ApiResponse leased = api.post(path + "/assignments", ann, R"({"count": 4})");
    for (const auto& one : leased.json().at("assignments").as_array()) {
      items.push_back(text_of(one.at("item")));
    }
    EXPECT_EQ(std::ranges::count_if(items, [](const auto& one) { return one[0] == 'g'; }), 2);
  }

  ApiResponse give(const std::string& token, const std::string& item, const char* label) {
    return api.post(path + "/labels", token, body({{"item", item}, {"label", label}}));
  }
  ApiResponse revise(const std::string& token, const std::string& item, const char* label) {
    return api.post(path + "/labels", token,
                    body({{"item", item}, {"label", label}, {"revise", true}}));
  }
  static std::string outcome(const ApiResponse& one) {
    return one.status == 200 ? text_of(one.json().at("labels").at(0).at("outcome")) : one.code();
  }
  void label_all() {
    for (const std::string& item : items) EXPECT_EQ(outcome(give(ann, item, "yes")), "recorded");
  }

  TestApi api;
  const std::string path = api.campaign(6, R"(, "gold_rate": 1, "lease": "10m")");
  const std::string ann = api.worker(path, "ann"), bob = api.worker(path, "bob");
  std::vector<std::string> items;
};

TEST_F(Undo, AWorkerRevisesTheLastLabelGoldOrNot) {
  for (const std::string& item : items) {
    EXPECT_EQ(outcome(give(ann, item, "yes")), "recorded") << item;
    EXPECT_EQ(outcome(give(ann, item, "no")), "conflict");
    EXPECT_EQ(outcome(revise(ann, item, "no")), "revised");
    EXPECT_EQ(outcome(revise(ann, item, "no")), "already");
    EXPECT_EQ(outcome(revise(ann, item, "yes")), "revised");
  }
}

TEST_F(Undo, NotALabelOfAnotherWorker) {
  label_all();
  for (const std::string& item : items) {
    EXPECT_EQ(outcome(revise(bob, item, "yes")), "forbidden");
  }
}

TEST_F(Undo, NotALabelBeforeTheLastAndAllInTheSameWords) {
  label_all();
  const std::string refusal = revise(ann, items[0], "no").body;
  for (std::size_t n = 0; n + 1 < items.size(); ++n) {
    EXPECT_EQ(outcome(revise(ann, items[n], "no")), "forbidden") << n;
    EXPECT_EQ(revise(ann, items[n], "no").body, refusal);
  }
}

TEST_F(Undo, MayAskForTheNextItemAsWell) {
  label_all();
  const ApiResponse revised =
      api.post(path + "/labels", ann,
               body({{"item", items.back()}, {"label", "no"}, {"revise", true}, {"next", 1}}));
  EXPECT_EQ(outcome(revised), "revised");
}

TEST_F(Undo, NotAListOfLabels) {
  label_all();
  const std::string list =
      "{\"revise\": true, \"labels\": [" + body({{"item", items.back()}, {"label", "yes"}}) + "]}";
  EXPECT_EQ(api.post(path + "/labels", ann, list).status, 403);
}

TEST_F(Undo, TwentyTimesAtMostBetweenTwoStarts) {
  label_all();
  auto other = [n = 0]() mutable { return ++n % 2 == 0 ? "yes" : "no"; };
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(outcome(revise(ann, items.back(), other())), "revised") << n;
  }
  const ApiResponse refused = revise(ann, items.back(), "no");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.text("detail").find("20 times"), std::string::npos) << refused.body;
  EXPECT_EQ(outcome(revise(ann, items.back(), "yes")), "already");
  api.reopen(TestApi::generous());
  EXPECT_EQ(outcome(revise(ann, items.back(), "no")), "revised") << "the count starts again";
}

TEST_F(Undo, OnlyWhileTheLeaseWouldHaveLasted) {
  label_all();
  api.now += 600'000'000;
  EXPECT_EQ(outcome(revise(ann, items.back(), "no")), "forbidden");
  const ApiResponse by_owner = api.post(
      path + "/labels", api.requester,
      body({{"worker", "ann"}, {"item", items.back()}, {"label", "no"}, {"revise", true}}));
  EXPECT_EQ(by_owner.status, 200) << "an owner may at any time";
}

TEST_F(Undo, AWorkerIsPaidOncePerItem) {
  label_all();
  EXPECT_EQ(outcome(revise(ann, items.back(), "no")), "revised");
  const json::value me = api.get("/api/v1/me", ann).json().at("campaign");
  EXPECT_EQ(me.at("labels").as_int64(), 4);
  EXPECT_EQ(number_of(me.at("earned")), 4);
}

TEST(UndoInAClosedCampaign, IsRefused) {
  TestApi api;
  const std::string path = api.campaign(2);
  const std::string ann = api.worker(path, "ann");
  const std::string item =
      text_of(api.post(path + "/assignments", ann).json().at("assignments").at(0).at("item"));
  const std::string body = "{\"item\": \"" + item + "\", \"label\": ";
  EXPECT_EQ(api.post(path + "/labels", ann, body + "\"yes\"}").status, 200);
  EXPECT_EQ(api.post(path + "/close", api.requester).status, 200);
  EXPECT_EQ(api.post(path + "/labels", ann, body + "\"no\", \"revise\": true}").status, 403);
}

}  // namespace
}  // namespace allot::test::revision_test
