// The label prices (label_price.hpp) of all states of a prior with few labels or many: a table for
// those who look up rather than ask state by state.
//
// How. Prices are swept downwards in steps so small that the tangents and the chord of what going
// on is worth enclose its zero, which is the label price. What a sweep finds a thousand labels
// beyond the table, and all that lies deeper, changes little and smoothly with the price, so that
// it is
//   - computed by long sweeps at 14 prices a factor of two, and interpolated between them with its
//     slope (the expected labels): cubic; or,
//   - at prices so low that the table needs few digits of them (below 4,000 tolerances), scaled:
//     near the tie an item with n labels at a price lambda is like one with n / 2 at 2 lambda, all
//     margins sqrt(2) nearer. That is the diffusion that both approach; they differ by 1 / n.
// Whatever is wrong there reaches a state in the table only with the chance of going on so far, and
// divided by the labels that takes. Tested against state-by-state solutions.
//
// Cost: depth 1,000 under the uniform prior, to 1e-9: a second, 8,000 sweeps; 0.2 s for prices from
// 0.001. Priors that are not symmetric twice that, priors without ties more.
#pragma once

#include <cstddef>
#include <vector>

#include "allot/model/prior.hpp"

namespace allot::index {

/// nu of all states with at most `depth` labels, to `tolerance` (1e-10 or more) where it is at
/// least `lowest`, else 0. The state with n labels, k of them positive, stands at n (n+1) / 2 + k.
std::vector<double> label_price_table(const model::Prior& prior, std::size_t depth,
                                      double tolerance = 1e-9, double lowest = 1e-9);

}  // namespace allot::index
