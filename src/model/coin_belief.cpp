#include "model/coin_belief.hpp"

namespace allot::model {
namespace {

double second_moment(const math::BetaShape& shape) {
  const double n = shape.a + shape.b;
  return shape.a * (shape.a + 1) / (n * (n + 1));
}

}  // namespace

CoinBelief::CoinBelief(const Prior& prior, Coins coins) : coins_(coins) {
  for (const auto& [weight, a, b] : prior.components()) {
    types_.push_back({weight, {a, b}, {a, b}});
  }
}

double CoinBelief::chance(const Type& type, double positive, Label label) {
  const double p = positive, q = 1 - positive;
  const double s = type.sensitivity.mean(), t = type.specificity.mean();
  return label == Label::positive ? p * s + q * (1 - t) : p * (1 - s) + q * t;
}

void CoinBelief::absorb(Type& type, double positive, Label label) const {
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

void CoinBelief::record(double positive, Label label) {
  double total = 0;
  for (const Type& type : types_) total += type.weight * chance(type, positive, label);
  for (Type& type : types_) {
    // A label that is impossible for every type says nothing about the types.
    if (total > 0) type.weight = type.weight * chance(type, positive, label) / total;
    absorb(type, positive, label);
  }
}

WorkerState CoinBelief::state() const {
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

}  // namespace allot::model
