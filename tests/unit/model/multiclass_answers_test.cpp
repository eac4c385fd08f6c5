#include "model/multiclass_answers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/base/rng.hpp"
#include "model/uneven_classes.hpp"
#include "support/made_crowd.hpp"

namespace allot::model::multiclass_answers_test {
namespace {

constexpr std::uint32_t kClasses = 3;
using test::Crowd;
using test::Made;
using test::make;

/// Mean accuracy above the vote, of the answers and of a single fit.
struct AboveVote {
  double answers = 0, fit = 0;
};

AboveVote above_vote(const Crowd& crowd, int runs) {
  AboveVote mean;
  for (int seed = 1; seed <= runs; ++seed) {
    const Made made = make(crowd, static_cast<std::uint64_t>(seed));
    const auto answers = multiclass_answers(made.labels, made.options, 8).fit;
    const auto fit = multiclass_fit(made.labels, made.options, 8);
    mean.answers += (made.accuracy(answers.probabilities) - made.vote()) / runs;
    mean.fit += (made.accuracy(fit.probabilities) - made.vote()) / runs;
  }
  return mean;
}

TEST(MulticlassAnswers, AreThoseOfTheVoteWhereWorkersAreAlike) {
  for (const double reliability : {0.6, 0.7, 0.8}) {
    const AboveVote above = above_vote({.labels_per_item = 3, .reliability = reliability}, 20);
    EXPECT_GT(above.answers, -0.01) << reliability;
    EXPECT_LT(above.fit, -0.018) << "the test would see it";
  }
  const AboveVote of_four = above_vote({.classes = 4, .common = 0.25, .reliability = 0.4}, 20);
  EXPECT_GT(of_four.answers, -0.01);
  EXPECT_LT(of_four.fit, -0.018) << "the test would see it";
  const AboveVote of_many = above_vote(
      {.items = 200, .classes = 20, .labels_per_item = 10, .common = 0.05, .reliability = 0.25},
      10);
  EXPECT_GT(of_many.answers, -0.01);
  EXPECT_LT(of_many.fit, -0.05) << "the test would see it";
}

TEST(MulticlassAnswers, AreAboveTheVoteWhereSomeAlwaysSayTheCommonClass) {
  const AboveVote above = above_vote({.items = 200,
                                      .classes = 4,
                                      .labels_per_item = 3,
                                      .common = 0.7,
                                      .reliability = 0.8,
                                      .spammers = 6},
                                     20);
  EXPECT_GT(above.answers, 0.015);
  EXPECT_LT(above.fit, -0.005) << "the test would see it";
}

TEST(MulticlassAnswers, AreAboveTheVoteWhereHalfOfTheCrowdAlwaysSaysTheSame) {
  const AboveVote above =
      above_vote({.items = 200, .labels_per_item = 3, .reliability = 0.8, .spammers = 10}, 20);
  EXPECT_GT(above.answers, 0.02);
  EXPECT_LT(above.fit, -0.03) << "the test would see it";
}

TEST(MulticlassAnswers, KeepWorkersWhoAgreeOnACommonClass) {
  const AboveVote above =
      above_vote({.labels_per_item = 3, .common = 0.95, .reliability = 0.95}, 20);
  EXPECT_GT(above.answers, -0.002) << "most workers give nearly all items the same label";
}

TEST(MulticlassAnswers, AreNotBelowTheVoteWhereClassesAreUneven) {
  const AboveVote of_two = above_vote({.labels_per_item = 3, .common = 0.95}, 20);
  EXPECT_GT(of_two.answers, -0.01);
  EXPECT_LT(of_two.fit, -0.05) << "the test would see it";
  const AboveVote of_four = above_vote({.classes = 4, .labels_per_item = 3, .common = 0.95}, 20);
  EXPECT_GT(of_four.answers, 0.05);
  EXPECT_LT(of_four.fit, -0.05) << "the test would see it";
}

TEST(MulticlassAnswers, KeepTablesOfTheWorkersOwnWhereTheyDiffer) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Made made = make({.reliability = 0.8, .leaners = 10}, seed);
    made.options.find_spammers = true;
    EXPECT_EQ(multiclass_answers(made.labels, made.options, 8).fit.counts,
              multiclass_fit(made.labels, made.options, 8).counts)
        << "seed " << seed;
  }
}

TEST(MulticlassAnswers, AreTheMeanOfTwoFitsByTheChanceOfUnevenClasses) {
  Made made = make({.items = 1200, .common = 0.6, .reliability = 0.8, .leaners = 10}, 2);
  made.options.find_spammers = true;
  const MulticlassFit answers = multiclass_answers(made.labels, made.options, 8).fit;
  const MulticlassFit even = multiclass_fit(made.labels, made.options, 8);
  ASSERT_EQ(answers.counts, even.counts) << "tables have their usual strength";
  MulticlassFitOptions options = made.options;
  options.voted_shares = true;
  const MulticlassFit voted = multiclass_fit(made.labels, options, 8);
  EXPECT_LT(voted.log_likelihood, even.log_likelihood + 8) << "neither predicts much better";
  const double uneven = 1 / (1 + std::exp(-log_odds_of_uneven_classes(made.labels, 2)));
  int as_mean = 0;
  for (std::size_t n = 0; n < even.probabilities.size(); n += 2) {
    const double by_even = even.probabilities[n], by_voted = voted.probabilities[n];
    const double mean = (1 - uneven) * by_even + uneven * by_voted;
    // Otherwise a clear vote decides (ClearVotes.*).
    if ((by_even > 0.5) != (by_voted > 0.5) || std::abs(mean - 0.5) < 0.07) continue;
    ASSERT_NEAR(answers.probabilities[n], mean, 1e-12);
    ++as_mean;
  }
  EXPECT_GT(as_mean, 1000) << "of 1,200 items";
}

TEST(MulticlassAnswers, BelieveUnevenSharesThatAreGiven) {
  double given = 0, even = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Made made = make({.labels_per_item = 3, .common = 0.95}, seed);
    even += made.accuracy(multiclass_answers(made.labels, made.options, 8).fit.probabilities) / 10;
    made.options.shares = {0.95, 0.05};
    given += made.accuracy(multiclass_answers(made.labels, made.options, 8).fit.probabilities) / 10;
  }
  EXPECT_GT(given, even + 0.05);
  EXPECT_GT(given, 0.93) << "class 0 is right on .95";
}

TEST(MulticlassAnswers, BelieveEvenSharesThatAreKnown) {
  Made made = make({.common = 0.9, .spammers = 6}, 3);
  const auto unknown = multiclass_answers(made.labels, made.options, 8);
  made.options.shares_known = true;
  const auto known = multiclass_answers(made.labels, made.options, 8);
  EXPECT_NE(known.fit.probabilities, unknown.fit.probabilities);
  EXPECT_GT(unknown.decided_by_shares, 0U);
  EXPECT_EQ(known.decided_by_shares, 0U);
}

TEST(MulticlassAnswers, ByExpectationMaximisationAreThoseOfTheFit) {
  Made made = make({}, 8);
  made.options.pooled = false;
  EXPECT_EQ(multiclass_answers(made.labels, made.options, 8).fit.probabilities,
            multiclass_fit(made.labels, made.options, 8).probabilities);
}

/// Every item has one label, by one of two workers, and most are of class 0.
struct LonelyLabels {
  MulticlassLabelsByWorker labels{2};
  std::vector<std::uint32_t> label_of;  // item by item

  explicit LonelyLabels(std::uint64_t seed) {
    Rng rng(seed);
    for (std::uint32_t i = 0; i < 150; ++i) {
      const double u = uniform(rng);
      const std::uint32_t truth = u < 0.85 ? 0 : u < 0.99 ? 2 : 1;
      const auto any = static_cast<std::uint32_t>(below(rng, kClasses));
      label_of.push_back(uniform(rng) < 0.9 ? truth : any);
      labels[uniform(rng) < 0.75 ? 0 : 1].push_back({i, label_of.back()});
    }
  }

  /// Answers that are not the only label of their item.
  int overruled(const std::vector<double>& probabilities) const {
    int result = 0;
    for (std::size_t i = 0; i < label_of.size(); ++i) {
      const double* const p = &probabilities[i * kClasses];
      result += std::max_element(p, p + kClasses) - p != label_of[i];
    }
    return result;
  }
};

TEST(MulticlassAnswers, DoNotOverruleLabelsBecauseTheirClassIsCommon) {
  const MulticlassFitOptions options = test::pooled_options(150, kClasses);
  int answers = 0, with_even_shares = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LonelyLabels made(seed);
    answers += made.overruled(multiclass_answers(made.labels, options, 8).fit.probabilities);
    with_even_shares += made.overruled(multiclass_fit(made.labels, options, 8).probabilities);
  }
  EXPECT_EQ(answers, 0);
  EXPECT_GT(with_even_shares, 50) << "the test would see it";
}

}  // namespace
}  // namespace allot::model::multiclass_answers_test
