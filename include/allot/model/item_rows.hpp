// The different rows of a design matrix, and the row of each item.
//
// A model cannot tell items with the same features apart: their beliefs change together. Each
// different row is kept once, in order of first appearance, with the number of its items.
// Memory: 8 bytes per number of the different rows, 8 bytes per item.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/math/row_panels.hpp"
#include "allot/model/features.hpp"

namespace allot::model {

/// Different rows of a design, and the items of each. An immutable value.
class ItemRows {
 public:
  /// Copies the different rows of the design. Throws std::invalid_argument if it has no items or no
  /// columns.
  explicit ItemRows(const Design& design);

  /// Number of items in the design.
  std::uint32_t item_count() const { return static_cast<std::uint32_t>(row_of_item_.size()); }
  /// Number of different rows; at most one per item.
  std::uint32_t row_count() const { return static_cast<std::uint32_t>(panels_.rows()); }
  /// Numbers per row, p, including the intercept.
  std::uint32_t column_count() const { return static_cast<std::uint32_t>(panels_.columns()); }
  /// Position of the item's row, less than row_count().
  std::uint32_t row_of(ItemId item) const { return row_of_item_[position(item)]; }
  /// The items of a row, in order.
  std::span<const ItemId> items_of(std::uint32_t row) const {
    return std::span(items_).subspan(first_[row], first_[row + 1] - first_[row]);
  }
  /// Different rows as a matrix, in order of first appearance.
  const math::RowPanels& panels() const { return panels_; }
  /// Number of items of each row; 0 for the rows that fill the last panel.
  std::span<const double> weights() const { return weights_; }

 private:
  math::RowPanels panels_;
  std::vector<std::uint32_t> row_of_item_;
  std::vector<ItemId> items_;  // row by row
  std::vector<std::uint32_t> first_;
  std::vector<double> weights_;
};

}  // namespace allot::model
