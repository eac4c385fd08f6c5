#include "allot/io/distribution_text.hpp"

#include <gtest/gtest.h>

namespace allot::io {
namespace {

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
}

TEST(DistributionText, NamesWhatItCannotUse) {
  for (const char* text :
       {"", "normal", "beta", "beta:1", "beta:1,2,3", "beta:a,b", "beta:-1,2", "beta:0,3",
        "beta:1e13,1", "mix:", "mix:beta(1,1)+", "mix:0.5*gamma(1,1)", "mix:-1*beta(1,1)",
        "mix:1*beta(0,0)", "mix:1*beta(1,1", "mix:x*beta(1,1)", "beta:nan,1", "beta:inf,1"}) {
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
}  // namespace allot::io
