#include <gtest/gtest.h>

#include "allot/model/belief.hpp"
#include "support/beliefs.hpp"

namespace allot::model::outlook_test {
namespace {

TEST(Outlook, OvershootsOnlyWhereOneLabelCanChangeTheAnswer) {
  EXPECT_DOUBLE_EQ(outlook(test::beta_belief(2, 2)).overshoot, 3.0 / 16);
  EXPECT_EQ(outlook(test::beta_belief(3, 2)).overshoot, 0);
  EXPECT_EQ(outlook(test::beta_belief(2, 30)).overshoot, 0);
}

TEST(Outlook, OfAMarginThatIsOneUpToRoundingIsThatOfOne) {
  const Prior prior = Prior::beta(3.3, 2.3);  // 3.3 - 2.3 is not 1 in binary
  EXPECT_EQ(outlook({&prior, {0, 0}}).overshoot, 0);
  EXPECT_EQ(outlook({&prior, {10, 10}}).overshoot, 0);
}

TEST(Outlook, UnderHaldanesPriorTheFirstLabelDecides) {
  const Prior prior = Prior::haldane();
  const Outlook start = outlook({&prior, {0, 0}});
  EXPECT_EQ(start.rise, 0.5);
  EXPECT_EQ(start.fall, 0.5);
  const Outlook certain = outlook({&prior, {3, 0}});
  EXPECT_EQ(certain.rise, 0);
  EXPECT_EQ(certain.fall, 0.125);  // I(3,0) = 1, I(3,1) = 7/8
  EXPECT_EQ(certain.overshoot, 0);
  EXPECT_EQ(certain.chance_positive, 1);
}

TEST(Outlook, IsMirroredExactlyUnderASymmetricMixture) {
  const Prior prior = test::symmetric_mixture();
  for (std::uint32_t more = 1; more < 20; ++more) {
    for (std::uint32_t fewer = 0; fewer < more; ++fewer) {
      const Outlook one = outlook({&prior, {more, fewer}}),
                    other = outlook({&prior, {fewer, more}});
      EXPECT_EQ(one.rise, other.fall);
      EXPECT_EQ(one.fall, other.rise);
      EXPECT_EQ(one.overshoot, other.overshoot);
    }
  }
}

TEST(Outlook, OfASymmetricMixtureHasExactZeros) {
  const Prior prior = test::symmetric_mixture();
  for (std::uint32_t n = 0; n < 40; ++n) {
    EXPECT_GT(outlook({&prior, {n, n}}).overshoot, 0) << n;
    EXPECT_EQ(outlook({&prior, {n + 1, n}}).overshoot, 0) << n;
    EXPECT_EQ(outlook({&prior, {n, n + 2}}).overshoot, 0) << n;
  }
}

}  // namespace
}  // namespace allot::model::outlook_test
