#include "model/binary_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/aggregate/pooled.hpp"
#include "allot/model/crowd.hpp"
#include "model/uneven_classes.hpp"
#include "support/made_crowd.hpp"

namespace allot::model::binary_answers_test {
namespace {

using test::Crowd;
using test::Made;
using test::make;

const WorkerGrid kGrid(Prior::beta(3, 0.9), Coins::two);

LabelsByWorker binary(const MulticlassLabelsByWorker& labels) {
  LabelsByWorker result(labels.size());
  for (std::size_t j = 0; j < labels.size(); ++j)
    for (const auto& [item, label, confidence] : labels[j])
      result[j].push_back({item, label == 1 ? Label::positive : Label::negative});
  return result;
}

/// Probabilities of both classes by belief propagation alone.
std::vector<double> propagated(const Made& made, double share) {
  std::vector<double> result;
  for (const double odds :
       belief_propagation(binary(made.labels), made.options.item_count, kGrid, share, 20)
           .log_odds) {
    result.push_back(1 / (1 + std::exp(odds)));
    result.push_back(1 / (1 + std::exp(-odds)));
  }
  return result;
}

std::vector<double> answers(const Made& made) {
  return binary_answers(made.labels, made.options, kGrid).fit.probabilities;
}

/// Mean accuracy above the vote, of the answers and of belief propagation.
struct AboveVote {
  double answers = 0, propagated = 0;
};

AboveVote above_vote(const Crowd& crowd, int runs) {
  AboveVote mean;
  for (int seed = 1; seed <= runs; ++seed) {
    const Made made = make(crowd, static_cast<std::uint64_t>(seed));
    mean.answers += (made.accuracy(answers(made)) - made.vote()) / runs;
    mean.propagated += (made.accuracy(propagated(made, 0.5)) - made.vote()) / runs;
  }
  return mean;
}

TEST(BinaryAnswers, AreTheMeanOfPooledFitsAndPropagation) {
  const Made made = make({.labels_per_item = 3, .common = 0.7}, 5);
  const auto pooled = multiclass_answers(made.labels, made.options, kFitRounds).fit;
  ASSERT_FALSE(pooled.spammers);
  double positive = 0.5, all = 1;
  for (const auto& given : made.labels)
    for (const auto& [item, label, confidence] : given) {
      all += 1;
      positive += label;
    }
  const std::vector<double> even = propagated(made, 0.5), voted = propagated(made, positive / all);
  const double odds = std::exp(log_odds_of_uneven_classes(made.labels, 2));
  const std::vector<double> found = answers(made);
  int as_mean = 0;
  for (std::size_t n = 0; n < found.size(); n += 2) {
    const double propagated = (even[n] + odds * voted[n]) / (1 + odds);
    const double mean = (pooled.probabilities[n] + propagated) / 2;
    // Otherwise a clear vote decides (ClearVotes.*).
    if ((even[n] > 0.5) != (voted[n] > 0.5) || std::abs(mean - 0.5) < 0.07) continue;
    EXPECT_NEAR(found[n], mean, 1e-12);
    EXPECT_NEAR(found[n + 1], 1 - mean, 1e-12);
    ++as_mean;
  }
  EXPECT_GT(as_mean, 300) << "of 400 items";
}

TEST(BinaryAnswers, HoldWhereFewWorkersSeeACommonClass) {
  const AboveVote above = above_vote(
      {.items = 200, .workers = 5, .labels_per_item = 5, .common = 0.97, .reliability = 0.85}, 10);
  EXPECT_GT(above.answers, -0.005);
  EXPECT_LT(above.propagated, -0.05) << "the test would see it";
}

TEST(BinaryAnswers, HoldWhereFewMediocreWorkersSeeACommonClass) {
  const AboveVote above = above_vote(
      {.items = 300, .workers = 6, .labels_per_item = 5, .common = 0.97, .reliability = 0.75}, 10);
  EXPECT_GT(above.answers, -0.03);
  EXPECT_LT(above.propagated, -0.1) << "the test would see it";
}

TEST(BinaryAnswers, HoldWhereACrowdLeansAndClassesAreEven) {
  const AboveVote above = above_vote(
      {.items = 300, .workers = 100, .labels_per_item = 3, .reliability = 0.75, .leaners = 100},
      10);
  EXPECT_GT(above.answers, -0.03);
  EXPECT_LT(above.propagated, -0.02) << "the test would see it";
}

TEST(BinaryAnswers, HoldWhereHalfOfTheWorkersAlwaysSayTheSame) {
  const AboveVote above =
      above_vote({.items = 200, .labels_per_item = 3, .reliability = 0.8, .spammers = 10}, 20);
  EXPECT_GT(above.answers, 0.02);
  EXPECT_LT(above.propagated, -0.03) << "the test would see it";
}

TEST(BinaryAnswers, StayNearTheVoteWhereWorkersAreAlike) {
  const AboveVote above = above_vote({.labels_per_item = 3, .reliability = 0.7}, 20);
  EXPECT_GT(above.answers, -0.01);
  EXPECT_LT(above.propagated, -0.01) << "the test would see it";
}

TEST(BinaryAnswers, BelieveSharesThatAreGiven) {
  Made made = make({.labels_per_item = 3, .common = 0.9}, 2);
  made.options.shares = {0.9, 0.1};
  const auto pooled = multiclass_answers(made.labels, made.options, kFitRounds).fit;
  const std::vector<double> by_share = propagated(made, 0.1), found = answers(made);
  for (std::size_t n = 0; n < found.size(); ++n)
    EXPECT_NEAR(found[n], (pooled.probabilities[n] + by_share[n]) / 2, 1e-12);
}

TEST(BinaryAnswers, AreThoseOfPooledFitsWithGroups) {
  Made made = make({.items = 60}, 3);
  made.options.groups = {1, 1};
  EXPECT_EQ(answers(made),
            multiclass_answers(made.labels, made.options, kFitRounds).fit.probabilities);
}

TEST(BinaryAnswers, AreThoseOfPooledFitsWithConfidencesThatTellSomething) {
  Made made = make({}, 3);
  for (auto& given : made.labels)
    for (auto& [item, label, confidence] : given)
      confidence = label == made.truth[item] ? 0.9F : 0.1F;
  EXPECT_EQ(answers(made),
            multiclass_answers(made.labels, made.options, kFitRounds).fit.probabilities);
}

TEST(BinaryAnswers, AreThoseOfCrowdsAndOfAggregate) {
  const Made made = make({.items = 100}, 4);
  const std::vector<double> expected = answers(made);
  const auto expect_same = [&](const std::vector<double>& found) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t n = 0; n < expected.size(); ++n) EXPECT_NEAR(found[n], expected[n], 1e-9);
  };
  const auto workers = static_cast<std::uint32_t>(made.labels.size());
  LabelSet set{made.options.item_count, workers, 2, {}};
  for (std::uint32_t j = 0; j < workers; ++j)
    for (const auto& [item, label, confidence] : made.labels[j])
      set.labels.push_back({ItemId{item}, WorkerId{j}, ClassId{label}});
  expect_same(aggregate::pooled(set)->answers.probabilities);
  for (const CrowdOptions& options :
       {CrowdOptions{.refit = Refit::integrated},
        CrowdOptions{.item_prior = DirichletPrior::symmetric(2, 1), .learn_workers = true}}) {
    const auto crowd = make_crowd(options, set.item_count, workers);
    for (const auto& [item, worker, label] : set.labels) crowd->record(item, worker, label);
    expect_same(crowd->final_probabilities());
  }
}

/// The short way, for 200,000 labels and more, against the long one.
TEST(BinaryAnswers, OfManyLabelsAreThoseOfMoreRoundsFromTheVotedShares) {
  const Made made = make({.items = 20'000,
                          .workers = 2'000,
                          .labels_per_item = 10,
                          .common = 0.95,
                          .reliability = 0.65},
                         6);
  const auto pooled = multiclass_answers(made.labels, made.options, kFitRounds).fit;
  const std::vector<double> voted = propagated(made, positive_share(binary(made.labels))),
                            found = answers(made);
  int long_way = 0, pooled_alone = 0;
  for (std::size_t n = 0; n < found.size(); n += 2) {
    const double p = pooled.probabilities[n], mean = (p + voted[n]) / 2;
    pooled_alone += (found[n] > 0.5) != (p > 0.5);
    if (std::abs(mean - 0.5) < 0.07) continue;  // a clear vote decides
    long_way += (found[n] > 0.5) != (mean > 0.5);
  }
  EXPECT_LT(long_way, 60) << "of 20,000 answers";
  EXPECT_GT(pooled_alone, 80) << "the test would see it";
}

TEST(BinaryAnswers, AreEvenWithoutLabels) {
  const auto crowd = make_crowd({.refit = Refit::integrated}, 3, 2);
  EXPECT_EQ(crowd->final_probabilities(), std::vector<double>(6, 0.5));
}

}  // namespace
}  // namespace allot::model::binary_answers_test
