// A mixture of Beta distributions after some labels: each component's weight, tails and kernel.
#pragma once

#include <boost/container/small_vector.hpp>

#include "allot/model/belief.hpp"

namespace allot::model {

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

  /// Differences of P from 1/2 below this are rounding: a symmetric mixture is at 1/2 when its
  /// counts are equal.
  static constexpr double kHalfTolerance = 1e-13;
  Label favoured_label() const {
    return upper >= lower - kHalfTolerance ? Label::positive : Label::negative;
  }
};

MixtureState mixture_state(const ItemBelief& belief);

using Components = boost::container::small_vector<BetaComponent, 4>;
/// The posterior of model/belief.hpp, without tails and without an allocation.
Components posterior_components(const ItemBelief& belief);

}  // namespace allot::model
