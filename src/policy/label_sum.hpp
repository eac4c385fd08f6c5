// The number of labels that some independent items have had together.
//
// The distribution for one item is split over cells of `width` labels and multiplied with itself:
// O(log items) products of O(cells^2) steps, about a millisecond for 200 items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace allot::policy {

/// A number of labels of an item, and its chance.
struct LabelCount {
  double labels, chance;
};

class LabelSum {
 public:
  static constexpr std::size_t kCells = 1024;

  /// The sum over `items` items with the distribution `item` each. More than kCells * width labels
  /// are not counted.
  LabelSum(std::span<const LabelCount> item, std::uint64_t items, double width);

  struct Chance {
    double value, slope;
  };
  /// The chance of fewer labels than this, each cell spread evenly, and its slope.
  Chance fewer_than(double labels) const;

 private:
  double width_;
  std::vector<double> chances_, below_;
};

}  // namespace allot::policy
