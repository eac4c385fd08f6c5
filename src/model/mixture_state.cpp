#include "model/mixture_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/math/beta_tail.hpp"

namespace allot::model {

namespace {

/// Up to this many labels, weights are products of chances, label by label; beyond, logarithms are
/// faster.
constexpr std::uint32_t kFewLabels = 64;

void scale(Components& components) {
  double total = 0;
  for (const BetaComponent& component : components) total += component.weight;
  for (BetaComponent& component : components) component.weight /= total;
}

void weigh_by_chances(Components& components, const Counts& counts) {
  for (std::uint32_t label = 0; label < counts.total(); ++label) {
    const bool positive = label < counts.positive;
    const double before = positive ? label : label - counts.positive;
    for (BetaComponent& component : components) {
      const double favour = (positive ? component.a : component.b) + before;
      component.weight *= favour / (component.a + component.b + label);
    }
    scale(components);
  }
}

void weigh_by_logarithms(Components& components, const Counts& counts) {
  double largest = -std::numeric_limits<double>::infinity();
  for (auto& [weight, a, b] : components) {
    // The powers of 2 in the kernels are equal in all components and cancel.
    weight =
        std::log(weight) + math::log_kernel_ratio(a, b, a + counts.positive, b + counts.negative);
    largest = std::max(largest, weight);
  }
  for (BetaComponent& component : components)
    component.weight = std::exp(component.weight - largest);
  scale(components);
}

}  // namespace

Components posterior_components(const ItemBelief& belief) {
  const auto prior = belief.prior->components();
  Components components(prior.begin(), prior.end());
  if (belief.counts.total() <= kFewLabels) {
    weigh_by_chances(components, belief.counts);
  } else {
    weigh_by_logarithms(components, belief.counts);
  }
  for (BetaComponent& component : components) {
    component.a += belief.counts.positive;
    component.b += belief.counts.negative;
  }
  return components;
}

MixtureState mixture_state(const ItemBelief& belief) {
  MixtureState state;
  for (const auto& [weight, a, b] : posterior_components(belief)) {
    const double error = math::error_probability(a, b);
    const double kernel = math::kernel_at_half(a, b);
    const ComponentState component{.weight = weight,
                                   .chance_positive = a / (a + b),
                                   .chance_negative = b / (a + b),
                                   .upper = a >= b ? 1 - error : error,
                                   .lower = a >= b ? error : 1 - error,
                                   .rise = kernel / a,
                                   .fall = kernel / b};
    state.chance_positive += weight * component.chance_positive;
    state.chance_negative += weight * component.chance_negative;
    state.upper += weight * component.upper;
    state.lower += weight * component.lower;
    state.components.push_back(component);
  }
  return state;
}

}  // namespace allot::model
