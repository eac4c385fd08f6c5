// Workers who inherit labels of known items from another one.
#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"
#include "model/binary_fits.hpp"
#include "support/crowds.hpp"

namespace allot::model::inherited_test {
namespace {

constexpr std::uint32_t kItems = 12, kWorkers = 3, kHeir = 1;
/// Between refits, a known item is 1e-9 away from certain for a grid of coins.
constexpr double kNear = 1e-7;

std::string saved(const Crowd& crowd) {
  ByteWriter to;
  crowd.save(to);
  return std::move(to).take();
}

/// Chances of the worker's labels: by label, and by true class.
std::vector<double> chances(const Crowd& crowd, std::uint32_t worker) {
  std::vector<double> all, one(crowd.class_count());
  for (std::uint32_t label = 0; label < crowd.class_count(); ++label) {
    crowd.likelihood(WorkerId{worker}, ClassId{label}, one);
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

void expect_same(const Crowd& one, const Crowd& other) {
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    const auto here = chances(one, j), there = chances(other, j);
    for (std::size_t n = 0; n < here.size(); ++n) EXPECT_NEAR(here[n], there[n], kNear) << j;
  }
  const auto here = one.final_probabilities(), there = other.final_probabilities();
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t n = 0; n < here.size(); ++n) EXPECT_NEAR(here[n], there[n], kNear) << n;
}

struct Kind {
  const char* name;
  std::uint32_t classes;  // 0 for a binary crowd
  Refit refit;
  Coins coins;
};
void PrintTo(const Kind& kind, std::ostream* to) { *to << kind.name; }

CrowdOptions options_of(const Kind& kind) {
  CrowdOptions options{.coins = kind.coins, .refit = kind.refit, .refit_every = 5};
  if (kind.classes > 0) options.item_prior = DirichletPrior::symmetric(kind.classes, 1);
  return options;
}

class Inherited : public testing::TestWithParam<Kind> {
 protected:
  const std::uint32_t classes_ = std::max(GetParam().classes, 2U);

  /// Whole labels of known items: 3 right ones per class, and one wrong one of class 0.
  std::vector<double> counts() const {
    std::vector<double> table(std::size_t{classes_} * classes_);
    for (std::uint32_t k = 0; k < classes_; ++k) table[k * classes_ + k] = 3;
    table[1] = 1;
    return table;
  }
  void label_some(Crowd& crowd, std::uint64_t seed) const {
    Rng rng(seed);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        const bool right = uniform(rng) < 0.8;
        const auto label = static_cast<std::uint32_t>(right ? i : i + 1) % classes_;
        if (i > 0 && below(rng, 4) > 0) crowd.record(ItemId{i}, WorkerId{j}, ClassId{label});
      }
    }
  }
};

/// Crowds where nothing but the worker's own table depends on labels of known items. A pooled crowd
/// of three classes also learns from them where errors go.
class InheritedAlone : public Inherited {};

/// The independent road: a worker who has labelled known items so.
TEST_P(InheritedAlone, IsAsIfTheWorkerHadLabelledKnownItemsSo) {
  CrowdOptions options = options_of(GetParam());
  // Workers with priors of their own teach nothing about each other.
  options.worker_priors = {Prior::beta(3, 0.9), Prior::beta(4, 1), Prior::beta(3, 0.9)};
  const auto told = make_crowd(options, kItems, kWorkers);
  options.inherited = {{}, counts()};
  const auto inherits = make_crowd(options, kItems, kWorkers);
  for (std::uint32_t n = 0; n < classes_ * classes_; ++n) {
    for (int times = 0; times < counts()[n]; ++times)
      told->record_known(WorkerId{kHeir}, ClassId{n / classes_}, ClassId{n % classes_});
  }
  expect_same(*inherits, *told);
  label_some(*inherits, 7);
  label_some(*told, 7);
  expect_same(*inherits, *told);
}

TEST_P(Inherited, StaysThroughGrowthRevisionsAndSnapshots) {
  CrowdOptions options = options_of(GetParam());
  options.inherited = {{}, counts()};
  const auto whole = make_crowd(options, kItems, kWorkers);
  const auto grown = make_crowd(options, kItems, 0);
  grown->grow(kItems, 1);
  grown->grow(kItems, kWorkers);
  expect_same(*grown, *whole);
  label_some(*whole, 3);
  label_some(*grown, 3);
  whole->record(ItemId{0}, WorkerId{0}, ClassId{0});
  grown->record(ItemId{0}, WorkerId{0}, ClassId{1});
  grown->revise(ItemId{0}, WorkerId{0}, ClassId{0});
  whole->revise(ItemId{0}, WorkerId{0}, ClassId{0});
  expect_same(*grown, *whole);
  const auto again = make_crowd(options, kItems, kWorkers);
  const std::string bytes = saved(*whole);
  ByteReader from(bytes);
  again->load(from);
  EXPECT_TRUE(from.done());
  EXPECT_EQ(saved(*again), bytes);
  expect_same(*again, *whole);
}

TEST_P(Inherited, TeachesNothingAboutOtherWorkers) {
  CrowdOptions options = options_of(GetParam());
  options.learn_workers = true;
  const auto plain = make_crowd(options, kItems, kWorkers + 1);
  options.inherited = {{}, {}, {}, counts()};  // of a worker without labels
  const auto inherits = make_crowd(options, kItems, kWorkers + 1);
  label_some(*plain, 5);
  label_some(*inherits, 5);
  expect_same(*inherits, *plain);
  EXPECT_NE(chances(*inherits, kWorkers), chances(*plain, kWorkers));
}

const auto kAlone = testing::Values(
    Kind{"grid", 0, Refit::integrated, Coins::two},
    Kind{"grid_of_one_coin", 0, Refit::integrated, Coins::one},
    Kind{"em", 0, Refit::em, Coins::two}, Kind{"em_of_one_coin", 0, Refit::em, Coins::one},
    Kind{"one_pass", 0, Refit::off, Coins::two},
    Kind{"one_pass_of_one_coin", 0, Refit::off, Coins::one},
    Kind{"tables", 3, Refit::em, Coins::two}, Kind{"tables_of_one_coin", 3, Refit::em, Coins::one},
    Kind{"pooled", 2, Refit::pooled, Coins::two},
    Kind{"one_pass_tables", 3, Refit::off, Coins::two},
    Kind{"one_pass_tables_of_one_coin", 3, Refit::off, Coins::one});
const auto kName = [](const auto& one) { return one.param.name; };
INSTANTIATE_TEST_SUITE_P(Crowds, InheritedAlone, kAlone, kName);
INSTANTIATE_TEST_SUITE_P(Crowds, Inherited, kAlone, kName);
INSTANTIATE_TEST_SUITE_P(CrowdsOfThree, Inherited,
                         testing::Values(Kind{"pooled", 3, Refit::pooled, Coins::two}), kName);

/// Fractions of labels, by hand. The prior is Beta(3, 0.9).
TEST(InheritedFractions, AreAddedToTheCoinsOfEm) {
  CrowdOptions options{.refit = Refit::em};
  options.inherited = {{2.5, 0.5, 0.25, 1.75}};
  const auto crowd = test::binary_crowd(options, 1, 1);
  const Channel mean = (*crowd)[WorkerId{0}].mean;
  EXPECT_NEAR(mean.specificity, (3 + 2.5) / (3.9 + 3), 1e-12);
  EXPECT_NEAR(mean.sensitivity, (3 + 1.75) / (3.9 + 2), 1e-12);
}

TEST(InheritedFractions, WeighThePointsOfTheGrid) {
  CrowdOptions options{.refit = Refit::integrated};
  options.inherited = {{2.5, 0.5, 0.25, 1.75}};
  const auto crowd = test::binary_crowd(options, 1, 1);
  const WorkerGrid grid(options.worker_prior, Coins::two);
  double all = 0, sensitivity = 0, specificity = 0;
  for (std::size_t n = 0; n < grid.size(); ++n) {
    const double s = grid.sensitivity[n], t = grid.specificity[n];
    const double weight = grid.weight[n] * std::pow(t, 2.5) * std::pow(1 - t, 0.5) *
                          std::pow(1 - s, 0.25) * std::pow(s, 1.75);
    all += weight;
    sensitivity += weight * s;
    specificity += weight * t;
  }
  const Channel mean = (*crowd)[WorkerId{0}].mean;
  EXPECT_NEAR(mean.sensitivity, sensitivity / all, 1e-12);
  EXPECT_NEAR(mean.specificity, specificity / all, 1e-12);
}

TEST(InheritedFractions, AreCountsOfPooledTables) {
  CrowdOptions options{.item_prior = DirichletPrior::symmetric(2, 1), .refit = Refit::pooled};
  options.inherited = {{2.5, 0.5, 0.25, 1.75}};
  const auto crowd = test::multiclass_crowd(options, 1, 1);
  const double coin = (3 + 4.25) / (3.9 + 5);
  const auto table = (*crowd)[WorkerId{0}];
  EXPECT_NEAR(table[0], (4 * coin + 2.5) / (4 + 3), 1e-12);
  EXPECT_NEAR(table[3], (4 * coin + 1.75) / (4 + 2), 1e-12);
}

/// A member speaks for itself half of the time before anything is learned.
TEST(InheritedFractions, AMemberInheritsWhatDoesNotRepeatTheView) {
  CrowdOptions options{.item_prior = DirichletPrior::symmetric(2, 1), .refit = Refit::pooled};
  options.inherited = {{2.5, 0.5, 0.25, 1.75}};
  options.groups = {1, 1};
  const auto crowd = test::multiclass_crowd(options, 1, 2);
  const double coin = (3 + 4.25 / 2) / (3.9 + 2.5);
  EXPECT_NEAR(crowd->groups().own(WorkerId{0})[0], (4 * coin + 1.25) / (4 + 1.5), 1e-12);
  EXPECT_NEAR(crowd->groups().own(WorkerId{0})[3], (4 * coin + 0.875) / (4 + 1), 1e-12);
  const auto none = test::multiclass_crowd(
      {.item_prior = options.item_prior, .refit = Refit::pooled, .groups = options.groups}, 1, 2);
  EXPECT_EQ(chances(*crowd, 1), chances(*none, 1)) << "the view does not move";
}

TEST(InheritedFractions, MustBeATableOfTheClasses) {
  for (const std::vector<double>& table :
       {std::vector<double>{1, 2}, std::vector<double>{1, 2, 3, -1},
        std::vector<double>{1, 2, 3, INFINITY}}) {
    CrowdOptions options;
    options.inherited = {table};
    EXPECT_THROW(make_crowd(options, 1, 1), std::invalid_argument);
  }
}

}  // namespace
}  // namespace allot::model::inherited_test
