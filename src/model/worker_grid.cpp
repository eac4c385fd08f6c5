#include "model/worker_grid.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "allot/base/check.hpp"

namespace allot::model {
namespace {

constexpr std::size_t kOneCoinCells = 40, kTwoCoinCells = 10;
static_assert(kOneCoinCells % WorkerGrid::kPart == 0 &&
              kTwoCoinCells * kTwoCoinCells % WorkerGrid::kPart == 0);

/// Mass of Beta(a,b) in each of `cells` equal parts of [0, 1], by the tail on their side.
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

constexpr double kMeanStep = 0.25, kStrengthStep = std::numbers::ln2 / 2;
constexpr double kMostMean = 0.99, kLeastLearnedStrength = 0.5, kMostLearnedStrength = 200;

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

GridPriorFit::GridPriorFit(Coins coins, const GridHyperPrior& hyper)
    : coins_(coins), hyper_(hyper) {
  constexpr std::string_view kName = "GridPriorFit";
  require(hyper.draws > 0, kName, "draws", hyper.draws, "expected more than 0");
  require(hyper.log_strength_spread > 0, kName, "log_strength_spread", hyper.log_strength_spread,
          "expected more than 0");
}

math::BetaShape GridPriorFit::shape(const Place& place) const {
  const auto [a, b] = hyper_.start;
  const double u = std::log(a / b) + place.mean * kMeanStep;
  const double s = (a + b) * std::exp(place.strength * kStrengthStep);
  return {s / (1 + std::exp(-u)), s / (1 + std::exp(u))};
}

/// The start is always allowed.
bool GridPriorFit::is_allowed(const Place& place) const {
  if (place == Place{0, 0}) return true;
  const math::BetaShape prior = shape(place);
  const double s = prior.a + prior.b;
  return prior.mean() >= hyper_.least_mean && prior.mean() <= kMostMean &&
         s >= kLeastLearnedStrength && s <= kMostLearnedStrength;
}

const std::vector<double>& GridPriorFit::masses(const Place& place) {
  std::vector<double>& known = masses_[place];
  if (known.empty()) {
    const auto [a, b] = shape(place);
    known = WorkerGrid(Prior::beta(a, b), coins_).weight;
  }
  return known;
}

double GridPriorFit::value(std::span<const double> likelihoods, const math::BetaShape& prior,
                           const std::vector<double>& masses) const {
  double sum = 0;
  for (std::size_t from = 0; from < likelihoods.size(); from += masses.size()) {
    double marginal = 0;
    for (std::size_t k = 0; k < masses.size(); ++k) marginal += masses[k] * likelihoods[from + k];
    sum += std::log(std::max(marginal, std::numeric_limits<double>::min()));
  }
  const double m0 = hyper_.start.mean(), m = prior.mean();
  const double off = std::log((prior.a + prior.b) / (hyper_.start.a + hyper_.start.b)) /
                     hyper_.log_strength_spread;
  return sum + hyper_.draws * (m0 * std::log(m) + (1 - m0) * std::log(1 - m)) - off * off / 2;
}

double GridPriorFit::objective(std::span<const double> likelihoods,
                               const math::BetaShape& prior) const {
  return value(likelihoods, prior, WorkerGrid(Prior::beta(prior.a, prior.b), coins_).weight);
}

math::BetaShape GridPriorFit::operator()(std::span<const double> likelihoods) {
  std::map<Place, double> values;
  const auto at = [&](const Place& place) {
    const auto [entry, is_new] = values.try_emplace(place);
    if (is_new) entry->second = value(likelihoods, shape(place), masses(place));
    return entry->second;
  };
  Place here{0, 0};
  for (Place best = here;; here = best) {
    for (int i = -1; i <= 1; ++i) {
      for (int k = -1; k <= 1; ++k) {
        const Place next{here.mean + i, here.strength + k};
        if (is_allowed(next) && at(next) > at(best)) best = next;
      }
    }
    if (best == here) return shape(here);
  }
}

void absorb_linear(double u, double v, std::span<double> likelihood) {
  double most = 0;
  for (std::size_t k = 0; k < likelihood.size(); ++k) {
    const double rho = (static_cast<double>(k) + 0.5) / static_cast<double>(likelihood.size());
    likelihood[k] *= u * rho + v * (1 - rho);
    most = std::max(most, likelihood[k]);
  }
  if (most <= 0) return;
  for (double& value : likelihood) value /= most;
}

}  // namespace allot::model
