#include "model/mixture_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/math/beta_tail.hpp"

namespace allot::model {

Components posterior_components(const ItemBelief& belief) {
  Components result;
  double largest = -std::numeric_limits<double>::infinity();
  for (const BetaComponent& prior : belief.prior->components()) {
    const double a = prior.a + belief.counts.positive, b = prior.b + belief.counts.negative;
    // The powers of 2 in the kernels are the same for all components and drop out.
    const double log_weight = std::log(prior.weight) + math::log_kernel_at_half(prior.a, prior.b) -
                              math::log_kernel_at_half(a, b);
    largest = std::max(largest, log_weight);
    result.push_back({log_weight, a, b});
  }
  double total = 0;
  for (BetaComponent& component : result) {
    component.weight = std::exp(component.weight - largest);
    total += component.weight;
  }
  for (BetaComponent& component : result) component.weight /= total;
  return result;
}

MixtureState mixture_state(const ItemBelief& belief) {
  MixtureState state;
  for (const auto& [weight, a, b] : posterior_components(belief)) {
    const double error = math::error_probability(a, b);
    const double kernel = math::kernel_at_half(a, b);
    const ComponentState component{
        weight,     a / (a + b), a >= b ? 1 - error : error, a >= b ? error : 1 - error,
        kernel / a, kernel / b};
    state.chance_positive += weight * component.chance_positive;
    state.upper += weight * component.upper;
    state.lower += weight * component.lower;
    state.components.push_back(component);
  }
  return state;
}

}  // namespace allot::model
