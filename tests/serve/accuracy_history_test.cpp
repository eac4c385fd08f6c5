// Expected accuracy over the number of labels.
#include "serve/accuracy_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "serve/campaign_fixture.hpp"
#include "serve/server_store.hpp"
#include "support/folder.hpp"

namespace allot::test::accuracy_history_test {
namespace {

const serve::Time kNow{std::chrono::seconds(1'800'000'000)};

TEST(AccuracyHistory, IsWhatAReplayOfTheLedgerSays) {
  TestApi api;
  const std::string path = measured(api, 30), id = path.substr(path.rfind('/') + 1);
  EXPECT_EQ(api.get(path + "/curve", api.requester).json().at("points").as_array().size(), 1U)
      << "now, before anything";
  label(api, path, 30);
  api.reopen(TestApi::generous());
  label(api, path, 15, 30);
  const ApiResponse got = api.get(path + "/curve", api.requester);
  const json::array points = got.json().at("points").as_array();
  ASSERT_EQ(points.size(), 46U) << "of every label, and the first of none";
  EXPECT_EQ(api.ask({.path = path + "/curve",
                     .token = api.requester,
                     .fields = {{"If-None-Match", got.field("ETag")}}})
                .status,
            304);
  // The same events in a store of our own, and what is believed after each.
  const std::string file = api.data() + "/campaigns/" + id + ".db";
  const auto from = store::open_sqlite(file, {.mode = store::OpenMode::read}).value();
  const std::string name = from->campaigns()->front();
  const auto records = from->read(name, 0, 10'000).value();
  std::size_t at = 0;
  for (const json::value& point : points) {
    const auto event = static_cast<std::uint64_t>(point.at("event").as_int64());
    const auto to = store::memory_store();
    std::vector<store::Draft> drafts(records.begin(),
                                     records.begin() + static_cast<std::ptrdiff_t>(event));
    ASSERT_TRUE(to->append(name, 0, drafts));
    const auto replayed = *campaign::Campaign::open(*to, name);
    const campaign::Status status = *replayed->view().status();
    EXPECT_EQ(point.at("labels").as_int64(), static_cast<std::int64_t>(status.labels));
    EXPECT_EQ(status.labels, at++);
    EXPECT_EQ(number_of(point.at("spent")), status.spent.value());
    EXPECT_DOUBLE_EQ(number_of(point.at("expected_accuracy")), status.expected_accuracy);
    EXPECT_DOUBLE_EQ(number_of(point.at("accuracy")), *status.accuracy);
    EXPECT_DOUBLE_EQ(number_of(point.at("bound")), *status.bound);
  }
}

TEST(AccuracyHistory, ForgetsPointsThatTheLedgerLost) {
  const Folder folder;
  const auto server = serve::open_folder(folder / "data").value();
  serve::AccuracyStore kept(server->open_tables(false).value());
  for (const std::uint64_t labels : {0, 2, 5, 40}) ASSERT_TRUE(kept.add("c", {.labels = labels}));
  const auto ledger = store::memory_store();
  campaign::Options options;
  options.budget = Money::whole(10);
  const auto campaign = campaign::Campaign::create(*ledger, "c", options, kNow).value();
  const std::vector<campaign::ItemDraft> items{{.id = "i0"}, {.id = "i1"}, {.id = "i2"}};
  ASSERT_TRUE(campaign->add_items(items, kNow));
  for (int n = 0; n < 3; ++n) {
    const auto next = campaign->next("ann", 1, kNow).value();
    ASSERT_TRUE(campaign->record({next.assignments.at(0).item, "ann", "yes"}, kNow));
  }
  const auto labels_of = [](const std::vector<serve::AccuracyPoint>& points) {
    std::vector<std::uint64_t> labels;
    for (const serve::AccuracyPoint& point : points) labels.push_back(point.labels);
    return labels;
  };
  const std::vector<std::uint64_t> left{0, 2, 3};
  serve::AccuracyHistory history(kept, "c");
  history.follow(*campaign);
  EXPECT_EQ(labels_of(history.points()), left);
  EXPECT_EQ(labels_of(kept.load("c").value()), left);
  EXPECT_EQ(labels_of(serve::AccuracyHistory(kept, "c").points()), left) << "opened again";
}

TEST(AccuracyHistory, KeepsFiveHundredPointsEvenlySpread) {
  std::vector<serve::AccuracyPoint> points;
  for (std::uint64_t n = 0; n < 100; ++n) points.push_back({.labels = n * 3});
  const auto kept = serve::thinned(points, 10);
  for (std::size_t n = 1; n < kept.size(); ++n) {
    EXPECT_EQ(kept[n].labels, kept[n - 1].labels + 12) << "the first that is 10 further on";
  }
  TestApi api;
  const std::string path = api.campaign(20);
  const std::string ann = api.worker(path, "ann");
  for (int n = 0; n < 1300; ++n) {
    const std::string worker = "w" + std::to_string(n / 20);
    const ApiResponse asked =
        api.post(path + "/assignments", api.requester, "{\"worker\": \"" + worker + "\"}");
    const std::string item = text_of(asked.json().at("assignments").at(0).at("item"));
    api.post(path + "/labels", api.requester,
             "{\"worker\": \"" + worker + "\", \"label\": \"yes\", \"item\": \"" + item + "\"}");
  }
  const auto check = [&] {
    const json::value curve = api.get(path + "/curve", api.requester).json();
    const json::array& all = curve.at("points").as_array();
    EXPECT_LE(all.size(), 500U);
    EXPECT_GE(all.size(), 200U);
    EXPECT_EQ(all.front().at("labels").as_int64(), 0);
    EXPECT_EQ(all.back().at("labels").as_int64(), 1300);
    for (std::size_t n = 1; n < all.size(); ++n) {
      const auto step = all[n].at("labels").as_int64() - all[n - 1].at("labels").as_int64();
      EXPECT_GE(step, n + 1 < all.size() ? 2 : 1);
      EXPECT_LE(step, 9);
    }
    return all.size();
  };
  const std::size_t before = check();
  api.reopen(TestApi::generous());
  EXPECT_EQ(check(), before);
}

}  // namespace
}  // namespace allot::test::accuracy_history_test
