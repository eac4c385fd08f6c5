// A campaign in memory with short words for what tests do with it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"

namespace allot::campaign {

using std::chrono::minutes;
using std::chrono::seconds;

inline const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

inline Options some_options(std::uint64_t budget = 100) {
  Options options;
  options.budget = Money::whole(budget);
  options.lease = minutes(10);
  return options;
}

inline std::vector<ItemDraft> some_items(int count, int from = 0) {
  std::vector<ItemDraft> items;
  for (int i = from; i < from + count; ++i) {
    ItemDraft item;
    item.id = "i" + std::to_string(i);
    item.fields = R"({"text": ")" + item.id + R"("})";
    items.push_back(item);
  }
  return items;
}

class CampaignTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_;
  Time now_ = kStart;

  void start(const Options& options = some_options(), int items = 5) {
    auto made = Campaign::create(*store_, "c", options, now_);
    ASSERT_TRUE(made) << made.error().message;
    campaign_ = std::move(*made);
    const auto added = campaign_->add_items(some_items(items), now_);
    ASSERT_TRUE(added) << added.error().message;
  }

  Handout next(const std::string& worker, std::uint32_t count = 1, const std::string& key = "") {
    auto handed = campaign_->next(worker, count, now_, key);
    EXPECT_TRUE(handed) << handed.error().message;
    return handed ? std::move(*handed) : Handout{};
  }
  std::string item_for(const std::string& worker) { return next(worker).assignments.at(0).item; }

  Result<Outcome> answer(const std::string& item, const std::string& worker,
                         const std::string& label = "yes", bool revise = false,
                         const std::string& key = "") {
    return campaign_->record(Answer{item, worker, label}, now_, revise, key);
  }
  Status status() { return campaign_->view().status().value(); }

  template <typename T>
  static void expect_refusal(const Result<T>& result, ErrorCode code,
                             const std::vector<std::string>& words) {
    ASSERT_FALSE(result) << words.front();
    EXPECT_EQ(result.error().code, code) << result.error().message;
    for (const std::string& word : words) {
      EXPECT_NE(result.error().message.find(word), std::string::npos) << result.error().message;
    }
  }

  void expect_verified() {
    const auto result = campaign_->verify();
    ASSERT_TRUE(result) << result.error().message;
    for (const std::string& line : result->differences) ADD_FAILURE() << line;
  }

  /// The probabilities of all items, item by item and class by class.
  static std::vector<double> stated(const Campaign& campaign) {
    std::vector<double> all;
    const auto rows = campaign.view().answers().value();
    for (const AnswerRow& row : rows)
      all.insert(all.end(), row.probabilities.begin(), row.probabilities.end());
    return all;
  }
  static void expect_near(const std::vector<double>& one, const std::vector<double>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t n = 0; n < one.size(); ++n) EXPECT_NEAR(one[n], other[n], 1e-9) << n;
  }
  /// The records alone, without snapshots, lead to the same probabilities, bit by bit.
  void expect_equal_from_the_ledger() {
    const auto folded = store::memory_store();
    const auto records = store_->read("c", 0, 100'000).value();
    ASSERT_TRUE(folded->append("c", 0, std::vector<store::Draft>(records.begin(), records.end())));
    EXPECT_EQ(stated(*Campaign::open(*folded, "c").value()), stated(*campaign_));
  }
};

}  // namespace allot::campaign
