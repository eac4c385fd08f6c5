#include <algorithm>

#include "base/every_processor.hpp"
#include "policy/item_course.hpp"

namespace allot::policy {
namespace {

using Chances = std::vector<double>;

ALLOT_EVERY_PROCESSOR void add_product(const double* one, const double* other, double* sum,
                                       std::size_t count) {
  constexpr double kSpeck = 1e-18;
  for (std::size_t i = 0; i < count; ++i) {
    if (one[i] < kSpeck) continue;
    for (std::size_t j = 0; j < count - i; ++j) sum[i + j] += one[i] * other[j];
  }
}

Chances product(const Chances& one, const Chances& other) {
  Chances sum(one.size(), 0.0);
  add_product(one.data(), other.data(), sum.data(), sum.size());
  return sum;
}

/// Spreads a number between two cells over both, so that means stay.
Chances in_cells(std::span<const LabelCount> item, double width) {
  Chances chances(LabelSum::kCells, 0.0);
  for (const auto& [labels, chance] : item) {
    const double place = labels / width;
    if (place >= static_cast<double>(LabelSum::kCells)) continue;
    const auto cell = static_cast<std::size_t>(place);
    const double beyond = place - static_cast<double>(cell);
    chances[cell] += chance * (1 - beyond);
    if (cell + 1 < LabelSum::kCells) chances[cell + 1] += chance * beyond;
  }
  return chances;
}

}  // namespace

LabelSum::LabelSum(std::span<const LabelCount> item, std::uint64_t items, double width)
    : width_(width), chances_(kCells, 0.0) {
  chances_[0] = 1;
  Chances square = in_cells(item, width);
  for (std::uint64_t left = items; left > 0; left >>= 1U) {
    if ((left & 1U) != 0) chances_ = product(chances_, square);
    if (left > 1) square = product(square, square);
  }
  below_.assign(kCells + 1, 0.0);
  for (std::size_t i = 0; i < kCells; ++i) below_[i + 1] = below_[i] + chances_[i];
}

LabelSum::Chance LabelSum::fewer_than(double labels) const {
  const double place = labels / width_ + 0.5;
  if (place <= 0) return {0, 0};
  const auto cell = std::min(static_cast<std::size_t>(place), kCells - 1);
  const double share = std::min(1.0, place - static_cast<double>(cell));
  return {below_[cell] + share * chances_[cell], chances_[cell] / width_};
}

}  // namespace allot::policy
