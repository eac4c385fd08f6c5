// Campaigns that are archived and deleted through a server, also one that dies meanwhile.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "campaign_fixture.hpp"

namespace allot::test::archive_routes_test {
namespace {

using serve::Hub;

std::string id_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

ApiResponse remove(TestApi& api, const std::string& path, const std::string& token) {
  return api.ask({.method = Method::del, .path = path, .token = token});
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    names.push_back(file.path().filename());
  }
  return names;
}

std::vector<std::string> listed(TestApi& api, const std::string& query = "") {
  std::vector<std::string> ids;
  const ApiResponse list = api.get("/api/v1/campaigns" + query, api.requester);
  for (const auto& entry : list.json().at("campaigns").as_array()) {
    ids.push_back(text_of(entry.at("id")));
  }
  return ids;
}

TEST(ArchiveRoutes, ArchivesAndUnarchives) {
  TestApi api;
  const std::string path = api.campaign(), other = api.campaign();
  const std::string ann = api.worker(path, "ann");
  const std::string item = first_item(api.post(path + "/assignments", ann, "{}"));
  const ApiResponse archived = api.post(path + "/archive", api.requester);
  EXPECT_EQ(archived.status, 200);
  EXPECT_TRUE(archived.json().at("archived").as_bool());
  EXPECT_EQ(archived.text("phase"), "running");
  EXPECT_EQ(archived.json().at("leases").as_int64(), 0);
  EXPECT_TRUE(api.get(path + "/status", api.requester).json().at("archived").as_bool());
  EXPECT_EQ(listed(api, "?archived=true"), std::vector{id_of(path)});
  EXPECT_EQ(listed(api, "?archived=false"), std::vector{id_of(other)});
  EXPECT_EQ(listed(api).size(), 2U);
  EXPECT_EQ(api.get("/api/v1/campaigns?archived=maybe", api.requester).status, 400);
  EXPECT_EQ(count_of(api.post(path + "/assignments", ann, "{}"), "assignments"), 0U);
  EXPECT_EQ(text_of(api.get("/api/v1/me", ann).json().at("campaign").at("phase")), "paused");
  EXPECT_EQ(api.post(path + "/labels", ann, body({{"item", item}, {"label", "yes"}})).status, 200)
      << "the work was done";
  EXPECT_FALSE(api.post(path + "/unarchive", api.requester).json().at("archived").as_bool());
  EXPECT_EQ(count_of(api.post(path + "/assignments", ann, "{}"), "assignments"), 1U);
}

TEST(ArchiveRoutes, OnlyTheOwnerMay) {
  TestApi api;
  const std::string path = api.campaign();
  const std::string stranger = api.issue({.role = serve::Role::requester, .label = "other"});
  const std::string ann = api.worker(path, "ann");
  for (const char* const verb : {"/archive", "/unarchive"}) {
    EXPECT_EQ(api.post(path + verb, stranger).status, 404);
    EXPECT_EQ(api.post(path + verb, ann).status, 403);
  }
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  EXPECT_EQ(remove(api, path, stranger).status, 404);
  EXPECT_EQ(remove(api, path, ann).status, 403);
  EXPECT_EQ(remove(api, path, "").status, 401);
  EXPECT_EQ(remove(api, path, api.admin).status, 204);
}

TEST(ArchiveRoutes, DeletesACampaignWithEverythingThatBelongsToIt) {
  TestApi api;
  const std::string path = api.campaign(), other = api.campaign();
  const std::string ann = api.worker(path, "ann"), bob = api.worker(other, "bob");
  const ApiResponse twin = api.post(path + "/twin", api.requester, body({{"policy", "uniform"}}));
  ASSERT_EQ(twin.status, 201) << twin.body;
  ASSERT_EQ(
      api.post(path + "/webhooks", api.requester,
               body({{"url", "https://example.org/x"}, {"events", json::array{"label.created"}}}))
          .status,
      201);
  const ApiResponse link = api.post(path + "/recruiting", api.requester,
                                    body({{"platform", "prolific"}, {"labels", 2}}));
  ASSERT_EQ(link.status, 201) << link.body;

  const ApiResponse early = remove(api, path, api.requester);
  EXPECT_EQ(early.status, 409);
  EXPECT_NE(early.text("detail").find("'Reviews' is not archived"), std::string::npos);
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  ASSERT_EQ(remove(api, path, api.requester).status, 204);

  EXPECT_EQ(remove(api, path, api.requester).status, 404) << "once";
  EXPECT_EQ(api.get(path, api.requester).status, 404);
  EXPECT_EQ(api.get("/api/v1/me", ann).status, 401) << "the link is dead";
  EXPECT_EQ(api.get("/api/v1/me", bob).status, 200);
  EXPECT_EQ(api.get("/api/v1/join/" + id_of(path) + "/" + link.text("id"), "").status, 404);
  EXPECT_EQ(api.post("/api/v1/join/" + id_of(path) + "/" + link.text("id"), "",
                     body({{"agree", true}, {"parameters", {{"PROLIFIC_PID", "p1"}}}}))
                .status,
            404);
  EXPECT_TRUE(api.hub().webhooks().list()->empty());
  EXPECT_TRUE(api.get("/api/v1/campaigns/" + twin.text("id"), api.requester)
                  .json()
                  .at("twin_of")
                  .is_null());
  for (const std::string& file : files_in(api.data() + "/campaigns")) {
    EXPECT_EQ(file.find(id_of(path)), std::string::npos) << file;
  }
  api.reopen(TestApi::generous());
  EXPECT_EQ(listed(api).size(), 2U);
  EXPECT_EQ(api.get("/api/v1/me", ann).status, 401);
}

TEST(ArchiveRoutes, ALiveStreamOfADeletedCampaignEnds) {
  TestApi api;
  const std::string path = api.campaign();
  ApiResponse live = api.ask({.path = path + "/events/live", .token = api.requester}, true);
  ASSERT_TRUE(live.stream);
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  ASSERT_EQ(remove(api, path, api.requester).status, 204);
  while (TestApi::tried(*live.stream).value_or(std::nullopt)) {
  }
}

TEST(ArchiveRoutes, AListThatIsBehindTheLedgerIsCorrected) {
  TestApi api;
  const std::string path = api.campaign();
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  // As if the server had died between the ledger and the list.
  ASSERT_TRUE(api.hub().vault().change(
      id_of(path), [](serve::CampaignEntry& entry) { entry.archived = false; }));
  api.reopen(TestApi::generous());
  EXPECT_EQ(remove(api, path, api.requester).status, 409);
  EXPECT_EQ(api.get(path + "/status", api.requester).status, 200);
  EXPECT_EQ(listed(api, "?archived=true").size(), 1U);
  EXPECT_EQ(remove(api, path, api.requester).status, 204);
}

TEST(ArchiveRoutes, ACampaignThatCannotBeOpenedCanBeDeleted) {
  TestApi api;
  const std::string path = api.campaign();
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  api.hub().stop();
  const std::string file = api.data() + "/campaigns/" + id_of(path) + ".db";
  std::filesystem::resize_file(file, 5000);
  api.reopen(TestApi::generous());
  EXPECT_EQ(api.get(path, api.requester).status, 503);
  EXPECT_EQ(remove(api, path, api.requester).status, 204);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(ArchiveRoutes, TheNextStartFinishesADeletion) {
  TestApi api;
  std::vector<std::string> ids;
  for (int n = 0; n < 3; ++n) {
    ids.push_back(id_of(api.campaign()));
    ASSERT_EQ(api.post("/api/v1/campaigns/" + ids.back() + "/archive", api.requester).status, 200);
    // The list is changed, and then the server dies.
    ASSERT_TRUE(api.hub().vault().remove(ids.back()));
  }
  const std::string folder = api.data() + "/campaigns/";
  std::filesystem::remove(folder + ids[1] + ".db");
  for (const char* const part : {"", "-wal", "-shm"}) {
    std::filesystem::remove(folder + ids[2] + ".db" + part);
  }
  EXPECT_TRUE(std::filesystem::exists(folder + ids[0] + ".db"));
  api.reopen(TestApi::generous());
  EXPECT_TRUE(files_in(folder).empty());
  EXPECT_TRUE(api.hub().vault().removed_ledgers()->empty());
  EXPECT_TRUE(listed(api).empty());
}

/// Deletes the campaign of the folder, for as long as it lives.
[[noreturn]] void delete_and_wait(const std::string& folder, const std::string& id, int ready) {
  auto hub = Hub::open({.folder = folder, .threads = 1}).value();
  [[maybe_unused]] const auto written = ::write(ready, "x", 1);
  hub->remove(id, [](http::Response) {});
  while (true) ::pause();
}

TEST(ArchiveRoutes, ACampaignIsWholeOrGoneAfterAKill) {
  constexpr int kRounds = 16;
  int whole = 0, gone = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Folder folder;
    const std::string data = folder / "data";
    std::string id;
    {
      const auto hub = Hub::open({.folder = data}).value();
      campaign::Options options;
      options.budget = Money::whole(100);
      id = hub->create({.name = "c", .owner = "o"}, options)->id;
      ASSERT_TRUE(
          hub->vault().change(id, [](serve::CampaignEntry& entry) { entry.archived = true; }));
    }
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) delete_and_wait(data, id, ends[1]);
    char letter = 0;
    ASSERT_EQ(::read(ends[0], &letter, 1), 1);
    ::usleep(static_cast<useconds_t>(round * round * 60));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    ::close(ends[1]);

    const auto hub = Hub::open({.folder = data}).value();
    const bool is_listed = hub->vault().campaign(id).has_value();
    EXPECT_EQ(std::filesystem::exists(data + "/campaigns/" + id + ".db"), is_listed);
    if (is_listed) {
      std::promise<int> status;
      hub->look(
          id,
          [](serve::OpenCampaign& open) {
            return http::Response{.status = open->verify() ? 200 : 500};
          },
          [&](http::Response response) { status.set_value(response.status); });
      EXPECT_EQ(status.get_future().get(), 200);
    } else {
      EXPECT_TRUE(files_in(data + "/campaigns").empty());
    }
    ++(is_listed ? whole : gone);
  }
  RecordProperty("whole", whole);
  RecordProperty("gone", gone);
  EXPECT_EQ(whole + gone, kRounds);
}

}  // namespace
}  // namespace allot::test::archive_routes_test
