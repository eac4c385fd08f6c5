// What monitoring reads: sums after a start, the dashboard and the alert rules of packaging/.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <set>

#include "serve/hub.hpp"
#include "support/places.hpp"
#include "support/test_api.hpp"

namespace allot::test::monitoring_test {
namespace {

namespace fs = std::filesystem;

TEST(Monitoring, SumsAreThereAfterAStartAndStayWhenCampaignsClose) {
  const Folder folder;
  fs::copy(root() + "/tests/serve/releases/0.1.0", folder / "data", fs::copy_options::recursive);
  const auto hub =
      serve::Hub::open({.folder = folder / "data", .most_open = 1, .visit_all = true}).value();
  serve::Hub::Figures figures;
  for (int n = 0; n < 6000 && figures.known < 2; ++n) {
    figures = hub->figures();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(figures.known, 2U);
  EXPECT_EQ(figures.unopened, 0U);
  EXPECT_EQ(figures.sums.items, 17U);
  EXPECT_EQ(figures.sums.labels, 18U);
  EXPECT_LE(figures.open, 2U);
  hub->stop();
}

TEST(Monitoring, CampaignsThatCannotBeOpenedAreNamedAtTheStart) {
  const Folder folder;
  fs::copy(root() + "/tests/serve/releases/0.1.0", folder / "data", fs::copy_options::recursive);
  std::string damaged;
  for (const auto& file : fs::directory_iterator(folder / "data/campaigns")) {
    if (file.path().extension() != ".db") continue;
    damaged = file.path().stem();
    std::ofstream(file.path()) << "no database";
    break;
  }
  std::mutex mutex;
  std::vector<std::string> unopened;
  const auto hub = serve::Hub::open({.folder = folder / "data",
                                     .visit_all = true,
                                     .unopened =
                                         [&](const std::string& campaign, const std::string& why) {
                                           const std::scoped_lock lock(mutex);
                                           unopened.push_back(campaign);
                                           EXPECT_NE(why, "");
                                         }})
                       .value();
  const auto is_done = [&] {
    const std::scoped_lock lock(mutex);
    return !unopened.empty() && hub->figures().known == 1;
  };
  for (int n = 0; n < 6000 && !is_done(); ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  hub->stop();
  EXPECT_EQ(unopened, std::vector{damaged});
  EXPECT_EQ(hub->figures().unopened, 1U);
}

TEST(Monitoring, RefitsAreCounted) {
  TestApi api;
  const std::string path = api.campaign(30);
  for (int worker = 0; worker < 4; ++worker) {
    const std::string token = api.worker(path, "w" + std::to_string(worker));
    for (int n = 0; n < 30; ++n) {
      const ApiResponse next = api.post(path + "/assignments", token);
      if (next.json().at("assignments").as_array().empty()) break;
      const std::string item(next.json().at("assignments").at(0).at("item").as_string());
      EXPECT_EQ(api.post(path + "/labels", token, R"({"item": ")" + item + R"(", "label": "yes"})")
                    .status,
                200);
    }
  }
  EXPECT_GT(api.hub().figures().refits, 0U);
}

std::set<std::string> metrics_in(const std::string& text) {
  static const std::regex name("\\b(allot|process)_[a-z_]+[a-z]\\b");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
    names.insert(match->str());
  return names;
}

double value_of(const std::string& name, const std::string& metrics) {
  const std::size_t at = metrics.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stod(metrics.substr(at + name.size() + 2));
}

TEST(Monitoring, FiguresOfTheProcessHaveTheNamesOfPrometheus) {
  TestApi api;
  const std::string before = api.get("/metrics", api.admin).body;
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LT(value_of("process_start_time_seconds", before), now);
  EXPECT_GT(value_of("process_start_time_seconds", before), now - 24 * 3600);
  EXPECT_GT(value_of("process_open_fds", before), 3);
  EXPECT_LE(value_of("process_open_fds", before), value_of("process_max_fds", before));
  std::vector<std::ifstream> files;
  for (int n = 0; n < 20; ++n) files.emplace_back("/proc/self/status");
  EXPECT_GE(value_of("process_open_fds", api.get("/metrics", api.admin).body),
            value_of("process_open_fds", before) + 15)
      << "the server itself may close a few meanwhile";
}

TEST(Monitoring, TheExpiryOfACertificateIsThereWithTls) {
  TestApi api;
  const std::string name = "allot_certificate_expires_seconds";
  EXPECT_EQ(api.get("/metrics", api.admin).body.find(name), std::string::npos);
  api.service().metrics().certificate(
      std::chrono::sys_seconds(std::chrono::seconds(2'000'000'000)));
  EXPECT_NE(api.get("/metrics", api.admin).body.find("\n" + name + " 2000000000\n"),
            std::string::npos);
}

TEST(Monitoring, EveryMetricOfDashboardAndAlertsIsExported) {
  TestApi api;
  api.service().metrics().certificate(
      std::chrono::sys_seconds(std::chrono::seconds(2'000'000'000)));
  EXPECT_EQ(api.get("/api/v1/me", api.admin).status, 200);
  const auto exported =
      metrics_in(api.get("/metrics", api.issue({.role = serve::Role::monitor})).body);
  for (const char* file : {"grafana-dashboard.json", "alerts.yml"}) {
    const auto named = metrics_in(read_file(root() + "/packaging/" + file));
    EXPECT_GT(named.size(), 5U) << file;
    for (const std::string& name : named)
      EXPECT_TRUE(exported.contains(name)) << file << ": " << name;
  }
  const json::value dashboard =
      json::parse(read_file(root() + "/packaging/grafana-dashboard.json"));
  EXPECT_EQ(dashboard.at("panels").as_array().size(), 20U);
}

TEST(Monitoring, PromtoolAcceptsMetricsAndAlerts) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "promtool is not installed (Debian: prometheus)";
  EXPECT_EQ(std::system(("promtool check rules " + root() + "/packaging/alerts.yml").c_str()), 0);
  EXPECT_EQ(std::system(("promtool test rules " + root() + "/tests/serve/alerts.yml").c_str()), 0);
  TestApi api;
  EXPECT_EQ(api.get("/api/v1/me", api.admin).status, 200);
  api.service().metrics().certificate(
      std::chrono::sys_seconds(std::chrono::seconds(2'000'000'000)));
  const Folder folder;
  const std::string file = folder.file("metrics", api.get("/metrics", api.admin).body);
  EXPECT_EQ(std::system(("promtool check metrics < " + file).c_str()), 0);
}

}  // namespace
}  // namespace allot::test::monitoring_test
