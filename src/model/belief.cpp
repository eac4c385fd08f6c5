#include "allot/model/belief.hpp"

#include <algorithm>

#include "allot/base/check.hpp"
#include "allot/math/beta_tail.hpp"
#include "model/mixture_state.hpp"

namespace allot::model {
namespace {

struct Shape {
  double a, b;
};

/// The belief under a prior of one component.
Shape shape(const ItemBelief& belief) {
  const BetaComponent& prior = belief.prior->components().front();
  return {prior.a + belief.counts.positive, prior.b + belief.counts.negative};
}

}  // namespace

std::vector<BetaComponent> posterior(const ItemBelief& belief) {
  if (!belief.prior->is_mixture()) {
    const auto [a, b] = shape(belief);
    return {{1, a, b}};
  }
  const Components components = posterior_components(belief);
  return {components.begin(), components.end()};
}

double chance_positive(const ItemBelief& belief) {
  if (belief.prior->is_mixture()) {
    double chance = 0;
    for (const auto& [weight, a, b] : posterior_components(belief)) chance += weight * a / (a + b);
    return chance;
  }
  const auto [a, b] = shape(belief);
  return a + b > 0 ? a / (a + b) : 0.5;
}

double prob_positive(const ItemBelief& belief) {
  if (belief.prior->is_mixture()) return mixture_state(belief).upper;
  const auto [a, b] = shape(belief);
  return math::prob_above_half(a, b);
}

double error_probability(const ItemBelief& belief) {
  if (belief.prior->is_mixture()) {
    const MixtureState state = mixture_state(belief);
    return std::min(state.upper, state.lower);
  }
  const auto [a, b] = shape(belief);
  return math::error_probability(a, b);
}

Label favoured_label(const ItemBelief& belief) {
  if (belief.prior->is_mixture()) return mixture_state(belief).favoured_label();
  const auto [a, b] = shape(belief);
  return a >= b ? Label::positive : Label::negative;
}

Beliefs::Beliefs(std::uint32_t item_count, Prior prior)
    : priors_{std::move(prior)}, counts_(item_count) {
  require(item_count > 0, "Beliefs", "item_count", 0, "expected at least 1");
}

Beliefs::Beliefs(std::vector<Prior> priors, std::vector<std::uint32_t> prior_of_item)
    : priors_(std::move(priors)),
      prior_of_item_(std::move(prior_of_item)),
      counts_(prior_of_item_.size()) {
  require(!counts_.empty(), "Beliefs", "number of items", 0, "expected at least 1");
  for (const std::uint32_t prior : prior_of_item_) {
    require(prior < priors_.size(), "Beliefs", "prior_of_item", prior,
            "expected a position in priors");
  }
}

void Beliefs::set_prior(Prior prior) {
  priors_.assign(1, std::move(prior));
  prior_of_item_.clear();
}

}  // namespace allot::model
