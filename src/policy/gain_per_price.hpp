// The gain of a label per price: one number to compare pairs by.
//
// A gain is divided by the price. A loss, which some indices expect, is multiplied by it: of two
// equal losses the more expensive is the worse. The number grows with the index, falls with the
// price, and is the index itself where the price is 1.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

namespace allot::policy {

/// Expects a price of at least 1.
inline double gain_per_price(double index, double price) {
  return index >= 0 ? index / price : index * price;
}

/// The least index whose gain per price is at least `threshold`, to the last bit. Bisects among all
/// doubles, which have the order of their bits apart from the sign.
inline double least_index(double threshold, double price) {
  if (price == 1) return threshold;
  constexpr double kMost = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kZero = std::numeric_limits<std::int64_t>::min();
  const auto place = [](double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits >= 0 ? bits : kZero - bits;
  };
  const auto value = [](std::int64_t at) {
    return std::bit_cast<double>(at >= 0 ? at : kZero - at);
  };
  std::int64_t below = place(-kMost), least = place(kMost);
  while (below + 1 < least) {
    const std::int64_t middle = std::midpoint(below, least);
    (gain_per_price(value(middle), price) >= threshold ? least : below) = middle;
  }
  return value(least);
}

}  // namespace allot::policy
