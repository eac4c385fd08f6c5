// Refits by a thread of their own: the same decisions.
#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"

namespace allot::campaign::fit_ahead_test {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

/// Right with the chance of the worker, no matter who asks.
std::string answer(std::uint32_t item, std::uint32_t worker) {
  Rng rng(7, Rng::Purpose::label, std::uint64_t{item} << 32 | worker);
  const bool right = uniform(rng) < 0.95 - 0.04 * (worker % 10);
  return right == (item % 2 == 0) ? "yes" : "no";
}

std::unique_ptr<Campaign> with_labels(store::Store& store, std::vector<std::string> classes) {
  Options options;
  options.classes = std::move(classes);
  options.budget = Money::whole(1'000'000);
  auto campaign = Campaign::create(store, "c", options, kStart).value();
  constexpr std::uint32_t kItems = 5000;
  std::vector<ItemDraft> items(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) items[i].id = std::to_string(i);
  EXPECT_TRUE(campaign->add_items(items, kStart));
  std::vector<Answer> labels;
  for (std::uint32_t n = 0; n < 2 * kItems; ++n) {
    const std::uint32_t item = n % kItems, worker = (7 * item + n / kItems) % 20;
    labels.push_back({std::to_string(item), "w" + std::to_string(worker), answer(item, worker)});
  }
  for (const auto& outcome : campaign->import(labels, kStart)) EXPECT_TRUE(outcome);
  return campaign;
}

TEST(FitAhead, MakesTheSameDecisions) {
  for (const std::vector<std::string>& classes :
       {std::vector<std::string>{"no", "yes"}, std::vector<std::string>{"no", "yes", "maybe"}}) {
    const auto one = store::memory_store(), other = store::memory_store();
    const auto prompt = with_labels(*one, classes), ahead = with_labels(*other, classes);
    ahead->fit_ahead(true);
    int different = 0;
    for (std::uint32_t n = 0; n < 700; ++n) {
      const std::uint32_t worker = n * 13 % 20;
      const std::string name = "w" + std::to_string(worker);
      const std::string item = prompt->next(name, 1, kStart)->assignments.at(0).item;
      different += ahead->next(name, 1, kStart)->assignments.at(0).item != item;
      for (Campaign* campaign : {prompt.get(), ahead.get()}) {
        const auto number = static_cast<std::uint32_t>(std::stoul(item));
        ASSERT_TRUE(campaign->record(Answer{item, name, answer(number, worker)}, kStart));
      }
    }
    EXPECT_EQ(different, 0);
    EXPECT_EQ(prompt->view().status()->expected_accuracy,
              ahead->view().status()->expected_accuracy);
    EXPECT_TRUE(ahead->verify()->differences.empty());
    // And from the ledger or a snapshot while one is under way.
    const double accuracy = ahead->view().status()->expected_accuracy;
    EXPECT_EQ(Campaign::open(*one, "c").value()->view().status()->expected_accuracy, accuracy);
    ASSERT_TRUE(ahead->save_snapshot());
    EXPECT_EQ(Campaign::open(*other, "c").value()->view().status()->expected_accuracy, accuracy);
  }
}

TEST(FitAhead, FollowsVerdictsInTheSameWay) {
  const auto one = store::memory_store(), other = store::memory_store();
  const auto prompt = with_labels(*one, {"no", "yes"}), ahead = with_labels(*other, {"no", "yes"});
  ahead->fit_ahead(true);
  const std::uint64_t refits = prompt->refits();
  for (std::uint32_t n = 0; n < 500; ++n) {
    const std::string name = "w" + std::to_string(n * 13 % 20);
    for (Campaign* campaign : {prompt.get(), ahead.get()}) {
      const std::string item = campaign->next(name, 1, kStart)->assignments.at(0).item;
      const auto number = static_cast<std::uint32_t>(std::stoul(item));
      ASSERT_TRUE(campaign->record(Answer{item, name, answer(number, n * 13 % 20)}, kStart));
      const VerdictDraft verdict{std::to_string(3 * n), 3 * n % 2 == 0 ? "yes" : "no"};
      ASSERT_TRUE(campaign->review("eve", std::span(&verdict, 1), kStart).front());
      if (n != 300) continue;
      ASSERT_TRUE(campaign->undo_review("30", "eve", kStart));
    }
  }
  EXPECT_LT(prompt->refits() - refits, 10U) << "verdicts wait for the refits of labels";
  const double accuracy = prompt->view().status()->expected_accuracy;
  EXPECT_EQ(ahead->view().status()->expected_accuracy, accuracy);
  EXPECT_TRUE(ahead->verify()->differences.empty());
  EXPECT_EQ(Campaign::open(*one, "c").value()->view().status()->expected_accuracy, accuracy);
  ASSERT_TRUE(ahead->save_snapshot());
  EXPECT_EQ(Campaign::open(*other, "c").value()->view().status()->expected_accuracy, accuracy);
}

}  // namespace
}  // namespace allot::campaign::fit_ahead_test
