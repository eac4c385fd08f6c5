// How many labels some independent items have had together.
//
// The distribution for one item is split over cells of `width` labels and multiplied with itself:
// O(log items) products of O(cells^2) steps, about a millisecond for 200 items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace allot::policy {

/// An item has had so many labels, with this chance.
struct Settled {
  double labels, chance;
};

class LabelSum {
 public:
  static constexpr std::size_t kCells = 1024;

  /// Of `items` items, each as given. More than kCells * width labels are not counted.
  LabelSum(std::span<const Settled> item, std::uint64_t items, double width);

  struct Chance {
    double value, slope;
  };
  /// The chance of fewer labels than this, each cell spread evenly, and how it grows with them.
  Chance fewer_than(double labels) const;

 private:
  double width_;
  std::vector<double> chances_, below_;
};

}  // namespace allot::policy
