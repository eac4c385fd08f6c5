// Groups of workers who err together, over HTTP.
#include <gtest/gtest.h>

#include "serve/campaign_fixture.hpp"

namespace allot::test::group_routes_test {
namespace {

ApiResponse set_group(TestApi& api, const std::string& path, const std::string& members) {
  return api.ask({Method::put, path + "/groups", api.requester, members});
}

json::value groups_of(TestApi& api, const std::string& path) {
  return api.get(path + "/groups", api.requester).json().at("groups");
}

TEST(GroupRoutes, SetAndReportGroups) {
  TestApi api;
  const std::string path = measured(api, 8);
  EXPECT_TRUE(groups_of(api, path).as_array().empty());
  label(api, path, 18);
  const std::string answers = api.get(path + "/answers", api.requester).body;
  const ApiResponse first = set_group(api, path, R"({"worker": "good", "group": "desk"})");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(text_of(first.json().at("group")), "desk");
  EXPECT_EQ(api.get(path + "/answers", api.requester).body, answers) << "a group of one";
  ASSERT_EQ(set_group(api, path, R"({"worker": "poor", "group": "desk"})").status, 200);
  ASSERT_EQ(set_group(api, path, R"({"worker": "new", "group": "others"})").status, 200);
  EXPECT_NE(api.get(path + "/answers", api.requester).body, answers);
  const json::value groups = groups_of(api, path);
  ASSERT_EQ(groups.as_array().size(), 2U);
  EXPECT_EQ(text_of(groups.at(0).at("group")), "desk");
  EXPECT_EQ(number_of(groups.at(0).at("members")), 2);
  EXPECT_GT(number_of(groups.at(0).at("items")), 0);
  EXPECT_EQ(text_of(groups.at(1).at("group")), "others");
  EXPECT_TRUE(groups.at(1).at("effective_votes").is_null());
  const json::value workers = api.get(path + "/workers", api.requester).json().at("workers");
  std::size_t members = 0;
  for (const json::value& row : workers.as_array())
    members += row.at("group").is_string() && text_of(row.at("group")) == "desk";
  EXPECT_EQ(members, 2U);
  const ApiResponse alone = set_group(api, path, R"({"worker": "poor"})");
  ASSERT_EQ(alone.status, 200) << alone.body;
  EXPECT_TRUE(alone.json().at("group").is_null());
  EXPECT_EQ(number_of(groups_of(api, path).at(0).at("members")), 1);
}

TEST(GroupRoutes, CompareKindsOfWorkers) {
  TestApi api;
  const std::string path = api.campaign(6, R"(, "people_sample": 2)");
  EXPECT_EQ(number_of(api.get(path, api.requester).json().at("options").at("people_sample")), 2);
  ASSERT_EQ(set_group(api, path, R"({"worker": "gpt", "group": "models"})").status, 200);
  const std::string labels =
      R"({"labels": [{"item": "i0", "worker": "gpt", "label": "yes"},
                     {"item": "i0", "worker": "ann", "label": "yes"}]})";
  ASSERT_EQ(api.post(path + "/labels/import", api.requester, labels).status, 200);
  const json::value kinds = api.get(path + "/groups", api.requester).json().at("kinds");
  ASSERT_EQ(kinds.as_array().size(), 2U);
  EXPECT_EQ(text_of(kinds.at(0).at("kind")), "models");
  EXPECT_EQ(number_of(kinds.at(0).at("agreement")), 1);
  EXPECT_TRUE(kinds.at(1).at("kind").is_null());
  EXPECT_TRUE(kinds.at(1).at("accuracy").is_null());
  const std::string rows = api.get(path + "/export/kinds", api.requester).body;
  EXPECT_NE(rows.find("\nmodels,1,1,0,0,0,0,,1,1,1,\n"), std::string::npos) << rows;
}

TEST(GroupRoutes, RefuseWhatMakesNoSense) {
  TestApi api;
  const std::string path = api.campaign();
  EXPECT_EQ(set_group(api, path, R"({"group": "desk"})").status, 400);
  EXPECT_EQ(set_group(api, path, R"({"worker": "ann", "group": 3})").status, 400);
  EXPECT_EQ(
      set_group(api, path, body({{"worker", "ann"}, {"group", std::string(201, 'x')}})).status,
      400);
  const std::string worker = api.worker(path, "ann");
  EXPECT_EQ(api.get(path + "/groups", worker).status, 403);
}

}  // namespace
}  // namespace allot::test::group_routes_test
