// Crowds that items and workers join, with labels of known items, revisions and snapshots.
#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "support/crowds.hpp"

namespace allot::model::growing_crowd_test {
namespace {

struct Step {
  std::uint32_t item, worker;
  bool yes;
};

/// Worker 0 is the best, worker 4 guesses; each pair at most once.
std::vector<Step> some_labels(std::uint64_t seed, std::uint32_t items = 20) {
  Rng rng(seed);
  std::vector<Step> steps;
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = 0; j < 5; ++j) {
      const bool right = uniform(rng) < 0.95 - 0.11 * j;
      if (below(rng, 3) > 0) steps.push_back({i, j, right == (i % 2 == 0)});
    }
  }
  return steps;
}

ClassId label(bool yes) { return ClassId{yes ? 1U : 0U}; }

constexpr ClassId kNegative{0}, kPositive{1};

std::string saved(const Crowd& crowd) {
  ByteWriter to;
  crowd.save(to);
  return std::move(to).take();
}

/// How beliefs are fitted, and whether the worker prior is learned.
class GrowingCrowd : public testing::TestWithParam<std::tuple<Refit, bool>> {
 protected:
  const CrowdOptions options_{.item_prior = {},
                              .refit = std::get<0>(GetParam()),
                              .refit_every = 7,
                              .learn_workers = std::get<1>(GetParam())};
};

TEST_P(GrowingCrowd, IsTheOneThatHadAllFromTheStart) {
  const auto fixed = test::binary_crowd(options_, 20, 5),
             growing = test::binary_crowd(options_, 0, 0);
  std::uint32_t workers = 0;
  for (const auto& [item, worker, yes] : some_labels(1)) {
    workers = std::max(workers, worker + 1);
    growing->grow(item + 1, workers);
    EXPECT_EQ((*growing)[WorkerId{worker}], (*fixed)[WorkerId{worker}]);
    if (std::get<0>(GetParam()) != Refit::off)
      continue;  // the share of pseudo-items is that of fewer items
    fixed->record(ItemId{item}, WorkerId{worker}, label(yes));
    growing->record(ItemId{item}, WorkerId{worker}, label(yes));
  }
  growing->grow(20, 5);
  EXPECT_EQ(saved(*growing), saved(*fixed));
}

TEST_P(GrowingCrowd, GoesOnFromWhatWasSaved) {
  const auto crowd = test::binary_crowd(options_, 20, 5),
             loaded = test::binary_crowd(options_, 0, 0);
  const auto labels = some_labels(2);
  const auto play = [&](Crowd& one, std::size_t from, std::size_t to) {
    for (std::size_t n = from; n < to; ++n) {
      const auto& [item, worker, yes] = labels[n];
      one.record(ItemId{item}, WorkerId{worker}, label(yes));
      if (n % 10 == 0) one.record_known(WorkerId{worker}, kPositive, label(yes));
    }
  };
  play(*crowd, 0, 40);
  const std::string bytes = saved(*crowd);
  ByteReader from(bytes);
  loaded->load(from);
  ASSERT_TRUE(from.done());
  EXPECT_EQ(saved(*loaded), bytes);
  play(*crowd, 40, labels.size());
  play(*loaded, 40, labels.size());
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ((*loaded)[ItemId{i}], (*crowd)[ItemId{i}]);
  for (std::uint32_t j = 0; j < 5; ++j) EXPECT_EQ((*loaded)[WorkerId{j}], (*crowd)[WorkerId{j}]);
  EXPECT_EQ(saved(*loaded), saved(*crowd));
}

TEST_P(GrowingCrowd, NoticesASnapshotThatIsCutShort) {
  const auto crowd = test::binary_crowd(options_, 20, 5);
  for (const auto& [item, worker, yes] : some_labels(2)) {
    crowd->record(ItemId{item}, WorkerId{worker}, label(yes));
  }
  const std::string bytes = saved(*crowd);
  for (std::size_t size = 0; size < bytes.size(); size += 13) {
    const auto loaded = test::binary_crowd(options_, 0, 0);
    ByteReader from(std::string_view(bytes).substr(0, size));
    loaded->load(from);
    EXPECT_TRUE(from.failed()) << size;
  }
}

TEST_P(GrowingCrowd, ARevisedLabelIsAsIfItHadBeenGivenSo) {
  auto labels = some_labels(3);
  const auto revised = test::binary_crowd(options_, 20, 5),
             plain = test::binary_crowd(options_, 20, 5);
  for (const auto& [item, worker, yes] : labels) {
    revised->record(ItemId{item}, WorkerId{worker}, label(yes));
  }
  Step& other = labels[11];
  other.yes = !other.yes;
  revised->revise(ItemId{other.item}, WorkerId{other.worker}, label(other.yes));
  for (const auto& [item, worker, yes] : labels) {
    plain->record(ItemId{item}, WorkerId{worker}, label(yes));
  }
  // What a refit makes of all labels is the same.
  EXPECT_EQ(revised->final_probabilities(), plain->final_probabilities());
  if (GetParam() == std::tuple(Refit::off, false)) {
    EXPECT_EQ(saved(*revised), saved(*plain));
  }
  revised->grow(20, 6);
  EXPECT_THROW(revised->revise(ItemId{0}, WorkerId{5}, kPositive), std::invalid_argument);
}

TEST_P(GrowingCrowd, ARevisedLabelOfAKnownItemIsAsIfItHadBeenGivenSo) {
  const auto labels = some_labels(3);
  const auto revised = test::binary_crowd(options_, 20, 5),
             plain = test::binary_crowd(options_, 20, 5);
  const auto play = [&](Crowd& one, ClassId last) {
    for (std::size_t n = 0; n < labels.size(); ++n) {
      const auto& [item, worker, yes] = labels[n];
      one.record(ItemId{item}, WorkerId{worker}, label(yes));
      if (n == 5) one.record_known(WorkerId{2}, kPositive, kNegative);
      if (n == 12) one.record_known(WorkerId{2}, kPositive, last);
    }
  };
  play(*revised, kNegative);
  play(*plain, kPositive);
  revised->revise_known(WorkerId{2}, kPositive, kNegative, kPositive);
  EXPECT_EQ(revised->final_probabilities(), plain->final_probabilities());
  if (GetParam() == std::tuple(Refit::off, false)) {
    EXPECT_EQ(saved(*revised), saved(*plain)) << "the last of them";
  }
  EXPECT_THROW(revised->revise_known(WorkerId{2}, kNegative, kNegative, kPositive),
               std::invalid_argument);
  EXPECT_THROW(revised->revise_known(WorkerId{4}, kPositive, kNegative, kPositive),
               std::invalid_argument);
}

TEST_P(GrowingCrowd, LabelsOfKnownItemsSpeakAboutTheirWorkerAlone) {
  const auto crowd = test::binary_crowd(options_, 4, 3);
  const auto before = std::vector<ItemState>(crowd->items().begin(), crowd->items().end());
  for (int n = 0; n < 30; ++n) {
    crowd->record_known(WorkerId{0}, kPositive, kPositive);
    crowd->record_known(WorkerId{0}, kNegative, kNegative);
    crowd->record_known(WorkerId{1}, kPositive, kNegative);
    crowd->record_known(WorkerId{1}, kNegative, kPositive);
  }
  EXPECT_TRUE(std::ranges::equal(crowd->items(), before));
  EXPECT_GT((*crowd)[WorkerId{0}].mean.sensitivity, 0.9);
  EXPECT_LT((*crowd)[WorkerId{1}].mean.sensitivity, 0.2);
  // A refit does not forget them: the word of the good worker stands against the bad one's.
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (const std::uint32_t worker : {0U, 1U}) {
      crowd->record(ItemId{i}, WorkerId{worker}, label((i % 2 == 0) == (worker == 0)));
    }
  }
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_GT(crowd->final_probabilities()[2 * i + position(label(i % 2 == 0))], 0.5) << i;
  }
  EXPECT_GT((*crowd)[WorkerId{0}].mean.specificity, 0.9);
  EXPECT_LT((*crowd)[WorkerId{1}].mean.specificity, 0.2);
}

TEST_P(GrowingCrowd, AWorkerWhoComesLaterIsAsGoodAsThePriorThatIsLearnedByThen) {
  if (!options_.learn_workers) return;
  const auto crowd = test::binary_crowd(options_, 40, 4);
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      crowd->record(ItemId{i}, WorkerId{j}, label(i % 2 == 0));  // all agree
    }
  }
  const auto before = test::binary_crowd(options_, 0, 1);
  const std::string bytes = saved(*crowd);
  const auto loaded = test::binary_crowd(options_, 0, 0);
  ByteReader from(bytes);
  loaded->load(from);
  crowd->grow(40, 5);
  loaded->grow(40, 5);
  EXPECT_GT((*crowd)[WorkerId{4}].mean.sensitivity, (*before)[WorkerId{0}].mean.sensitivity + 0.03);
  EXPECT_EQ((*loaded)[WorkerId{4}], (*crowd)[WorkerId{4}]);
  EXPECT_THROW(crowd->grow(40, 6, nullptr, std::vector{Prior::uniform()}), std::invalid_argument);
}

TEST_P(GrowingCrowd, WorkersMayComeWithPriorsOfTheirOwn) {
  if (options_.learn_workers) return;
  const Prior mixed = Prior::mixture({{0.3, 9, 1}, {0.1, 2, 2}, {0.2, 1, 3}});
  const std::vector<Prior> later{mixed, options_.worker_prior, Prior::beta(2, 1)};
  CrowdOptions each = options_;
  each.worker_priors.assign(5, options_.worker_prior);
  std::ranges::copy(later, each.worker_priors.begin() + 1);
  const auto fixed = test::binary_crowd(each, 20, 5), growing = test::binary_crowd(options_, 20, 1);
  growing->grow(20, 4, nullptr, later);
  const auto loaded = test::binary_crowd(options_, 0, 0);
  const std::string bytes = saved(*growing);
  ByteReader from(bytes);
  loaded->load(from);
  ASSERT_TRUE(from.done());
  for (BinaryCrowd* const one : {growing.get(), loaded.get()}) {
    one->grow(20, 5);
    for (std::uint32_t j = 0; j < 5; ++j) {
      EXPECT_EQ((*one)[WorkerId{j}], (*test::binary_crowd(each, 20, 5))[WorkerId{j}]) << j;
    }
  }
  for (const auto& [item, worker, yes] : some_labels(4)) {
    for (BinaryCrowd* const one : {fixed.get(), growing.get(), loaded.get()}) {
      one->record(ItemId{item}, WorkerId{worker}, label(yes));
    }
  }
  growing->revise(ItemId{19}, WorkerId{some_labels(4).back().worker}, kPositive);
  fixed->revise(ItemId{19}, WorkerId{some_labels(4).back().worker}, kPositive);
  loaded->revise(ItemId{19}, WorkerId{some_labels(4).back().worker}, kPositive);
  EXPECT_EQ(growing->final_probabilities(), fixed->final_probabilities());
  EXPECT_EQ(loaded->final_probabilities(), fixed->final_probabilities());
  for (std::uint32_t j = 0; j < 5; ++j) {
    EXPECT_EQ((*growing)[WorkerId{j}], (*fixed)[WorkerId{j}]);
    EXPECT_EQ((*loaded)[WorkerId{j}], (*fixed)[WorkerId{j}]);
  }
  EXPECT_THROW(growing->grow(20, 7, nullptr, later), std::invalid_argument);
  EXPECT_THROW(growing->grow(20, 6, nullptr, std::vector{Prior::haldane()}), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(, GrowingCrowd,
                         testing::Combine(testing::Values(Refit::off, Refit::em, Refit::integrated),
                                          testing::Bool()));

/// Known labels are sums over the grid as Bayes' rule has them.
TEST(KnownLabels, AreBayesRuleOnTheGrid) {
  const CrowdOptions options{
      .item_prior = {}, .worker_prior = Prior::beta(3, 1), .coins = Coins::one};
  const auto crowd = test::binary_crowd(options, 1, 1);
  for (int n = 0; n < 8; ++n) crowd->record_known(WorkerId{0}, kPositive, label(n < 6));
  EXPECT_NEAR((*crowd)[WorkerId{0}].mean.sensitivity, 9.0 / 12, 2e-3);  // Beta(9,3)
}

class GrowingMulticlassCrowd : public testing::TestWithParam<std::tuple<Refit, Coins, bool>> {
 protected:
  const CrowdOptions options_{.item_prior = DirichletPrior::symmetric(3),
                              .coins = std::get<1>(GetParam()),
                              .refit = std::get<0>(GetParam()),
                              .refit_every = 7,
                              .learn_workers = learns()};
  static bool learns() { return std::get<2>(GetParam()); }
  static ClassId third(const Step& step) {
    return ClassId{step.yes ? step.item % 3 : (step.item + 1 + step.worker % 2) % 3};
  }
};

TEST_P(GrowingMulticlassCrowd, GoesOnFromWhatWasSaved) {
  const auto crowd = test::multiclass_crowd(options_, 20, 5),
             loaded = test::multiclass_crowd(options_, 0, 0);
  const auto labels = some_labels(2);
  const auto play = [&](Crowd& one, std::size_t from, std::size_t to) {
    for (std::size_t n = from; n < to; ++n) {
      one.record(ItemId{labels[n].item}, WorkerId{labels[n].worker}, third(labels[n]));
      if (n % 10 == 0) one.record_known(WorkerId{labels[n].worker}, ClassId{2}, third(labels[n]));
    }
  };
  play(*crowd, 0, 40);
  const std::string bytes = saved(*crowd);
  ByteReader from(bytes);
  loaded->load(from);
  ASSERT_TRUE(from.done());
  play(*crowd, 40, labels.size());
  play(*loaded, 40, labels.size());
  EXPECT_EQ(saved(*loaded), saved(*crowd));
  EXPECT_EQ(loaded->final_probabilities(), crowd->final_probabilities());
}

TEST_P(GrowingMulticlassCrowd, ARevisedLabelIsAsIfItHadBeenGivenSo) {
  auto labels = some_labels(3);
  const auto revised = test::multiclass_crowd(options_, 0, 0),
             plain = test::multiclass_crowd(options_, 20, 5);
  revised->grow(20, 5);
  for (const Step& one : labels) {
    revised->record(ItemId{one.item}, WorkerId{one.worker}, third(one));
  }
  Step& other = labels[11];
  other.yes = !other.yes;
  revised->revise(ItemId{other.item}, WorkerId{other.worker}, third(other));
  for (const Step& one : labels) plain->record(ItemId{one.item}, WorkerId{one.worker}, third(one));
  EXPECT_EQ(revised->final_probabilities(), plain->final_probabilities());
}

TEST_P(GrowingMulticlassCrowd, ARevisedLabelOfAKnownItemIsAsIfItHadBeenGivenSo) {
  const auto labels = some_labels(3);
  const auto revised = test::multiclass_crowd(options_, 20, 5),
             plain = test::multiclass_crowd(options_, 20, 5);
  const auto play = [&](Crowd& one, ClassId last) {
    for (std::size_t n = 0; n < labels.size(); ++n) {
      one.record(ItemId{labels[n].item}, WorkerId{labels[n].worker}, third(labels[n]));
      if (n == 5) one.record_known(WorkerId{2}, ClassId{1}, ClassId{0});
      if (n == 12) one.record_known(WorkerId{2}, ClassId{1}, last);
    }
  };
  play(*revised, ClassId{0});
  play(*plain, ClassId{2});
  revised->revise_known(WorkerId{2}, ClassId{1}, ClassId{0}, ClassId{2});
  EXPECT_EQ(revised->final_probabilities(), plain->final_probabilities());
  EXPECT_THROW(revised->revise_known(WorkerId{2}, ClassId{2}, ClassId{0}, ClassId{1}),
               std::invalid_argument);
}

TEST_P(GrowingMulticlassCrowd, LabelsOfKnownItemsSpeakAboutTheirWorkerAlone) {
  const auto crowd = test::multiclass_crowd(options_, 4, 3);
  for (int n = 0; n < 30; ++n) {
    const ClassId truth{static_cast<std::uint32_t>(n % 3)};
    crowd->record_known(WorkerId{0}, truth, truth);
    crowd->record_known(WorkerId{1}, truth, ClassId{static_cast<std::uint32_t>((n + 1) % 3)});
  }
  for (std::uint32_t k = 0; k < 3; ++k) {
    EXPECT_GT((*crowd)[WorkerId{0}][k * 3 + k], 0.8);
    EXPECT_LT((*crowd)[WorkerId{1}][k * 3 + k], 0.35);
  }
  EXPECT_NEAR((*crowd)[ItemId{0}][0], (*crowd)[ItemId{3}][2], 1e-12);
}

TEST_P(GrowingMulticlassCrowd, AWorkerWhoComesLaterIsAsGoodAsThePriorThatIsLearnedByThen) {
  if (!learns()) return;
  const auto crowd = test::multiclass_crowd(options_, 40, 4);
  for (std::uint32_t i = 0; i < 40; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) crowd->record(ItemId{i}, WorkerId{j}, ClassId{i % 3});
  }
  const auto before = test::multiclass_crowd(options_, 0, 1);
  const std::string bytes = saved(*crowd);
  const auto loaded = test::multiclass_crowd(options_, 0, 0);
  ByteReader from(bytes);
  loaded->load(from);
  crowd->grow(40, 5);
  loaded->grow(40, 5);
  EXPECT_GT((*crowd)[WorkerId{4}][0], (*before)[WorkerId{0}][0] + 0.03);
  EXPECT_TRUE(std::ranges::equal((*loaded)[WorkerId{4}], (*crowd)[WorkerId{4}]));
  EXPECT_THROW(crowd->grow(40, 6, nullptr, std::vector{Prior::uniform()}), std::invalid_argument);
}

TEST_P(GrowingMulticlassCrowd, WorkersMayComeWithPriorsOfTheirOwn) {
  if (learns()) return;
  const std::vector<Prior> later{Prior::beta(9, 1), options_.worker_prior, Prior::beta(2, 1)};
  CrowdOptions each = options_;
  each.worker_priors.assign(5, options_.worker_prior);
  std::ranges::copy(later, each.worker_priors.begin() + 1);
  const auto fixed = test::multiclass_crowd(each, 20, 5),
             growing = test::multiclass_crowd(options_, 20, 1);
  growing->grow(20, 4, nullptr, later);
  const auto loaded = test::multiclass_crowd(options_, 0, 0);
  const std::string bytes = saved(*growing);
  ByteReader from(bytes);
  loaded->load(from);
  ASSERT_TRUE(from.done());
  growing->grow(20, 5);
  loaded->grow(20, 5);
  for (const Step& one : some_labels(4)) {
    for (MulticlassCrowd* const crowd : {fixed.get(), growing.get(), loaded.get()}) {
      crowd->record(ItemId{one.item}, WorkerId{one.worker}, third(one));
    }
  }
  EXPECT_EQ(growing->final_probabilities(), fixed->final_probabilities());
  EXPECT_EQ(loaded->final_probabilities(), fixed->final_probabilities());
  for (std::uint32_t j = 0; j < 5; ++j) {
    EXPECT_TRUE(std::ranges::equal((*growing)[WorkerId{j}], (*fixed)[WorkerId{j}])) << j;
    EXPECT_TRUE(std::ranges::equal((*loaded)[WorkerId{j}], (*fixed)[WorkerId{j}])) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(, GrowingMulticlassCrowd,
                         testing::Combine(testing::Values(Refit::off, Refit::em, Refit::pooled),
                                          testing::Values(Coins::one, Coins::two),
                                          testing::Bool()));

}  // namespace
}  // namespace allot::model::growing_crowd_test
