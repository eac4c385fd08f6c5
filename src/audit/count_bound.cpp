#include "audit/count_bound.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace allot::audit {
namespace {

constexpr double kNegligible = 1e-18;  // of the largest mass
constexpr std::uint64_t kMostCells = 2048;

/// Probabilities of the numbers first, first + step, first + 2 step, ...
struct Masses {
  double first = 0;
  double step = 1;
  std::vector<double> mass;
};

/// The mode of the beta-binomial distribution of `others` answers.
std::uint64_t mode(std::uint64_t others, double a, double b) {
  if (b <= 1) return others;
  if (a <= 1) return 0;
  const double peak = (static_cast<double>(others) + 1) * (a - 1) / (a + b - 2);
  return std::min(others, static_cast<std::uint64_t>(peak));
}

/// The beta-binomial distribution, outwards from its mode by
///   Pr(x+1) / Pr(x) = (M-x) (x+a) / ((x+1) (M-x-1+b)),   M the number of answers.
Masses beta_binomial(std::uint64_t others, double a, double b) {
  if (others == 0 || a == 0) return {0, 1, {1}};
  if (b == 0) return {static_cast<double>(others), 1, {1}};
  const auto count = static_cast<double>(others);
  const auto ratio = [&](double x) {
    return (count - x) * (x + a) / ((x + 1) * (count - x - 1 + b));
  };
  const std::uint64_t middle = mode(others, a, b);
  std::vector<double> below, mass{1};
  for (auto x = static_cast<double>(middle); x > 0; --x) {
    const double next = (below.empty() ? 1 : below.back()) / ratio(x - 1);
    if (next < kNegligible) break;
    below.push_back(next);
  }
  for (auto x = static_cast<double>(middle); x < count; ++x) {
    const double next = mass.back() * ratio(x);
    if (next < kNegligible) break;
    mass.push_back(next);
  }
  const double first = static_cast<double>(middle - below.size());
  mass.insert(mass.begin(), below.rbegin(), below.rend());
  double sum = 0;
  for (const double part : mass) sum += part;
  for (double& part : mass) part /= sum;
  return {first, 1, std::move(mass)};
}

/// The same distribution on cells of a larger step.
Masses coarser(const Masses& fine, double step) {
  if (step == 1) return fine;
  Masses coarse{fine.first, step, {}};
  const auto last = static_cast<double>(fine.mass.size() - 1);
  coarse.mass.resize(static_cast<std::size_t>(last / step) + 2);
  for (std::size_t i = 0; i < fine.mass.size(); ++i) {
    const double place = static_cast<double>(i) / step;
    const auto cell = static_cast<std::size_t>(place);
    const double upper = place - static_cast<double>(cell);
    coarse.mass[cell] += fine.mass[i] * (1 - upper);
    coarse.mass[cell + 1] += fine.mass[i] * upper;
  }
  return coarse;
}

/// The distribution of the sum of two independent numbers.
Masses sum_of(const Masses& one, const Masses& other) {
  Masses sum{one.first + other.first, one.step, {}};
  sum.mass.resize(one.mass.size() + other.mass.size() - 1);
  for (std::size_t i = 0; i < one.mass.size(); ++i) {
    for (std::size_t j = 0; j < other.mass.size(); ++j)
      sum.mass[i + j] += one.mass[i] * other.mass[j];
  }
  return sum;
}

/// The smallest number whose distribution function reaches the risk.
double quantile(const Masses& masses, double risk) {
  double below = 0;
  for (std::size_t i = 0; i < masses.mass.size(); ++i) {
    below += masses.mass[i];
    if (below >= risk) return masses.first + masses.step * static_cast<double>(i);
  }
  return masses.first + masses.step * static_cast<double>(masses.mass.size() - 1);
}

Masses posterior(const StratumCount& stratum, double more_wrong) {
  const double wrong = static_cast<double>(stratum.checked) - stratum.right;
  return beta_binomial(stratum.answers - stratum.checked, stratum.right, wrong + more_wrong);
}

/// The quantile of the sum of independent numbers.
double quantile_of_sum(std::span<const Masses> parts, double risk) {
  std::size_t numbers = 1;
  for (const Masses& part : parts) numbers += part.mass.size() - 1;
  const double step = std::ceil(static_cast<double>(numbers) / kMostCells);
  Masses total{0, step, {1}};
  for (const Masses& part : parts) total = sum_of(total, coarser(part, step));
  return quantile(total, risk);
}

}  // namespace

double lower_bound(std::span<const StratumCount> strata, double risk) {
  std::vector<Masses> parts;
  double answers = 0, known = 0;
  for (const StratumCount& stratum : strata) {
    answers += static_cast<double>(stratum.answers);
    known += stratum.right;
    parts.push_back(posterior(stratum, 0));
  }
  double least = quantile_of_sum(parts, risk);
  for (std::size_t h = 0; h < strata.size(); ++h) {
    if (strata[h].checked == strata[h].answers) continue;
    const Masses without = std::exchange(parts[h], posterior(strata[h], 1));
    least = std::min(least, quantile_of_sum(parts, risk));
    parts[h] = without;
  }
  return std::min((known + least) / answers, 1.0);
}

double upper_bound(std::span<const StratumCount> strata, double risk) {
  std::vector<StratumCount> wrong(strata.begin(), strata.end());
  for (StratumCount& stratum : wrong)
    stratum.right = static_cast<double>(stratum.checked) - stratum.right;
  return 1 - lower_bound(wrong, risk);
}

}  // namespace allot::audit
