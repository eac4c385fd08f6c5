#include "allot/audit/sequential_design.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "audit/streams.hpp"

namespace allot::audit {
namespace {

constexpr double kEqualPart = 0.75;

}  // namespace

SequentialDesign::SequentialDesign(std::span<const double> stated, std::uint64_t seed)
    : stated_(stated.begin(), stated.end()), strata_(stated) {
  for (const Stratum& stratum : strata_.all()) spread_ += stratum.spread;
  Rng rng(seed, Rng::Purpose::general, kSequentialDraws);
  waiting_.reserve(stated.size());
  for (std::uint32_t i = 0; i < stated.size(); ++i)
    waiting_.push_back({-std::log1p(-uniform(rng)) / weight(stated[i]), i});
  std::make_heap(waiting_.begin(), waiting_.end());
}

double SequentialDesign::weight(double probability) const {
  const double equal = 1 / static_cast<double>(stated_.size());
  if (spread_ == 0) return equal;
  return kEqualPart * equal +
         (1 - kEqualPart) * std::sqrt(probability * (1 - probability)) / spread_;
}

std::span<const Draw> SequentialDesign::draw(std::size_t count) {
  require(count <= stated_.size(), "SequentialDesign::draw", "count", static_cast<double>(count),
          "expected at most one draw per item");
  while (draws_.size() < count) {
    std::pop_heap(waiting_.begin(), waiting_.end());
    const ItemId item{waiting_.back().item};
    waiting_.pop_back();
    const double own = weight(stated_[position(item)]);
    draws_.push_back({item, stratum(item), waiting_.empty() ? 1 : std::min(1.0, own / left_)});
    left_ -= own;
  }
  return std::span(draws_).first(count);
}

}  // namespace allot::audit
