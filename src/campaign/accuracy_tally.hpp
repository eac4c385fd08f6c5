// The calibrated accuracy that the stop rule `accuracy` waits for, kept up to date item by item.
//
// The rule asks whether the lower end of the calibrated range has reached the accuracy: with
// probability 0.95 at least so many answers are right. Powers of the items (model/calibration_map)
// are summed as multiples of 2^-31, so that the result does not depend on the order of changes.
//
// Cost: O(grid side) per change of an item, O(grid) per question. Memory: 56 bytes per item.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/model/calibration_map.hpp"

namespace allot::campaign {

/// Chance that the stop rule asks for; the range of campaign::Status has its lower end there.
inline constexpr double kStopChance = 0.95;

class AccuracyTally {
 public:
  /// Leaves the item out, as gold items are.
  void leave_out(ItemId item) { replace(item, {}); }
  /// Counts the item as answered right, as those with a verdict are.
  void set_known(ItemId item) { replace(item, {.kind = Kind::known}); }
  /// Counts the item with the powers that the present map gives it.
  void set(ItemId item, const model::CalibrationMap::Powers& powers) {
    Entry entry{.kind = Kind::open};
    for (std::size_t a = 0; a < powers.size(); ++a) {
      entry.powers[a] = static_cast<std::uint32_t>(std::lround(std::ldexp(powers[a], kBits)));
    }
    replace(item, entry);
  }

  /// Whether the share of right answers is at least `accuracy` with a chance of kStopChance. All
  /// items must have been set by this map.
  bool reaches(double accuracy, const model::CalibrationMap& map) const {
    if (open_ == 0) return known_ > 0;
    model::CalibrationMap::ItemSums sums{.items = static_cast<double>(open_)};
    for (std::size_t a = 0; a < powers_.size(); ++a) {
      sums.powers[a] = std::ldexp(static_cast<double>(powers_[a]), -kBits);
      sums.squares[a] = std::ldexp(static_cast<double>(squares_[a]), -kBits);
    }
    const double all = sums.items + known_;
    return map.chance_of(sums, (accuracy * all - known_) / sums.items) >= kStopChance;
  }

 private:
  static constexpr int kBits = 31;
  static constexpr std::size_t kPoints = model::CalibrationMap::kPoints;
  enum class Kind : std::uint32_t { none, known, open };
  struct Entry {
    Kind kind = Kind::none;
    std::array<std::uint32_t, kPoints> powers = {};
  };

  void replace(ItemId item, const Entry& entry) {
    if (position(item) >= entries_.size()) entries_.resize(position(item) + 1);
    Entry& before = entries_[position(item)];
    count(before, -1);
    before = entry;
    count(before, 1);
  }

  /// Adds the entry, or takes it away. Unsigned sums wrap around and come back exactly.
  void count(const Entry& entry, int sign) {
    const auto step = static_cast<std::uint64_t>(sign);
    known_ += entry.kind == Kind::known ? static_cast<std::uint32_t>(sign) : 0;
    open_ += entry.kind == Kind::open ? static_cast<std::uint32_t>(sign) : 0;
    if (entry.kind != Kind::open) return;
    for (std::size_t a = 0; a < kPoints; ++a) {
      const std::uint64_t power = entry.powers[a];
      powers_[a] += step * power;
      squares_[a] += step * ((power * power) >> kBits);
    }
  }

  std::vector<Entry> entries_;
  std::uint32_t known_ = 0, open_ = 0;
  std::array<std::uint64_t, kPoints> powers_ = {}, squares_ = {};
};

}  // namespace allot::campaign
