#include "allot/io/distribution_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace allot::io::distribution_text_test {
namespace {

using model::DirichletPrior;
using model::Prior;

std::string refusal(std::string_view text) {
  const auto prior = parse_prior(text);
  return prior ? "read" : prior.error().message;
}

TEST(DistributionText, ReadsEveryForm) {
  EXPECT_EQ(parse_prior("uniform").value(), Prior::uniform());
  EXPECT_EQ(parse_prior("jeffreys").value(), Prior::jeffreys());
  EXPECT_EQ(parse_prior("haldane").value(), Prior::haldane());
  EXPECT_EQ(parse_prior("beta:4,1").value(), Prior::beta(4, 1));
  EXPECT_EQ(parse_prior("beta:0,0").value(), Prior::haldane());
  EXPECT_EQ(parse_prior("mix:0.6*beta(5,1)+0.4*beta(1,5)").value(),
            Prior::mixture({{0.6, 5, 1}, {0.4, 1, 5}}));
  EXPECT_EQ(parse_prior("mix: 1e+1 * beta(5, 1) + beta(2,2)").value(),
            Prior::mixture({{10, 5, 1}, {1, 2, 2}}));
  EXPECT_EQ(parse_prior("dirichlet:2").value(), Prior::beta(2, 2));
  EXPECT_EQ(parse_prior("dirichlet:1, 4").value(), Prior::beta(4, 1)) << "the second is positive";
}

TEST(DistributionText, ReadsPriorsThatAreLearned) {
  using Family = model::PriorLearning::Family;
  const ItemPrior beta = parse_item_prior("learn").value();
  EXPECT_EQ(beta.prior, Prior::uniform());
  EXPECT_EQ(beta.learn, model::PriorLearning{.family = Family::beta});
  const ItemPrior mixture = parse_item_prior("learn:mixture").value();
  EXPECT_EQ(mixture.prior, Prior::uniform());
  EXPECT_EQ(mixture.learn, model::PriorLearning{.family = Family::mixture});
  const ItemPrior fixed = parse_item_prior("beta:4,1").value();
  EXPECT_EQ(fixed.prior, Prior::beta(4, 1));
  EXPECT_FALSE(fixed.learn);
  for (const std::string text : {"learn:", "learn:beta", "learned", "beta:0,1"}) {
    const auto refused = parse_item_prior(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().message, refusal(text) + "; or learn or learn:mixture");
  }
  EXPECT_EQ(refusal("learn").substr(0, 31), "distribution 'learn' is unknown") << "no truth";
}

TEST(DistributionText, ReadsPriorsOfSeveralClasses) {
  EXPECT_EQ(parse_dirichlet_prior("uniform", 3).value(), DirichletPrior::symmetric(3));
  EXPECT_EQ(parse_dirichlet_prior("jeffreys", 4).value(), DirichletPrior::symmetric(4, 0.5));
  EXPECT_EQ(parse_dirichlet_prior("dirichlet:2.5", 3).value(), DirichletPrior::symmetric(3, 2.5));
  EXPECT_EQ(parse_dirichlet_prior("dirichlet:2, 1,1e-8", 3).value(),
            DirichletPrior::dirichlet({2, 1, 1e-8}));
  EXPECT_EQ(parse_dirichlet_prior("beta:4,1", 2).value(), DirichletPrior::dirichlet({1, 4}));
  EXPECT_EQ(parse_dirichlet_prior("dirichlet:1,4", 2).value(), DirichletPrior::dirichlet({1, 4}));
}

TEST(DistributionText, NamesTheProblemOfAMulticlassPrior) {
  const auto message = [](std::string_view text, std::uint32_t classes) {
    const auto prior = parse_dirichlet_prior(text, classes);
    return prior ? "read" : prior.error().message;
  };
  const std::string three = "; expected uniform, jeffreys, dirichlet:A or dirichlet:A1,A2,A3";
  EXPECT_EQ(message("dirichlet:1,2", 3),
            "distribution 'dirichlet:1,2' has 2 parameters for 3 classes" + three);
  EXPECT_EQ(message("dirichlet:1,2,3,4", 3),
            "distribution 'dirichlet:1,2,3,4' has 4 parameters for 3 classes" + three);
  for (const char* text : {"beta:1,2", "mix:beta(1,1)+beta(2,1)", "haldane"}) {
    EXPECT_EQ(message(text, 3), std::string("distribution '") + text +
                                    "' has two classes, but the items have 3" + three);
  }
  EXPECT_EQ(message("normal", 3), "distribution 'normal' is unknown" + three);
  EXPECT_EQ(message("dirichlet:1,,2", 3),
            "distribution 'dirichlet:1,,2' has a parameter '' that is not a number" + three);
  for (const char* number : {"0", "-1", "1e-9", "1e10"}) {
    EXPECT_EQ(message(std::string("dirichlet:") + number, 3),
              fmt::format("distribution 'dirichlet:{0}' has a parameter '{0}' outside 1e-8 to "
                          "1e9{1}",
                          number, three));
  }
  const std::string two = "; expected uniform, jeffreys, beta:A,B, dirichlet:A or dirichlet:A1,A2";
  EXPECT_EQ(message("mix:beta(1,1)+beta(2,1)", 2),
            "distribution 'mix:beta(1,1)+beta(2,1)' is a mixture" + two);
  EXPECT_EQ(message("haldane", 2),
            "distribution 'haldane' has a parameter outside 1e-8 to 1e9" + two);
  EXPECT_NE(message("dirichlet:x", 12).find("or dirichlet:A1,A2,A3,...,A12"), std::string::npos);
}

TEST(DistributionText, ChecksPriorsBeforeTheNumberOfClassesIsKnown) {
  for (const char* text : {"uniform", "haldane", "beta:1,2", "dirichlet:1,2", "dirichlet:1,2,3,4"})
    EXPECT_TRUE(check_prior(text)) << text;
  for (const char* text : {"", "normal", "beta:1", "dirichlet:", "dirichlet:1,x,3", "dirichlet:0"})
    EXPECT_FALSE(check_prior(text)) << text;
}

TEST(DistributionText, NamesTheProblem) {
  for (const char* text : {"",
                           "normal",
                           "beta",
                           "beta:1",
                           "beta:1,2,3",
                           "beta:a,b",
                           "beta:-1,2",
                           "beta:0,3",
                           "beta:1e13,1",
                           "mix:",
                           "mix:beta(1,1)+",
                           "mix:0.5*gamma(1,1)",
                           "mix:-1*beta(1,1)",
                           "dirichlet:1,2,3",
                           "dirichlet:0,0",
                           "dirichlet:",
                           "mix:1*beta(0,0)",
                           "mix:1*beta(1,1",
                           "mix:x*beta(1,1)",
                           "beta:nan,1",
                           "beta:inf,1"}) {
    EXPECT_EQ(refusal(text).rfind(std::string("distribution '") + text + "' ", 0), 0U)
        << refusal(text);
    EXPECT_NE(refusal(text).find("expected uniform, jeffreys"), std::string::npos) << refusal(text);
  }
}

TEST(DistributionText, ReadsSoftLabels) {
  using List = std::vector<double>;
  EXPECT_EQ(std::get<List>(parse_soft_labels("0.1,0.5,0.9").value()), (List{0.1, 0.5, 0.9}));
  EXPECT_EQ(std::get<List>(parse_soft_labels("0..1:0.05").value()).size(), 21U);
  EXPECT_EQ(std::get<List>(parse_soft_labels("0..1:0.05").value()).back(), 1);
  EXPECT_EQ(std::get<Prior>(parse_soft_labels("beta:2,2").value()), Prior::beta(2, 2));
  for (const char* text :
       {"0.1,1.2", "-0.1", "0.1,,0.2", "0..1", "haldane", "beta:0,0", "", "0.5,x"}) {
    EXPECT_FALSE(parse_soft_labels(text)) << text;
  }
}

}  // namespace
}  // namespace allot::io::distribution_text_test
