// An index turns the belief about one item into one number; a policy asks the item with the
// largest.
#pragma once

#include <functional>

#include "allot/model/belief.hpp"

namespace allot::index {

using BeliefFunction = std::function<double(const model::ItemBelief&)>;

/// Must not change its values once made; several threads may call it.
struct Index {
  BeliefFunction value;
  /// For an index that is dear to compute: a cheap number that is never below it, so that items
  /// which are not in the running need not be computed. Empty for others.
  BeliefFunction bound = {};

  double operator()(const model::ItemBelief& belief) const { return value(belief); }
};

}  // namespace allot::index
