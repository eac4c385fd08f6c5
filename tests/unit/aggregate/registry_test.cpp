#include "allot/aggregate/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/label_sets.hpp"

namespace allot::aggregate::registry_test {
namespace {

/// A design of ten items in two groups of five.
std::shared_ptr<const model::Design> design() {
  const model::Features features{10, {"x"}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1}};
  return std::make_shared<const model::Design>(model::prepare(features).value());
}

TEST(MethodRegistry, MakesEveryMethodItNames) {
  const auto set = test::random_crowd(1, 10, 5, 2);
  for (const std::string_view name : method_names()) {
    const auto result =
        make_method(name, {.em = {}, .kos = {}, .prior = {}, .design = design()}).value()(set);
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

TEST(MethodRegistry, MakesMethodsThatTakeASeedPerCall) {
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

TEST(MethodRegistry, NeedsFeaturesForContextual) {
  EXPECT_TRUE(check_method_name("contextual"));
  const std::string message = make_method("contextual").error().message;
  EXPECT_NE(message.find("'contextual' has no features"), std::string::npos) << message;
  const auto set = test::random_crowd(1, 10, 5, 3);
  const MethodOptions options{.em = {},
                              .kos = {},
                              .prior = {},
                              .design = design(),
                              .contextual = {.most_iterations = 2, .tolerance = 0}};
  const auto result = make_method("contextual", options).value()(set).value();
  EXPECT_EQ(result.fit->iterations, 2U);
  EXPECT_EQ(result.answers.probabilities,
            contextual(set, options.design, options.contextual)->answers.probabilities);
}

TEST(MethodRegistry, TakesAPriorOfSeveralClasses) {
  const auto set = test::random_crowd(1, 10, 5, 3);
  const auto rare = model::DirichletPrior::dirichlet({50, 1, 1});
  const MethodOptions options{.em = {}, .kos = {}, .prior = {}, .class_prior = rare};
  const auto answers = make_method("posterior", options).value()(set)->answers.answers;
  EXPECT_EQ(answers, std::vector<ClassId>(10, ClassId{0}));
  EXPECT_TRUE(make_method("posterior").value()(set)) << "uniform";
  const MethodOptions two{.em = {}, .kos = {}, .prior = model::Prior::beta(2, 1)};
  EXPECT_FALSE(make_method("posterior", two).value()(set)) << "not ignored";
}

TEST(MethodRegistry, SuggestsTheNearestName) {
  const std::string message = make_method("dawidskene").error().message;
  EXPECT_NE(message.find("did you mean 'dawid-skene'?"), std::string::npos) << message;
}

}  // namespace
}  // namespace allot::aggregate::registry_test
