// What belief propagation approximates: the exact posterior by summing over all answers.
#pragma once

#include <cstdint>
#include <vector>

#include "model/by_worker.hpp"
#include "model/worker_grid.hpp"

namespace allot::test {

struct ExactFit {
  std::vector<double> positive;  // by item
  std::vector<double> weights;   // by worker and point of the grid
};

/// Items are positive with probability `share`, independently; each worker's coins are one of the
/// grid's points. 2^items terms.
inline ExactFit enumerate(const model::LabelsByWorker& labels, std::uint32_t item_count,
                          const model::WorkerGrid& grid, double share) {
  const std::size_t points = grid.size();
  ExactFit fit{std::vector<double>(item_count), std::vector<double>(labels.size() * points)};
  double total = 0;
  for (std::uint32_t truth = 0; truth < (1U << item_count); ++truth) {
    const auto is_positive = [&](std::uint32_t item) { return (truth >> item & 1U) != 0; };
    double joint = 1;
    for (std::uint32_t i = 0; i < item_count; ++i) joint *= is_positive(i) ? share : 1 - share;
    std::vector<double> likelihoods(labels.size() * points), evidence(labels.size());
    for (std::size_t j = 0; j < labels.size(); ++j) {
      for (std::size_t k = 0; k < points; ++k) {
        double& one = likelihoods[j * points + k];
        one = grid.weight[k];
        for (const auto& [item, label] : labels[j]) {
          const double right = is_positive(item) ? grid.sensitivity[k] : grid.specificity[k];
          one *= (label == Label::positive) == is_positive(item) ? right : 1 - right;
        }
        evidence[j] += one;
      }
      joint *= evidence[j];
    }
    total += joint;
    for (std::uint32_t i = 0; i < item_count; ++i) fit.positive[i] += is_positive(i) ? joint : 0;
    for (std::size_t j = 0; j < labels.size(); ++j) {
      for (std::size_t k = 0; k < points; ++k) {
        fit.weights[j * points + k] += joint * likelihoods[j * points + k] / evidence[j];
      }
    }
  }
  for (double& one : fit.positive) one /= total;
  for (double& one : fit.weights) one /= total;
  return fit;
}

}  // namespace allot::test
