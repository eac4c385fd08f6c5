#include "allot/model/calibration_map.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"

namespace allot::model {
namespace {

constexpr double kReach = 3.5;        // standard deviations of the prior that the grid covers
constexpr double kNegligible = 1e-4;  // of the largest weight
constexpr int kMostPasses = 4;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double logit(double p) { return std::log(p / (1 - p)); }

/// Labels per independent one.
double overcount(const CalibrationPrior& prior, std::uint32_t labels) {
  return 1 + prior.correlation * (std::max(labels, 1U) - 1.0);
}

void check_request(std::uint32_t class_count, std::span<const KnownAnswer> known,
                   const CalibrationPrior& prior) {
  constexpr std::string_view kName = "CalibrationMap";
  require(class_count >= 2, kName, "class_count", class_count, "expected at least 2");
  require(prior.sharpness > 0, kName, "sharpness", prior.sharpness, "expected more than 0");
  require(prior.sharpness_spread > 0, kName, "sharpness_spread", prior.sharpness_spread,
          "expected more than 0");
  require(prior.shared_error > 0 && prior.shared_error < 1, kName, "shared_error",
          prior.shared_error, "expected more than 0 and less than 1");
  require(prior.shared_error_spread > 0, kName, "shared_error_spread", prior.shared_error_spread,
          "expected more than 0");
  require(prior.correlation >= 0 && prior.correlation <= 1, kName, "correlation", prior.correlation,
          "expected 0 to 1");
  for (const KnownAnswer& answer : known) {
    require(answer.probabilities.size() == class_count, kName, "number of probabilities",
            static_cast<double>(answer.probabilities.size()), "expected one per class");
    require(answer.weight > 0, kName, "weight", answer.weight, "expected more than 0");
  }
}

/// Factor of the weights that makes their sum the effective number of answers.
double weight_scale(std::span<const KnownAnswer> known) {
  double sum = 0, squares = 0;
  for (const KnownAnswer& answer : known) {
    sum += answer.weight;
    squares += answer.weight * answer.weight;
  }
  return known.empty() ? 0 : sum / squares;
}

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

}  // namespace

CalibrationMap::CalibrationMap(std::uint32_t class_count, std::span<const KnownAnswer> known,
                               const CalibrationPrior& prior)
    : class_count_(class_count), prior_(prior), known_(known.size()) {
  check_request(class_count, known, prior);
  const auto side = [](double median, double spread) {
    return Side{median - kReach * spread, 2 * kReach * spread / (kPoints - 1)};
  };
  log_k_ = side(std::log(prior.sharpness), prior.sharpness_spread);
  logit_e_ = side(logit(prior.shared_error), prior.shared_error_spread);
  const double scale = weight_scale(known);
  learn(known, scale);
  for (int pass = 1; pass < kMostPasses && zoom(); ++pass) learn(known, scale);
  finish();
}

CalibrationMap::Powers CalibrationMap::answer_powers(std::span<const double> probabilities,
                                                     std::uint32_t labels) const {
  Powers sum = {};
  const double top = std::ranges::max(probabilities), count = overcount(prior_, labels);
  for (const double p : probabilities) {
    const double ratio = std::log(p / top) / count;
    for (std::size_t a = 0; a < kPoints; ++a) sum[a] += std::exp(k_[a] * ratio);
  }
  for (double& one : sum) one = 1 / one;
  return sum;
}

/// Sets the points of the grid and their posterior weights.
void CalibrationMap::learn(std::span<const KnownAnswer> known, double scale) {
  const double middle_k = std::log(prior_.sharpness), middle_e = logit(prior_.shared_error);
  for (std::size_t i = 0; i < kPoints; ++i) {
    k_[i] = std::exp(log_k_.at(i));
    e_[i] = logistic(logit_e_.at(i));
  }
  for (std::size_t a = 0; a < kPoints; ++a) {
    const double x = (log_k_.at(a) - middle_k) / prior_.sharpness_spread;
    for (std::size_t b = 0; b < kPoints; ++b) {
      const double y = (logit_e_.at(b) - middle_e) / prior_.shared_error_spread;
      weight_[a][b] = -(x * x + y * y) / 2;
    }
  }
  for (const KnownAnswer& answer : known) {
    const auto powers = answer_powers(answer.probabilities, answer.labels);
    const double weight = scale * answer.weight;
    for (std::size_t a = 0; a < kPoints; ++a) {
      for (std::size_t b = 0; b < kPoints; ++b) {
        const double stated = (1 - e_[b]) * powers[a] + e_[b] / class_count_;
        weight_[a][b] += weight * std::log(answer.right ? stated : 1 - stated);
      }
    }
  }
  double most = weight_[0][0], sum = 0;
  for (const auto& row : weight_) most = std::max(most, std::ranges::max(row));
  for (auto& row : weight_)
    for (double& one : row) sum += one = std::exp(one - most);
  for (auto& row : weight_)
    for (double& one : row) one /= sum;
}

/// Narrows the grid to the points that matter and one beside them on each side; false if that
/// leaves it much as it is.
bool CalibrationMap::zoom() {
  Powers by_k = {}, by_e = {};
  for (std::size_t a = 0; a < kPoints; ++a) {
    for (std::size_t b = 0; b < kPoints; ++b) {
      by_k[a] = std::max(by_k[a], weight_[a][b]);
      by_e[b] = std::max(by_e[b], weight_[a][b]);
    }
  }
  const auto narrowed = [](const Side& side, const Powers& largest) {
    const double least = std::ranges::max(largest) * kNegligible;
    const auto matters = [&](double one) { return one >= least; };
    const auto first = std::ranges::find_if(largest, matters) - largest.begin();
    const auto last =
        std::find_if(largest.rbegin(), largest.rend(), matters).base() - largest.begin() - 1;
    const auto from = std::max<std::ptrdiff_t>(first - 1, 0),
               to = std::min<std::ptrdiff_t>(last + 1, kPoints - 1);
    return Side{side.at(static_cast<std::size_t>(from)),
                side.step * static_cast<double>(to - from) / (kPoints - 1)};
  };
  const Side k = narrowed(log_k_, by_k), e = narrowed(logit_e_, by_e);
  if (k.step > 0.7 * log_k_.step && e.step > 0.7 * logit_e_.step) return false;
  log_k_ = k;
  logit_e_ = e;
  return true;
}

/// Sums up over e, which p' is linear in.
void CalibrationMap::finish() {
  for (std::size_t a = 0; a < kPoints; ++a) {
    for (std::size_t b = 0; b < kPoints; ++b) {
      kept_[a] += weight_[a][b] * (1 - e_[b]);
      uniform_ += weight_[a][b] * e_[b] / class_count_;
    }
  }
}

void CalibrationMap::apply(std::span<const double> probabilities, std::uint32_t labels,
                           std::span<double> out) const {
  const auto powers = answer_powers(probabilities, labels);
  const double top = std::ranges::max(probabilities), count = overcount(prior_, labels);
  std::ranges::transform(probabilities, out.begin(), [&](double p) {
    const double ratio = std::log(p / top) / count;
    double sum = uniform_;
    for (std::size_t a = 0; a < kPoints; ++a) sum += kept_[a] * powers[a] * std::exp(k_[a] * ratio);
    return sum;
  });
}

double CalibrationMap::answer_probability(std::span<const double> probabilities,
                                          std::uint32_t labels) const {
  const auto powers = answer_powers(probabilities, labels);
  double sum = uniform_;
  for (std::size_t a = 0; a < kPoints; ++a) sum += kept_[a] * powers[a];
  return sum;
}

AccuracyRange CalibrationMap::accuracy(std::span<const double> probabilities,
                                       std::span<const std::uint32_t> labels, double level) const {
  constexpr std::string_view kName = "CalibrationMap::accuracy";
  require(!labels.empty(), kName, "number of items", 0, "expected at least 1");
  require(probabilities.size() == labels.size() * class_count_, "CalibrationMap::accuracy",
          "number of probabilities", static_cast<double>(probabilities.size()),
          "expected one per item and class");
  require(level > 0 && level < 1, kName, "level", level, "expected more than 0 and less than 1");
  ItemSums sums{.items = static_cast<double>(labels.size())};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto powers =
        answer_powers(probabilities.subspan(i * class_count_, class_count_), labels[i]);
    for (std::size_t a = 0; a < kPoints; ++a) {
      sums.powers[a] += powers[a];
      sums.squares[a] += powers[a] * powers[a];
    }
  }
  const std::vector<Component> shares = mixture(sums);
  AccuracyRange range{};
  for (const Component& one : shares) range.mean += one.weight * one.mean;
  range.low = quantile(shares, (1 - level) / 2);
  range.high = quantile(shares, (1 + level) / 2);
  return range;
}

double CalibrationMap::chance_of(const ItemSums& sums, double accuracy) const {
  require(sums.items > 0, "CalibrationMap::chance_of", "number of items", sums.items,
          "expected at least 1");
  return 1 - share_below(mixture(sums), accuracy);
}

/// The share of right answers at each point of the grid: chance in the items makes it normal.
std::vector<CalibrationMap::Component> CalibrationMap::mixture(const ItemSums& sums) const {
  std::vector<Component> result;
  result.reserve(kPoints * kPoints);
  for (std::size_t a = 0; a < kPoints; ++a) {
    for (std::size_t b = 0; b < kPoints; ++b) {
      const double keep = 1 - e_[b], even = e_[b] / class_count_;
      const double power = sums.powers[a] / sums.items, square = sums.squares[a] / sums.items;
      const double mean = keep * power + even;
      const double squares = keep * keep * square + 2 * keep * even * power + even * even;
      result.push_back(
          {weight_[a][b], mean, std::sqrt(std::max(mean - squares, 1e-12) / sums.items)});
    }
  }
  return result;
}

/// Chance that the share is below this one.
double CalibrationMap::share_below(std::span<const Component> mixture, double share) {
  double below = 0;
  for (const auto& [weight, mean, deviation] : mixture)
    below += weight * normal_cdf((share - mean) / deviation);
  return below;
}

/// Quantile of the share, by bisection.
double CalibrationMap::quantile(std::span<const Component> mixture, double chance) {
  double low = 0, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (share_below(mixture, middle) < chance ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace allot::model
