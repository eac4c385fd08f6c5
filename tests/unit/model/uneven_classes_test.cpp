#include "model/uneven_classes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "allot/base/rng.hpp"

namespace allot::model::uneven_classes_test {
namespace {

/// Labels of classes by workers, each worker with the same number.
MulticlassLabelsByWorker labels_of(const std::vector<std::uint32_t>& of_class,
                                   std::uint32_t workers) {
  MulticlassLabelsByWorker labels(workers);
  std::uint32_t item = 0;
  for (std::uint32_t k = 0; k < of_class.size(); ++k) {
    for (std::uint32_t n = 0; n < of_class[k]; ++n, ++item)
      labels[item % workers].push_back({item, k});
  }
  return labels;
}

double chance_of(const MulticlassLabelsByWorker& labels, std::uint32_t classes) {
  return 1 / (1 + std::exp(-log_odds_of_uneven_classes(labels, classes)));
}
double chance(const std::vector<std::uint32_t>& of_class, std::uint32_t workers = 20) {
  return chance_of(labels_of(of_class, workers), static_cast<std::uint32_t>(of_class.size()));
}

/// Labels of workers as the model draws them, 40 each. Workers differ from the crowd by `apart`.
MulticlassLabelsByWorker drawn(Rng& rng, bool uneven, std::uint32_t classes, std::uint32_t workers,
                               double apart) {
  std::vector<double> crowd(classes);
  for (double& lean : crowd) lean = (uneven ? 1.5 : 0.42) * normal(rng);
  MulticlassLabelsByWorker labels(workers);
  std::uint32_t item = 0;
  for (auto& given : labels) {
    std::vector<double> shares(classes);
    double all = 0;
    for (std::size_t k = 0; k < classes; ++k)
      all += shares[k] = std::exp(crowd[k] + apart * normal(rng));
    for (int n = 0; n < 40; ++n) {
      double u = uniform(rng) * all;
      std::uint32_t k = 0;
      while (k + 1 < classes && u > shares[k]) u -= shares[k++];
      given.push_back({item++, k});
    }
  }
  return labels;
}

/// Both where workers differ widely and where they are alike; five workers tell roughly which,
/// and the odds are careful.
TEST(UnevenClasses, HappenAsOftenAsStated) {
  for (const double apart : {0.1, 1.2}) {
    for (const std::uint32_t classes : {2U, 4U}) {
      Rng rng(classes);
      std::array<double, 5> count{}, stated{}, observed{};
      for (int run = 0; run < 6000; ++run) {
        const bool uneven = uniform(rng) < 1.0 / 3;
        const double said = chance_of(drawn(rng, uneven, classes, 5, apart), classes);
        const auto bin = std::min<std::size_t>(static_cast<std::size_t>(5 * said), 4);
        count[bin] += 1;
        stated[bin] += said;
        observed[bin] += uneven;
      }
      for (std::size_t bin = 0; bin < count.size(); ++bin) {
        if (count[bin] < 200) continue;
        const double too_high = (stated[bin] - observed[bin]) / count[bin];
        EXPECT_LT(too_high, 0.1) << classes << " classes, " << apart << " apart, bin " << bin;
        EXPECT_GT(too_high, -0.2) << classes << " classes, " << apart << " apart, bin " << bin;
      }
    }
  }
}

/// Five workers who all name a class four times in five, or who lean each for themselves.
TEST(UnevenClasses, AreMoreLikelyWhereWorkersAgreeOnShares) {
  const MulticlassLabelsByWorker alike = labels_of({400, 100}, 5);
  MulticlassLabelsByWorker apart(5);
  for (std::uint32_t j = 0; j < 5; ++j) {
    for (std::uint32_t n = 0; n < 100; ++n) apart[j].push_back({100 * j + n, j < 4 ? 0U : 1U});
  }
  EXPECT_GT(chance_of(alike, 2), 0.5);
  EXPECT_LT(chance_of(apart, 2), 0.4);
}

TEST(UnevenClasses, AreLessLikelyThanALeaningCrowdWhereSharesAreNearlyEven) {
  EXPECT_LT(chance({100, 100}), 1.0 / 3);
  EXPECT_LT(chance({60, 50, 40, 50}), 0.05);
  EXPECT_GT(chance({180, 20}), 0.6);
  EXPECT_GT(chance({170, 10, 10, 10}), 0.95);
}

TEST(UnevenClasses, CannotBeToldFromTheLeanOfOneWorker) {
  EXPECT_LT(chance({160, 40}, 1), chance({160, 40}, 20));
}

TEST(UnevenClasses, NeedLabels) {
  EXPECT_LT(chance({0, 0}), 0.5);
  EXPECT_LT(chance({3, 1}), chance({300, 100}));
  EXPECT_LT(chance({1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 0.5);
}

}  // namespace
}  // namespace allot::model::uneven_classes_test
