#include "allot/io/pool_text.hpp"

#include <gtest/gtest.h>

namespace allot::io::pool_text_test {
namespace {

using model::Prior;
using model::WorkerPool;

const Money kCent = Money::billionths(10'000'000);

std::string refusal(std::string_view text) {
  const auto pool = parse_pool(text);
  return pool ? "read" : pool.error().message;
}

TEST(PoolText, ReadsTypesWithNamesAndPrices) {
  EXPECT_EQ(parse_pool("llm=3*beta(9,1)@0.01+people=20*beta(4,1)@0.08").value(),
            (WorkerPool{{{"llm", 3, Prior::beta(9, 1), kCent},
                         {"people", 20, Prior::beta(4, 1), kCent * 8}}}));
}

TEST(PoolText, LeavesNamesAndPricesOut) {
  EXPECT_EQ(parse_pool("100*beta(4,1)").value(),
            (WorkerPool{{{"type-1", 100, Prior::beta(4, 1), kUnitPrice}}}));
  EXPECT_EQ(parse_pool("experts=1*uniform + 2*jeffreys@0.01").value(),
            (WorkerPool{{{"experts", 1, Prior::uniform(), kUnitPrice},
                         {"type-2", 2, Prior::jeffreys(), kCent}}}));
}

TEST(PoolText, ReadsTypesWhoseMembersErrTogether) {
  const WorkerPool pool = parse_pool("a=2*beta(4,1)@0.01~0.7+b=1*uniform+c=2*beta(9,1)~1").value();
  EXPECT_EQ(model::repeat_chances(pool), (std::vector<double>{0.7, 0.7, 0, 1, 1}));
  EXPECT_EQ(model::groups(pool), (std::vector<std::uint32_t>{1, 1, 0, 2, 2}));
  EXPECT_EQ(pool.types[0].price, kCent);
  EXPECT_TRUE(model::groups(parse_pool("3*beta(4,1)").value()).empty());
  EXPECT_NE(refusal("3*beta(4,1)~0").find("chance '0' after '~' is not a number"),
            std::string::npos);
}

TEST(PoolText, ReadsEveryDistribution) {
  const auto read = [](std::string_view text) {
    return parse_pool(text).value().types.front().reliability;
  };
  EXPECT_EQ(read("2 * beta(4, 0.5) @ 3"), Prior::beta(4, 0.5));
  EXPECT_EQ(read("2*beta:4,0.5@3"), Prior::beta(4, 0.5));
  EXPECT_EQ(read("2*dirichlet:1,4"), Prior::beta(4, 1));
  EXPECT_EQ(read("2*uniform"), Prior::uniform());
  const Prior mixture = Prior::mixture({{0.8, 9, 1}, {0.2, 1, 1}});
  EXPECT_EQ(read("crowd=2*mix:(0.8*beta(9,1)+0.2*beta(1,1))@0.5"), mixture);
  EXPECT_EQ(parse_pool("2*mix:(0.8*beta(9,1)+0.2*beta(1,1))+3*uniform").value().types.size(), 2U);
}

TEST(PoolText, NamesTheTypeItCannotUse) {
  const std::string expected =
      "; expected types NAME=COUNT*RELIABILITY@PRICE~REPEATS joined by +, such as "
      "llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08";
  EXPECT_EQ(refusal("3*beta(9,1)+20*gamma(4,1)"),
            "pool '3*beta(9,1)+20*gamma(4,1)' has a type '20*gamma(4,1)' that is not understood "
            "(distribution 'gamma(4,1)' is unknown)" +
                expected);
  const auto why = [](std::string_view text) {
    const std::string message = refusal(text);
    const std::size_t begin = message.find(" understood (") + 13;
    return message.substr(begin, message.rfind("); expected") - begin);
  };
  EXPECT_EQ(why(""), "no count before '*'");
  EXPECT_EQ(why("100"), "no count before '*'");
  EXPECT_EQ(why("3*uniform+"), "no count before '*'");
  EXPECT_EQ(why("=3*uniform"), "a name is missing before '='");
  for (const char* count : {"0", "-1", "1.5", "x", "", "4294967296"}) {
    EXPECT_EQ(why(std::string(count) + "*uniform"),
              std::string("count '") + count + "' is not a whole number above 0");
  }
  EXPECT_EQ(why("3*beta(9)"), "distribution 'beta:9' does not have two numbers");
  EXPECT_EQ(why("3*haldane"),
            "distribution 'haldane' is improper: no reliability can be drawn from it");
  EXPECT_EQ(why("3*uniform@0"), "amount '0' is not a price");
  EXPECT_EQ(why("3*uniform@free"), "amount 'free' is not understood");
  EXPECT_EQ(why("3*mix:0.5*beta(9,1)+0.5*beta(1,1)"), "count '0.5' is not a whole number above 0")
      << "a mixture without parentheses";
}

TEST(PoolText, RefusesRepeatedNames) {
  EXPECT_NE(refusal("a=1*uniform+a=2*uniform").find("names 'a' twice"), std::string::npos);
  EXPECT_NE(refusal("type-2=1*uniform+2*uniform").find("names 'type-2' twice"), std::string::npos);
}

TEST(PoolText, RefusesMoreWorkersThanCanBeCounted) {
  EXPECT_NE(refusal("4294967295*uniform+1*uniform").find("more than 4,294,967,295 workers"),
            std::string::npos);
}

}  // namespace
}  // namespace allot::io::pool_text_test
