// A campaign that moves to another model while it runs.
#include "campaign_fixture.hpp"

namespace allot::campaign::model_change_test {
namespace {

class ModelChange : public CampaignTest {
 protected:
  Options em() {
    Options options = some_options(200);
    options.classes = {"a", "b", "c"};
    options.refit = model::Refit::em;
    options.refit_every = 5;
    return options;
  }
  Options pooled() {
    Options options = em();
    options.refit = model::Refit::pooled;
    options.learn_workers = true;
    return options;
  }

  /// Workers take turns, and some of them are wrong, or skip, or let a lease lapse.
  void work(int rounds) {
    for (int n = 0; n < rounds; ++n) {
      const std::string worker = "w" + std::to_string(n % 7);
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const int truth = (item.back() - '0') % 3, said = n % 5 == 0 ? (truth + 1) % 3 : truth;
      if (n % 11 == 10) {
        ASSERT_TRUE(campaign_->skip(item, worker, now_));
      } else if (n % 13 == 12) {
        now_ += minutes(11);
      } else {
        given_.push_back({item, worker, std::string(1, static_cast<char>('a' + said))});
        ASSERT_TRUE(campaign_->record(given_.back(), now_));
      }
    }
  }

  std::vector<Answer> given_;
};

TEST_F(ModelChange, GivesTheAnswersOfACampaignThatAlwaysHadTheModel) {
  start(em(), 9);
  work(40);
  const auto before = stated(*campaign_);
  ASSERT_TRUE(campaign_->set_model(pooled(), now_));
  const auto after = stated(*campaign_);
  EXPECT_NE(before, after);
  const auto other = store::memory_store();
  const auto fresh = Campaign::create(*other, "c", pooled(), now_).value();
  ASSERT_TRUE(fresh->add_items(some_items(9), now_));
  for (const auto& result : fresh->import(given_, now_)) ASSERT_TRUE(result);
  const auto wanted = stated(*fresh);
  ASSERT_EQ(after.size(), wanted.size());
  for (std::size_t n = 0; n < wanted.size(); ++n) EXPECT_NEAR(after[n], wanted[n], 1e-9) << n;
}

TEST_F(ModelChange, IsMadeAgainByVerifyAndAfterReopening) {
  start(em(), 9);
  work(30);
  ASSERT_TRUE(campaign_->set_model(pooled(), now_));
  work(30);
  expect_verified();
  const auto live = stated(*campaign_);
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(stated(*campaign_), live);
  expect_verified();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(stated(*campaign_), live);
  work(10);
  expect_verified();
}

TEST_F(ModelChange, CanChangeThePolicyAlone) {
  start(em(), 6);
  Options other = em();
  other.policy = "eig";
  ASSERT_TRUE(campaign_->set_model(other, now_));
  work(20);
  expect_verified();
}

TEST_F(ModelChange, ChangesNothingElse) {
  start(em(), 6);
  const auto events = store_->last("c").value();
  Options richer = pooled();
  richer.budget = Money::whole(1000);
  expect_refusal(campaign_->set_model(richer, now_), ErrorCode::invalid_argument,
                 {"more than the model"});
  Options impossible = pooled();
  impossible.policy = "scout";
  expect_refusal(campaign_->set_model(impossible, now_), ErrorCode::invalid_argument, {"scout"});
  ASSERT_TRUE(campaign_->set_model(em(), now_)) << "the model it has";
  EXPECT_EQ(store_->last("c").value(), events);
  ASSERT_TRUE(campaign_->close("done", now_));
  expect_refusal(campaign_->set_model(pooled(), now_), ErrorCode::forbidden, {"closed"});
}

}  // namespace
}  // namespace allot::campaign::model_change_test
