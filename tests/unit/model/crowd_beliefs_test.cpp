// Laws of what a crowd says about its beliefs, for every kind of crowd.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "allot/base/rng.hpp"
#include "allot/model/crowd.hpp"

namespace allot::model::crowd_beliefs_test {
namespace {

constexpr std::uint32_t kItems = 12, kWorkers = 4;

struct Kind {
  std::string name;
  CrowdOptions options;
};

/// Refits are rarer than labels, so that a label moves its item and its worker alone.
std::vector<Kind> kinds() {
  std::vector<Kind> result;
  for (const Coins coins : {Coins::one, Coins::two}) {
    const std::string coin_text = coins == Coins::one ? ", one coin" : ", two coins";
    for (const Refit refit : {Refit::off, Refit::em, Refit::integrated, Refit::pooled}) {
      CrowdOptions options{.coins = coins, .refit = refit, .refit_every = 1000};
      result.push_back({"binary " + std::to_string(static_cast<int>(refit)) + coin_text, options});
      options.item_prior = DirichletPrior::dirichlet({1, 2, 0.5});
      result.push_back({"classes " + std::to_string(static_cast<int>(refit)) + coin_text, options});
    }
  }
  return result;
}

/// Each pair once, in some order, with labels of any class.
template <typename Visit>
void each_label(std::uint32_t classes, Visit visit) {
  Rng rng(1);
  for (std::uint32_t n = 0; n < kItems * kWorkers; ++n) {
    const std::uint32_t pair = n * 7 % (kItems * kWorkers);
    visit(ItemId{pair % kItems}, WorkerId{pair / kItems},
          ClassId{static_cast<std::uint32_t>(below(rng, classes))});
  }
}

TEST(CrowdBeliefs, AnOutcomeIsWhatRecordingTheLabelDoes) {
  for (const auto& [name, options] : kinds()) {
    const auto crowd = make_crowd(options, kItems, kWorkers);
    each_label(crowd->class_count(), [&](ItemId item, WorkerId worker, ClassId label) {
      std::vector<double> wanted(crowd->class_count());
      crowd->outcome(item, worker, label, wanted);
      ASSERT_FALSE(crowd->record(item, worker, label)) << name;
      const std::vector<double> now = crowd->probabilities(item);
      for (std::size_t k = 0; k < now.size(); ++k) EXPECT_NEAR(now[k], wanted[k], 1e-9) << name;
    });
  }
}

TEST(CrowdBeliefs, ChancesOfAllLabelsSumToOne) {
  for (const auto& [name, options] : kinds()) {
    const auto crowd = make_crowd(options, kItems, kWorkers);
    std::vector<double> out(crowd->class_count());
    each_label(crowd->class_count(), [&](ItemId item, WorkerId worker, ClassId label) {
      std::vector<double> given_truth(crowd->class_count());
      double chance = 0;
      for (std::uint32_t k = 0; k < crowd->class_count(); ++k) {
        chance += crowd->outcome(item, worker, ClassId{k}, out);
        crowd->likelihood(worker, ClassId{k}, out);
        std::ranges::transform(given_truth, out, given_truth.begin(), std::plus());
      }
      EXPECT_NEAR(chance, 1, 1e-12) << name;
      for (const double sum : given_truth) EXPECT_NEAR(sum, 1, 1e-12) << name;
      crowd->record(item, worker, label);
    });
  }
}

TEST(CrowdBeliefs, TheErrorIsTheProbabilityOfAllClassesButTheBest) {
  for (const auto& [name, options] : kinds()) {
    const auto crowd = make_crowd(options, kItems, kWorkers);
    each_label(crowd->class_count(), [&](ItemId item, WorkerId worker, ClassId label) {
      crowd->record(item, worker, label);
      const std::vector<double> shares = crowd->probabilities(item);
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12) << name;
      EXPECT_NEAR(crowd->error(item), 1 - std::ranges::max(shares), 1e-12) << name;
    });
  }
}

TEST(CrowdBeliefs, AReliabilityGrowsWithRightLabelsOfKnownItemsAndGetsSurer) {
  for (const auto& [name, options] : kinds()) {
    const auto crowd = make_crowd(options, kItems, kWorkers);
    const Reliability before = crowd->reliability(WorkerId{0}, 0);
    for (std::uint32_t n = 0; n < 30; ++n) {
      const ClassId truth{n % crowd->class_count()};
      crowd->record_known(WorkerId{0}, truth, truth);
    }
    const Reliability after = crowd->reliability(WorkerId{0}, 30);
    EXPECT_GT(after.mean, before.mean) << name;
    EXPECT_LT(after.mean, 1) << name;
    EXPECT_LT(after.variance, before.variance) << name;
    EXPECT_GT(after.variance, 0) << name;
  }
}

TEST(CrowdBeliefs, ACrowdOffersTheStatesOfItsKindAlone) {
  for (const auto& [name, options] : kinds()) {
    const auto crowd = make_crowd(options, kItems, kWorkers);
    EXPECT_EQ(crowd->binary() == nullptr, options.is_multiclass()) << name;
    EXPECT_EQ(crowd->multiclass() == nullptr, !options.is_multiclass()) << name;
    EXPECT_EQ(crowd->class_count(), options.class_count()) << name;
    EXPECT_EQ(crowd->has_soft_labels(), options.refit == Refit::off) << name;
  }
}

TEST(CrowdBeliefs, RefitsThatTookEffectAreCounted) {
  for (auto [name, options] : kinds()) {
    options.refit_every = 10;
    const auto crowd = make_crowd(options, kItems, kWorkers);
    each_label(crowd->class_count(), [&](ItemId item, WorkerId worker, ClassId label) {
      crowd->record(item, worker, label);
    });
    EXPECT_EQ(crowd->refit_count(), options.refit == Refit::off ? 0U : 4U) << name;
    crowd->revise(ItemId{0}, WorkerId{0}, ClassId{0});
    EXPECT_EQ(crowd->refit_count(), options.refit == Refit::off ? 0U : 5U) << name;
  }
}

}  // namespace
}  // namespace allot::model::crowd_beliefs_test
