// The possible coins of a worker, as points with weights, and a Beta prior learned on them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// Cell midpoints: ten per coin for two coins, forty for one. The prior weight of a point is the
/// mass of its cell, so sharp priors keep their mass.
struct WorkerGrid {
  /// The number of points is a multiple of this.
  static constexpr std::size_t kPart = 4;

  WorkerGrid(const Prior& prior, Coins coins);

  std::size_t size() const { return weight.size(); }
  /// Moments of the coins under weights that sum to 1.
  WorkerState state(const double* weights) const;

  std::vector<double> sensitivity, specificity, weight;
};

/// The belief about priors before the first label.
struct GridHyperPrior {
  /// The prior from which learning starts.
  math::BetaShape start;
  /// n: the weight of the start in draws. Positive.
  double draws;
  /// Standard deviation of the log strength around that of the start. Positive.
  double log_strength_spread;
  /// The mean stays from here to 0.99: 1/2 for workers, because labels of workers who are mostly
  /// wrong look the same with the classes swapped.
  double least_mean;
};

/// A Beta prior learned from likelihoods: empirical Bayes where the draws themselves are not seen.
///
/// The labels of a worker give a likelihood of the coins at the points of a grid. The estimate
/// maximises the product over workers times a hyper-prior:
///   sum_j log sum_k w_k(a,b) L_jk  +  n (m0 log m + (1 - m0) log(1 - m))
///                                  -  (log s - log s0)^2 / (2 spread^2),
/// with w_k the mass of the k-th cell, mean m = a / (a+b), strength s = a + b, and m0 and s0 those
/// of the prior from which learning starts. Without labels that prior is kept, few labels move it
/// little, and labels that are all right leave a mean below 1.
///
/// Estimates lie on a lattice around the start, with steps of 1/4 in the log-odds of the mean and
/// of log(2)/2 in the log strength. Labels do not determine finer differences, and estimates that
/// stay equal cost nothing. The search climbs from the start, so it never jumps to a far optimum.
///
/// Cost: 20 to 50 points of the lattice, each workers x nodes multiply-adds; masses are cached.
class GridPriorFit {
 public:
  GridPriorFit(Coins coins, const GridHyperPrior& hyper);

  /// The estimate from likelihoods: a value per draw and point of WorkerGrid, in any scale.
  math::BetaShape operator()(std::span<const double> likelihoods);

  /// The objective above at a prior, without constants of the likelihoods.
  double objective(std::span<const double> likelihoods, const math::BetaShape& prior) const;

 private:
  struct Place {
    int mean, strength;  // steps from the start
    auto operator<=>(const Place&) const = default;
  };
  math::BetaShape shape(const Place& place) const;
  bool is_allowed(const Place& place) const;
  const std::vector<double>& masses(const Place& place);
  double value(std::span<const double> likelihoods, const math::BetaShape& prior,
               const std::vector<double>& masses) const;

  const Coins coins_;
  const GridHyperPrior hyper_;
  std::map<Place, std::vector<double>> masses_;
};

/// Multiplies a likelihood over a grid of one coin by that of a label, u rho + v (1 - rho) at every
/// point, and scales it to a maximum of 1.
void absorb_linear(double u, double v, std::span<double> likelihood);

/// Labels between two estimates in one pass; equal to the setting for workers who are alike.
inline constexpr std::uint32_t kLearnEvery = PriorLearning{}.every;

/// Chosen on temp, bluebirds and rte (refits by bp, opt-kg and scout, 10 to 50 % of the labels, 10
/// runs). With scout, draws 4 and 10 with spreads 1/2 and 1 differ by chance only; 4 and 1 lose
/// nothing with opt-kg either. docs/replays.md shows the gain from learning.
inline GridHyperPrior worker_hyper_prior(const Prior& start) {
  return {.start = matched(start), .draws = 4, .log_strength_spread = 1, .least_mean = 0.5};
}

}  // namespace allot::model
