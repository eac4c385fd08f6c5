// Labels that say how sure their worker is, and workers who do not know.
#include <gtest/gtest.h>

#include "serve/campaign_fixture.hpp"

namespace allot::test::confidence_routes_test {
namespace {

class ConfidenceRoutes : public testing::Test {
 protected:
  std::string leased(const std::string& token) {
    return first_item(api.post(path + "/assignments", token));
  }
  ApiResponse give(const std::string& token, json::object label) {
    return api.post(path + "/labels", token, json::serialize(label));
  }
  static std::string outcome(const ApiResponse& one) {
    return one.status == 200 ? text_of(one.json().at("labels").at(0).at("outcome")) : one.code();
  }
  /// The history of the item as text.
  std::string history(const std::string& item) {
    return api.get(path + "/items/" + item, api.requester).body;
  }

  TestApi api;
  const std::string path = api.campaign(6);
  const std::string ann = api.worker(path, "ann");
};

TEST_F(ConfidenceRoutes, ALabelCarriesAConfidence) {
  const std::string item = leased(ann);
  EXPECT_EQ(outcome(give(ann, {{"item", item}, {"label", "yes"}, {"confidence", 0.75}})),
            "recorded");
  EXPECT_NE(history(item).find("leased, confidence 0.75"), std::string::npos) << history(item);
  const std::string revision = R"({"worker": "ann", "item": ")" + item +
                               R"(", "label": "no", "confidence": 0.5, "revise": true})";
  EXPECT_EQ(outcome(api.post(path + "/labels", api.requester, revision)), "revised");
  EXPECT_NE(history(item).find("\"confidence 0.5\""), std::string::npos);
  const std::string labels = api.get(path + "/export/labels", api.requester).body;
  EXPECT_NE(labels.find(",counts,confidence\n"), std::string::npos) << labels;
  EXPECT_NE(labels.find(",true,0.5\n"), std::string::npos) << labels;
}

TEST_F(ConfidenceRoutes, OrAProbabilityPerClass) {
  const std::string item = leased(ann);
  EXPECT_EQ(outcome(give(ann, {{"item", item}, {"probabilities", {{"no", 0.25}, {"yes", 0.75}}}})),
            "recorded");
  EXPECT_NE(history(item).find("leased, confidence 0.75"), std::string::npos) << history(item);
  const std::string one = leased(ann);
  const std::string many =
      R"({"labels": [{"worker": "ann", "item": ")" + one + R"(", "probabilities": {"no": 0.9}}]})";
  EXPECT_EQ(outcome(api.post(path + "/labels", api.requester, many)), "recorded");
  EXPECT_NE(history(one).find("leased, confidence 0.9"), std::string::npos);
}

TEST_F(ConfidenceRoutes, RefusesWhatIsNoProbability) {
  const std::string item = leased(ann);
  const auto refusal = [&](json::object label) {
    label["item"] = item;
    const ApiResponse response = give(ann, label);
    EXPECT_EQ(response.status, 400) << response.body;
    return text_of(response.json().at("detail"));
  };
  EXPECT_EQ(refusal({{"label", "yes"}, {"confidence", 1.5}}),
            "confidence is 1.5; expected a number from 0 to 1");
  EXPECT_EQ(refusal({{"label", "yes"}, {"confidence", "high"}}),
            "confidence is a text; expected a number from 0 to 1");
  EXPECT_EQ(refusal({{"probabilities", {{"no", -1}}}}),
            "probabilities.no is -1; expected a number from 0 to 1");
  EXPECT_EQ(refusal({{"probabilities", {{"no", 0.9}, {"yes", 0.9}}}}),
            "the probabilities have the sum '1.8'; expected at most 1");
  EXPECT_EQ(refusal({{"probabilities", {{"maybe", 0.9}}}}),
            "unknown label 'maybe'; expected 'no' or 'yes'");
  EXPECT_EQ(refusal({{"probabilities", json::object()}}),
            "no probability is given; expected one per class");
  EXPECT_EQ(refusal({{"label", "yes"}, {"probabilities", {{"no", 0.9}}}}),
            "probabilities and a label or its confidence; expected one of them");
  EXPECT_EQ(outcome(give(ann, {{"item", item}, {"label", "yes"}})), "recorded")
      << "nothing happened";
}

TEST_F(ConfidenceRoutes, ImportedLabelsHaveThemToo) {
  const ApiResponse done = api.post(
      path + "/labels/import", api.requester,
      R"({"labels": [{"item": "i0", "worker": "bob", "label": "no", "confidence": 0.125}]})");
  EXPECT_EQ(done.json().at("recorded").as_int64(), 1) << done.body;
  EXPECT_NE(history("i0").find("imported, confidence 0.125"), std::string::npos);
}

TEST_F(ConfidenceRoutes, AbstentionsArePaidByTheOwnerOnly) {
  const std::string item = leased(ann);
  const std::string paid = R"({"item": ")" + item + R"(", "reason": "unsure", "paid": true)";
  EXPECT_EQ(api.post(path + "/skip", ann, paid + "}").code(), "forbidden");
  EXPECT_EQ(api.post(path + "/skip", api.requester,
                     R"({"worker": "ann", "item": ")" + item + R"(", "paid": true})")
                .status,
            400);
  EXPECT_EQ(api.post(path + "/skip", api.requester, paid + R"(, "worker": "ann"})").status, 200);
  const json::value row = api.get(path + "/workers", api.requester).json().at("workers").at(0);
  EXPECT_EQ(row.at("abstained").as_int64(), 1);
  EXPECT_EQ(json::serialize(row.at("spent")), "1") << row;
  const std::string other = leased(ann);
  EXPECT_NE(other, item);
  EXPECT_EQ(
      api.post(path + "/skip", ann, R"({"item": ")" + other + R"(", "reason": "unsure"})").status,
      200);
  EXPECT_NE(api.get(path + "/export/skips", api.requester).body.find("unsure,,,1\n"),
            std::string::npos);
}

}  // namespace
}  // namespace allot::test::confidence_routes_test
