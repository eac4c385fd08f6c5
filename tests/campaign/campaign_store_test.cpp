// A campaign and its store: opened again, shared, damaged.
#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::campaign_store_test {
namespace {

using CampaignStore = CampaignTest;

TEST_F(CampaignStore, IsTheSameAfterItWasOpenedAgain) {
  start();
  const auto play = [&](int from) {
    for (int n = from; n < from + 12; ++n) {
      now_ += seconds(100);
      const std::string worker = "w" + std::to_string(n % 4);
      auto handed = campaign_->next(worker, 1, now_);
      if (handed && n % 3 > 0) {
        ASSERT_TRUE(answer(handed->assignments.front().item, worker, n % 2 == 0 ? "yes" : "no"));
      }
    }
  };
  play(0);
  const Status before = status();
  for (const bool with_snapshot : {false, true}) {
    if (with_snapshot) {
      ASSERT_TRUE(campaign_->save_snapshot());
    }
    campaign_ = Campaign::open(*store_, "c").value();
    EXPECT_EQ(status().events, before.events);
    EXPECT_EQ(status().spent, before.spent);
    EXPECT_EQ(status().reserved, before.reserved);
    EXPECT_EQ(status().expected_accuracy, before.expected_accuracy);
    expect_verified();
  }
  play(12);
  expect_verified();
}

TEST_F(CampaignStore, ASnapshotThatIsDamagedIsNotBelieved) {
  start();
  ASSERT_TRUE(answer(item_for("ann"), "ann"));
  const std::uint64_t events = status().events;
  ASSERT_TRUE(campaign_->save_snapshot());
  store::Snapshot snapshot = store_->snapshot("c").value().value();
  snapshot.parts[1][snapshot.parts[1].size() / 2] ^= 1;
  ASSERT_TRUE(store_->save("c", snapshot));
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(status().events, events);
  expect_verified();
}

TEST_F(CampaignStore, TwoDriversSeeWhatTheOtherDid) {
  start(some_options(4), 4);
  const auto other = Campaign::open(*store_, "c").value();
  const std::string item = item_for("ann");
  const auto handed = other->next("bob", 9, now_).value();
  EXPECT_EQ(handed.assignments.size(), 3U);
  for (const Assignment& one : handed.assignments) EXPECT_NE(one.item, item);
  EXPECT_EQ(other->record(Answer{item, "ann", "yes"}, now_).value(), Outcome::recorded);
  EXPECT_EQ(answer(item, "ann").value(), Outcome::already);
  EXPECT_EQ(status().left, Money());
  expect_verified();
}

TEST_F(CampaignStore, VerifyNamesWhatWasTamperedWith) {
  start(some_options(), 8);
  for (int n = 0; n < 6; ++n) {
    const std::string worker = "w" + std::to_string(n);
    ASSERT_TRUE(answer(item_for(worker), worker));
  }
  // A ledger whose decisions are somebody else's.
  const auto copy = store::memory_store();
  std::vector<store::Draft> drafts;
  const auto records = store_->read("c", 0, 1000).value();
  for (const store::Record& record : records) {
    store::Draft draft = record;
    const Event event = decode(record.kind, record.payload).value();
    if (const auto* created = std::get_if<Created>(&event)) {
      Created other = *created;
      other.options.seed = 77;
      draft.payload = encode(other);
    }
    drafts.push_back(draft);
  }
  ASSERT_TRUE(copy->append("c", 0, drafts, store_->contents("c", 0, 1000).value()));
  const auto other = Campaign::open(*copy, "c").value();
  const Verification found = other->verify().value();
  EXPECT_EQ(found.events, drafts.size());
  ASSERT_FALSE(found.differences.empty());
  EXPECT_NE(found.differences.front().find("decided again, it is"), std::string::npos);
}

}  // namespace
}  // namespace allot::campaign::campaign_store_test
