#include "allot/aggregate/registry.hpp"

#include <gtest/gtest.h>

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

TEST(MethodRegistry, SuggestsWhatWasMeant) {
  const std::string message = make_method("dawidskene").error().message;
  EXPECT_NE(message.find("did you mean 'dawid-skene'?"), std::string::npos) << message;
}

}  // namespace
}  // namespace allot::aggregate
