#include "allot/model/prior_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "allot/base/check.hpp"

namespace allot::model {
namespace {

constexpr double kUniformStrength = 2;
constexpr double kLeastStrength = 0.05, kMostStrength = 500;
constexpr double kMostLogit = 13.815509557963774;  // of a mean 1e-6 from 1

/// Sums of three functions of x + k over some k.
struct PowerSums {
  double logarithm = 0;  // log(x + k)
  double inverse = 0;    // 1 / (x + k)
  double square = 0;     // 1 / (x + k)^2
};

/// From here on, the Euler-Maclaurin series has sixteen digits with the terms used.
constexpr double kFar = 32;
/// Up to this many terms, adding them one by one is faster.
constexpr double kFew = 4;

/// The sums over all k with x + k from y to z, both large: integrals, and differences at the ends.
void add_far(double y, double z, double weight, bool logarithm, PowerSums& sums) {
  const double p = 1 / y, q = 1 / z, pp = p * p, qq = q * q;
  const double ratio = std::log1p((z - y) / y);
  const auto by_ends = [&](auto term) { return term(p, pp) - term(q, qq); };
  sums.inverse += weight * (ratio + by_ends([](double i, double ii) {
                              return i / 2 + ii * (1 / 12.0 - ii * (1 / 120.0 - ii / 252.0));
                            }));
  sums.square += weight * by_ends([](double i, double ii) {
                   return i + ii / 2 + i * ii * (1 / 6.0 - ii * (1 / 30.0 - ii / 42.0));
                 });
  if (!logarithm) return;
  sums.logarithm +=
      weight * ((z - y) * (std::log(y) - 1) + (z - 0.5) * ratio - by_ends([](double i, double ii) {
                  return i * (1 / 12.0 - ii * (1 / 360.0 - ii * (1 / 1260.0 - ii / 1680.0)));
                }));
}

/// How many items have more than k labels of one kind, for every k: a function that falls in steps.
class Ladder {
 public:
  /// The caller can add the same number of labels several times.
  void add(std::uint32_t labels, std::uint64_t items) {
    if (labels > 0) steps_.push_back({static_cast<double>(labels), static_cast<double>(items)});
  }

  void finish() {
    std::ranges::sort(steps_, {}, &Step::to);
    std::vector<Step> merged;
    for (const Step& step : steps_) {
      if (merged.empty() || merged.back().to != step.to) {
        merged.push_back(step);
      } else {
        merged.back().items += step.items;
      }
    }
    for (std::size_t i = merged.size(); i-- > 1;) merged[i - 1].items += merged[i].items;
    steps_ = std::move(merged);
  }

  /// sum_i sum_{k < n_i} of the functions of x + k.
  PowerSums at(double x, bool logarithm) const {
    PowerSums sums;
    double k = 0;
    for (const auto& [to, items] : steps_) {
      for (; k < to && (x + k < kFar || to - k <= kFew); ++k) {
        const double inverse = 1 / (x + k);
        sums.inverse += items * inverse;
        sums.square += items * inverse * inverse;
        if (logarithm) sums.logarithm += items * std::log(x + k);
      }
      if (k < to) add_far(x + k, x + to, items, logarithm, sums);
      k = to;
    }
    return sums;
  }

 private:
  struct Step {
    double to;
    double items;
  };
  std::vector<Step> steps_;  // ascending
};

struct Ladders {
  explicit Ladders(std::span<const CountGroup> groups) {
    for (const CountGroup& group : groups) add(group);
    for (Ladder* ladder : {&positive, &negative, &all}) ladder->finish();
  }
  /// One group needs no finish.
  explicit Ladders(const CountGroup& group) { add(group); }

  /// The sum over items of log E theta^n+ (1 - theta)^n- under Beta(a,b).
  double log_likelihood(double a, double b) const {
    return positive.at(a, true).logarithm + negative.at(b, true).logarithm -
           all.at(a + b, true).logarithm;
  }

  Ladder positive, negative, all;

 private:
  void add(const CountGroup& group) {
    positive.add(group.counts.positive, group.items);
    negative.add(group.counts.negative, group.items);
    all.add(group.counts.total(), group.items);
  }
};

/// The root, between two ends, of a function that is positive below it and negative above; an end
/// if there is none. `function` returns value and slope. Uses Newton's method, but halves the
/// bracket where a step leaves it or is too small.
template <typename Function>
double falling_root(double low, double high, double start, double tolerance, Function&& function) {
  double x = start, width = high - low;
  for (int i = 0; i < 200; ++i) {
    const auto [value, slope] = function(x);
    if (value == 0) return x;
    (value > 0 ? low : high) = x;
    double next = x - value / slope;
    const bool slow = i % 3 == 2 && high - low > width / 2;
    if (i % 3 == 2) width = high - low;
    if (std::abs(next - x) <= tolerance) return std::clamp(next, low, high);
    if (!(next > low && next < high) || slow) next = low + (high - low) / 2;
    if (high - low <= tolerance) return next;
    x = next;
  }
  return x;
}

/// The objective of the header by u = logit of the mean and v = log strength:
///   da/du = a (1 - m),  db/du = -b m,  da/dv = a,  db/dv = b.
class BetaObjective {
 public:
  BetaObjective(std::span<const CountGroup> groups, const HyperPrior& hyper)
      : ladders_(groups), hyper_(hyper) {}

  static math::BetaShape shape(double u, double v) {
    const double s = std::exp(v);
    return {s / (1 + std::exp(-u)), s / (1 + std::exp(u))};
  }

  double value(double u, double v) const {
    const auto [a, b] = shape(u, v);
    const double off = (v - std::log(kUniformStrength)) / hyper_.log_strength_spread;
    return ladders_.log_likelihood(a, b) +
           hyper_.mean_items * (std::log(a / (a + b)) + std::log(b / (a + b))) - off * off / 2;
  }

  /// The best u for a given v, starting from a guess.
  double best_logit(double v, double guess) const {
    const auto by_logit = [&](double u) {
      const Mean mean = by_mean(u, v);
      return std::pair(mean.slope, mean.bend);
    };
    return falling_root(-kMostLogit, kMostLogit, guess, kPrecision, by_logit);
  }

  /// The best v, next to the best of the grid, each with its best u.
  double best_log_strength(double low, double high, double start, double& u) const {
    const auto by_strength = [&](double v) {
      u = best_logit(v, u);
      const auto [a, b] = shape(u, v);
      const double s = a + b, narrow = std::pow(hyper_.log_strength_spread, -2);
      const Mean mean = by_mean(u, v);
      const PowerSums all = ladders_.all.at(s, false);
      const double slope = a * mean.up.inverse + b * mean.down.inverse - s * all.inverse -
                           (v - std::log(kUniformStrength)) * narrow;
      const double up = a * (mean.up.inverse - a * mean.up.square),
                   down = b * (mean.down.inverse - b * mean.down.square);
      const double bend = up + down - s * (all.inverse - s * all.square) - narrow;
      const double cross = (up * b - down * a) / s;
      return std::pair(slope, bend - cross * cross / mean.bend);  // along the best u
    };
    const double v = falling_root(low, high, start, kPrecision, by_strength);
    u = best_logit(v, u);
    return v;
  }

 private:
  static constexpr double kPrecision = 1e-11;

  struct Mean {
    double slope, bend;  // first and second derivative by u
    PowerSums up, down;
  };

  Mean by_mean(double u, double v) const {
    const auto [a, b] = shape(u, v);
    const double m = a / (a + b), not_m = b / (a + b), h = hyper_.mean_items;
    const PowerSums up = ladders_.positive.at(a, false), down = ladders_.negative.at(b, false);
    const double slope = h * (not_m - m) + a * not_m * up.inverse - b * m * down.inverse;
    const double bend = -2 * h * m * not_m +
                        a * not_m * ((not_m - m) * up.inverse - a * not_m * up.square) -
                        b * m * ((not_m - m) * down.inverse + b * m * down.square);
    return {slope, bend, up, down};
  }

  const Ladders ladders_;
  const HyperPrior hyper_;
};

void check(const HyperPrior& hyper, std::string_view function) {
  require(hyper.mean_items > 0, function, "mean_items", hyper.mean_items, "expected more than 0");
  require(hyper.log_strength_spread > 0, function, "log_strength_spread", hyper.log_strength_spread,
          "expected more than 0");
  require(hyper.component_items > 0, function, "component_items", hyper.component_items,
          "expected more than 0");
}

/// The nearest multiple of `step`.
double rounded(double x, double unit) { return std::round(x / unit) * unit; }

}  // namespace

std::vector<CountGroup> count_groups(const Beliefs& beliefs) {
  constexpr std::uint32_t kDepth = 128;  // labels; beyond, counts are few
  std::vector<std::uint64_t> shallow(kDepth * (kDepth + 1) / 2);
  std::map<Counts, std::uint64_t> groups;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
    const Counts counts = beliefs.counts(ItemId{i});
    const std::uint32_t labels = counts.total();
    if (labels < kDepth) {
      ++shallow[labels * (labels + 1) / 2 + counts.positive];
    } else {
      ++groups[counts];
    }
  }
  for (std::uint32_t labels = 1, place = 1; labels < kDepth; ++labels) {
    for (std::uint32_t positive = 0; positive <= labels; ++positive, ++place) {
      if (shallow[place] > 0) groups[{positive, labels - positive}] = shallow[place];
    }
  }
  std::vector<CountGroup> result;
  for (const auto& [counts, items] : groups) result.push_back({counts, items});
  return result;
}

double log_marginal(std::span<const CountGroup> groups, const Prior& prior) {
  require(prior.is_proper(), "log_marginal", "a", 0, "expected a prior with positive parameters");
  double sum = 0;
  for (const auto& [counts, items] : groups) {
    const Ladders ladders(CountGroup{counts, 1});
    std::vector<double> terms;
    for (const auto& [weight, a, b] : prior.components())
      terms.push_back(std::log(weight) + ladders.log_likelihood(a, b));
    const double largest = std::ranges::max(terms);
    double rest = 0;
    for (const double term : terms) rest += std::exp(term - largest);
    sum += static_cast<double>(items) * (largest + std::log(rest));
  }
  return sum;
}

math::BetaShape fit_beta(std::span<const CountGroup> groups, const HyperPrior& hyper) {
  check(hyper, "fit_beta");
  const BetaObjective objective(groups, hyper);
  constexpr int kGrid = 27;
  const double low = std::log(kLeastStrength), high = std::log(kMostStrength);
  const double gap = (high - low) / (kGrid - 1);
  double u = 0, v = 0, guess = 0, best = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < kGrid; ++i) {
    const double here = low + i * gap;
    guess = objective.best_logit(here, guess);
    const double value = objective.value(guess, here);
    if (value <= best) continue;
    best = value;
    u = guess;
    v = here;
  }
  v = objective.best_log_strength(std::max(low, v - gap), std::min(high, v + gap), v, u);
  return BetaObjective::shape(u, v);
}

std::vector<BetaComponent> fit_mixture(std::span<const CountGroup> groups,
                                       const HyperPrior& hyper) {
  check(hyper, "fit_mixture");
  std::array<BetaComponent, 3> components{{{1 / 3.0, 5, 1}, {1 / 3.0, 1, 1}, {1 / 3.0, 1, 5}}};
  struct Likelihood {
    std::array<double, 3> of;  // largest 1
    double items;
  };
  std::vector<Likelihood> table;
  double all = 3 * hyper.component_items;
  for (const auto& [counts, items] : groups) {
    Likelihood row{{}, static_cast<double>(items)};
    const Ladders ladders(CountGroup{counts, 1});
    for (std::size_t m = 0; m < 3; ++m) {
      row.of[m] = ladders.log_likelihood(components[m].a, components[m].b);
    }
    const double largest = std::ranges::max(row.of);
    for (double& likelihood : row.of) likelihood = std::exp(likelihood - largest);
    table.push_back(row);
    all += row.items;
  }
  for (int round = 0; round < 10'000; ++round) {
    std::array<double, 3> members{};
    members.fill(hyper.component_items);
    for (const auto& [of, items] : table) {
      double sum = 0;
      for (std::size_t m = 0; m < 3; ++m) sum += components[m].weight * of[m];
      for (std::size_t m = 0; m < 3; ++m) members[m] += items * components[m].weight * of[m] / sum;
    }
    double moved = 0;
    for (std::size_t m = 0; m < 3; ++m) {
      moved = std::max(moved, std::abs(members[m] / all - components[m].weight));
      components[m].weight = members[m] / all;
    }
    if (moved < 1e-12) break;
  }
  return {components.begin(), components.end()};
}

Prior learned_prior(const Beliefs& beliefs, const PriorLearning& learning) {
  const std::vector<CountGroup> groups = count_groups(beliefs);
  if (learning.family == PriorLearning::Family::mixture) {
    std::vector<BetaComponent> components = fit_mixture(groups, learning.hyper);
    for (auto& [weight, a, b] : components) {
      weight = std::max(rounded(weight, 1 / 32.0), 1 / 64.0);
    }
    return Prior::mixture(std::move(components));
  }
  const auto [a, b] = fit_beta(groups, learning.hyper);
  // Round the logarithms of odds and strength: the uniform prior is then a possible result.
  constexpr double kUnit = 1 / 8.0;
  const double u = rounded(std::log(a / b), kUnit);
  const double s =
      kUniformStrength * std::exp(rounded(std::log((a + b) / kUniformStrength), kUnit));
  return Prior::beta(s / (1 + std::exp(-u)), s / (1 + std::exp(u)));
}

}  // namespace allot::model
