#include "model/worker_grid.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <numeric>

namespace allot::model {
namespace {

constexpr std::size_t kOneCoinCells = 40, kTwoCoinCells = 10;
static_assert(kOneCoinCells % WorkerGrid::kPart == 0 &&
              kTwoCoinCells * kTwoCoinCells % WorkerGrid::kPart == 0);

/// Mass of Beta(a,b) in each of `cells` equal parts of [0, 1]. Uses differences of the tail on the
/// side of the part, so that small masses keep their digits.
std::vector<double> cell_masses(double a, double b, std::size_t cells) {
  const auto end = [&](std::size_t k) {
    return static_cast<double>(k) / static_cast<double>(cells);
  };
  std::vector<double> masses(cells);
  for (std::size_t k = 0; k < cells; ++k) {
    masses[k] = end(k) < a / (a + b)
                    ? boost::math::ibeta(a, b, end(k + 1)) - boost::math::ibeta(a, b, end(k))
                    : boost::math::ibetac(a, b, end(k)) - boost::math::ibetac(a, b, end(k + 1));
  }
  return masses;
}

}  // namespace

WorkerGrid::WorkerGrid(const Prior& prior, Coins coins) {
  const std::size_t cells = coins == Coins::one ? kOneCoinCells : kTwoCoinCells;
  const auto midpoint = [&](std::size_t k) {
    return (static_cast<double>(k) + 0.5) / static_cast<double>(cells);
  };
  for (std::size_t s = 0; s < cells; ++s) {
    for (std::size_t t = coins == Coins::one ? s : 0; t < (coins == Coins::one ? s + 1 : cells);
         ++t) {
      sensitivity.push_back(midpoint(s));
      specificity.push_back(midpoint(t));
    }
  }
  weight.assign(sensitivity.size(), 0);
  for (const auto& [share, a, b] : prior.components()) {
    const std::vector<double> mass = cell_masses(a, b, cells);
    for (std::size_t k = 0; k < weight.size(); ++k) {
      weight[k] += share * (coins == Coins::one ? mass[k] : mass[k / cells] * mass[k % cells]);
    }
  }
}

WorkerState WorkerGrid::state(const double* weights) const {
  WorkerState state{{0, 0}, 0, 0, 0};
  for (std::size_t k = 0; k < size(); ++k) {
    const double s = sensitivity[k], t = specificity[k], w = weights[k];
    state.mean.sensitivity += w * s;
    state.mean.specificity += w * t;
    state.sensitivity_squared += w * s * s;
    state.product += w * s * t;
    state.specificity_squared += w * t * t;
  }
  return state;
}

}  // namespace allot::model
