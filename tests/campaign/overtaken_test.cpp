// Campaigns on a store where another process can append between a decision and its commit.
#include <gtest/gtest.h>

#include <functional>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "support/wrapped_store.hpp"

namespace allot::campaign::overtaken_test {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

/// A store whose turns hold nothing: a commit succeeds if nobody has appended since the turn began.
class OptimisticStore final : public test::WrappedStore {
 public:
  explicit OptimisticStore(store::Store& inner) : WrappedStore(inner) {}

  /// Called before every commit.
  std::function<void()> before_commit;
  int conflicts = 0;

  Result<std::unique_ptr<store::Turn>> begin(std::string_view name) override {
    return std::make_unique<OptimisticTurn>(*this, std::string(name));
  }

 private:
  class OptimisticTurn final : public store::Turn {
   public:
    OptimisticTurn(OptimisticStore& store, std::string name)
        : store_(store), name_(std::move(name)), last_(store.last(name_).value()) {}

    Result<std::uint64_t> last() override { return last_; }
    Result<std::vector<store::Record>> read(std::uint64_t after, std::size_t most) override {
      return store_.read(name_, after, most);
    }
    Result<std::optional<store::Record>> find(std::string_view key) override {
      return store_.find(name_, key);
    }
    Result<std::optional<std::string>> content(std::uint32_t item) override {
      return store_.content(name_, item);
    }
    Result<void> append(std::span<const store::Draft> drafts) override {
      drafts_.insert(drafts_.end(), drafts.begin(), drafts.end());
      return {};
    }
    Result<void> add(std::span<const store::Content> contents) override {
      contents_.insert(contents_.end(), contents.begin(), contents.end());
      return {};
    }
    Result<void> commit() override {
      if (store_.before_commit) std::exchange(store_.before_commit, nullptr)();
      auto done = store_.inner().append(name_, last_, drafts_, contents_);
      store_.conflicts += !done;
      return done;
    }

   private:
    OptimisticStore& store_;
    const std::string name_;
    const std::uint64_t last_;
    std::vector<store::Draft> drafts_;
    std::vector<store::Content> contents_;
  };
};

class OvertakenTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> kept_ = store::memory_store();
  OptimisticStore store_{*kept_};
  std::unique_ptr<Campaign> mine_ = create(), theirs_ = Campaign::open(store_, "c").value();

  std::unique_ptr<Campaign> create() {
    const std::vector<ItemDraft> items{{.id = "a"}, {.id = "b"}};
    return Campaign::create(store_, "c", Options{.budget = Money::whole(2), .labels_per_item = 1},
                            kStart, {items, {}})
        .value();
  }
};

TEST_F(OvertakenTest, DecidesAgainOnWhatOthersAppended) {
  std::string other;
  store_.before_commit = [&] { other = theirs_->next("bob", 1, kStart)->assignments.at(0).item; };
  const auto handout = mine_->next("ann", 1, kStart);
  ASSERT_TRUE(handout) << handout.error().message;
  EXPECT_EQ(store_.conflicts, 1);
  EXPECT_NE(handout->assignments.at(0).item, other);
  EXPECT_EQ(mine_->view().status()->leases, 2U);
  EXPECT_TRUE(mine_->verify()->differences.empty());
}

TEST_F(OvertakenTest, SpendsNoMoreThanTheBudget) {
  store_.before_commit = [&] { ASSERT_TRUE(theirs_->next("bob", 2, kStart)); };
  const auto handout = mine_->next("ann", 1, kStart);
  ASSERT_FALSE(handout);
  EXPECT_EQ(handout.error().code, ErrorCode::budget_exhausted) << handout.error().message;
  EXPECT_EQ(mine_->view().status()->leases, 2U);
}

TEST_F(OvertakenTest, TheSameKeyFromAnotherProcessCountsOnce) {
  const auto ask = [&](Campaign& campaign) { return campaign.next("ann", 1, kStart, "k"); };
  std::string other;
  store_.before_commit = [&] { other = ask(*theirs_)->assignments.at(0).item; };
  EXPECT_EQ(ask(*mine_)->assignments.at(0).item, other);
  EXPECT_EQ(mine_->view().status()->leases, 1U);
}

TEST_F(OvertakenTest, GivesUpWhereOthersAreAlwaysFaster) {
  int changes = 0;
  std::function<void()> faster = [&] {
    ASSERT_TRUE(
        theirs_->set_budget(Money::whole(10 + static_cast<std::uint64_t>(++changes)), kStart));
    store_.before_commit = faster;
  };
  store_.before_commit = faster;
  const auto handout = mine_->next("ann", 1, kStart);
  ASSERT_FALSE(handout);
  EXPECT_EQ(handout.error().code, ErrorCode::store_failure);
  EXPECT_NE(handout.error().message.find("another writer was faster"), std::string::npos);
  EXPECT_EQ(changes, 5);
  EXPECT_EQ(mine_->view().status()->leases, 0U);
}

TEST_F(OvertakenTest, ACampaignIsCreatedOnce) {
  const auto create = [&] {
    return Campaign::create(store_, "d", Options{.budget = Money::whole(2)}, kStart);
  };
  store_.before_commit = [&] { ASSERT_TRUE(create()); };
  const auto second = create();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_NE(second.error().message.find("'d'"), std::string::npos) << second.error().message;
}

}  // namespace
}  // namespace allot::campaign::overtaken_test
