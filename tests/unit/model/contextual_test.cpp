#include "allot/model/contextual.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/plain_contextual.hpp"

namespace allot::model::contextual_test {
namespace {

using test::plain;
using test::plain_row;
using test::PlainBelief;
using test::random_design;
using test::record_random;

/// How far m and s2 of all items are from what mu and Sigma say.
double drift(const Contextual& belief, const Design& design) {
  const PlainBelief all = plain(belief);
  double worst = 0;
  for (std::uint32_t i = 0; i < design.item_count; ++i) {
    const Eigen::VectorXd x = plain_row(design, i);
    const double m = x.dot(all.mean), s2 = x.dot(all.covariance * x);
    worst = std::max(worst, std::abs(belief.mean(ItemId{i}) - m) / (1 + std::abs(m)));
    worst = std::max(worst, std::abs(belief.variance(ItemId{i}) / s2 - 1));
  }
  return worst;
}

TEST(Contextual, KnowsNothingAtFirst) {
  Rng rng(1);
  const Design design = random_design(5, 3, rng);
  const Contextual belief(design, {.prior_variance = 2});
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(belief.prob_positive(ItemId{i}), 0.5);
    EXPECT_EQ(belief.chance_positive(ItemId{i}), 0.5);
    EXPECT_NEAR(belief.variance(ItemId{i}), 2 * plain_row(design, i).squaredNorm(), 1e-14);
  }
}

TEST(Contextual, TeachesAboutItemsThatNobodyLabelled) {
  const Design line = prepare({5, {"x"}, {-2, -1, 0, 1, 2}}).value();
  Contextual belief(line);
  for (int i = 0; i < 10; ++i) {
    belief.record(ItemId{0}, Label::negative);
    belief.record(ItemId{3}, Label::positive);
  }
  EXPECT_LT(belief.prob_positive(ItemId{1}), 0.2);
  EXPECT_GT(belief.prob_positive(ItemId{4}), 0.95);
}

TEST(Contextual, ProbabilityIsTheShareOfLogitsAboveZero) {  // [CLZ eq:P_i_t_feature]
  Rng rng(2);
  const Design design = random_design(6, 3, rng);
  Contextual belief(design);
  record_random(belief, design, 20, rng);
  const PlainBelief all = plain(belief);
  const Eigen::MatrixXd root = all.covariance.llt().matrixL();
  std::vector<int> above(6);
  constexpr int kDraws = 20'000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Eigen::Vector3d z(normal(rng), normal(rng), normal(rng));
    const Eigen::VectorXd w = all.mean + root * z;
    for (std::size_t i = 0; i < 6; ++i) above[i] += plain_row(design, i).dot(w) > 0;
  }
  // Six shares within 4.5 standard errors: a right program fails once in 24,000 seeds.
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(belief.prob_positive(ItemId{i}), above[i] / double{kDraws},
                4.5 * 0.5 / std::sqrt(kDraws));
  }
}

TEST(Contextual, KeepsAllItemsUpToDate) {
  Rng rng(3);
  for (const double prior : {0.1, 1.0, 1e4}) {
    const Design design = random_design(40, 6, rng);
    Contextual belief(design, {.prior_variance = prior});
    for (int part = 0; part < 20; ++part) {
      record_random(belief, design, 37, rng);  // refreshed in between, and not
      ASSERT_LT(drift(belief, design), 1e-9) << prior;
    }
  }
}

TEST(Contextual, CovarianceStaysSymmetricAndPositiveDefinite) {
  Rng rng(4);
  const Design design = random_design(30, 8, rng);
  Contextual belief(design, {.prior_variance = 1e6});
  for (int part = 0; part < 40; ++part) {
    record_random(belief, design, 50, rng);
    const Eigen::MatrixXd covariance = plain(belief).covariance;
    ASSERT_TRUE(covariance == covariance.transpose());
    ASSERT_EQ(covariance.llt().info(), Eigen::Success);
  }
}

TEST(Contextual, StaysFiniteWhereItemsCanBeSeparated) {
  const Design line = prepare({4, {"x"}, {-2, -1, 1, 2}}).value();
  for (const auto method : {math::LogisticMethod::laplace, math::LogisticMethod::variational}) {
    for (const double prior : {1.0, 1e8}) {
      Contextual belief(line, {.prior_variance = prior, .method = method});
      for (std::uint32_t i = 0; i < 4000; ++i) {
        belief.record(ItemId{i % 4}, i % 4 < 2 ? Label::negative : Label::positive);
      }
      for (std::uint32_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(std::isfinite(belief.mean(ItemId{i})));
        ASSERT_GT(belief.variance(ItemId{i}), 0);
        EXPECT_EQ(belief.prob_positive(ItemId{i}) > 0.5, i >= 2);
      }
      EXPECT_LT(drift(belief, line), 1e-6);
    }
  }
}

TEST(Contextual, TakesMoreFeaturesThanItems) {
  Rng rng(5);
  const Design design = random_design(4, 50, rng);
  Contextual belief(design);
  record_random(belief, design, 200, rng);
  EXPECT_LT(drift(belief, design), 1e-9);
}

TEST(Contextual, MovesIdenticalItemsTogether) {
  const Design design{5, 2, {1, 0.5, 1, -1, 1, 0.5, 1, 2, 1, -1}, {"a", "b"}, {}};
  Contextual belief(design);
  EXPECT_EQ(belief.rows().row_count(), 3U);
  belief.record(ItemId{2}, Label::positive);
  belief.record(ItemId{4}, Label::negative);
  EXPECT_EQ(belief.mean(ItemId{0}), belief.mean(ItemId{2}));
  EXPECT_EQ(belief.variance(ItemId{1}), belief.variance(ItemId{4}));
  EXPECT_GT(belief.prob_positive(ItemId{0}), 0.5);
  const auto items = belief.rows().items_of(belief.rows().row_of(ItemId{4}));
  EXPECT_EQ(std::vector<ItemId>(items.begin(), items.end()),
            (std::vector<ItemId>{ItemId{1}, ItemId{4}}));
}

TEST(Contextual, HearsNothingFromASpammer) {
  Rng rng(6);
  const Design design = random_design(6, 3, rng);
  Contextual belief(design);
  record_random(belief, design, 10, rng);
  const double mean = belief.mean(ItemId{1}), variance = belief.variance(ItemId{1});
  belief.record(ItemId{0}, Label::positive, Channel::one_coin(0.5));
  EXPECT_EQ(belief.mean(ItemId{1}), mean);
  EXPECT_EQ(belief.variance(ItemId{1}), variance);
}

TEST(Contextual, TrustsAWorkerAsFarAsTheyAreReliable) {
  Rng rng(7);
  const Design design = random_design(6, 3, rng);
  double last = 0.5;
  for (const double reliability : {0.6, 0.75, 0.9, 1.0}) {
    Contextual belief(design);
    belief.record(ItemId{0}, Label::positive, Channel::one_coin(reliability));
    EXPECT_GT(belief.prob_positive(ItemId{0}), last);
    last = belief.prob_positive(ItemId{0});
    Contextual liar(design);
    liar.record(ItemId{0}, Label::negative, Channel::one_coin(1 - reliability));
    EXPECT_NEAR(liar.prob_positive(ItemId{0}), last, 1e-15);
  }
}

TEST(Contextual, RefusesWhatMakesNoSense) {
  const Design design = prepare({2, {"x"}, {1, 2}}).value();
  EXPECT_THROW(Contextual(design, {.prior_variance = 0}), std::invalid_argument);
  EXPECT_THROW(Contextual(Design{}), std::invalid_argument);
  Contextual belief(design);
  EXPECT_THROW(belief.record(ItemId{2}, Label::positive), std::invalid_argument);
  EXPECT_THROW(ContextualClasses(design, 1), std::invalid_argument);
}

TEST(ContextualClasses, OfTwoAreTheModelOfYesAndNo) {
  Rng rng(8);
  const Design design = random_design(10, 3, rng);
  Contextual two(design);
  ContextualClasses classes(design, 2);
  for (int i = 0; i < 100; ++i) {
    const auto item = static_cast<std::uint32_t>(below(rng, 10));
    const Label label = test::drawn_label(design, item, rng);
    two.record(ItemId{item}, label);
    classes.record(ItemId{item}, ClassId{label == Label::positive ? 1U : 0U});
  }
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto shares = classes.probabilities(ItemId{i});
    EXPECT_NEAR(shares[0] + shares[1], 1, 1e-15);
    EXPECT_NEAR(shares[1], two.chance_positive(ItemId{i}), 1e-12);
  }
}

TEST(ContextualClasses, LearnRegions) {
  // Three classes on a circle: a third each.
  Features circle{30, {"x", "y"}, {}};
  for (int i = 0; i < 30; ++i) {
    circle.values.push_back(std::cos(0.2094 * i));
    circle.values.push_back(std::sin(0.2094 * i));
  }
  ContextualClasses belief(prepare(circle).value(), 3);
  for (int round = 0; round < 20; ++round) {
    for (const std::uint32_t i : {2U, 5U, 12U, 15U, 22U, 25U}) {
      belief.record(ItemId{i}, ClassId{i / 10});
    }
  }
  for (const std::uint32_t i : {3U, 4U, 13U, 14U, 23U, 24U}) {
    const auto shares = belief.probabilities(ItemId{i});
    EXPECT_GT(shares[i / 10], 0.6) << i;
  }
}

}  // namespace
}  // namespace allot::model::contextual_test
