#include "allot/model/belief.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <limits>

#include "allot/math/beta_tail.hpp"

namespace allot::model {
namespace {

/// The belief under a prior of one component.
math::BetaShape shape(const ItemBelief& belief) {
  const BetaComponent& prior = belief.prior->components().front();
  return {prior.a + belief.counts.positive, prior.b + belief.counts.negative};
}

using Components = boost::container::small_vector<BetaComponent, 4>;

/// Up to this many labels, weights are products of chances; beyond, logarithms are faster.
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

/// The posterior without tails and without an allocation.
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

/// One component after some labels: its weight, tails and kernel.
struct ComponentState {
  double weight;           // posterior
  double chance_positive;  // a / (a+b)
  double chance_negative;  // b / (a+b)
  double upper;            // Pr(theta >= 1/2)
  double lower;            // Pr(theta < 1/2)
  double rise;             // c / a
  double fall;             // c / b
};

struct MixtureState {
  boost::container::small_vector<ComponentState, 4> components;
  double chance_positive = 0;
  double chance_negative = 0;
  double upper = 0;
  double lower = 0;

  /// Differences of P from 1/2 below this are rounding, as in symmetric mixtures.
  static constexpr double kHalfTolerance = 1e-13;
  Label favoured_label() const {
    return upper >= lower - kHalfTolerance ? Label::positive : Label::negative;
  }
};

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

/// Margins this close to 1 come from decimal priors; the overshoot there is below 1e-12.
constexpr double kMarginTolerance = 1e-12;

/// Under Haldane's prior a belief is certain while all labels agree; one label brings it to 1/2.
Outlook certain_outlook(double a, double b) {
  if (a == 0 && b == 0) return {0.5, Label::positive, 0.5, 0.5, 0.5};
  return a > 0 ? Outlook{1, Label::positive, 0, std::exp2(-a), 0}
               : Outlook{0, Label::negative, std::exp2(-b), 0, 0};
}

/// Expects at least as many positive labels as negative ones if the prior is symmetric.
Outlook mixture_outlook(const ItemBelief& belief) {
  const MixtureState state = mixture_state(belief);
  const double q = state.chance_positive;
  Outlook result{q, state.favoured_label(), 0, 0, 0};
  const bool positive = result.answer == Label::positive;
  for (const ComponentState& component : state.components) {
    const double after_positive = component.weight * component.chance_positive / q;
    const double after_negative =
        component.weight * component.chance_negative / state.chance_negative;
    // The tail on the wrong side: the change of the weights keeps its digits near 0 and 1.
    const double tail = positive ? -component.lower : component.upper;
    result.rise += after_positive * component.rise + (after_positive - component.weight) * tail;
    result.fall += after_negative * component.fall - (after_negative - component.weight) * tail;
  }
  const double against = positive ? result.fall : result.rise;
  const double distance = 0.5 * (positive ? state.upper - state.lower : state.lower - state.upper);
  const double overshoot = against - distance;
  if (overshoot > MixtureState::kHalfTolerance) result.overshoot = overshoot;
  return result;
}

/// The outlook with the labels swapped, where the answer is positive and not in doubt.
Outlook mirrored(const Outlook& outlook) {
  return {1 - outlook.chance_positive, Label::negative, outlook.fall, outlook.rise,
          outlook.overshoot};
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

Outlook beta_outlook(double a, double b) {
  if (a == 0 || b == 0) return certain_outlook(a, b);
  const double kernel = math::kernel_at_half(a, b);
  Outlook result{a / (a + b), a >= b ? Label::positive : Label::negative, kernel / a, kernel / b,
                 0};
  const double margin = std::abs(a - b);
  if (margin >= 1 - kMarginTolerance) return result;
  const double against = a >= b ? result.fall : result.rise;
  // against - |P - 1/2|, with |P - 1/2| = 1/2 - error; equal parameters give `against` itself.
  result.overshoot = against - (0.5 - math::error_probability(a, b));
  return result;
}

Outlook outlook(const ItemBelief& belief) {
  if (!belief.prior->is_mixture()) {
    const auto [a, b] = shape(belief);
    return beta_outlook(a, b);
  }
  const Counts counts = belief.counts;
  if (belief.prior->is_symmetric() && counts.negative > counts.positive) {
    return mirrored(mixture_outlook({belief.prior, {counts.negative, counts.positive}}));
  }
  return mixture_outlook(belief);
}

}  // namespace allot::model
