#include "allot/aggregate/kos.hpp"

#include <gtest/gtest.h>

#include "allot/aggregate/majority.hpp"
#include "support/label_sets.hpp"

namespace allot::aggregate::kos_test {
namespace {

/// Each of 200 items is asked of 9 of 30 workers; every third worker guesses, the others are right
/// nine times in ten.
model::LabelSet crowd(std::vector<ClassId>& truth) {
  Rng rng(7);
  model::LabelSet set{200, 30, 2, {}};
  for (std::uint32_t i = 0; i < 200; ++i) {
    truth.push_back(ClassId{static_cast<std::uint32_t>(below(rng, 2))});
    for (std::uint32_t n = 0; n < 9; ++n) {
      const std::uint32_t worker = (i * 7 + n * 11) % 30;
      const bool right = uniform(rng) < (worker % 3 == 0 ? 0.5 : 0.9);
      set.labels.push_back({ItemId{i}, WorkerId{worker}, ClassId{position(truth[i]) ^ !right}});
    }
  }
  return set;
}

TEST(Kos, TellsGuessersFromOthers) {
  std::vector<ClassId> truth;
  const auto set = crowd(truth);
  const auto right = [&](const Aggregation& result) {
    int count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) count += result.answers.answers[i] == truth[i];
    return count;
  };
  const auto result = kos(set).value();
  EXPECT_GT(right(result), right(majority(set).value()));
  EXPECT_LT(result.workers.reliability[0], 0.65);
  EXPECT_GT(result.workers.reliability[1], 0.8);
  EXPECT_TRUE(result.answers.probabilities.empty());
}

TEST(Kos, DoesNotOverflow) {
  const auto set = test::random_crowd(3, 60, 20, 2);
  const auto many = kos(set, {.rounds = 5000, .seed = 1}).value();
  EXPECT_EQ(many.answers.answers, kos(set, {.rounds = 6000, .seed = 1}).value().answers.answers);
}

TEST(Kos, AgreesWithMostLabelsForEverySeed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto set = test::random_crowd(seed, 4, 3, 2);
    const auto answers = kos(set, {.rounds = 10, .seed = seed}).value().answers.answers;
    std::size_t agreeing = 0;
    for (const auto& [item, worker, label] : set.labels)
      agreeing += answers[position(item)] == label;
    EXPECT_GE(2 * agreeing, set.labels.size()) << seed;
  }
}

TEST(Kos, DecidesSilentMessagesByMajority) {  // No worker has a second item: all messages are 0.
  const auto set = test::label_set({{0, 0, 1}, {1, 1, 0}, {2, 2, 1}}, 4);
  const auto result = kos(set).value();
  EXPECT_EQ(result.answers.answers, majority(set).value().answers.answers);
}

TEST(Kos, DecidesByMajorityIfTheLabelsAreForAndAgainstAlike) {
  // Two workers contradict each other about both items.
  const auto set = test::label_set({{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto answers = kos(set, {.rounds = 10, .seed = seed}).value().answers.answers;
    EXPECT_EQ(answers, (std::vector<ClassId>{ClassId{0}, ClassId{0}})) << seed;
  }
}

TEST(Kos, RefusesMoreThanTwoClasses) {
  const auto refused = kos(test::label_set({{0, 0, 2}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("two classes, but the labels have 3"), std::string::npos);
}

}  // namespace
}  // namespace allot::aggregate::kos_test
