// The Gittins index of an item: the highest fee a label for which going on with this item alone
// still pays [XF13].
//
// The stream of rewards of an item is R(S^t) (see knowledge_gradient), discounted by delta a label.
// The index is
//   nu(S) = max over stopping rules tau >= 1 of  E sum_{t<tau} delta^t R(S^t)  /  E sum_{t<tau}
//   delta^t .
// With delta = 1 - 1/T it is the paper's competitor Gittins-inf. The paper's competitor solved a
// system of O(T^2) unknowns at every stage; here each state that turns up is solved once, on the
// part of the lattice where going on pays, and kept.
//
// How. For a fee lambda the best rule is found by backward induction, its ratio is a better fee,
// and so on (Dinkelbach): the fees rise to nu and reach it after finitely many steps. Four facts
// keep the induction small:
//   1. At most one state of each depth has R > 0: the one from which a label can change the answer
//      (P grows with the share of positive labels, so the answer changes at one place).
//   2. Beyond the depth where R <= lambda nothing pays; before it, only ancestors of paying states
//   do.
//   3. Going on from a state at margin d and depth n is worth at most lambda (m - d)^2, m = R / (2
//      lambda), R the rewards of two depths in a row: what it would be worth if rewards stayed as
//      they are at n and the margin had no drift. With that bound at a horizon instead of nothing,
//      the induction bounds nu from above; the horizon is doubled until both bounds agree to 3e-10.
//      (Labels of a Beta belief drift away from the tie and its rewards fall, so the bound is
//      strict; under a mixture it holds near the tie, where the horizon is.)
//   4. All rewards of an item add up to at most its error probability, which settles far states.
//
// Accuracy: 1e-9 absolute (unless more than 131,072 labels ahead matter), tested against
// untruncated induction. Cost: a look-up for a known state; for a new one tens of microseconds near
// the tie, milliseconds where nu is below 1e-3, seconds for far states under a discount near 1. A
// campaign does not compute those: their bound keeps them out of the running. Safe to share between
// threads.
#pragma once

#include <memory>

#include "allot/index/index.hpp"

namespace allot::index {

/// 0 <= discount <= 1. With discount 0 it is KG.
Index gittins(double discount);

}  // namespace allot::index
