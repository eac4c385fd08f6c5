#include "allot/model/item_state.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"

namespace allot::model::item_state_test {
namespace {

constexpr Label kLabels[] = {Label::positive, Label::negative};

TEST(ItemState, OfASoftLabelIsPositiveAboveAHalf) {
  const ItemState item = ItemState::soft_label(2, 1);
  EXPECT_DOUBLE_EQ(item.mean(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(prob_positive(item), 0.75);  // 1 - (1/2)^2
  EXPECT_DOUBLE_EQ(error_probability(item), 0.25);
  EXPECT_EQ(favoured_label(item), Label::positive);
  EXPECT_EQ(favoured_label(ItemState::soft_label(1, 2)), Label::negative);
  EXPECT_EQ(favoured_label(ItemState::soft_label(2, 2)), Label::positive);
}

TEST(ItemState, OfAClassKeepsTheDigitsOfBothProbabilities) {
  for (const double odds : {0.0, 0.3, 5.0, 50.0, 700.0}) {
    for (const double sign : {1.0, -1.0}) {
      const ItemState item = ItemState::hard_odds(sign * odds);
      EXPECT_DOUBLE_EQ(item.shape.a + item.shape.b, 1);
      EXPECT_NEAR(std::log(item.shape.a) - std::log(item.shape.b), sign * odds, 1e-13 * odds);
      EXPECT_DOUBLE_EQ(error_probability(item), 1 / (1 + std::exp(odds)));
      EXPECT_EQ(prob_positive(item), item.mean());
    }
  }
  EXPECT_EQ(error_probability(ItemState::hard_odds(1e6)), 0);
}

TEST(ItemState, OfAClassMovesByBayesRule) {
  const ItemState item = ItemState::hard_odds(std::log(3.0));  // 3/4
  const Channel channel{0.9, 0.6};
  EXPECT_DOUBLE_EQ(chance_positive(item, channel), 0.75 * 0.9 + 0.25 * 0.4);
  EXPECT_DOUBLE_EQ(after(item, channel, Label::positive).mean(), 0.675 / (0.675 + 0.1));
  EXPECT_DOUBLE_EQ(after(item, channel, Label::negative).mean(), 0.075 / (0.075 + 0.15));
}

TEST(ItemState, OfAClassIsTheLimitOfVanishingPseudoCounts) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const double p = 0.001 + 0.998 * uniform(rng), counts = 1e-10;
    const ItemState item = ItemState::hard_odds(std::log(p / (1 - p)));
    const ItemState soft = ItemState::soft_label(counts * p, counts * (1 - p));
    const Channel channel{uniform(rng), uniform(rng)};
    EXPECT_NEAR(prob_positive(soft), prob_positive(item), 1e-9);
    EXPECT_NEAR(error_probability(soft), error_probability(item), 1e-9);
    EXPECT_NEAR(chance_positive(soft, channel), chance_positive(item, channel), 1e-9);
    for (const Label label : kLabels) {
      const ItemState next = after(item, channel, label), soft_next = after(soft, channel, label);
      EXPECT_NEAR(soft_next.mean(), next.mean(), 1e-8);
      EXPECT_NEAR(prob_positive(soft_next), prob_positive(next), 1e-8);
      EXPECT_FALSE(next.soft);
      EXPECT_TRUE(soft_next.soft);
    }
  }
}

TEST(ItemState, DoesNotMoveByASpammersLabel) {
  for (const Label label : kLabels) {
    for (const double yes : {0.0, 0.25, 0.5, 1.0}) {
      const Channel spammer{yes, 1 - yes};
      EXPECT_EQ(after(ItemState::soft_label(0.3, 4), spammer, label),
                ItemState::soft_label(0.3, 4));
      EXPECT_EQ(after(ItemState::hard_odds(2), spammer, label), ItemState::hard_odds(2));
    }
  }
}

TEST(ItemState, ReadsAMaliciousWorkerReversed) {
  Rng rng(2);
  for (int i = 0; i < 1000; ++i) {
    const double q = uniform(rng) / 2;
    for (const ItemState& item : {ItemState::soft_label(3 * uniform(rng), 3 * uniform(rng)),
                                  ItemState::hard_odds(6 * uniform(rng) - 3)}) {
      const ItemState one = after(item, Channel::one_coin(q), Label::positive);
      const ItemState other = after(item, Channel::one_coin(1 - q), Label::negative);
      EXPECT_NEAR(one.shape.a, other.shape.a, 1e-14);
      EXPECT_NEAR(one.shape.b, other.shape.b, 1e-14);
    }
  }
}

TEST(ItemState, WithAPerfectWorkerCountsLabels) {
  const ItemState item = ItemState::soft_label(2.5, 1);
  EXPECT_EQ(after(item, {}, Label::positive), ItemState::soft_label(3.5, 1));
  EXPECT_EQ(after(item, {}, Label::negative), ItemState::soft_label(2.5, 2));
  EXPECT_EQ(chance_positive(item, {}), item.mean());
}

TEST(ItemState, DoesNotMoveByALabelThatCannotCome) {
  const ItemState certain = ItemState::hard_odds(1000);
  EXPECT_EQ(after(certain, Channel::one_coin(1), Label::negative), certain);
}

}  // namespace
}  // namespace allot::model::item_state_test
