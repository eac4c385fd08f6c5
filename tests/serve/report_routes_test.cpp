// Answers, workers, status, explanations, events, exports.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "serve/campaign_fixture.hpp"

namespace allot::test::report_routes_test {
namespace {

TEST(Reports, AnswersWorkersStatusAndWhy) {
  TestApi api;
  const std::string path = api.campaign(9);
  const std::string ann = api.worker(path, "ann");
  const std::string item = first_item(api.post(path + "/assignments", ann));
  api.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
  const ApiResponse answers = api.get(path + "/answers?limit=2", api.requester);
  EXPECT_EQ(count_of(answers, "answers"), 2U);
  EXPECT_EQ(
      count_of(api.get(path + "/answers?cursor=" + answers.text("next"), api.requester), "answers"),
      7U);
  for (const char* what : {"/answers", "/workers", "/status"}) {
    const ApiResponse fresh = api.get(path + what, api.requester);
    const ApiRequest same{.path = path + what,
                          .token = api.requester,
                          .fields = {{"If-None-Match", fresh.field("ETag")}}};
    EXPECT_EQ(api.ask(same).status, 304) << what;
    api.post(path + "/assignments", ann);
    EXPECT_EQ(api.ask(same).status, 200) << what;
  }
  const ApiResponse why = api.get(path + "/explain?item=" + item + "&worker=ann", api.requester);
  EXPECT_EQ(why.json().at("workers").at(0).at("label").as_string(), "yes");
  EXPECT_EQ(why.json().at("fields").at("text").as_string(), "text of " + item);
  EXPECT_EQ(api.get(path + "/explain?item=zzz", api.requester).status, 404);
  EXPECT_EQ(api.get(path + "/explain", api.requester).status, 400);
  EXPECT_EQ(api.get(path + "/answers?cursor=x", api.requester).status, 400);
}

TEST(Reports, AgreementOfTheSampleOrOfAllItems) {
  TestApi api;
  const std::string sampled = api.campaign(20, R"(, "agreement_sample": "6:3", "gold_rate": 0)"),
                    plain = api.campaign(20, R"(, "gold_rate": 0)");
  label(api, sampled, 18);
  label(api, plain, 18);
  const ApiResponse found = api.get(sampled + "/agreement", api.requester);
  ASSERT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(found.json().at("sampled").as_int64(), 6);
  EXPECT_EQ(found.json().at("complete").as_int64(), 6);
  EXPECT_EQ(found.json().at("labels").as_int64(), 18);
  EXPECT_FALSE(found.json().at("adaptive").as_bool());
  ASSERT_EQ(count_of(found, "coefficients"), 5U);
  const auto& percent = found.json().at("coefficients").at(0);
  EXPECT_EQ(text_of(percent.at("coefficient")), "percent_agreement");
  EXPECT_LE(number_of(percent.at("low")), number_of(percent.at("value")));
  const auto& cohen = found.json().at("coefficients").at(3);
  EXPECT_TRUE(cohen.at("value").is_null());
  EXPECT_EQ(text_of(cohen.at("reason")), "no two workers share 10 items");
  const ApiResponse all = api.get(plain + "/agreement?resamples=0", api.requester);
  EXPECT_TRUE(all.json().at("sampled").is_null());
  EXPECT_TRUE(all.json().at("adaptive").as_bool());
  EXPECT_TRUE(all.json().at("coefficients").at(0).at("low").is_null());
  EXPECT_EQ(api.get(plain + "/agreement?resamples=-1", api.requester).status, 400);
}

TEST(Reports, EventsAndExports) {
  TestApi api;
  const std::string path = api.campaign(3);
  const std::string ann = api.worker(path, "ann");
  const std::string item = first_item(api.post(path + "/assignments", ann));
  api.post(path + "/labels", ann, "{\"item\": \"" + item + "\", \"label\": \"yes\"}");
  const ApiResponse events = api.get(path + "/events", api.requester);
  std::vector<std::string> names;
  for (const auto& one : events.json().at("events").as_array()) {
    names.emplace_back(one.at("event").as_string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"created", "items-added", "worker-joined", "leased",
                                             "answered"}));
  const ApiResponse rest = api.get(path + "/events?after=3&limit=1", api.requester);
  EXPECT_EQ(rest.json().at("next").as_int64(), 4);
  EXPECT_EQ(count_of(api.get(path + "/events?after=5", api.requester), "events"), 0U);
  const ApiResponse labels = api.get(path + "/export/labels", api.requester);
  EXPECT_EQ(labels.body, "item,worker,label,time,price,how,truth,seconds,note,counts,confidence\n" + item +
                             ",ann,yes,2027-01-15T08:00:00Z,1,leased,,,,true,\n");
  EXPECT_EQ(labels.field("Content-Disposition"), "attachment; filename=\"labels.csv\"");
  for (const char* what : {"labels", "answers", "probabilities", "workers", "events"}) {
    const ApiResponse lines = api.get(path + "/export/" + what + "?format=jsonl", api.requester);
    EXPECT_EQ(lines.field("Content-Type"), "application/x-ndjson");
    const std::string first = lines.body.substr(0, lines.body.find('\n'));
    EXPECT_TRUE(json::parse(first).is_object()) << first;
  }
  EXPECT_EQ(api.get(path + "/export/secrets", api.requester).status, 404);
  EXPECT_EQ(api.get(path + "/export/labels?format=pdf", api.requester).status, 400);
  EXPECT_EQ(api.get(path + "/export/events?format=crowd-kit", api.requester).status, 400);
}

}  // namespace
}  // namespace allot::test::report_routes_test
