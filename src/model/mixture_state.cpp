#include "model/mixture_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/math/beta_tail.hpp"

namespace allot::model {

MixtureState mixture_state(const ItemBelief& belief) {
  MixtureState state;
  const double positive = belief.counts.positive, negative = belief.counts.negative;
  double largest = -std::numeric_limits<double>::infinity();
  for (const BetaComponent& prior : belief.prior->components()) {
    const double a = prior.a + positive, b = prior.b + negative;
    const double error = math::error_probability(a, b);
    const double kernel = math::kernel_at_half(a, b);
    const double log_weight = std::log(prior.weight) + math::log_kernel_at_half(prior.a, prior.b) -
                              math::log_kernel_at_half(a, b);
    largest = std::max(largest, log_weight);
    state.components.push_back({log_weight, a / (a + b), a >= b ? 1 - error : error,
                                a >= b ? error : 1 - error, kernel / a, kernel / b});
  }
  double total = 0;
  for (ComponentState& component : state.components) {
    component.weight = std::exp(component.weight - largest);
    total += component.weight;
  }
  for (ComponentState& component : state.components) {
    component.weight /= total;
    state.chance_positive += component.weight * component.chance_positive;
    state.upper += component.weight * component.upper;
    state.lower += component.weight * component.lower;
  }
  return state;
}

}  // namespace allot::model
