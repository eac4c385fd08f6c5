#include "allot/aggregate/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/label_sets.hpp"

namespace allot::aggregate {
namespace {

TEST(MethodRegistry, MakesEveryMethodItNames) {
  const auto set = test::random_crowd(1, 10, 5, 2);
  for (const std::string_view name : method_names()) {
    const auto result = make_method(name).value()(set);
    ASSERT_TRUE(result) << name;
    EXPECT_EQ(result->answers.answers.size(), 10U) << name;
    EXPECT_EQ(result->workers.reliability.size(), 5U) << name;
  }
}

TEST(MethodRegistry, PassesOptionsOn) {
  const auto set = test::random_crowd(1, 10, 5, 2);
  const MethodOptions options{
      .em = {.most_iterations = 3, .tolerance = 0}, .kos = {.rounds = 4}, .prior = {}};
  EXPECT_EQ(make_method("dawid-skene", options).value()(set)->fit->iterations, 3U);
  EXPECT_EQ(make_method("kos", options).value()(set)->fit->iterations, 4U);
}

TEST(MethodRegistry, MakesMethodsThatAreSeededAtEachCall) {
  const auto set = test::random_crowd(1, 10, 5, 2);
  const MethodOptions options{.em = {}, .kos = {.rounds = 1}, .prior = {}};
  const auto seeded = make_seeded_method("kos", options).value();
  std::set<std::vector<ClassId>> different;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    MethodOptions fixed = options;
    fixed.kos.seed = seed;
    const auto answers = seeded(set, seed)->answers.answers;
    EXPECT_EQ(answers, make_method("kos", fixed).value()(set)->answers.answers);
    different.insert(answers);
  }
  EXPECT_GT(different.size(), 1U);
  EXPECT_FALSE(make_seeded_method("dawidskene"));
}

TEST(MethodRegistry, SuggestsWhatWasMeant) {
  const std::string message = make_method("dawidskene").error().message;
  EXPECT_NE(message.find("did you mean 'dawid-skene'?"), std::string::npos) << message;
}

}  // namespace
}  // namespace allot::aggregate
