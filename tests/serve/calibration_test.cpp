// Truths: accuracy and calibration, which workers must not see.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "serve/campaign_fixture.hpp"

namespace allot::test::calibration_test {
namespace {

/// A campaign with truths and some labels. Without refits the answers are the current beliefs.
class Truth : public testing::Test {
 protected:
  Truth() {
    label(api, path, 60);
    answers = api.get(path + "/answers?limit=1000", api.requester).json();
    for (const json::value& one : answers.at("answers").as_array()) {
      const std::string item = text_of(one.at("item"));
      if (!has_truth(item)) continue;
      measured_answers.push_back(
          {number_of(one.at("probability")), is_true(item, one.at("answer"))});
    }
  }
  struct MeasuredAnswer {
    double probability;
    bool right;
  };
  double share_right() const {
    return static_cast<double>(std::ranges::count_if(measured_answers, &MeasuredAnswer::right)) /
           static_cast<double>(measured_answers.size());
  }
  std::int64_t count() const { return static_cast<std::int64_t>(measured_answers.size()); }

  TestApi api;
  const std::string path = measured(api, 40, R"(, "refit": "off")");
  json::value answers;
  std::vector<MeasuredAnswer> measured_answers;
};

TEST_F(Truth, GivesTheAccuracyOfTheStatus) {
  const json::value status = api.get(path + "/status", api.requester).json();
  EXPECT_EQ(status.at("truths").as_int64(), count());
  EXPECT_DOUBLE_EQ(number_of(status.at("accuracy")), share_right());
}

TEST_F(Truth, GivesAccuracyAndBrierScoreOfTheCalibration) {
  double squares = 0;
  for (const auto& [probability, right] : measured_answers) {
    squares += std::pow(probability - (right ? 1 : 0), 2);
  }
  const json::value found = api.get(path + "/calibration", api.requester).json();
  EXPECT_EQ(found.at("items").as_int64(), count());
  EXPECT_DOUBLE_EQ(number_of(found.at("accuracy")), share_right());
  EXPECT_NEAR(number_of(found.at("brier")), squares / static_cast<double>(count()), 1e-12);
}

TEST_F(Truth, GivesTheBinsOfTheCalibration) {
  const json::value found = api.get(path + "/calibration", api.requester).json();
  double error = 0;
  std::int64_t binned = 0;
  for (const json::value& bin : found.at("bins").as_array()) {
    const double low = number_of(bin.at("low")), high = number_of(bin.at("high"));
    double expected = 0, hits = 0;
    int inside = 0;
    for (const auto& [p, right] : measured_answers) {
      if (p < low || p > high || (p == high && p < 1)) continue;
      ++inside;
      expected += p;
      hits += right;
    }
    EXPECT_EQ(bin.at("items").as_int64(), inside);
    binned += inside;
    if (inside == 0) {
      EXPECT_TRUE(bin.at("expected").is_null());
      continue;
    }
    EXPECT_NEAR(number_of(bin.at("expected")), expected / inside, 1e-8);
    EXPECT_DOUBLE_EQ(number_of(bin.at("right")), hits / inside);
    error += std::abs(expected - hits) / static_cast<double>(count());
  }
  EXPECT_EQ(binned, count());
  EXPECT_NEAR(number_of(found.at("expected_calibration_error")), error, 1e-8);
}

TEST_F(Truth, KnownAnswersMakeAReliabilityDiagram) {
  const std::string item = text_of(answers.at("answers").at(0).at("item"));
  const ApiResponse given = api.post(path + "/verdicts", api.requester,
                                     body({{"item", item}, {"answer", "no"}, {"reviewer", "eve"}}));
  ASSERT_EQ(given.status, 200) << given.body;
  const json::value known = api.get(path + "/known-answers", api.requester).json();
  const json::value status = api.get(path + "/status", api.requester).json();
  EXPECT_GE(known.at("known_answers").as_int64(), 2) << "a gold item and a verdict";
  EXPECT_EQ(known.at("known_answers"), status.at("known_answers"));
  EXPECT_FALSE(known.at("only_drawn").as_bool());
  std::int64_t binned = 0;
  for (const json::value& bin : known.at("bins").as_array()) {
    binned += bin.at("items").as_int64();
    EXPECT_LE(number_of(bin.at("low")), number_of(bin.at("expected")));
    EXPECT_LE(number_of(bin.at("right_low")), number_of(bin.at("right")));
    EXPECT_LE(number_of(bin.at("right")), number_of(bin.at("right_high")));
    EXPECT_GT(number_of(bin.at("calibrated")), 0);
  }
  EXPECT_EQ(binned, known.at("known_answers").as_int64());
  const json::value curve = api.get(path + "/curve", api.requester).json();
  const json::value& last = curve.at("points").as_array().back();
  EXPECT_EQ(last.at("known_answers"), status.at("known_answers"));
  EXPECT_EQ(last.at("calibrated"), status.at("calibrated"));
}

TEST_F(Truth, ReachesNoWorker) {
  const std::string ann = api.worker(path, "ann");
  const ApiResponse asked = api.post(path + "/assignments", ann, R"({"count": 30})");
  const ApiResponse me = api.get("/api/v1/me", ann);
  for (const ApiResponse* one : {&asked, &me}) {
    for (const char* word : {"truth", "gold", "accura"}) {
      EXPECT_EQ(one->body.find(word), std::string::npos) << one->body;
    }
  }
}

TEST_F(Truth, WorkersMayNotReadReports) {
  const std::string ann = api.worker(path, "ann");
  for (const char* what : {"/curve", "/map", "/asked", "/items", "/items/i2", "/item?id=i2",
                           "/rate", "/calibration", "/known-answers", "/status"}) {
    EXPECT_EQ(api.get(path + what, ann).code(), "wrong_role") << what;
  }
  EXPECT_EQ(api.post(path + "/twin", ann, R"({"policy": "opt-kg"})").code(), "wrong_role");
  EXPECT_EQ(api.post("/api/v1/forecast", ann, R"({"items": 5, "budget": 5})").code(), "wrong_role");
}

TEST_F(Truth, OfAnUnknownClassIsRefused) {
  const ApiResponse wrong =
      api.post(path + "/items", api.requester, R"({"items": [{"id": "x", "truth": "maybe"}]})");
  EXPECT_GE(wrong.status, 400);
  EXPECT_NE(wrong.text("detail").find("maybe"), std::string::npos);
}

TEST(Calibration, OfACampaignWithoutTruthsIsEmpty) {
  TestApi api;
  const ApiResponse none = api.get(api.campaign() + "/calibration", api.requester);
  EXPECT_EQ(none.json().at("items").as_int64(), 0);
  EXPECT_TRUE(none.json().at("accuracy").is_null());
  const ApiResponse known = api.get(api.campaign() + "/known-answers", api.requester);
  EXPECT_EQ(json::serialize(known.json()), R"({"known_answers":0,"only_drawn":false,"bins":[]})");
}

}  // namespace
}  // namespace allot::test::calibration_test
