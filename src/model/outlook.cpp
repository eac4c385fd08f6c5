#include "allot/model/outlook.hpp"

#include <cmath>

#include "allot/math/beta_tail.hpp"
#include "model/mixture_state.hpp"

namespace allot::model {
namespace {

/// Margins this close to 1 come from decimal priors such as Beta(3.3, 2.3); the overshoot there is
/// below 1e-12.
constexpr double kMarginTolerance = 1e-12;

/// The outlook under Haldane's prior while all labels agree: the belief is certain, and one label
/// against it brings it to 1/2.
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
    // Take the tail on the wrong side: the change of the weights then keeps its digits where P is
    // near 0 or 1.
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

/// The outlook of the state with the labels swapped, for a state whose answer is positive and not
/// in doubt.
Outlook mirrored(const Outlook& outlook) {
  return {1 - outlook.chance_positive, Label::negative, outlook.fall, outlook.rise,
          outlook.overshoot};
}

}  // namespace

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
    const BetaComponent& prior = belief.prior->components().front();
    return beta_outlook(prior.a + belief.counts.positive, prior.b + belief.counts.negative);
  }
  const Counts counts = belief.counts;
  if (belief.prior->is_symmetric() && counts.negative > counts.positive) {
    return mirrored(mixture_outlook({belief.prior, {counts.negative, counts.positive}}));
  }
  return mixture_outlook(belief);
}

}  // namespace allot::model
