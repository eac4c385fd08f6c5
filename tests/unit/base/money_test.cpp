#include "allot/base/money.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace allot::money_test {
namespace {

Money read(std::string_view text) { return parse_money(text).value(); }

std::string refusal(std::string_view text) {
  const auto amount = parse_money(text);
  return amount ? "read" : amount.error().message;
}

TEST(Money, ReadsTextsExactly) {
  EXPECT_EQ(read("12").in_billionths(), 12'000'000'000);
  EXPECT_EQ(read("0.05").in_billionths(), 50'000'000);
  EXPECT_EQ(read("12.50").in_billionths(), 12'500'000'000);
  EXPECT_EQ(read(".000000001").in_billionths(), 1);
  EXPECT_EQ(read("3.").in_billionths(), 3'000'000'000);
  EXPECT_EQ(read("0"), Money());
  EXPECT_EQ(read(" 007.10 "), read("7.1"));
  EXPECT_EQ(read("1.00000000000000000000"), Money::whole(1));
  EXPECT_EQ(read("9000000000"), Money::whole(Money::kMost));
}

TEST(Money, RefusesTextsThatAreNotAmounts) {
  for (const char* text : {"", ".", "x", "1e3", "1,5", "1.2.3", "+1", "1.-5", "nan", "$5", "--1"}) {
    EXPECT_EQ(refusal(text), std::string("amount '") + text +
                                 "' is not understood; expected an amount such as 12.50 or 0.001");
  }
  EXPECT_EQ(refusal("-0.5").substr(0, 26), "amount '-0.5' is negative;");
  EXPECT_NE(refusal("0.0000000001").find("more than nine decimals"), std::string::npos);
  for (const char* text : {"9000000000.000000001", "99999999999999999999999"})
    EXPECT_NE(refusal(text).find("is more than 9,000,000,000"), std::string::npos) << refusal(text);
}

TEST(Money, APriceMustBeAboveZero) {
  EXPECT_EQ(parse_price("0.000000001").value(), Money::billionths(1));
  EXPECT_EQ(parse_price("0.00").error().message,
            "amount '0.00' is not a price; expected a price above 0 such as 12.50 or 0.001");
  EXPECT_FALSE(parse_price("-1"));
  EXPECT_FALSE(parse_price("x"));
}

TEST(Money, PrintsTheShortestText) {
  for (const char* text : {"0", "1", "12.5", "0.05", "0.000000001", "9000000000", "7.100000001"})
    EXPECT_EQ(money_text(read(text)), text);
  EXPECT_EQ(money_text(Money() - read("3.50")), "-3.5");
  EXPECT_EQ(money_text(Money::billionths(INT64_MIN)), "-9223372036.854775808");
}

TEST(Money, SumsDoNotDrift) {
  Money sum;
  for (int i = 0; i < 1000; ++i) sum += read("0.1");
  EXPECT_EQ(sum, Money::whole(100));
  EXPECT_EQ(read("0.1") * 1000, sum);
  EXPECT_EQ(sum - read("99.99"), read("0.01"));
}

TEST(Money, CountsHowOftenItPaysAPrice) {
  EXPECT_EQ(read("0.3").pays(read("0.1")), 3U);
  EXPECT_EQ(read("0.299999999").pays(read("0.1")), 2U);
  EXPECT_EQ(Money().pays(kUnitPrice), 0U);
  EXPECT_EQ((Money() - kUnitPrice).pays(kUnitPrice), 0U);
  EXPECT_THROW((void)kUnitPrice.pays(Money()), std::invalid_argument);
}

TEST(Money, PartsAreRoundedToBillionths) {
  EXPECT_EQ(read("10").part(0.4), read("4"));
  EXPECT_EQ(read("0.000000003").part(0.5), Money::billionths(2));
  EXPECT_EQ(read("9000000000").part(1), read("9000000000"));
  EXPECT_THROW((void)kUnitPrice.part(1.01), std::invalid_argument);
}

TEST(Money, DoesNotWrapAround) {
  const Money most = Money::billionths(INT64_MAX);
  EXPECT_THROW((void)(most + Money::billionths(1)), std::invalid_argument);
  EXPECT_THROW((void)(Money() - most - most), std::invalid_argument);
  EXPECT_THROW((void)(most * 2), std::invalid_argument);
  EXPECT_THROW((void)Money::whole(UINT64_MAX), std::invalid_argument);
}

TEST(Money, RatioMatchesTheDivisionOfDoubles) {
  EXPECT_EQ(ratio(read("0.08"), read("0.001")), 80);
  EXPECT_EQ(ratio(read("0.3"), read("0.3")), 1);
  EXPECT_EQ(read("0.05").value(), 0.05);
}

}  // namespace
}  // namespace allot::money_test
