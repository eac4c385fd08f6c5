#include "allot/model/crowd.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "allot/model/label_set.hpp"
#include "model/binary_fits.hpp"
#include "model/coin_belief.hpp"
#include "support/crowds.hpp"
#include "support/worker_labels.hpp"

namespace allot::model::crowd_test {
namespace {

struct Row {
  ItemId item;
  WorkerId worker;
  Label label;
};

constexpr std::uint32_t kItems = 10, kWorkers = 4;

std::vector<Row> some_rows(std::uint64_t seed) {
  Rng rng(seed);
  const LabelsByWorker labels = test::random_labels(rng, kItems, kWorkers, 0.7);
  std::vector<Row> rows;
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    for (const auto& [item, label] : labels[j]) rows.push_back({ItemId{item}, WorkerId{j}, label});
  }
  std::vector<Row> shuffled;
  for (const std::uint32_t n : test::random_order(rng, static_cast<std::uint32_t>(rows.size())))
    shuffled.push_back(rows[n]);
  return shuffled;
}

CrowdOptions options(Refit refit, Coins coins, std::uint32_t every) {
  return {Prior::uniform(), Prior::beta(4, 1), coins, refit, every};
}

std::unique_ptr<BinaryCrowd> crowd_of(const CrowdOptions& options, const std::vector<Row>& rows) {
  auto crowd = test::binary_crowd(options, kItems, kWorkers);
  for (const auto& [item, worker, label] : rows) crowd->record(item, worker, to_class(label));
  return crowd;
}

void expect_near(const WorkerState& one, const WorkerState& other, double tolerance) {
  EXPECT_NEAR(one.mean.sensitivity, other.mean.sensitivity, tolerance);
  EXPECT_NEAR(one.mean.specificity, other.mean.specificity, tolerance);
  EXPECT_NEAR(one.sensitivity_squared, other.sensitivity_squared, tolerance);
  EXPECT_NEAR(one.product, other.product, tolerance);
  EXPECT_NEAR(one.specificity_squared, other.specificity_squared, tolerance);
}

constexpr Refit kRefits[] = {Refit::em, Refit::integrated};
constexpr Coins kCoins[] = {Coins::one, Coins::two};

TEST(OnePassCrowd, MovesItemAndWorkerAsThePaperDoes) {  // [CLZ eq:a_worker ... eq:d_worker]
  const auto crowd = test::binary_crowd(options(Refit::off, Coins::one, 20), 2, 1);
  EXPECT_FALSE(crowd->record(ItemId{0}, WorkerId{0}, ClassId{1}));
  // The first label of an even item: E_1(theta) = 3/5, and nothing about the worker.
  const ItemState& item = (*crowd)[ItemId{0}];
  EXPECT_NEAR(item.shape.a, 15.0 / 11, 1e-15);
  EXPECT_NEAR(item.shape.b, 10.0 / 11, 1e-15);
  EXPECT_DOUBLE_EQ((*crowd)[WorkerId{0}].mean.sensitivity, 0.8);
  EXPECT_EQ((*crowd)[ItemId{1}], ItemState::soft_label(1, 1));
  // A second worker-item label with theta at 3/5: E_-1(rho) = c(b(c+1) + a d)/((c+d+1)(b c + a d)).
  crowd->record(ItemId{0}, WorkerId{0}, ClassId{0});
  const double a = 15, b = 10, c = 4, d = 1;
  EXPECT_NEAR((*crowd)[WorkerId{0}].mean.sensitivity,
              c * (b * (c + 1) + a * d) / ((c + d + 1) * (b * c + a * d)), 1e-15);
}

TEST(OnePassCrowd, AnswersFromWhatItBelieves) {
  const auto crowd = crowd_of(options(Refit::off, Coins::two, 20), some_rows(1));
  EXPECT_EQ(crowd->final_probabilities(), class_probabilities(crowd->items()));
}

TEST(RefittedCrowd, RefitsWhenSoManyLabelsHaveCome) {
  const std::vector<Row> rows = some_rows(2);
  for (const Refit refit : kRefits) {
    for (const std::uint32_t every : {1U, 3U, 7U, 1000U}) {
      const auto crowd = test::binary_crowd(options(refit, Coins::two, every), kItems, kWorkers);
      for (std::size_t n = 1; n <= rows.size(); ++n) {
        const auto& [item, worker, label] = rows[n - 1];
        EXPECT_EQ(crowd->record(item, worker, to_class(label)), n % every == 0)
            << n << " " << every;
      }
    }
  }
}

TEST(RefittedCrowd, BetweenRefitsMovesOneItemAndOneWorker) {
  for (const Refit refit : kRefits) {
    for (const Coins coins : kCoins) {
      const auto crowd = test::binary_crowd(options(refit, coins, 1000), kItems, kWorkers);
      for (const auto& [item, worker, label] : some_rows(3)) {
        std::vector<ItemState> items(crowd->items().begin(), crowd->items().end());
        std::vector<WorkerState> workers;
        for (std::uint32_t j = 0; j < kWorkers; ++j) workers.push_back((*crowd)[WorkerId{j}]);
        crowd->record(item, worker, to_class(label));
        items[position(item)] = after(items[position(item)], workers[position(worker)].mean, label);
        EXPECT_TRUE(std::ranges::equal(items, crowd->items()));
        for (std::uint32_t j = 0; j < kWorkers; ++j) {
          if (j == position(worker)) continue;
          EXPECT_EQ((*crowd)[WorkerId{j}], workers[j]);
        }
      }
    }
  }
}

TEST(RefittedCrowd, BetweenRefitsMovesAWorkersMeansByBayesRule) {
  for (const Refit refit : kRefits) {
    for (const Coins coins : kCoins) {
      const auto crowd = test::binary_crowd(options(refit, coins, 1000), kItems, kWorkers);
      for (const auto& [item, worker, label] : some_rows(4)) {
        const Channel truth = mean_after((*crowd)[worker], (*crowd)[item].mean(), label);
        crowd->record(item, worker, to_class(label));
        EXPECT_NEAR((*crowd)[worker].mean.sensitivity, truth.sensitivity, 1e-9);
        EXPECT_NEAR((*crowd)[worker].mean.specificity, truth.specificity, 1e-9);
      }
    }
  }
}

TEST(RefittedCrowd, KnowsTheLabelsAndNotTheirOrderOnceARefitHasSeenThemAll) {
  std::vector<Row> rows = some_rows(5);
  const auto all = static_cast<std::uint32_t>(rows.size());
  for (const Refit refit : kRefits) {
    for (const Coins coins : kCoins) {
      const auto one = crowd_of(options(refit, coins, all), rows);
      for (const std::uint32_t every : {1U, all}) {
        std::ranges::reverse(rows);
        std::swap(rows[3], rows[7]);
        const auto other = crowd_of(options(refit, coins, every), rows);
        for (std::uint32_t i = 0; i < kItems; ++i) {
          EXPECT_NEAR(one->items()[i].mean(), other->items()[i].mean(), 1e-12);
        }
        for (std::uint32_t j = 0; j < kWorkers; ++j) {
          expect_near((*one)[WorkerId{j}], (*other)[WorkerId{j}], 1e-12);
        }
      }
    }
  }
}

TEST(RefittedCrowd, AnswersFromAllLabelsWheneverTheLastRefitWas) {
  const std::vector<Row> rows = some_rows(6);
  for (const Refit refit : kRefits) {
    const auto often = crowd_of(options(refit, Coins::two, 4), rows);
    const auto never = crowd_of(options(refit, Coins::two, 1000), rows);
    const std::vector<ItemState> before(never->items().begin(), never->items().end());
    EXPECT_EQ(often->final_probabilities(), never->final_probabilities());
    EXPECT_TRUE(std::ranges::equal(before, never->items()));
    EXPECT_FALSE(never->has_soft_labels());
  }
}

TEST(RefittedCrowd, SwappingAllLabelsSwapsTheAnswers) {
  std::vector<Row> rows = some_rows(7);
  for (const Refit refit : kRefits) {
    for (const Coins coins : kCoins) {
      const auto one = crowd_of(options(refit, coins, 6), rows);
      for (Row& row : rows) row.label = test::opposite(row.label);
      const auto other = crowd_of(options(refit, coins, 6), rows);
      for (std::uint32_t i = 0; i < kItems; ++i) {
        EXPECT_NEAR(one->items()[i].mean(), 1 - other->items()[i].mean(), 1e-12);
        // Which labels the pooled fits hide in turn depends on what the labels say.
        EXPECT_NEAR(one->final_probabilities()[2 * i], other->final_probabilities()[2 * i + 1],
                    refit == Refit::em ? 1e-12 : 0.02);
      }
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        EXPECT_NEAR((*one)[WorkerId{j}].mean.sensitivity, (*other)[WorkerId{j}].mean.specificity,
                    1e-12);
      }
    }
  }
}

TEST(RefittedCrowd, StartsFromTheShareOfPositiveItemsThatThePriorHas) {
  for (const Refit refit : kRefits) {
    CrowdOptions skewed = options(refit, Coins::two, 20);
    skewed.item_prior = Prior::beta(1, 2);  // Pr(theta >= 1/2) = 1/4
    EXPECT_NEAR((*test::binary_crowd(skewed, 1, 1))[ItemId{0}].mean(), 0.25, 1e-12);
    skewed.item_prior = Prior::mixture({{0.5, 1, 2}, {0.5, 1, 1}});
    EXPECT_NEAR((*test::binary_crowd(skewed, 1, 1))[ItemId{0}].mean(), 0.375, 1e-12);
  }
}

TEST(RefittedCrowd, BelievesTheShareOfTheLabelsAtEveryThirdRefit) {
  constexpr std::uint32_t kMany = 40;
  for (const Refit refit : {Refit::integrated, Refit::em}) {
    CrowdOptions turning = options(refit, Coins::two, 20);
    turning.shares_in_turn = true;
    const auto crowd = test::binary_crowd(turning, kMany, kWorkers);
    const auto plain = test::binary_crowd(options(refit, Coins::two, 20), kMany, kWorkers);
    Rng rng(4);
    std::vector<std::uint32_t> differ;
    for (std::uint32_t t = 1; t <= kMany * kWorkers; ++t) {
      const ItemId item{(t - 1) % kMany};
      const WorkerId worker{(t - 1) / kMany};
      const ClassId label{uniform(rng) < 0.8 ? 0U : 1U};
      crowd->record(item, worker, label);
      plain->record(item, worker, label);
      if (t % 20 == 0 && (*crowd)[item].mean() != (*plain)[item].mean()) differ.push_back(t);
    }
    EXPECT_EQ(differ, refit == Refit::em ? std::vector<std::uint32_t>{}
                                         : (std::vector<std::uint32_t>{60, 120}));
    EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities()) << "answers are the same";
  }
}

TEST(EmCrowd, HasTheMomentsOfTheWorkerPriorHoweverSharp) {
  for (const double a : {1e-3, 1.0, 4.0, 1e9}) {
    for (const double b : {1e-3, 1.0, 4.0, 1e9}) {
      CrowdOptions sharp = options(Refit::em, Coins::one, 20);
      sharp.worker_prior = Prior::beta(a, b);
      const auto crowd = test::binary_crowd(sharp, 1, 1);
      const WorkerState& worker = (*crowd)[WorkerId{0}];
      EXPECT_NEAR(worker.mean.sensitivity / (a / (a + b)), 1, 1e-14) << a << " " << b;
      const double square = a * (a + 1) / ((a + b) * (a + b + 1));
      EXPECT_NEAR(worker.sensitivity_squared / square, 1, 1e-14) << a << " " << b;
    }
  }
}

TEST(EmCrowd, MatchesAMixtureByItsFirstTwoMoments) {
  CrowdOptions types = options(Refit::em, Coins::one, 20);
  types.worker_prior = Prior::mixture({{0.6, 5, 1}, {0.2, 1, 1}, {0.2, 1, 5}});
  const auto crowd = test::binary_crowd(types, 1, 1);
  const WorkerState& worker = (*crowd)[WorkerId{0}];
  EXPECT_NEAR(worker.mean.sensitivity, 0.6 * 5 / 6 + 0.2 / 2 + 0.2 / 6, 1e-14);
  EXPECT_NEAR(worker.sensitivity_squared, 0.6 * 30 / 42 + 0.2 / 3 + 0.2 * 2 / 42, 1e-14);
}

TEST(CrowdOfTypes, IsTheCrowdOfOnePriorIfAllHaveIt) {
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    for (const Coins coins : kCoins) {
      CrowdOptions one = options(refit, coins, 5), each = one;
      each.worker_prior = Prior::beta(1, 7);
      each.worker_priors.assign(kWorkers, one.worker_prior);
      const auto rows = some_rows(3);
      const auto crowd = crowd_of(each, rows), plain = crowd_of(one, rows);
      for (std::uint32_t j = 0; j < kWorkers; ++j)
        EXPECT_EQ((*crowd)[WorkerId{j}], (*plain)[WorkerId{j}]);
      EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities());
    }
  }
}

/// Workers without labels say nothing, so one alone is in the crowd of their own prior.
TEST(CrowdOfTypes, JudgesEachWorkerByTheirOwnPrior) {
  const std::vector<Prior> priors{Prior::beta(9, 1), Prior::beta(2, 2), Prior::beta(9, 1),
                                  Prior::mixture({{0.5, 5, 1}, {0.5, 1, 1}})};
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    for (const Coins coins : kCoins) {
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        CrowdOptions one = options(refit, coins, 5), each = one;
        each.worker_priors = priors;
        one.worker_prior = priors[j];
        std::vector<Row> rows = some_rows(4);
        std::erase_if(rows, [&](const Row& row) { return row.worker != WorkerId{j}; });
        const auto crowd = crowd_of(each, rows), plain = crowd_of(one, rows);
        EXPECT_EQ((*crowd)[WorkerId{j}], (*plain)[WorkerId{j}]);
        // Answers learn the mean of a prior that all workers share.
        if (refit != Refit::integrated) {
          EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities());
        }
        const std::uint32_t other = (j + 1) % kWorkers;
        one.worker_prior = priors[other];
        EXPECT_EQ((*crowd)[WorkerId{other}], (*test::binary_crowd(one, 1, 1))[WorkerId{0}]);
      }
    }
  }
}

TEST(MakeCrowd, RefusesWhatItCannotHold) {
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    CrowdOptions types = options(refit, Coins::one, 20);
    types.worker_priors.assign(2, Prior::uniform());
    EXPECT_NO_THROW(test::binary_crowd(types, 3, 2));
    EXPECT_THROW(test::binary_crowd(types, 3, 3), std::invalid_argument) << "one a worker";
    types.worker_priors[1] = Prior::haldane();
    EXPECT_THROW(test::binary_crowd(types, 3, 2), std::invalid_argument);
  }
  CrowdOptions bad = options(Refit::off, Coins::one, 20);
  bad.item_prior = Prior::haldane();
  EXPECT_THROW(test::binary_crowd(bad, 1, 1), std::invalid_argument);
  bad = options(Refit::em, Coins::one, 20);
  bad.worker_prior = Prior::haldane();
  EXPECT_THROW(test::binary_crowd(bad, 1, 1), std::invalid_argument);
  bad = options(Refit::off, Coins::one, 20);
  bad.item_prior = Prior::mixture({{1, 1, 2}, {1, 2, 1}});
  EXPECT_THROW(test::binary_crowd(bad, 1, 1), std::invalid_argument);
  for (const Refit refit : kRefits) {
    EXPECT_THROW(test::binary_crowd(options(refit, Coins::two, 0), 1, 1), std::invalid_argument);
  }
}

TEST(MakeCrowd, HoldsNothingAndNobody) {
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    const auto crowd = test::binary_crowd(options(refit, Coins::two, 20), 0, 0);
    EXPECT_EQ(crowd->item_count(), 0U);
    EXPECT_EQ(crowd->worker_count(), 0U);
    EXPECT_TRUE(crowd->final_probabilities().empty());
  }
}

}  // namespace
}  // namespace allot::model::crowd_test
