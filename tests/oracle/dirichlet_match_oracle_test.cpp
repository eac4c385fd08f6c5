// The matched Dirichlet against the moments of the mixture, component by component at 60 digits.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/math/beta_match.hpp"
#include "allot/math/dirichlet_match.hpp"
#include "support/pair_states.hpp"
#include "support/wide_number.hpp"

namespace allot::test::dirichlet_match_oracle_test {
namespace {

struct Mixture {
  std::vector<double> alpha, weights;
  double none = 0;
};

/// Mean of every share, and the sum of their second moments.
struct Moments {
  std::vector<Wide> mean;
  Wide square = 0;

  explicit Moments(std::size_t classes) : mean(classes) {}

  void add(const Wide& weight, const std::vector<Wide>& alpha) {
    Wide sum = 0;
    for (const Wide& a : alpha) sum += a;
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      mean[c] += weight * alpha[c] / sum;
      square += weight * alpha[c] * (alpha[c] + 1) / (sum * (sum + 1));
    }
  }
};

Moments moments(const Mixture& mixture) {
  Moments result(mixture.alpha.size());
  std::vector<Wide> alpha(mixture.alpha.begin(), mixture.alpha.end());
  Wide all = mixture.none;
  for (const double w : mixture.weights) all += w;
  result.add(mixture.none / all, alpha);
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    alpha[k] += 1;
    result.add(mixture.weights[k] / all, alpha);
    alpha[k] -= 1;
  }
  return result;
}

Mixture random_mixture(Rng& rng, bool with_none) {
  Mixture result;
  const std::size_t classes = 2 + below(rng, 6);
  double all = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    result.alpha.push_back(log_uniform(rng, 1e-2, 1e4));
    result.weights.push_back(below(rng, 4) == 0 ? 0 : log_uniform(rng, 1e-9, 1));
    all += result.weights.back();
  }
  result.none = with_none ? log_uniform(rng, 1e-9, 1) : 0;
  if (all + result.none == 0) all = result.weights[0] = 1;
  const double sum = all + result.none;
  for (double& w : result.weights) w /= sum;
  result.none /= sum;
  return result;
}

TEST(DirichletMatchOracle, HasTheMeanAndTheSpreadOfTheMixture) {
  Rng rng(1);
  for (int n = 0; n < 2000; ++n) {
    const Mixture mixture = random_mixture(rng, n % 2 == 0);
    const Moments wanted = moments(mixture);
    std::vector<double> alpha = mixture.alpha;
    math::match_grown(alpha, mixture.weights, mixture.none);
    // From the moments at 60 digits, by differences.
    Wide mean_squares = 0;
    for (const Wide& m : wanted.mean) mean_squares += m * m;
    const Wide strength = (1 - wanted.square) / (wanted.square - mean_squares);
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      const double exact = static_cast<double>(wanted.mean[c] * strength);
      EXPECT_NEAR(alpha[c], exact, 1e-12 * exact) << "mixture " << n << ", class " << c;
    }
  }
}

TEST(DirichletMatchOracle, OfTwoClassesMatchesTheBeta) {
  Rng rng(2);
  for (int n = 0; n < 2000; ++n) {
    const math::BetaShape shape{log_uniform(rng, 1e-2, 1e4), log_uniform(rng, 1e-2, 1e4)};
    const double u = uniform(rng), v = uniform(rng), w = shape.a * u, not_w = shape.b * v;
    std::vector<double> alpha{shape.b, shape.a};
    math::match_grown(alpha, std::vector{not_w / (w + not_w), w / (w + not_w)});
    const math::BetaShape wanted = math::matched_after(shape, u, v);
    EXPECT_NEAR(alpha[1], wanted.a, 1e-12 * wanted.a);
    EXPECT_NEAR(alpha[0], wanted.b, 1e-12 * wanted.b);
  }
}

}  // namespace
}  // namespace allot::test::dirichlet_match_oracle_test
