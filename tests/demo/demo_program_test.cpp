// allot demo as a visitor would start, watch and stop it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "demo/api.hpp"
#include "demo/show.hpp"
#include "support/http_client.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace allot::test::demo_program_test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace demo;

std::string found_in(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

/// A demo, seen by its requester.
struct Visit {
  explicit Visit(const Folder& folder, std::vector<std::string> options) {
    options.insert(options.begin(), "demo");
    fs::create_directories(folder / "tmp");
    program.emplace(folder, options, std::vector<std::string>{"TMPDIR=" + (folder / "tmp")});
    requester = found_in(program->said(), "#token=(allot_[0-9a-z_]+)");
    campaign = found_in(program->said(), "/label/([0-9a-z]+)#");
    worker = found_in(program->said(), "/label/[0-9a-z]+#(allot_[0-9a-z_]+)");
    api = Api::open("http://" + program->address()).value();
    api->use(requester);
  }

  json::value status(const std::string& id) {
    return api->get("campaigns/" + id + "/status").value();
  }
  std::uint64_t labels(const std::string& id) {
    return status(id).at("labels").to_number<std::uint64_t>();
  }
  /// Id of the campaign that splits its labels equally.
  std::string twin() {
    const auto list = api->get("campaigns").value();
    for (const json::value& one : list.at("campaigns").as_array()) {
      if (text_of(one, "twin_of") == campaign) return text_of(one, "id");
    }
    return "";
  }
  bool has_labels(std::uint64_t count) {
    return eventually([&] { return labels(campaign) >= count; });
  }

  std::optional<Started> program;
  std::string requester, campaign, worker;
  std::unique_ptr<Api> api;
};

/// Who said what, in order.
std::vector<std::array<std::string, 3>> labels_of(Visit& visit, const std::string& campaign) {
  std::vector<std::array<std::string, 3>> all;
  std::uint64_t after = 0;
  for (;;) {
    const auto events =
        visit.api
            ->get("campaigns/" + campaign + "/events?limit=1000&after=" + std::to_string(after))
            .value();
    const auto& list = events.at("events").as_array();
    if (list.empty()) return all;
    for (const json::value& one : list) {
      after = one.at("sequence").to_number<std::uint64_t>();
      if (text_of(one, "label").empty()) continue;
      all.push_back({text_of(one, "worker"), text_of(one, "item"), text_of(one, "label")});
    }
  }
}

TEST(DemoProgram, ShowsACrowdAtWorkAndLeavesNothingBehind) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "300"});
  ASSERT_NE(visit.worker, "") << visit.program->said();
  EXPECT_EQ(visit.status(visit.campaign).at("items").as_int64(), 300);
  ASSERT_TRUE(visit.has_labels(60));
  const auto labels = labels_of(visit, visit.campaign);
  ASSERT_GE(labels.size(), 60U);
  for (const auto& [worker, item, label] : labels) {
    const auto person = std::ranges::find(crowd().people(), worker, &Person::name);
    ASSERT_NE(person, crowd().people().end()) << worker;
    const auto place = static_cast<std::size_t>(person - crowd().people().begin());
    EXPECT_EQ(label, kClasses[crowd().says_yes(1, place, message_at(item).value())]);
  }
  visit.api->use(visit.worker);
  const auto me = visit.api->get("me").value();
  EXPECT_EQ(text_of(me, "worker"), "you");
  EXPECT_EQ(text_of(me.at("campaign").at("page"), "question"), kQuestion);
  EXPECT_EQ(visit.program->stop(SIGTERM), 0);
  EXPECT_NE(read_file(folder / "serve.out").find("Stopped"), std::string::npos);
  EXPECT_EQ(read_file(folder / "serve.err"), "");
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
}

TEST(DemoProgram, ShowsModelsThatErrTogetherBesidePeople) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "300"});
  const auto list = visit.api->get("campaigns").value();
  const auto& campaigns = list.at("campaigns").as_array();
  ASSERT_EQ(campaigns.size(), 3U);
  const auto found = std::ranges::find_if(campaigns, [](const json::value& one) {
    return text_of(one, "name").ends_with("models and people");
  });
  ASSERT_NE(found, campaigns.end());
  const std::string id = text_of(*found, "id");
  ASSERT_TRUE(eventually([&] { return visit.labels(id) >= 60; }));
  for (const auto& [worker, item, label] : labels_of(visit, id)) {
    const auto& cast = models_and_people().people();
    const auto person = std::ranges::find(cast, worker, &Person::name);
    ASSERT_NE(person, cast.end()) << worker;
    const auto place = static_cast<std::size_t>(person - cast.begin());
    EXPECT_EQ(label, kClasses[models_and_people().says_yes(1, place, message_at(item).value())]);
  }
  const auto groups = visit.api->get("campaigns/" + id + "/groups").value().at("groups");
  EXPECT_EQ(text_of(groups.as_array().at(0), "group"), "opal");
  EXPECT_EQ(groups.as_array().at(0).at("members").as_int64(), 2);
  EXPECT_EQ(visit.program->stop(SIGTERM), 0);
}

TEST(DemoProgram, GoesOnWithAFolderThatIsKept) {
  const Folder folder;
  const std::vector<std::string> options{"--data",      folder / "kept", "--listen",
                                         "127.0.0.1:0", "--pace",        "300"};
  std::string requester;
  std::uint64_t before;
  {
    Visit visit(folder, options);
    requester = visit.requester;
    ASSERT_TRUE(visit.has_labels(40));
    EXPECT_EQ(visit.program->stop(SIGINT), 0);
  }
  const auto private_file = fs::status(folder / "kept/demo.json").permissions();
  EXPECT_EQ(private_file & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);
  {
    Visit again(folder, options);
    EXPECT_EQ(again.requester, requester);
    before = again.labels(again.campaign);
    EXPECT_GE(before, 40U);
    ASSERT_TRUE(again.has_labels(before + 40));
    // In the order of one that was never stopped.
    const auto labels = labels_of(again, again.campaign);
    std::vector<std::string> workers;
    for (const auto& one : labels) workers.push_back(one[0]);
    std::set<std::size_t> came;
    std::size_t n = 0;
    for (std::uint64_t turn = 0; n < workers.size(); ++turn) {
      const std::size_t person = crowd().person_of_turn(turn);
      if (came.insert(person).second) continue;  // the first turn only takes an item
      ASSERT_EQ(workers[n++], crowd().people()[person].name);
    }
    EXPECT_EQ(again.program->stop(SIGHUP), 0);
  }
  const std::string kept = "demo --listen 127.0.0.1:0 --data '" + (folder / "kept") + "'";
  expect_refusal(kept + " --seed 3", "--seed", "no seed");
  folder.file("kept/demo.json", "{}");
  expect_refusal(kept, folder / "kept/demo.json", "expected requester, campaign, link and seed");
  fs::remove(folder / "kept/demo.json");
  expect_refusal(kept, folder / "kept", "a new folder");
}

TEST(DemoProgram, PausesAndGoesOnWithItsCampaign) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "300"});
  const std::string path = "campaigns/" + visit.campaign;
  ASSERT_TRUE(visit.has_labels(20));
  ASSERT_TRUE(visit.api->post(path + "/pause"));
  // Those who have an item answer it.
  ASSERT_TRUE(
      eventually([&] { return visit.status(visit.campaign).at("leases").to_number<int>() == 0; }));
  const std::uint64_t paused = visit.labels(visit.campaign);
  ASSERT_TRUE(visit.api->post(path + "/resume"));
  EXPECT_TRUE(visit.has_labels(paused + 20));
}

TEST(DemoProgram, KeepsWorkForTheVisitorAfterTheCrowdIsDone) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "1000"});
  // The twin would take half of the time.
  ASSERT_TRUE(visit.api->post("campaigns/" + visit.twin() + "/close"));
  const auto rests = [&] {
    return visit.labels(visit.campaign) > kLabels * 9 / 10 &&
           visit.status(visit.campaign).at("leases").to_number<int>() == 0;
  };
  ASSERT_TRUE(eventually(rests));
  const json::value status = visit.status(visit.campaign);
  EXPECT_GE(status.at("left").to_number<double>(), 15);
  EXPECT_LT(status.at("left").to_number<double>(), 15.1) << "nobody can be paid from that";
  // More for the campaign is more for the crowd.
  const std::string path = "campaigns/" + visit.campaign;
  const std::uint64_t before = visit.labels(visit.campaign);
  const std::string& address = visit.program->address();
  Client client(std::make_unique<PlainWire>(address));
  client.send("PATCH /api/v1/" + path + " HTTP/1.1\r\nHost: " + address +
              "\r\nAuthorization: Bearer " + visit.requester +
              "\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"budget\": 64}");
  ASSERT_EQ(client.answer().status, 200);
  EXPECT_TRUE(visit.has_labels(before + 10));
  ASSERT_TRUE(eventually(rests));
  EXPECT_GE(visit.status(visit.campaign).at("left").to_number<double>(), 15);
  visit.api->use(visit.worker);
  const auto work = visit.api->post(path + "/assignments", R"({"count": 5})");
  ASSERT_TRUE(work) << work.error().message;
  EXPECT_EQ(work->at("assignments").as_array().size(), 5U);
}

TEST(DemoProgram, StartsATwinThatSplitsItsLabelsEqually) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "300"});
  const std::string id = visit.twin();
  ASSERT_NE(id, "");
  EXPECT_EQ(text_of(visit.api->get("campaigns/" + id).value().at("options"), "policy"),
            "least-labelled");
  EXPECT_TRUE(eventually([&] { return visit.labels(id) >= 60; }));
  EXPECT_EQ(text_of(visit.api->get("me").value(), "label"), "demo with simulated workers");
}

TEST(DemoProgram, ATwinCatchesUpWithTheSameAnswersForTheSameMoney) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0", "--pace", "15"});
  ASSERT_TRUE(visit.has_labels(40));
  const auto made =
      visit.api->post("campaigns/" + visit.campaign + "/twin", R"({"policy": "least-labelled"})");
  ASSERT_TRUE(made) << made.error().message;
  const std::string twin = text_of(*made, "id");
  // It is behind, then abreast: one of them may be a label ahead, and the first goes on while the
  // second is looked at.
  ASSERT_TRUE(eventually([&] {
    const std::uint64_t first = visit.labels(visit.campaign);
    return visit.labels(twin) + 1 >= first;
  }));
  ASSERT_TRUE(visit.has_labels(visit.labels(visit.campaign) + 15));
  const std::uint64_t first = visit.labels(visit.campaign), second = visit.labels(twin);
  EXPECT_GE(second + 2, first);
  auto ours = labels_of(visit, visit.campaign), theirs = labels_of(visit, twin);
  const std::size_t both = std::min(ours.size(), theirs.size());
  std::map<std::pair<std::string, std::string>, std::string> said;
  int same = 0;
  for (std::size_t n = 0; n < both; ++n) {
    EXPECT_EQ(ours[n][0], theirs[n][0]) << "not the same worker";
    said[{ours[n][0], ours[n][1]}] = ours[n][2];
  }
  for (std::size_t n = 0; n < both; ++n) {
    const auto found = said.find({theirs[n][0], theirs[n][1]});
    if (found == said.end()) continue;
    ++same;
    EXPECT_EQ(found->second, theirs[n][2]);
  }
  EXPECT_GT(same, 5) << "that were asked of the same worker in both";
}

TEST(DemoProgram, TakesAnotherPortOnlyIfNobodyAskedForOne) {
  const Folder folder;
  Visit visit(folder, {"--listen", "127.0.0.1:0"});
  const std::string address = visit.program->address();
  expect_refusal("demo --listen " + address, address, "in use");
  // Whether or not somebody else has the usual one.
  Routes routes;
  http::ServerOptions usual;
  usual.listen = {"127.0.0.1:8080"};
  const auto other = http::Server::start(usual, routes);
  const Folder second;
  Visit moved(second, {});
  EXPECT_NE(moved.program->said().find("127.0.0.1:8080 is taken"), std::string::npos);
  EXPECT_NE(moved.program->address(), "127.0.0.1:8080");
}

TEST(DemoProgram, RefusesWhatMakesNoSense) {
  expect_refusal("demo --pace fast", "'fast'", "labels per second");
  expect_refusal("demo --pace 0", "'0'", "labels per second");
  expect_refusal("demo --seed -1", "'-1'", "");
  expect_refusal("demo --data ''", "--data", "its name");
  expect_refusal("demo --listen nowhere", "nowhere", "127.0.0.1:8080");
}

}  // namespace
}  // namespace allot::test::demo_program_test
