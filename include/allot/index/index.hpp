// An index turns the belief about one item into one number; a policy asks the item with the
// largest.
#pragma once

#include <functional>

#include "allot/model/belief.hpp"

namespace allot::index {

/// Must not change its values once made; several threads may call it.
using Index = std::function<double(const model::ItemBelief&)>;

}  // namespace allot::index
