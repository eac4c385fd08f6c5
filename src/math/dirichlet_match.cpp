#include "allot/math/dirichlet_match.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace allot::math {
namespace {

/// The smallest parameter that dirichlet_win accepts.
constexpr double kLeast = 1e-8;

/// For each class the sum of the terms of the other classes, computed without differences.
template <typename Term>
std::vector<double> others(std::size_t count, Term term) {
  std::vector<double> result(count);
  double before = 0, after = 0;
  for (std::size_t c = 0; c < count; before += term(c++)) result[c] = before;
  for (std::size_t c = count; c-- > 0; after += term(c)) result[c] += after;
  return result;
}

double product(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

void match_grown(std::span<double> alpha, std::span<const double> weights, double none) {
  for (std::size_t c = 0; c < alpha.size(); ++c) {
    if (weights[c] != 1) continue;
    alpha[c] += 1;
    return;
  }
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  const double grown = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (grown == 0) return;
  const double next = sum + 1;
  const std::vector<double> rest = others(alpha.size(), [&](std::size_t c) { return alpha[c]; });

  // Sums of products of the counts of two different classes, before and after the growth.
  const double before = product(alpha, rest), after = grown * before + 2 * product(weights, rest);
  const double apart = none * before / (sum * next) + after / (next * (next + 1));

  // theta_c has the variance a (s - a) / (s^2 (s + 1)) where its count is a of s.
  const double within = none * before / (sum * sum * next) + after / (next * next * (next + 1));
  // Means of grown components differ from each other by (e_k - e_l) / (S+1), and from the component
  // that did not grow by (e_k - alpha/S) / (S+1).
  double between =
      product(weights, others(weights.size(), [&](std::size_t c) { return weights[c]; }));
  if (none > 0) {
    const auto squares = others(alpha.size(), [&](std::size_t c) { return alpha[c] * alpha[c]; });
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      between += none * weights[c] * (rest[c] * rest[c] + squares[c]) / (sum * sum);
    }
  }

  const double strength = apart / (within + between / (next * next));
  for (std::size_t c = 0; c < alpha.size(); ++c) {
    const double mean = none * alpha[c] / sum + (grown * alpha[c] + weights[c]) / next;
    alpha[c] = std::max(mean * strength, kLeast);
  }
}

}  // namespace allot::math
