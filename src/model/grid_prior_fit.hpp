// A Beta prior learned through doubt: empirical Bayes where nobody sees what is drawn.
//
// Every worker has one or two coins, drawn from one Beta(a,b) that nobody knows. What the labels
// say of a worker is a likelihood of the coins, known at the points of a grid. The prior is the one
// that makes the product over workers, times a hyper-prior, as large as it can be:
//   sum_j log sum_k w_k(a,b) L_jk  +  n (m0 log m + (1 - m0) log(1 - m))
//                                  -  (log s - log s0)^2 / (2 spread^2),
// with w_k the mass of the k-th cell, mean m = a / (a+b), strength s = a + b, and m0 and s0 those
// of the prior from which learning starts. So without labels that one is kept, few labels move it
// little, and labels that are all right leave a mean below 1.
//
// Estimates lie on a lattice: steps of 1/4 of the log-odds of the mean and of log(2)/2 of the log
// strength, around the start; finer differences are not in the labels, and estimates that stay the
// same cost nothing. The best is found by climbing from the start, so a far optimum is never jumped
// to.
//
// Cost: some 20 to 50 points of the lattice, each workers x nodes multiply-adds; masses are kept.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/worker_state.hpp"
#include "model/worker_grid.hpp"

namespace allot::model {

struct GridHyperPrior {
  /// Where learning starts.
  math::BetaShape start;
  /// n: so many draws more, as the start has them. Positive.
  double draws;
  /// Standard deviation of the log strength around that of the start. Positive.
  double log_strength_spread;
  /// The mean stays from here to 0.99: 1/2 for workers, because labels of workers who are mostly
  /// wrong look the same with the classes swapped.
  double least_mean;
};

class GridPriorFit {
 public:
  GridPriorFit(Coins coins, const GridHyperPrior& hyper);

  /// From likelihoods one draw after the other, a value a point of WorkerGrid in its order, each
  /// known up to a factor.
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

/// What a label does to a likelihood over a grid of one coin: u rho + v (1 - rho) at every point,
/// scaled to a largest of 1.
void absorb_linear(double u, double v, std::span<double> likelihood);

}  // namespace allot::model
