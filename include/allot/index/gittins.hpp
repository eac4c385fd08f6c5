// The Gittins index of an item: the highest fee per label at which going on with this item alone
// still pays [XF13].
//
// The rewards of an item are R(S^t) (see knowledge_gradient), discounted by delta per label:
//   nu(S) = max over stopping rules tau >= 1 of
//             E sum_{t<tau} delta^t R(S^t)  /  E sum_{t<tau} delta^t .
// With delta = 1 - 1/T it is the paper's competitor Gittins-inf, which solved a system of O(T^2)
// unknowns at every stage. Here each state that occurs is solved once and kept: for a fee lambda,
// backward induction finds the best rule; the ratio of that rule is a better fee, and so on
// (Dinkelbach), in finitely many steps. Four facts keep the induction small:
//   1. At most one state per depth has R > 0: the one from which a label can change the answer.
//   2. Beyond the depth where R <= lambda nothing pays; before it, only ancestors of paying states
//      do.
//   3. Going on from a state at margin d and depth n is worth at most lambda (m - d)^2, m = R / (2
//      lambda), R the rewards of two depths in a row: the worth if rewards stayed as they are at n
//      and the margin had no drift. With this bound at a horizon instead of nothing, the induction
//      bounds nu from above; the horizon doubles until both bounds agree to 3e-10. (Labels of a
//      Beta belief drift away from the tie and its rewards fall, so the bound is strict; under a
//      mixture it holds near the tie, where the horizon is.)
//   4. All rewards of an item add up to at most its error probability, which resolves far states.
//
// Accuracy: 1e-9 absolute (unless more than 131,072 labels ahead matter). Cost: a look-up for a
// known state. A new state takes tens of microseconds near the tie, milliseconds where nu is below
// 1e-3, and seconds far away under a discount near 1; a campaign does not compute those, because
// their bound shows that they cannot win. Safe to share between threads.
#pragma once

#include "allot/index/index.hpp"

namespace allot::index {

/// The Gittins index with 0 <= discount <= 1. Discount 0 gives KG.
Index gittins(double discount);

/// The label price, the Gittins index without a discount: the highest price at which another label
/// of this item is worth buying,
///   nu(S) = the largest lambda at which going on is optimal in V_lambda (see stopping.hpp)
///         = max over stopping rules tau >= 1 of  E sum_{t<tau} R(S^t)  /  E tau,
/// the best expected gain in accuracy per label over all ways to go on. Asking the item with the
/// largest nu spends the budget where a label is worth most and looks as far ahead as it pays. See
/// price_table.hpp for tables.
Index label_price();

}  // namespace allot::index
