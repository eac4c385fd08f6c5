// When all beliefs are fitted anew, counted in labels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "allot/base/check.hpp"

namespace allot::model {

class RefitSchedule {
 public:
  /// After so many labels, and never less than 2 % of all so far or one for a thousand items: all
  /// refits together then cost about fifty of the last, and a thousand steps a label.
  RefitSchedule(std::uint32_t every, std::uint32_t item_count)
      : every_(std::max<std::uint64_t>(every, item_count / kItems)) {
    require(every > 0, "make_crowd", "refit_every", 0, "expected at least 1");
  }

  /// To be called once a label.
  bool is_due() {
    ++total_;
    if (++since_ < std::max(every_, total_ / kPart)) return false;
    since_ = 0;
    return true;
  }

 private:
  static constexpr std::uint64_t kPart = 50, kItems = 1000;

  std::uint64_t every_, total_ = 0, since_ = 0;
};

}  // namespace allot::model
