#include "math/gaussian_batch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/every_processor.hpp"
#include "math/lane_exp.hpp"

namespace allot::math {
namespace {

constexpr std::size_t kPart = 256;  // results buffered before they are added up

/// Added to variances, so that an item whose logit does not vary gives 0/tiny = 0, not 0/0.
constexpr double kLeastVariance = 1e-300;

[[gnu::always_inline]] inline double moved_variance(double variance, double g,
                                                    const LogitMove& move) {
  const double moved = variance - move.shrink * g * g, least = variance * move.floor;
  return moved > least ? moved : least;
}

[[gnu::always_inline]] inline double error_probability(double mean, double variance) {
  return lane_normal_tail(std::abs(mean) / std::sqrt(variance + kLeastVariance));
}

[[gnu::always_inline]] inline void add_lanes(const double* values, std::size_t count,
                                             LaneSums& sums) {
  LaneSums lanes = sums;
  for (std::size_t i = 0; i < count; i += lanes.size()) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] += values[i + lane];
  }
  sums = lanes;
}

}  // namespace

double total(const LaneSums& sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

ALLOT_EVERY_PROCESSOR
void error_probabilities(const Logits& logits, double* __restrict error) {
  const double *const mean = logits.mean, *const variance = logits.variance;
  const std::size_t count = logits.count;
  for (std::size_t i = 0; i < count; ++i) error[i] = error_probability(mean[i], variance[i]);
}

ALLOT_EVERY_PROCESSOR
void add_gains(const Logits& logits, const double* __restrict covariance, const LogitMove& by,
               const double* __restrict error, const double* __restrict weight, LaneSums& sums) {
  const double *const mean = logits.mean, *const variance = logits.variance;
  const LogitMove move = by;
  double gain[kPart];
  for (std::size_t start = 0; start < logits.count; start += kPart) {
    const std::size_t count = std::min(kPart, logits.count - start);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = start + i;
      const double g = covariance[at];
      const double after =
          error_probability(mean[at] + g * move.step, moved_variance(variance[at], g, move));
      gain[i] = weight[at] * (error[at] - after);
    }
    add_lanes(gain, count, sums);
  }
}

ALLOT_EVERY_PROCESSOR
void predictive_after(const Logits& logits, const double* __restrict covariance,
                      const LogitMove& by, double* __restrict chance) {
  const double *const mean = logits.mean, *const variance = logits.variance;
  const LogitMove move = by;
  const std::size_t count = logits.count;
  for (std::size_t i = 0; i < count; ++i) {
    const double g = covariance[i];
    const double spread = moved_variance(variance[i], g, move);
    chance[i] =
        lane_logistic((mean[i] + g * move.step) / std::sqrt(1 + spread * (std::numbers::pi / 8)));
  }
}

ALLOT_EVERY_PROCESSOR
void move_logits(const double* __restrict covariance, const LogitMove& by, double* __restrict mean,
                 double* __restrict variance, std::size_t count) {
  const LogitMove move = by;
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] += covariance[i] * move.step;
    variance[i] = moved_variance(variance[i], covariance[i], move);
  }
}

ALLOT_EVERY_PROCESSOR
void add_class_gains(const ClassShares& shares, const double* __restrict now,
                     const double* __restrict weight, LaneSums& sums) {
  const auto [named, unnamed, sum, best, second, all] = shares;
  double gain[kPart];
  for (std::size_t start = 0; start < all; start += kPart) {
    const std::size_t count = std::min(kPart, all - start);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = start + i;
      const double other = unnamed[at] == best[at] ? second[at] : best[at];
      const double largest = named[at] > other ? named[at] : other;
      const double rest = sum[at] - unnamed[at] + named[at];
      gain[i] = weight[at] * (largest / (rest > largest ? rest : largest) - now[at]);
    }
    add_lanes(gain, count, sums);
  }
}

}  // namespace allot::math
