// Campaigns that go into the archive and come out again, and campaigns that are deleted.
#include "allot/campaign/export.hpp"
#include "allot/store/sqlite_store.hpp"
#include "campaign_fixture.hpp"
#include "support/folder.hpp"

namespace allot::campaign::archive_test {
namespace {

class ArchiveTest : public CampaignTest {};

TEST_F(ArchiveTest, EndsLeasesAndHandsOutNothingUntilItIsUnarchived) {
  start();
  const std::string item = item_for("ann");
  EXPECT_EQ(status().reserved, Money::whole(1));
  ASSERT_TRUE(campaign_->archive(now_));
  EXPECT_TRUE(status().archived);
  EXPECT_EQ(status().phase, Phase::running);
  EXPECT_EQ(status().leases, 0U);
  EXPECT_EQ(status().reserved, Money());
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::forbidden, {"'c' is archived"});
  EXPECT_FALSE(campaign_->view().whom_next().value());
  ASSERT_TRUE(answer(item, "ann")) << "the work was done";
  EXPECT_EQ(status().spent, Money::whole(1));
  const std::uint64_t events = status().events;
  ASSERT_TRUE(campaign_->archive(now_));
  EXPECT_EQ(status().events, events) << "a repeat changes nothing";
  ASSERT_TRUE(campaign_->unarchive(now_));
  EXPECT_FALSE(status().archived);
  EXPECT_FALSE(item_for("bob").empty());
  expect_verified();
}

TEST_F(ArchiveTest, KeepsThePhase) {
  start();
  ASSERT_TRUE(campaign_->pause(now_));
  ASSERT_TRUE(campaign_->archive(now_));
  ASSERT_TRUE(campaign_->unarchive(now_));
  EXPECT_EQ(status().phase, Phase::paused);
  ASSERT_TRUE(campaign_->close("done", now_));
  ASSERT_TRUE(campaign_->archive(now_)) << "most campaigns are closed by then";
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_TRUE(status().archived);
  ASSERT_TRUE(campaign_->unarchive(now_));
  EXPECT_EQ(status().phase, Phase::closed);
  Export rows(ExportKind::events, ExportFormat::csv);
  const std::string events = rows.next(campaign_->view()).value().value();
  EXPECT_NE(events.find("archive-changed"), std::string::npos);
  EXPECT_NE(events.find("unarchived"), std::string::npos);
  expect_verified();
}

TEST_F(ArchiveTest, TakesNoNewParticipantsAndPaysThoseWhoAreThere) {
  start();
  RecruitingTerms terms = usual_terms(Platform::prolific);
  terms.labels = 3;
  terms.codes = {"CDONE", "COUT", "CNONE", ""};
  terms.secret = std::string(64, '5');
  ASSERT_TRUE(campaign_->set_recruiting("link", terms, now_));
  ASSERT_TRUE(campaign_->join({"link", "ann", "s", {}}, now_));
  const std::string item = item_for("prolific:ann");
  ASSERT_TRUE(campaign_->archive(now_));
  expect_refusal(campaign_->join({"link", "bob", "s", {}}, now_), ErrorCode::forbidden,
                 {"takes no more participants"});
  EXPECT_TRUE(campaign_->join({"link", "ann", "s", {}}, now_)->back);
  ASSERT_TRUE(answer(item, "prolific:ann"));
  EXPECT_FALSE(campaign_->next("prolific:ann", 1, now_));
  const Session session = campaign_->view().sessions()->at(0).session;
  EXPECT_EQ(session.outcome, SessionOutcome::no_work) << "whose code pays";
  EXPECT_EQ(session.labels, 1U);
  expect_verified();
}

TEST_F(ArchiveTest, ACampaignThatAnotherProcessDeletedIsNotBegunAgain) {
  const test::Folder folder;
  const auto one = store::open_sqlite(folder / "a.db", {.mode = store::OpenMode::create}).value();
  const auto other = store::open_sqlite(folder / "a.db").value();
  campaign_ = Campaign::create(*one, "c", some_options(), now_).value();
  ASSERT_TRUE(campaign_->add_items(some_items(3), now_));
  ASSERT_TRUE(other->remove("c"));
  expect_refusal(campaign_->add_items(some_items(1, 3), now_), ErrorCode::not_found,
                 {"'c'", "deleted"});
  EXPECT_TRUE(other->campaigns()->empty());
  const auto again = Campaign::create(*other, "c", some_options(7), now_).value();
  EXPECT_EQ(again->view().status()->items, 0U);
  EXPECT_EQ(again->view().status()->budget, Money::whole(7));
}

}  // namespace
}  // namespace allot::campaign::archive_test
