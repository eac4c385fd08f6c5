#include "model/uneven_classes.hpp"

#include <cmath>

namespace allot::model {
namespace {

/// Variances of u_k: of a crowd that leans, of one worker alone, and of uneven classes.
constexpr double kCrowdLean = 0.42 * 0.42, kOwnLean = 1.2 * 1.2, kUneven = 1.5 * 1.5;
/// Odds of uneven classes before any label.
constexpr double kOdds = 0.5;

}  // namespace

double log_odds_of_uneven_classes(const MulticlassLabelsByWorker& labels, std::uint32_t classes) {
  std::vector<double> of_class(classes, 0.5);
  double all = 0, squares = 0;
  for (const auto& given : labels) {
    const auto count = static_cast<double>(given.size());
    all += count;
    squares += count * count;
    for (const auto& [item, label, confidence] : given) of_class[label] += 1;
  }
  double mean = 0;
  for (const double count : of_class) mean += std::log(count) / classes;
  const double own_lean = all > 0 ? kOwnLean * squares / (all * all) : kOwnLean;
  double log_odds = 0;
  for (const double count : of_class) {
    const double q = std::log(count) - mean, noise = own_lean + 1 / count;
    const double leans = kCrowdLean + noise, uneven = kUneven + noise;
    // The q_k add up to 0, so that one of them follows from the others.
    const double free = (classes - 1.0) / classes;
    log_odds += 0.5 * (free * std::log(leans / uneven) + q * q / leans - q * q / uneven);
  }
  return log_odds + std::log(kOdds);
}

}  // namespace allot::model
