#include "model/multiclass_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "allot/base/rng.hpp"

namespace allot::model::multiclass_regression_test {
namespace {

Design random_design(Rng& rng, std::uint32_t items, std::uint32_t columns) {
  Design design;
  design.item_count = items;
  design.column_count = columns;
  for (std::uint32_t n = 0; n < items * columns; ++n) {
    design.values.push_back(2 * uniform(rng) - 1);
  }
  for (std::uint32_t c = 0; c < columns; ++c) design.columns.push_back("f");
  return design;
}

std::vector<std::uint32_t> all_of(std::uint32_t items) {
  std::vector<std::uint32_t> result(items);
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

/// The log of what the fit maximises, apart from constants.
double objective(const Design& design, const std::vector<double>& wanted,
                 const std::vector<std::vector<double>>& weights, double variance) {
  double result = 0;
  const std::size_t classes = weights.size();
  for (std::uint32_t i = 0; i < design.item_count; ++i) {
    std::vector<double> logit(classes);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::uint32_t j = 0; j < design.column_count; ++j) {
        logit[c] += weights[c][j] * design.values[i * design.column_count + j];
      }
      sum += std::exp(logit[c]);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      result += wanted[i * classes + c] * (logit[c] - std::log(sum));
    }
  }
  for (const auto& one : weights) {
    for (const double w : one) result -= w * w / (2 * variance);
  }
  return result;
}

/// Predictions by the definition: the mode climbed to coordinate by coordinate, the covariance by
/// Gauss-Jordan.
std::vector<double> plain_predictions(const Design& design, const std::vector<double>& wanted,
                                      std::size_t classes, double variance) {
  std::vector<std::vector<double>> weights(classes, std::vector<double>(design.column_count));
  for (double step = 1; step > 1e-7; step /= 2) {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& one : weights) {
        for (double& w : one) {
          for (const double by : {step, -step}) {
            const double before = objective(design, wanted, weights, variance);
            w += by;
            if (objective(design, wanted, weights, variance) > before + 1e-13) {
              moved = true;
            } else {
              w -= by;
            }
          }
        }
      }
    }
  }
  const std::size_t p = design.column_count;
  std::vector<double> a(p * p), inverse(p * p), logits, result;
  for (std::uint32_t i = 0; i < design.item_count; ++i) {
    std::vector<double> share(classes);
    double sum = 0, squares = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      double logit = 0;
      for (std::size_t j = 0; j < p; ++j) logit += weights[c][j] * design.values[i * p + j];
      logits.push_back(logit);
      sum += share[c] = std::exp(logit);
    }
    for (const double s : share) squares += s * s / (sum * sum);
    double missing = 1;
    for (std::size_t c = 0; c < classes; ++c) missing -= std::pow(wanted[i * classes + c], 2);
    const double known = std::max(0.0, 1 - squares - missing) / static_cast<double>(classes);
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        a[j * p + k] += known * design.values[i * p + j] * design.values[i * p + k];
      }
    }
  }
  for (std::size_t j = 0; j < p; ++j) a[j * p + j] += 1 / variance, inverse[j * p + j] = 1;
  for (std::size_t j = 0; j < p; ++j) {
    const double pivot = a[j * p + j];
    for (std::size_t k = 0; k < p; ++k) a[j * p + k] /= pivot, inverse[j * p + k] /= pivot;
    for (std::size_t r = 0; r < p; ++r) {
      if (r == j) continue;
      const double factor = a[r * p + j];
      for (std::size_t k = 0; k < p; ++k) {
        a[r * p + k] -= factor * a[j * p + k];
        inverse[r * p + k] -= factor * inverse[j * p + k];
      }
    }
  }
  for (std::uint32_t i = 0; i < design.item_count; ++i) {
    double s2 = 0, sum = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        s2 += design.values[i * p + j] * inverse[j * p + k] * design.values[i * p + k];
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      result.push_back(
          std::exp(logits[i * classes + c] / std::sqrt(1 + std::numbers::pi / 8 * s2)));
      sum += result.back();
    }
    for (std::size_t c = 0; c < classes; ++c) result[i * classes + c] /= sum;
  }
  return result;
}

TEST(MulticlassRegression, IsTheIntegratedSoftmaxOfTheMostProbableWeights) {
  Rng rng(1);
  const Design design = random_design(rng, 8, 2);
  std::vector<double> wanted;
  for (int i = 0; i < 8; ++i) {
    const double p = uniform(rng), q = (1 - p) * uniform(rng);
    wanted.insert(wanted.end(), {p, q, 1 - p - q});
  }
  const auto labelled = all_of(8);
  MulticlassRegression regression(design, {std::vector(3, 1 / 3.0), 0.7}, labelled);
  regression.climb(wanted, 500);
  const std::vector<double> found = regression.log_predictions();
  const std::vector<double> plain = plain_predictions(design, wanted, 3, 0.7);
  for (std::size_t n = 0; n < plain.size(); ++n) EXPECT_NEAR(std::exp(found[n]), plain[n], 1e-5);
}

TEST(MulticlassRegression, WithoutLabelsPredictsTheShares) {
  Rng rng(2);
  const Design design = random_design(rng, 5, 3);
  const std::vector<std::uint32_t> nobody;
  const MulticlassRegression regression(design, {{0.7, 0.2, 0.1}, 1}, nobody);
  const std::vector<double> found = regression.log_predictions();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(std::exp(found[3 * i]), 0.7, 1e-12);
    EXPECT_NEAR(std::exp(found[3 * i + 2]), 0.1, 1e-12);
  }
}

TEST(MulticlassRegression, StaysFiniteOnSeparableItemsWithMoreColumnsThanItems) {
  Rng rng(3);
  const Design design = random_design(rng, 6, 20);
  std::vector<double> wanted;
  for (int i = 0; i < 6; ++i) wanted.insert(wanted.end(), {i < 3 ? 1.0 : 0.0, i < 3 ? 0.0 : 1.0});
  const auto labelled = all_of(6);
  MulticlassRegression regression(design, {{0.5, 0.5}, 100}, labelled);
  regression.climb(wanted, 500);
  const std::vector<double> found = regression.log_predictions();
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(std::isfinite(found[2 * i]) && std::isfinite(found[2 * i + 1]));
    EXPECT_GT(found[2 * i + (i < 3 ? 0 : 1)], std::log(0.5));
  }
}

}  // namespace
}  // namespace allot::model::multiclass_regression_test
