#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model::channel_test {
namespace {

TEST(Channel, LikelihoodsOfBothLabelsSumToOne) {
  const Channel channel{0.9, 0.7};
  const auto yes = channel.likelihood(Label::positive), no = channel.likelihood(Label::negative);
  EXPECT_DOUBLE_EQ(yes.positive, 0.9);
  EXPECT_DOUBLE_EQ(yes.negative, 0.3);
  EXPECT_DOUBLE_EQ(yes.positive + no.positive, 1);
  EXPECT_DOUBLE_EQ(yes.negative + no.negative, 1);
}

TEST(DominatingReliability, OfOneCoinIsItsDistanceFromAHalf) {
  for (const double rho : {0.0, 0.1, 0.25, 0.5, 0.625, 0.75, 1.0}) {
    EXPECT_DOUBLE_EQ(dominating_reliability(Channel::one_coin(rho)), std::max(rho, 1 - rho));
  }
}

TEST(DominatingReliability, OfASpammerIsAHalf) {
  for (const double yes : {0.0, 0.25, 0.5, 0.875, 1.0}) {
    EXPECT_EQ(dominating_reliability({yes, 1 - yes}), 0.5);
  }
}

/// The blur that makes the channel of a coin: labels of the coin are reported as positive with
/// these probabilities. Solves (rho, 1-rho; 1-rho, rho) (if_yes; if_no) = (s; 1-t).
struct Blur {
  double if_yes, if_no;

  bool is_possible() const { return std::min(if_yes, if_no) >= 0 && std::max(if_yes, if_no) <= 1; }
};

Blur blur(const Channel& channel, double rho) {
  const double x = channel.sensitivity, y = 1 - channel.specificity, determinant = 2 * rho - 1;
  return {(rho * x - (1 - rho) * y) / determinant, (rho * y - (1 - rho) * x) / determinant};
}

TEST(DominatingReliability, IsTheLeastCoinOfWhichTheChannelIsABlurredCopy) {
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const Channel channel{uniform(rng), uniform(rng)};
    const double rho = dominating_reliability(channel);
    if (rho < 0.5 + 1e-6 || rho > 1 - 1e-6) continue;
    EXPECT_TRUE(blur(channel, rho + 1e-12).is_possible())
        << channel.sensitivity << " " << channel.specificity;
    EXPECT_FALSE(blur(channel, rho - 1e-9).is_possible())
        << channel.sensitivity << " " << channel.specificity;
  }
}

TEST(DominatingReliability, IsNotChangedByRenamingLabelsOrClasses) {
  Rng rng(2);
  for (int i = 0; i < 1000; ++i) {
    const double s = uniform(rng), t = uniform(rng), rho = dominating_reliability({s, t});
    EXPECT_NEAR(dominating_reliability({1 - s, 1 - t}), rho, 1e-12);
    EXPECT_NEAR(dominating_reliability({t, s}), rho, 1e-12);
  }
}

}  // namespace
}  // namespace allot::model::channel_test
