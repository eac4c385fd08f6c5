// The price of a label: the highest price at which another label of this item is worth buying.
//
//   nu(S) = the largest lambda at which going on is optimal in V_lambda (see stopping.hpp)
//         = max over stopping rules tau >= 1 of  E sum_{t<tau} R(S^t)  /  E tau,
// the best expected gain in accuracy per label over all ways to go on. Asking the item with the
// largest nu spends the budget where a label is worth most and looks as far ahead as it pays.
//
// It is the Gittins index of the rewards without a discount, solved in the same way: on demand,
// each state once, to 1e-9. See gittins.hpp for the method, its cost and the cut-off of the
// look-ahead. For whole tables see price_table.hpp.
#pragma once

#include "allot/index/gittins.hpp"

namespace allot::index {

/// The label price as an index.
Index label_price();

}  // namespace allot::index
