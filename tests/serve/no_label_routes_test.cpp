// Items without a label have no answer: all routes and exports agree on which items these are.
#include <gtest/gtest.h>

#include <map>

#include "serve/campaign_fixture.hpp"

namespace allot::test::no_label_routes_test {
namespace {

/// 20 items, two of them gold; 12 labels; one verdict on an item without a label.
class NoLabelRoutes : public testing::Test {
 protected:
  NoLabelRoutes() {
    label(api, path, 12);
    const json::value listed = items();
    for (const json::value& one : listed.at("items").as_array()) {
      const std::string item = text_of(one.at("item"));
      const bool gold = one.at("state").as_string() == "gold";
      if (reviewed.empty() && !gold && number_of(one.at("labels")) == 0) {
        reviewed = item;
        EXPECT_EQ(api.post(path + "/verdicts", api.requester,
                           body({{"item", item}, {"answer", "no"}, {"reviewer", "eve"}}))
                      .status,
                  200);
      }
      answered[item] = gold || item == reviewed || number_of(one.at("labels")) > 0;
    }
  }
  json::value items() { return api.get(path + "/items?limit=1000", api.requester).json(); }
  json::value status() { return api.get(path + "/status", api.requester).json(); }

  TestApi api;
  const std::string path = measured(api, 20);
  std::string reviewed;
  std::map<std::string, bool> answered;
};

TEST_F(NoLabelRoutes, AgreeOnWhichItemsHaveAnAnswer) {
  std::int64_t with = 0, without = 0;
  const json::value listed = items();
  for (const json::value& one : listed.at("items").as_array()) {
    const std::string item = text_of(one.at("item"));
    const json::value alone = api.get(path + "/items/" + item, api.requester).json();
    EXPECT_EQ(one.at("answer").is_null(), !answered[item]) << item;
    EXPECT_EQ(one.at("probability").is_null(), !answered[item]) << item;
    EXPECT_EQ(alone.at("answer"), one.at("answer")) << item;
    EXPECT_EQ(alone.at("probability"), one.at("probability")) << item;
    EXPECT_EQ(alone.at("probabilities").as_object().size(), 2U) << "the belief stays";
    if (one.at("state").as_string() == "gold") continue;
    ++(answered[item] ? with : without);
  }
  EXPECT_GT(with, 0);
  EXPECT_GT(without, 0);
  const json::value answers = api.get(path + "/answers?limit=1000", api.requester).json();
  for (const json::value& one : answers.at("answers").as_array()) {
    const std::string item = text_of(one.at("item"));
    for (const char* name : {"answer", "probability", "calibrated", "disagreement"}) {
      EXPECT_EQ(one.at(name).is_null(), !answered[item]) << item << " " << name;
    }
    EXPECT_EQ(text_of(one.at("status")), item == reviewed ? "reviewed"
                                         : answered[item] ? "labelled"
                                                          : "no label yet");
    EXPECT_FALSE(one.at("entropy").is_null());
  }
  const json::value now = status();
  EXPECT_EQ(now.at("answers").at("count").as_int64(), with);
  EXPECT_EQ(now.at("answers").at("unlabelled").as_int64(), without);
}

TEST_F(NoLabelRoutes, MeasureOnlyAnswers) {
  std::int64_t truths = 0, all = 0;
  for (const auto& [item, has] : answered) {
    all += has_truth(item);
    truths += has_truth(item) && has;
  }
  ASSERT_LT(truths, all);
  const json::value now = status();
  EXPECT_EQ(now.at("truths").as_int64(), all);
  EXPECT_EQ(now.at("answers").at("truths").as_int64(), truths);
  const json::value calibration = api.get(path + "/calibration", api.requester).json();
  EXPECT_EQ(calibration.at("items").as_int64(), truths);
  EXPECT_EQ(calibration.at("accuracy"), now.at("answers").at("accuracy"));
}

TEST_F(NoLabelRoutes, TellHowManyLabelsALeasedItemHas) {
  EXPECT_EQ(api.post(path + "/assignments", api.requester, body({{"worker", "new"}, {"count", 3}}))
                .status,
            200);
  const json::value asked = api.get(path + "/asked", api.requester).json();
  ASSERT_FALSE(asked.at("asked").as_array().empty());
  for (const json::value& one : asked.at("asked").as_array()) {
    const std::string item = text_of(one.at("item"));
    const json::value alone = api.get(path + "/items/" + item, api.requester).json();
    EXPECT_EQ(one.at("labels"), alone.at("labels")) << item;
  }
}

TEST(NoLabelAtAll, IsNoAccuracy) {
  TestApi api;
  const std::string path = api.campaign(3);
  const json::value now = api.get(path + "/status", api.requester).json();
  EXPECT_TRUE(now.at("answers").at("expected_accuracy").is_null());
  EXPECT_EQ(now.at("answers").at("unlabelled").as_int64(), 3);
  EXPECT_FALSE(now.at("answers").at("verified").as_bool());
  EXPECT_TRUE(now.at("calibrated").is_null());
}

}  // namespace
}  // namespace allot::test::no_label_routes_test
