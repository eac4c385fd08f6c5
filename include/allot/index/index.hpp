// An index turns the belief about one item into one number; a policy asks about the item with the
// largest.
#pragma once

#include <functional>

#include "allot/model/belief.hpp"

namespace allot::index {

/// A number for the belief about an item.
using BeliefFunction = std::function<double(const model::ItemBelief&)>;

/// An index and its optional bound. The functions must be pure; several threads may call them.
struct Index {
  /// The index of an item; larger is asked first.
  BeliefFunction value;
  /// A cheap upper bound: items whose bound cannot win are not computed. Empty if not worth it.
  BeliefFunction bound = {};

  /// Calls `value`.
  double operator()(const model::ItemBelief& belief) const { return value(belief); }
};

}  // namespace allot::index
