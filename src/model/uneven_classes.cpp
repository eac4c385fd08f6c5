#include "model/uneven_classes.hpp"

#include <algorithm>
#include <cmath>

namespace allot::model {
namespace {

/// Variances of u_k: of a crowd that leans, of one worker alone, and of uneven classes.
constexpr double kCrowdLean = 0.42 * 0.42, kOwnLean = 1.2 * 1.2, kUneven = 1.5 * 1.5;
/// Odds of uneven classes before any label.
constexpr double kOdds = 0.5;

/// How many workers the spread of one worker alone is worth before any label.
constexpr double kPriorWorkers = 0.5;

/// log n_k, less the mean over the classes.
std::vector<double> centred_logs(std::vector<double> counts) {
  double mean = 0;
  for (double& count : counts) mean += count = std::log(count);
  for (double& count : counts) count -= mean / static_cast<double>(counts.size());
  return counts;
}

/// The variance of the lean of one worker around the crowd's, from how the workers differ. Each
/// worker counts by their labels; the error of counting is taken off.
double own_lean(const MulticlassLabelsByWorker& labels, const std::vector<double>& crowd,
                double all, double workers) {
  const auto classes = static_cast<double>(crowd.size());
  double seen = 0;
  for (const auto& given : labels) {
    if (given.empty()) continue;
    std::vector<double> counts(crowd.size(), 0.5);
    for (const auto& [item, label, confidence] : given) counts[label] += 1;
    const std::vector<double> own = centred_logs(counts);
    double squares = 0;
    for (std::size_t k = 0; k < own.size(); ++k)
      squares += (own[k] - crowd[k]) * (own[k] - crowd[k]) - 1 / counts[k];
    seen += static_cast<double>(given.size()) / all * std::max(0.0, squares) / (classes - 1);
  }
  // The crowd's lean is that of the same workers, which takes one of them.
  return (kPriorWorkers * kOwnLean + workers * seen) / (kPriorWorkers + workers - 1);
}

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
  if (all == 0) return std::log(kOdds);
  const std::vector<double> leans_to = centred_logs(of_class);
  const double workers = all * all / squares;
  const double apart = own_lean(labels, leans_to, all, workers) / workers;
  double log_odds = 0;
  for (std::size_t k = 0; k < of_class.size(); ++k) {
    const double q = leans_to[k], noise = apart + 1 / of_class[k];
    const double leans = kCrowdLean + noise, uneven = kUneven + noise;
    // The q_k add up to 0, so that one of them follows from the others.
    const double free = (classes - 1.0) / classes;
    log_odds += 0.5 * (free * std::log(leans / uneven) + q * q / leans - q * q / uneven);
  }
  return log_odds + std::log(kOdds);
}

}  // namespace allot::model
