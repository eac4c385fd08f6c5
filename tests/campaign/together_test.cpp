// Commands that are put on disk together.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "allot/campaign/campaign.hpp"

namespace allot::campaign {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

/// A store whose commits are counted, and refused when the disk is full.
class CountedStore final : public store::Store {
 public:
  int commits = 0;
  bool full = false;

  Result<std::vector<std::string>> campaigns() override { return inner_->campaigns(); }
  Result<std::uint64_t> last(std::string_view campaign) override { return inner_->last(campaign); }
  Result<std::vector<store::Record>> read(std::string_view campaign, std::uint64_t after,
                                          std::size_t most) override {
    return inner_->read(campaign, after, most);
  }
  Result<std::optional<store::Record>> find(std::string_view campaign,
                                            std::string_view key) override {
    return inner_->find(campaign, key);
  }
  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    return inner_->content(campaign, item);
  }
  Result<std::optional<store::Snapshot>> snapshot(std::string_view campaign) override {
    return inner_->snapshot(campaign);
  }
  Result<void> save(std::string_view campaign, const store::Snapshot& snapshot) override {
    return inner_->save(campaign, snapshot);
  }
  Result<std::unique_ptr<store::Turn>> begin(std::string_view campaign) override {
    return inner_->begin(campaign).map([&](std::unique_ptr<store::Turn> turn) {
      return std::unique_ptr<store::Turn>(std::make_unique<CountedTurn>(*this, std::move(turn)));
    });
  }

 private:
  class CountedTurn final : public store::Turn {
   public:
    CountedTurn(CountedStore& store, std::unique_ptr<store::Turn> inner)
        : store_(store), inner_(std::move(inner)) {}
    Result<void> append(std::span<const store::Draft> drafts) override {
      return inner_->append(drafts);
    }
    Result<void> add(std::span<const store::Content> contents) override {
      return inner_->add(contents);
    }
    Result<void> commit() override {
      if (store_.full) return fail(ErrorCode::store_failure, "the disk is full");
      ++store_.commits;
      return inner_->commit();
    }

   private:
    CountedStore& store_;
    const std::unique_ptr<store::Turn> inner_;
  };

  const std::unique_ptr<store::Store> inner_ = store::memory_store();
};

class TogetherTest : public testing::Test {
 protected:
  CountedStore store_;
  std::unique_ptr<Campaign> campaign_ =
      Campaign::create(store_, "c", Options{.budget = Money::whole(100)}, kStart).value();

  Result<void> add(const std::string& id) {
    const ItemDraft item{.id = id, .fields = "text of " + id};
    return campaign_->add_items(std::span(&item, 1), kStart);
  }
};

TEST_F(TogetherTest, OneCommitForAll) {
  const int before = store_.commits;
  std::string shown, item;
  ASSERT_TRUE(campaign_->together([&] {
    ASSERT_TRUE(add("a"));
    ASSERT_TRUE(add("b"));
    const Handed handed = campaign_->next("ann", 1, kStart).value();
    item = handed.assignments.at(0).item;
    shown = handed.assignments.at(0).fields;
    EXPECT_EQ(campaign_->status()->leases, 1U);
    ASSERT_TRUE(campaign_->record(Answer{item, "ann", "yes"}, kStart));
    EXPECT_EQ(campaign_->next("ann", 1, kStart)->assignments.size(), 1U);
    EXPECT_EQ(store_.commits, before);
  }));
  EXPECT_EQ(store_.commits, before + 1);
  EXPECT_EQ(shown, "text of " + item);
  const auto again = Campaign::open(store_, "c").value();
  EXPECT_EQ(again->status()->labels, 1U);
  EXPECT_EQ(again->status()->leases, 1U);
  EXPECT_TRUE(again->verify()->differences.empty());
}

TEST_F(TogetherTest, ARefusalInTheMiddleLeavesTheOthers) {
  ASSERT_TRUE(campaign_->together([&] {
    ASSERT_TRUE(add("a"));
    EXPECT_FALSE(add("a"));
    EXPECT_FALSE(campaign_->record(Answer{"a", "ann", "yes"}, kStart));
    ASSERT_TRUE(add("b"));
  }));
  EXPECT_EQ(campaign_->status()->items, 2U);
}

TEST_F(TogetherTest, NothingHappenedIfTheDiskIsFull) {
  ASSERT_TRUE(add("a"));
  store_.full = true;
  const auto done = campaign_->together([&] {
    EXPECT_TRUE(campaign_->next("ann", 1, kStart));
    EXPECT_TRUE(campaign_->record(Answer{"a", "ann", "yes"}, kStart));
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the disk is full");
  store_.full = false;
  EXPECT_EQ(campaign_->status()->labels, 0U);
  EXPECT_EQ(campaign_->status()->workers, 0U);
  EXPECT_TRUE(campaign_->verify()->differences.empty());
}

TEST_F(TogetherTest, NorAfterAnException) {
  const auto done = campaign_->together([&] {
    ASSERT_TRUE(add("a"));
    throw std::runtime_error("no more");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "no more");
  EXPECT_EQ(campaign_->status()->items, 0U);
  ASSERT_TRUE(add("a"));
}

TEST_F(TogetherTest, CommandsOfOtherThreadsWaitOrGoFirst) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int n = 0; n < 20; ++n) {
        const std::string id = std::to_string(t) + "-" + std::to_string(n);
        if (t % 2 == 0) {
          EXPECT_TRUE(add(id));
        } else {
          EXPECT_TRUE(campaign_->together([&] {
            EXPECT_TRUE(add(id));
            EXPECT_FALSE(campaign_->together([] {}));
          }));
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(campaign_->status()->items, 80U);
}

TEST_F(TogetherTest, EventsFromAPlaceOn) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(add(id));
  const auto all = campaign_->events(0, 100).value();
  ASSERT_EQ(all.size(), 4U);
  const auto some = campaign_->events(2, 1).value();
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].sequence, 3U);
  EXPECT_EQ(some[0].event, all[2].event);
  EXPECT_TRUE(campaign_->events(4, 100)->empty());
}

}  // namespace
}  // namespace allot::campaign
