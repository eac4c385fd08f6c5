// Workers in a requester's hand, changes of a running campaign, and what workers tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "serve/campaign_fixture.hpp"
#include "serve/page.hpp"

namespace allot::test::worker_routes_test {
namespace {

ApiResponse set_standing(TestApi& api, const std::string& path, const std::string& worker,
                         const std::string& standing, const std::string& reason = "") {
  return api.ask({.method = Method::put,
                  .path = path + "/standing",
                  .token = api.requester,
                  .body = body({{"worker", worker}, {"standing", standing}, {"reason", reason}})});
}

json::value worker_row(TestApi& api, const std::string& path, const std::string& worker) {
  const json::value rows = api.get(path + "/workers", api.requester).json().at("workers");
  for (const json::value& row : rows.as_array()) {
    if (row.at("worker").as_string() == worker) return row;
  }
  ADD_FAILURE() << "no worker " << worker;
  return {};
}

/// Whether both lists have the same answers, with the same probabilities but for rounding.
bool are_near(const json::value& one, const json::value& other) {
  const json::array &rows = one.at("answers").as_array(), &others = other.at("answers").as_array();
  return std::ranges::equal(rows, others, [](const json::value& a, const json::value& b) {
    return a.at("answer") == b.at("answer") && a.at("labels") == b.at("labels") &&
           std::abs(number_of(a.at("probability")) - number_of(b.at("probability"))) < 1e-9;
  });
}

TEST(WorkerRoutes, AVersionFollowsAnother) {
  TestApi api;
  const std::string path = measured(api, 8);
  label(api, path, 18);
  const auto set = [&](const json::object& members) {
    return api.ask({Method::put, path + "/versions", api.requester, json::serialize(members)});
  };
  const ApiResponse done = set({{"worker", "good-2"}, {"follows", "good"}, {"version", "2"}});
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(text_of(done.json().at("follows")), "good");
  const json::value row = worker_row(api, path, "good-2");
  EXPECT_EQ(text_of(row.at("version")), "2");
  EXPECT_EQ(text_of(row.at("follows")), "good");
  EXPECT_TRUE(worker_row(api, path, "good").at("follows").is_null());
  EXPECT_TRUE(set({{"worker", "good-2"}, {"follows", ""}}).json().at("follows").is_null());
  EXPECT_EQ(set({{"worker", "good"}, {"follows", "poor"}}).status, 409) << "it has labels";
  EXPECT_EQ(set({{"worker", "new"}, {"follows", "nobody"}}).status, 404);
  EXPECT_EQ(set({{"follows", "good"}}).status, 400);
}

TEST(WorkerRoutes, ExcludeAndRestoreAWorker) {
  TestApi api;
  const std::string path = measured(api, 8);
  label(api, path, 18);
  const auto answers = [&] { return api.get(path + "/answers", api.requester).json(); };
  const json::value before = answers();
  const ApiResponse excluded = set_standing(api, path, "poor", "excluded", "says anything");
  ASSERT_EQ(excluded.status, 200) << excluded.body;
  EXPECT_EQ(text_of(excluded.json().at("standing")), "excluded");
  const double labels = number_of(excluded.json().at("labels"));
  EXPECT_GT(labels, 0);
  const json::value row = worker_row(api, path, "poor");
  EXPECT_EQ(text_of(row.at("standing")), "excluded");
  EXPECT_EQ(text_of(row.at("standing_reason")), "says anything");
  EXPECT_EQ(number_of(api.get(path + "/status", api.requester).json().at("excluded")), labels);
  EXPECT_FALSE(are_near(answers(), before));
  const ApiResponse asked =
      api.post(path + "/assignments", api.requester, body({{"worker", "poor"}}));
  EXPECT_EQ(count_of(asked, "assignments"), 0U);
  const std::string poor = api.worker(path, "poor");
  const ApiResponse as_worker = api.post(path + "/assignments", poor);
  EXPECT_EQ(text_of(as_worker.json().at("shortfall").at("code")), "nothing_now")
      << "a worker is not told";
  ASSERT_EQ(set_standing(api, path, "poor", "active").status, 200);
  EXPECT_TRUE(are_near(answers(), before));
  ASSERT_EQ(set_standing(api, path, "poor", "blocked").status, 200);
  EXPECT_TRUE(are_near(answers(), before)) << "labels of a blocked worker count";
}

TEST(WorkerRoutes, RefuseWhatCannotBe) {
  TestApi api;
  const std::string path = measured(api, 5);
  EXPECT_EQ(set_standing(api, path, "eve", "blocked").status, 404);
  EXPECT_EQ(set_standing(api, path, "eve", "gone").status, 400);
  EXPECT_EQ(api.get(path + "/confusion?worker=eve", api.requester).status, 404);
  EXPECT_EQ(api.get(path + "/confusion", api.requester).status, 400);
  const std::string ann = api.worker(path, "ann");
  EXPECT_EQ(api.get(path + "/confusion?worker=ann", ann).status, 403);
}

TEST(WorkerRoutes, CountWhatAWorkerConfuses) {
  TestApi api;
  const std::string path = measured(api, 8);
  label(api, path, 18);
  const json::value found = api.get(path + "/confusion?worker=good", api.requester).json();
  EXPECT_EQ(found.at("classes").as_array().size(), 2U);
  double sum = 0;
  for (const json::value& row : found.at("counts").as_array()) {
    for (const json::value& one : row.as_array()) sum += number_of(one);
  }
  EXPECT_EQ(sum, number_of(worker_row(api, path, "good").at("labels")));
}

TEST(ImportedLabels, AreFreeAndSafeToRepeat) {
  TestApi api;
  const std::string path = api.campaign(2);
  const std::string labels = R"({"labels": [{"item": "i0", "worker": "old", "label": "yes"},
      {"item": "i1", "worker": "old", "label": "no"}, {"item": "i1", "worker": "x", "label": "?"}]})";
  const json::value first = api.post(path + "/labels/import", api.requester, labels).json();
  EXPECT_EQ(number_of(first.at("recorded")), 2) << json::serialize(first);
  EXPECT_EQ(number_of(first.at("refused")), 1);
  EXPECT_NE(text_of(first.at("problems").at(0)).find("'?'"), std::string::npos);
  const json::value again = api.post(path + "/labels/import", api.requester, labels).json();
  EXPECT_EQ(number_of(again.at("already")), 2);
  EXPECT_EQ(number_of(api.get(path, api.requester).json().at("spent")), 0);
  EXPECT_EQ(api.post(path + "/labels/import", api.requester, R"({"labels": []})").status, 400);
  EXPECT_EQ(api.post(path + "/labels/import", api.worker(path, "ann"), labels).status, 403);
}

TEST(CampaignChanges, HoldFromTheNextDecisionOn) {
  TestApi api;
  const std::string path = api.campaign(3);
  const ApiResponse changed = patch(api, path,
                                    R"({"lease": "90s", "labels_per_item": 4, "gold_rate": 0.5,
                                        "labels_per_worker": "any", "policy": "uniform",
                                        "stop": ["settled:0.99"], "budget": 77})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  const json::value options = changed.json().at("options");
  EXPECT_EQ(text_of(options.at("lease")), "90s");
  EXPECT_EQ(number_of(options.at("labels_per_item")), 4);
  EXPECT_TRUE(options.at("labels_per_worker").is_null());
  EXPECT_EQ(text_of(options.at("policy")), "uniform");
  EXPECT_EQ(text_of(options.at("stop").at(0)), "settled:0.99");
  EXPECT_EQ(number_of(changed.json().at("budget")), 77);
  const std::string last = api.get(path + "/export/events?format=jsonl", api.requester).body;
  EXPECT_NE(last.find("options-changed"), std::string::npos);
  EXPECT_EQ(patch(api, path, R"({"budget": 99, "lease": "soon"})").status, 400);
  EXPECT_EQ(number_of(api.get(path, api.requester).json().at("budget")), 77)
      << "all of a request or nothing";
  EXPECT_EQ(patch(api, path, R"({"classes": ["a", "b"]})").status, 400);
}

TEST(CampaignChanges, OfThePageAreEventsToo) {
  TestApi api;
  const std::string path = api.campaign(2);
  const std::string page = R"({"page": {"question": "Really?", "shuffle": true, "currency": "EUR",
      "classes": [{"class": "yes", "name": "Of course", "example": "Wow"}, {"class": "no"}]}})";
  const ApiResponse changed = patch(api, path, page);
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(text_of(changed.json().at("page").at("classes").at(0).at("name")), "Of course");
  EXPECT_NE(api.get(path + "/export/events?format=jsonl", api.requester).body.find("page-changed"),
            std::string::npos);
  const std::uint64_t events = changed.json().at("events").to_number<std::uint64_t>();
  EXPECT_EQ(patch(api, path, page).json().at("events").to_number<std::uint64_t>(), events)
      << "the same page again";
  EXPECT_EQ(patch(api, path, R"({"page": {"classes": [{"class": "yes"}]}})").status, 400);
  EXPECT_EQ(patch(api, path, R"({"page": {"currency": "euro"}})").status, 400);
  const std::string ann = api.worker(path, "ann");
  const json::value asked = api.post(path + "/assignments", ann).json().at("assignments").at(0);
  const json::value again = api.get(path + "/assignments", ann).json().at("assignments").at(0);
  EXPECT_EQ(asked.at("classes"), again.at("classes")) << "the order stays";
  EXPECT_EQ(asked.at("classes").as_array().size(), 2U);
}

TEST(Shuffled, OrdersAreDrawnFromSeedWorkerAndItem) {
  const std::vector<std::string> classes{"a", "b", "c", "d"};
  std::set<std::vector<std::string>> orders;
  for (int n = 0; n < 200; ++n) {
    const std::string item = "i" + std::to_string(n);
    const auto order = serve::shuffled(classes, 1, "ann", item);
    EXPECT_EQ(order, serve::shuffled(classes, 1, "ann", item));
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 24U) << "each of them comes";
  EXPECT_NE(serve::shuffled(classes, 1, "ann", "i1"), serve::shuffled(classes, 2, "ann", "i1"));
}

TEST(Remarks, AreKeptWithLabelsAndSkips) {
  TestApi api;
  const std::string path = api.campaign(3);
  const std::string ann = api.worker(path, "ann");
  const std::string item = first_item(api.post(path + "/assignments", ann));
  const ApiResponse given =
      api.post(path + "/labels", ann,
               body({{"item", item}, {"label", "yes"}, {"seconds", 2.5}, {"note", "süß"}}));
  ASSERT_EQ(given.status, 200) << given.body;
  EXPECT_EQ(number_of(worker_row(api, path, "ann").at("seconds")), 2.5);
  const std::string next = first_item(api.post(path + "/assignments", ann));
  EXPECT_EQ(api.post(path + "/skip", ann, body({{"item", next}, {"reason", "boring"}})).status,
            400);
  ASSERT_EQ(api.post(path + "/skip", ann,
                     body({{"item", next}, {"reason", "none"}, {"note", "a new class?"}}))
                .status,
            200);
  EXPECT_NE(api.get(path + "/export/labels", api.requester).body.find(",2.5,süß,true"),
            std::string::npos);
  EXPECT_NE(api.get(path + "/export/skips", api.requester).body.find(",none,a new class?"),
            std::string::npos);
  const std::string last = first_item(api.post(path + "/assignments", ann));
  for (const char* const wrong : {"-1", "90000", "\"soon\""}) {
    const std::string request =
        R"({"item": ")" + last + R"(", "label": "no", "seconds": )" + std::string(wrong) + "}";
    EXPECT_EQ(api.post(path + "/labels", ann, request).status, 400) << wrong;
  }
}

TEST(Results, HaveEveryItemWithItsFields) {
  TestApi api;
  const std::string path = measured(api, 4);
  label(api, path, 6);
  const std::string text = api.get(path + "/export/results", api.requester).body;
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "text,n,item,answer,probability,calibrated,labels,status");
  EXPECT_EQ(std::ranges::count(text, '\n'), 5) << "gold items too";
  EXPECT_NE(text.find("Text of 0,0,i0,yes,1,1,"), std::string::npos) << text;
  EXPECT_EQ(api.get(path + "/export/results?format=crowd-kit", api.requester).status, 400);
}

}  // namespace
}  // namespace allot::test::worker_routes_test
