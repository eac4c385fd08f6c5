// When all beliefs are fitted anew, counted in labels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "allot/base/check.hpp"

namespace allot::model {

class RefitSchedule {
 public:
  /// After so many labels, and never less than 2 % of all so far.
  explicit RefitSchedule(std::uint32_t every) : every_(every) {
    require(every > 0, "make_crowd", "refit_every", 0, "expected at least 1");
  }

  /// To be called once a label.
  bool is_due() {
    ++total_;
    if (++since_ < std::max<std::uint64_t>(every_, total_ / kPart)) return false;
    since_ = 0;
    return true;
  }

 private:
  static constexpr std::uint64_t kPart = 50;

  std::uint32_t every_;
  std::uint64_t total_ = 0, since_ = 0;
};

}  // namespace allot::model
