// When all beliefs are fitted anew, counted in labels.
#pragma once

#include <algorithm>
#include <cstdint>

#include "allot/base/bytes.hpp"
#include "allot/base/check.hpp"

namespace allot::model {

class RefitSchedule {
 public:
  /// After so many labels, and never less than 2 % of all so far or one for a thousand items: all
  /// refits together then cost about fifty of the last, and a thousand steps a label.
  /// With `background_refit_gap`, refits so far apart or further take effect late, and as somebody
  /// waits they are fewer: a quarter of the labels beyond 8,000 apart, or one for two hundred
  /// items.
  RefitSchedule(std::uint32_t every, std::uint32_t item_count,
                std::uint32_t background_refit_gap = 0)
      : asked_(every), late_from_(background_refit_gap) {
    require(every > 0, "make_crowd", "refit_every", 0, "expected at least 1");
    set_items(item_count);
  }

  /// There are more items now.
  void set_items(std::uint32_t count) {
    every_ = std::max(asked_, std::uint64_t{count} / (late_from_ > 0 ? kLateItems : kItems));
  }

  void save(ByteWriter& to) const {
    to.number(total_);
    to.number(since_);
  }
  void load(ByteReader& from) {
    total_ = from.number();
    since_ = from.number();
  }

  /// To be called once a label.
  bool is_due() {
    ++total_;
    if (++since_ < gap()) return false;
    since_ = 0;
    return true;
  }

  /// After how many more labels a refit that is due takes effect. Always before the next is due.
  std::uint64_t lag() const { return late_from_ > 0 && gap() >= late_from_ ? gap() / 2 : 0; }

 private:
  std::uint64_t gap() const {
    const bool many = late_from_ > 0 && total_ > kFew;
    return std::max({every_, total_ / kPart, many ? (total_ - kFew) / kPartOfMany : 0});
  }

  static constexpr std::uint64_t kPart = 50, kItems = 1000;
  static constexpr std::uint64_t kLateItems = 200, kFew = 8000, kPartOfMany = 4;

  std::uint64_t asked_, late_from_;
  std::uint64_t every_ = 0, total_ = 0, since_ = 0;
};

}  // namespace allot::model
