// Ties are a decision.
//
// Many states share an index, in theory or up to rounding; the last bit must not decide which of
// them is asked. Values within a relative 1e-12 of the best are tied with it, and a stated rule
// chooses among them. Ties in answers have a rule of their own, model/best_class.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/rng.hpp"

namespace allot::policy {

/// `random`: any tied item with the same chance (the paper's randomized policies; for pairs see
/// pair_policy.hpp);
/// `first`: the item that comes first (its deterministic ones) [CLZ sec:Opt-KG].
enum class TieBreak { random, first };

/// Relative difference from the best value up to which a value is tied with it.
inline constexpr double kTieTolerance = 1e-12;

/// The smallest value that is tied with `best`.
inline double tie_threshold(double best) {
  return best - kTieTolerance * (best < 0 ? -best : best);
}

/// An index value without the noise of its last bits (relative 3e-14), so that values equal in
/// theory are equal. Policies compare quantised values.
double quantised(double index);

/// Positions of the values tied with the best, in order: a plain O(K) scan.
std::vector<std::uint32_t> best_candidates(std::span<const double> index);

/// One of the tied positions; draws from `rng` only if there is a choice to make at random.
std::uint32_t break_tie(std::span<const std::uint32_t> tied, TieBreak rule, Rng& rng);

}  // namespace allot::policy
