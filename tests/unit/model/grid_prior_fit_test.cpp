#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "allot/base/rng.hpp"
#include "model/worker_grid.hpp"

namespace allot::model::grid_prior_fit_test {
namespace {

using math::BetaShape;

constexpr GridHyperPrior kHyper{{3, 0.9}, 4, 1, 0.5};

/// Labels of a worker about items whose class is known, by the coin that was tossed.
struct Tosses {
  double right, wrong;
};

/// rho^right (1 - rho)^wrong at the points of the grid.
std::vector<double> likelihoods(const std::vector<Tosses>& workers) {
  const WorkerGrid grid({}, Coins::one);
  std::vector<double> result;
  for (const auto& [right, wrong] : workers) {
    std::vector<double> one(grid.size(), 1);
    for (int n = 0; n < right; ++n) absorb_linear(1, 0, one);
    for (int n = 0; n < wrong; ++n) absorb_linear(0, 1, one);
    result.insert(result.end(), one.begin(), one.end());
  }
  return result;
}

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

/// By Beta functions and in closed form: no grid.
double exact_objective(const std::vector<Tosses>& workers, const BetaShape& prior,
                       const GridHyperPrior& hyper = kHyper) {
  double sum = 0;
  for (const auto& [right, wrong] : workers)
    sum += log_beta(prior.a + right, prior.b + wrong) - log_beta(prior.a, prior.b);
  const double m0 = hyper.start.mean(), m = prior.mean();
  const double off = std::log((prior.a + prior.b) / (hyper.start.a + hyper.start.b));
  return sum + hyper.draws * (m0 * std::log(m) + (1 - m0) * std::log1p(-m)) -
         off * off / 2 / hyper.log_strength_spread / hyper.log_strength_spread;
}

std::vector<Tosses> drawn(std::uint64_t seed, const BetaShape& truth, int workers, int labels) {
  Rng rng(seed);
  std::vector<Tosses> result;
  for (int j = 0; j < workers; ++j) {
    const double rho = beta(rng, truth.a, truth.b);
    Tosses tosses{0, 0};
    for (int n = 0; n < labels; ++n) (uniform(rng) < rho ? tosses.right : tosses.wrong) += 1;
    result.push_back(tosses);
  }
  return result;
}

BetaShape with(double mean, double strength) { return {mean * strength, (1 - mean) * strength}; }

/// As far as 40 cells tell: priors that crowd into the last cell are seen as its midpoint.
TEST(GridPriorFit, SeesTheMarginalLikelihood) {
  const GridPriorFit fit(Coins::one, kHyper);
  const std::vector<Tosses> workers = drawn(1, {4, 2}, 12, 10);
  const std::vector<double> seen = likelihoods(workers);
  const BetaShape base{3, 0.9};
  for (const double mean : {0.5, 0.6, 0.75}) {
    for (const double strength : {4.0, 16.0, 64.0}) {
      const BetaShape prior = with(mean, strength);
      EXPECT_NEAR(fit.objective(seen, prior) - fit.objective(seen, base),
                  exact_objective(workers, prior) - exact_objective(workers, base), 0.15)
          << mean << " " << strength;
    }
  }
}

TEST(GridPriorFit, SeesTwoCoinsAsTwoDraws) {
  const WorkerGrid grid({}, Coins::two);
  std::vector<double> both(grid.size());  // 6 of 8 right with one coin, 3 of 4 with the other
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const double s = grid.sensitivity[k], t = grid.specificity[k];
    both[k] = std::pow(s, 6) * std::pow(1 - s, 2) * std::pow(t, 3) * (1 - t);
  }
  const GridPriorFit fit(Coins::two, kHyper);
  const std::vector<Tosses> coins{{6, 2}, {3, 1}};
  const BetaShape base{3, 0.9}, other = with(0.6, 8);
  EXPECT_NEAR(fit.objective(both, other) - fit.objective(both, base),
              exact_objective(coins, other) - exact_objective(coins, base), 0.1);
}

/// All points of the lattice, by the exact objective. Differences far below 1 are not in the
/// labels.
TEST(GridPriorFit, FindsTheBestOfTheLattice) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const BetaShape truth =
        with(0.55 + 0.02 * static_cast<double>(seed), 2.0 + 2 * static_cast<double>(seed % 7));
    const std::vector<Tosses> workers = drawn(seed, truth, 30, 12);
    double best = -std::numeric_limits<double>::infinity();
    for (int i = -6; i <= 14; ++i) {
      for (int k = -8; k <= 12; ++k) {
        const double u = std::log(3 / 0.9) + i * 0.25, s = 3.9 * std::exp2(0.5 * k);
        const BetaShape prior = with(1 / (1 + std::exp(-u)), s);
        if (prior.mean() < 0.5 || prior.mean() > 0.99 || s < 0.5 || s > 200) continue;
        best = std::max(best, exact_objective(workers, prior));
      }
    }
    const BetaShape found = GridPriorFit(Coins::one, kHyper)(likelihoods(workers));
    EXPECT_NEAR(exact_objective(workers, found), best, 0.3) << seed;
  }
}

TEST(GridPriorFit, FindsWhereWorkersCameFrom) {
  for (const BetaShape truth : {with(0.6, 20), with(0.9, 4), with(0.75, 2)}) {
    const BetaShape found = GridPriorFit(Coins::one, kHyper)(likelihoods(drawn(3, truth, 400, 30)));
    EXPECT_NEAR(found.mean(), truth.mean(), 0.03);
    EXPECT_NEAR(std::log(found.a + found.b), std::log(truth.a + truth.b), 0.5);
  }
}

TEST(GridPriorFit, KeepsTheStartWhereLabelsSayNothing) {
  for (const Coins coins : {Coins::one, Coins::two}) {
    GridPriorFit fit(coins, kHyper);
    const auto near_start = [](const BetaShape& found) {
      return std::abs(found.a - 3) < 1e-12 && std::abs(found.b - 0.9) < 1e-12;
    };
    EXPECT_TRUE(near_start(fit({})));
    const std::vector<double> flat(WorkerGrid({}, coins).size() * 50, 0.3);
    EXPECT_TRUE(near_start(fit(flat)));
  }
}

TEST(GridPriorFit, StaysInBoundsWhateverItIsTold) {
  GridPriorFit fit(Coins::one, kHyper);
  for (const Tosses& all : {Tosses{1, 0}, {0, 1}, {200, 0}, {0, 200}, {100, 100}}) {
    for (const int workers : {1, 3, 200}) {
      const auto [a, b] =
          fit(likelihoods(std::vector<Tosses>(static_cast<std::size_t>(workers), all)));
      EXPECT_TRUE(a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b));
      EXPECT_GE(a / (a + b), 0.5 - 1e-12);
      EXPECT_LE(a / (a + b), 0.99);
      EXPECT_LE(a + b, 200);
      if (workers == 1) {
        EXPECT_NEAR(a / (a + b), 3 / 3.9, 0.23) << "one worker is one draw";
      }
    }
  }
  EXPECT_THROW(GridPriorFit(Coins::one, {{3, 1}, 0, 1, 0.5}), std::invalid_argument);
  EXPECT_THROW(GridPriorFit(Coins::one, {{3, 1}, 1, 0, 0.5}), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model::grid_prior_fit_test
