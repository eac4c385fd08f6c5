// Dispatch of requests to routes, lists in pages, and the service under load.
#include "serve/service.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "allot/store/sqlite_store.hpp"
#include "serve/campaign_fixture.hpp"
#include "serve/data_folder.hpp"

namespace allot::test::service_test {
namespace {

using serve::Role;

TEST(Dispatch, SaysWhatIsNotThere) {
  TestApi api;
  EXPECT_EQ(api.get("/nothing", api.admin).code(), "no_such_route");
  EXPECT_EQ(api.get("/api/v1/campaigns/", api.admin).status, 404);
  EXPECT_EQ(api.get("/healthz/", "").status, 404);
  const ApiResponse method = api.ask({.method = Method::del, .path = "/api/v1/campaigns"});
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.field("Allow"), "POST, GET, HEAD");
  EXPECT_EQ(api.get("/api/v1/campaigns?colour=red", api.admin).code(), "invalid_argument");
  EXPECT_EQ(api.get("/api/v1/campaigns?limit=0", api.admin).status, 400);
  EXPECT_EQ(api.get("/api/v1/campaigns/abc/status", api.admin).status, 404);
}

TEST(Dispatch, TellsHowARequestIsTaken) {
  TestApi api;
  const auto& service = api.service();
  const auto intake = [&](const std::string& path, const std::string& token = "") {
    http::Request request;
    request.method = Method::post;
    request.path = path;
    if (!token.empty()) request.fields.add("Authorization", "Bearer " + token);
    return service.intake(request);
  };
  EXPECT_EQ(intake("/nothing").largest_body, 1U << 20) << "then 404";
  EXPECT_EQ(intake("/api/v1/campaigns").largest_body, 1U << 20);
  EXPECT_EQ(intake("/api/v1/join/abc/def").largest_body, 64U << 10) << "without a token";
  const std::string path = "/api/v1/campaigns/abc/items/upload";
  const auto upload = intake(path);
  EXPECT_TRUE(upload.upload);
  EXPECT_GT(upload.largest_body, 1U << 30);
  EXPECT_EQ(upload.caller, "");
  const auto known = api.hub().vault().find(api.requester);
  ASSERT_TRUE(known);
  EXPECT_EQ(intake(path, api.requester).caller, known->id);
  EXPECT_EQ(intake("/api/v1/campaigns", api.requester).caller, known->id);
  EXPECT_EQ(intake(path, api.requester + "x").caller, "");
  ASSERT_TRUE(api.hub().vault().revoke(known->id, api.hub().now()));
  EXPECT_EQ(intake(path, api.requester).caller, "");
}

TEST(Lists, ComeInPagesToTheLastRow) {
  TestApi api;
  for (int n = 0; n < 7; ++n) api.campaign(0);
  const std::string path = api.campaign(7);
  for (int n = 0; n < 6; ++n) api.worker(path, "w" + std::to_string(n));
  const std::vector<std::pair<std::string, std::string>> lists{{"/api/v1/campaigns", "campaigns"},
                                                               {"/api/v1/tokens", "tokens"},
                                                               {path + "/items", "items"},
                                                               {path + "/answers", "answers"}};
  for (const auto& [list, name] : lists) {
    const ApiResponse whole = api.get(list, api.admin);
    EXPECT_TRUE(whole.json().at("next").is_null());
    const std::size_t count = whole.json().at(name).as_array().size();
    for (std::size_t limit = 1; limit <= count + 1; ++limit) {
      json::array rows;
      std::string cursor;
      std::size_t pages = 0;
      do {
        const ApiResponse page =
            api.get(list + "?limit=" + std::to_string(limit) + cursor, api.admin);
        const auto& some = page.json().at(name).as_array();
        EXPECT_LE(some.size(), limit);
        rows.insert(rows.end(), some.begin(), some.end());
        const auto& next = page.json().at("next");
        cursor = next.is_null() ? "" : "&cursor=" + std::string(next.as_string());
      } while (!cursor.empty() && ++pages < 100);
      EXPECT_EQ(json::value(rows), whole.json().at(name)) << list << " by " << limit;
    }
  }
}

TEST(Server, IsReadyOnlyWhileItsFolderCanBeWritten) {
  const Folder folder;
  const std::string data = folder / "data";
  const auto opened = serve::DataFolder::open(data);
  ASSERT_TRUE(opened);
  const auto test = [&] { return opened->write_trouble(); };
  serve::WriteProbe probe(test, std::chrono::milliseconds(0)), lazy(test, std::chrono::hours(1));
  EXPECT_EQ(probe.trouble(), "");
  EXPECT_FALSE(std::filesystem::exists(data + "/probe"));
  EXPECT_EQ(lazy.trouble(), "");
  std::filesystem::remove_all(data);
  EXPECT_EQ(lazy.trouble(), "") << "as it was found not long ago";
  EXPECT_NE(probe.trouble().find("No such file"), std::string::npos) << probe.trouble();
}

TEST(Load, ThirtyTwoThreadsAskAndAnswer) {
  TestApi api;
  constexpr int kThreads = 32, kLabels = 20;
  const std::string path = api.campaign(200, R"(, "labels_per_item": 5)");
  std::vector<std::thread> threads;
  std::atomic<int> recorded = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, token = api.worker(path, "w" + std::to_string(t))] {
      ApiResponse asked = api.post(path + "/assignments", token);
      std::string item = first_item(asked);
      for (int n = 0; n < kLabels; ++n) {
        const std::string key = "k" + std::to_string(n);
        const std::string body = "{\"item\": \"" + item + "\", \"label\": \"yes\", \"next\": 1}";
        const ApiResponse given = api.post(path + "/labels", token, body, key);
        ASSERT_EQ(given.status, 200) << given.body;
        recorded += given.json().at("labels").at(0).at("outcome").as_string() == "recorded";
        if (n % 5 == 0) {
          ASSERT_EQ(api.post(path + "/labels", token, body, key).body, given.body);
        }
        ASSERT_EQ(given.json().at("next").at("assignments").as_array().size(), 1U);
        item = given.json().at("next").at("assignments").at(0).at("item").as_string();
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(recorded, kThreads * kLabels);
  const json::value now = api.get(path, api.requester).json();
  EXPECT_EQ(now.at("labels").as_int64(), kThreads * kLabels);
  EXPECT_EQ(now.at("leases").as_int64(), kThreads);
  EXPECT_EQ(now.at("spent").to_number<double>(), kThreads * kLabels);
  EXPECT_EQ(now.at("reserved").to_number<double>(), kThreads);
  const auto figures = api.hub().figures();
  EXPECT_LE(figures.batches, figures.commands + 10) << "requests share commits";
  api.hub().stop();
  const auto store =
      store::open_sqlite(api.data() + "/campaigns/" + path.substr(path.rfind('/') + 1) + ".db");
  ASSERT_TRUE(store);
  const auto campaign = campaign::Campaign::open(**store, "Reviews");
  ASSERT_TRUE(campaign);
  const auto verified = (*campaign)->verify();
  ASSERT_TRUE(verified);
  EXPECT_TRUE(verified->differences.empty()) << verified->differences.front();
}

}  // namespace
}  // namespace allot::test::service_test
