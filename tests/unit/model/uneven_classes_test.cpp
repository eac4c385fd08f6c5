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

double chance(const std::vector<std::uint32_t>& of_class, std::uint32_t workers = 20) {
  const double log_odds = log_odds_of_uneven_classes(labels_of(of_class, workers),
                                                     static_cast<std::uint32_t>(of_class.size()));
  return 1 / (1 + std::exp(-log_odds));
}

/// Numbers of labels as the model draws them.
std::vector<std::uint32_t> drawn(Rng& rng, bool uneven, std::uint32_t classes, double workers) {
  const double spread = std::sqrt((uneven ? 1.5 * 1.5 : 0.42 * 0.42) + 1.2 * 1.2 / workers);
  std::vector<double> shares(classes);
  double all = 0;
  for (double& share : shares) all += share = std::exp(spread * normal(rng));
  std::vector<std::uint32_t> of_class(classes);
  for (int n = 0; n < 200; ++n) {
    double u = uniform(rng) * all;
    std::size_t k = 0;
    while (k + 1 < classes && u > shares[k]) u -= shares[k++];
    ++of_class[k];
  }
  return of_class;
}

TEST(UnevenClasses, HappenAsOftenAsStated) {
  for (const std::uint32_t classes : {2U, 4U}) {
    Rng rng(classes);
    std::array<double, 5> count{}, stated{}, observed{};
    for (int run = 0; run < 6000; ++run) {
      const bool uneven = uniform(rng) < 1.0 / 3;
      const double said = chance(drawn(rng, uneven, classes, 5), 5);
      const auto bin = std::min<std::size_t>(static_cast<std::size_t>(5 * said), 4);
      count[bin] += 1;
      stated[bin] += said;
      observed[bin] += uneven;
    }
    for (std::size_t bin = 0; bin < count.size(); ++bin) {
      if (count[bin] < 200) continue;
      EXPECT_NEAR(observed[bin] / count[bin], stated[bin] / count[bin], 0.08)
          << classes << " classes, bin " << bin;
    }
  }
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
