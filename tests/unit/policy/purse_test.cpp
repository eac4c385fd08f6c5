#include <gtest/gtest.h>

#include <stdexcept>

#include "allot/policy/offers.hpp"

namespace allot::policy::purse_test {
namespace {

const Money kCent = Money::billionths(10'000'000);

TEST(Purse, NamesThoseItCanNoLongerPay) {
  Offers offers = Offers::everyone(5, 4);
  offers.set_prices({kCent * 3, kCent * 8, kCent, kCent * 8});
  Purse purse(kCent * 12, offers);
  EXPECT_FALSE(purse.unpayable());
  purse.pay(WorkerId{0});
  EXPECT_FALSE(purse.unpayable());
  purse.pay(WorkerId{2});
  EXPECT_FALSE(purse.unpayable()) << "8 cents are left";
  purse.pay(WorkerId{0});
  EXPECT_EQ(purse.unpayable(), WorkerId{1});
  EXPECT_EQ(purse.unpayable(), WorkerId{3});
  EXPECT_FALSE(purse.unpayable()) << "each once";
  EXPECT_EQ(purse.left(), kCent * 5);
  EXPECT_EQ(purse.spent(), kCent * 7);
  EXPECT_THROW(purse.pay(WorkerId{1}), std::invalid_argument);
  purse.pay(WorkerId{0});
  EXPECT_EQ(purse.unpayable(), WorkerId{0});
  purse.pay(WorkerId{2});
  purse.pay(WorkerId{2});
  EXPECT_EQ(purse.left(), Money());
  EXPECT_EQ(purse.unpayable(), WorkerId{2});
  EXPECT_FALSE(purse.unpayable());
}

TEST(Purse, MayPayNobodyFromTheStart) {
  const Offers offers = Offers::everyone(5, 2);
  Purse purse(kCent, offers);
  EXPECT_EQ(purse.unpayable(), WorkerId{0});
  EXPECT_EQ(purse.unpayable(), WorkerId{1});
}

}  // namespace
}  // namespace allot::policy::purse_test
