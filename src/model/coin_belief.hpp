// A worker's coins as Betas, or as a mixture of worker types with Betas, moved by moment matching.
//
// The likelihood of a label is linear in either coin, so each moves by math::matched_after: with p
// the item's mean and one coin rho
//   positive:  p rho + (1-p)(1-rho)          [CLZ eq:Z_1],  negative: p and 1-p swapped,
// with two coins s and t, the other one at its mean,
//   positive:  p s + (1-p)(1-t),             negative:  p (1-s) + (1-p) t.
// The weight of a type is multiplied by the chance that it gave the label.
#pragma once

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/math/beta_match.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

class CoinBelief {
 public:
  CoinBelief(const Prior& prior, Coins coins) : coins_(coins) {
    for (const auto& [weight, a, b] : prior.components()) {
      types_.push_back({weight, {a, b}, {a, b}});
    }
  }
  /// One type with these coins; with one coin both must be the same.
  CoinBelief(const math::BetaShape& sensitivity, const math::BetaShape& specificity, Coins coins)
      : coins_(coins), types_{{1, sensitivity, specificity}} {}

  /// Takes labels of known items as given, counted by true class and given class. The weight of a
  /// type is multiplied by the chance that it gave them.
  void inherit(std::span<const double> counts) {
    if (counts.empty()) return;
    double most = -std::numeric_limits<double>::infinity(), total = 0;
    std::vector<double> chances;
    for (Type& type : types_) {
      chances.push_back(grow(type, counts));
      most = std::max(most, chances.back());
    }
    for (std::size_t n = 0; n < types_.size(); ++n)
      total += types_[n].weight *= std::exp(chances[n] - most);
    for (Type& type : types_) type.weight /= total;
  }
  void record(double positive, Label label) {
    double total = 0;
    for (const Type& type : types_) total += type.weight * chance(type, positive, label);
    for (Type& type : types_) {
      // A label that is impossible for every type says nothing about the types.
      if (total > 0) type.weight = type.weight * chance(type, positive, label) / total;
      absorb(type, positive, label);
    }
  }
  WorkerState state() const {
    WorkerState state{{0, 0}, 0, 0, 0};
    for (const auto& [weight, sensitivity, specificity] : types_) {
      state.mean.sensitivity += weight * sensitivity.mean();
      state.mean.specificity += weight * specificity.mean();
      state.sensitivity_squared += weight * second_moment(sensitivity);
      state.specificity_squared += weight * second_moment(specificity);
      state.product += weight * (coins_ == Coins::one ? second_moment(sensitivity)
                                                      : sensitivity.mean() * specificity.mean());
    }
    return state;
  }

  void save(ByteWriter& to) const { to.array(types_); }
  void load(ByteReader& from) { from.array(types_); }

 private:
  static double second_moment(const math::BetaShape& shape) {
    const double n = shape.a + shape.b;
    return shape.a * (shape.a + 1) / (n * (n + 1));
  }
  struct Type {
    double weight;
    math::BetaShape sensitivity, specificity;  // equal if there is one coin
  };
  /// Adds counts to a coin; returns the logarithm of the chance of such labels in some order.
  static double grow(math::BetaShape& coin, double right, double wrong) {
    const auto log_beta = [](const math::BetaShape& shape) {
      return boost::math::lgamma(shape.a) + boost::math::lgamma(shape.b) -
             boost::math::lgamma(shape.a + shape.b);
    };
    const double before = log_beta(coin);
    coin = {coin.a + right, coin.b + wrong};
    return log_beta(coin) - before;
  }
  double grow(Type& type, std::span<const double> counts) const {
    if (coins_ == Coins::two) {
      return grow(type.specificity, counts[0], counts[1]) +
             grow(type.sensitivity, counts[3], counts[2]);
    }
    const double chance = grow(type.sensitivity, counts[0] + counts[3], counts[1] + counts[2]);
    type.specificity = type.sensitivity;
    return chance;
  }
  /// Chance of the label if the item is positive with that probability.
  static double chance(const Type& type, double positive, Label label) {
    const double p = positive, q = 1 - positive;
    const double s = type.sensitivity.mean(), t = type.specificity.mean();
    return label == Label::positive ? p * s + q * (1 - t) : p * (1 - s) + q * t;
  }
  void absorb(Type& type, double positive, Label label) const {
    const double p = positive, q = 1 - positive;
    const double s = type.sensitivity.mean(), t = type.specificity.mean();
    const bool yes = label == Label::positive;
    if (coins_ == Coins::one) {
      type.sensitivity = math::matched_after(type.sensitivity, yes ? p : q, yes ? q : p);
      type.specificity = type.sensitivity;
      return;
    }
    const double if_negative = yes ? q * (1 - t) : q * t, if_positive = yes ? p * s : p * (1 - s);
    type.sensitivity = math::matched_after(type.sensitivity, if_negative + (yes ? p : 0),
                                           if_negative + (yes ? 0 : p));
    type.specificity = math::matched_after(type.specificity, if_positive + (yes ? 0 : q),
                                           if_positive + (yes ? q : 0));
  }

  Coins coins_;
  std::vector<Type> types_;
};

}  // namespace allot::model
