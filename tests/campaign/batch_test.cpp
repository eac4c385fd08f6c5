// Several commands in one commit.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "support/wrapped_store.hpp"

namespace allot::campaign::batch_test {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

/// A store whose commits are counted, and refused when the disk is full.
class CountedStore final : public test::WrappedStore {
 public:
  explicit CountedStore(store::Store& inner) : WrappedStore(inner) {}

  int commits = 0;
  bool full = false;

  Result<std::unique_ptr<store::Turn>> begin(std::string_view campaign) override {
    return inner().begin(campaign).map([&](std::unique_ptr<store::Turn> turn) {
      return std::unique_ptr<store::Turn>(std::make_unique<CountedTurn>(*this, std::move(turn)));
    });
  }

 private:
  class CountedTurn final : public store::Turn {
   public:
    CountedTurn(CountedStore& store, std::unique_ptr<store::Turn> inner)
        : store_(store), inner_(std::move(inner)) {}
    Result<std::uint64_t> last() override { return inner_->last(); }
    Result<std::vector<store::Record>> read(std::uint64_t after, std::size_t most) override {
      return inner_->read(after, most);
    }
    Result<std::optional<store::Record>> find(std::string_view key) override {
      return inner_->find(key);
    }
    Result<std::optional<std::string>> content(std::uint32_t item) override {
      return inner_->content(item);
    }
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
};

std::string fields_of(const std::string& id) { return R"({"text": ")" + id + R"("})"; }

class BatchTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> kept_ = store::memory_store();
  CountedStore store_{*kept_};
  std::unique_ptr<Campaign> campaign_ =
      Campaign::create(store_, "c", Options{.budget = Money::whole(100)}, kStart).value();

  static Result<void> add(Commands& commands, const std::string& id) {
    const ItemDraft item{.id = id, .fields = fields_of(id)};
    return commands.add_items(std::span(&item, 1), kStart);
  }
};

TEST_F(BatchTest, OneCommitForAll) {
  const int before = store_.commits;
  std::string shown, item;
  ASSERT_TRUE(campaign_->commit([&](Batch& batch) {
    ASSERT_TRUE(add(batch, "a"));
    ASSERT_TRUE(add(batch, "b"));
    const Handout handout = batch.next("ann", 1, kStart).value();
    item = handout.assignments.at(0).item;
    shown = handout.assignments.at(0).fields;
    EXPECT_EQ(batch.view().status()->leases, 1U);
    ASSERT_TRUE(batch.record(Answer{item, "ann", "yes"}, kStart));
    EXPECT_EQ(batch.next("ann", 1, kStart)->assignments.size(), 1U);
    EXPECT_EQ(store_.commits, before);
  }));
  EXPECT_EQ(store_.commits, before + 1);
  EXPECT_EQ(shown, fields_of(item));
  const auto again = Campaign::open(store_, "c").value();
  EXPECT_EQ(again->view().status()->labels, 1U);
  EXPECT_EQ(again->view().status()->leases, 1U);
  EXPECT_TRUE(again->verify()->differences.empty());
}

TEST_F(BatchTest, ARefusalInTheMiddleLeavesTheOthers) {
  ASSERT_TRUE(campaign_->commit([&](Batch& batch) {
    ASSERT_TRUE(add(batch, "a"));
    EXPECT_FALSE(add(batch, "a"));
    EXPECT_FALSE(batch.record(Answer{"a", "ann", "yes"}, kStart));
    ASSERT_TRUE(add(batch, "b"));
  }));
  EXPECT_EQ(campaign_->view().status()->items, 2U);
}

TEST_F(BatchTest, KnowsTheKeysOfItsOwnCommands) {
  ASSERT_TRUE(campaign_->commit([&](Batch& batch) {
    ASSERT_TRUE(add(batch, "a"));
    const Handout first = batch.next("ann", 1, kStart, "k").value();
    const Handout second = batch.next("ann", 1, kStart, "k").value();
    EXPECT_EQ(first.assignments.at(0).item, second.assignments.at(0).item);
    EXPECT_TRUE(batch.view().knows("k").value());
    EXPECT_EQ(batch.view().handed_under("k").value(), "ann");
  }));
  EXPECT_EQ(campaign_->view().status()->leases, 1U);
}

TEST_F(BatchTest, NothingHappenedIfTheDiskIsFull) {
  ASSERT_TRUE(add(*campaign_, "a"));
  store_.full = true;
  const auto done = campaign_->commit([&](Batch& batch) {
    EXPECT_TRUE(batch.next("ann", 1, kStart));
    EXPECT_TRUE(batch.record(Answer{"a", "ann", "yes"}, kStart));
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::store_failure);
  EXPECT_EQ(done.error().message, "the disk is full");
  store_.full = false;
  EXPECT_EQ(campaign_->view().status()->labels, 0U);
  EXPECT_EQ(campaign_->view().status()->workers, 0U);
  EXPECT_TRUE(campaign_->verify()->differences.empty());
}

TEST_F(BatchTest, NothingHappenedAfterAnException) {
  const auto done = campaign_->commit([&](Batch& batch) {
    ASSERT_TRUE(add(batch, "a"));
    throw std::runtime_error("no more");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "no more");
  EXPECT_EQ(campaign_->view().status()->items, 0U);
  ASSERT_TRUE(add(*campaign_, "a"));
}

TEST_F(BatchTest, AnExceptionIsNotTakenForABrokenDisk) {
  const auto done = campaign_->commit([](Batch&) { throw std::logic_error("a mistake"); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::internal);
}

TEST_F(BatchTest, SeveralRequestsShareOneCommit) {
  const int before = store_.commits;
  const std::vector<BatchRequest> requests{
      [&](Batch& batch) { EXPECT_TRUE(add(batch, "a")); },
      [&](Batch& batch) { EXPECT_EQ(batch.view().status()->items, 1U) << "sees the first"; },
      [&](Batch& batch) { EXPECT_TRUE(add(batch, "b")); }};
  for (const Result<void>& done : campaign_->commit(requests)) EXPECT_TRUE(done);
  EXPECT_EQ(store_.commits, before + 1);
  EXPECT_EQ(campaign_->view().status()->items, 2U);
}

TEST_F(BatchTest, ARequestThatThrowsFailsAlone) {
  const std::vector<BatchRequest> requests{[&](Batch& batch) { EXPECT_TRUE(add(batch, "a")); },
                                           [&](Batch& batch) {
                                             EXPECT_TRUE(add(batch, "b"));
                                             throw std::runtime_error("no more");
                                           },
                                           [&](Batch& batch) { EXPECT_TRUE(add(batch, "c")); }};
  const auto results = campaign_->commit(requests);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_TRUE(results[0]);
  ASSERT_FALSE(results[1]);
  EXPECT_EQ(results[1].error().message, "no more");
  EXPECT_TRUE(results[2]);
  EXPECT_EQ(campaign_->view().status()->items, 2U);
  EXPECT_TRUE(campaign_->verify()->differences.empty());
}

TEST_F(BatchTest, CommandsOfOtherThreadsWaitOrGoFirst) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      for (int n = 0; n < 20; ++n) {
        const std::string id = std::to_string(t) + "-" + std::to_string(n);
        if (t % 2 == 0) {
          EXPECT_TRUE(add(*campaign_, id));
        } else {
          EXPECT_TRUE(campaign_->commit([&](Batch& batch) { EXPECT_TRUE(add(batch, id)); }));
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(campaign_->view().status()->items, 80U);
}

TEST_F(BatchTest, EventsFromAPlaceOn) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(add(*campaign_, id));
  const auto all = campaign_->view().events(0, 100).value();
  ASSERT_EQ(all.size(), 4U);
  const auto some = campaign_->view().events(2, 1).value();
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].sequence, 3U);
  EXPECT_EQ(some[0].event, all[2].event);
  EXPECT_TRUE(campaign_->view().events(4, 100)->empty());
}

}  // namespace
}  // namespace allot::campaign::batch_test
