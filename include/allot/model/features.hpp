// The design matrix of a model, made from the features of items, and its different rows.
//
// Features come in any units. By default each is standardised to mean 0 and standard deviation 1,
// and an intercept is put in front. A feature that is the same for every item says nothing; it is
// dropped, with a note. Cost: O(K p).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/math/row_panels.hpp"

namespace allot::model {

/// Features as they are given, one row per item.
struct Features {
  std::uint32_t item_count = 0;    // number of rows
  std::vector<std::string> names;  // one per column
  std::vector<double> values;      // row by row
};

/// Settings of the step from features to a design.
struct FeatureOptions {
  /// Whether to standardise every feature to mean 0 and standard deviation 1 over the items.
  /// Without it, one prior variance for all weights constrains features of small size more.
  bool standardise = true;
  /// Whether to add a first column of ones; without it, half of the items are taken as positive.
  bool intercept = true;
};

/// The matrix that a model works with.
struct Design {
  std::uint32_t item_count = 0;      // number of rows
  std::uint32_t column_count = 0;    // features kept, and the intercept if any
  std::vector<double> values;        // row by row
  std::vector<std::string> columns;  // names; the intercept is the first
  std::vector<std::string> dropped;  // features that are the same for every item

  bool intercept = false;  // whether the first column is one

  /// Number of columns without the intercept.
  std::uint32_t feature_count() const { return column_count - (intercept ? 1 : 0); }
  /// "left out, the same for every item: 'a', 'b'"; empty if nothing was left out.
  std::string note() const;
};

/// Makes the design. Refuses numbers that are not finite, or beyond 1e100 and not standardised, and
/// names the item and the feature; also refuses features that are all constant. With neither option
/// a constant feature stays: it is the caller's own intercept.
Result<Design> prepare(const Features& features, const FeatureOptions& options = {});

/// Different rows of a design, in order of first appearance, and the items of each: a model cannot
/// tell items with the same features apart. An immutable value.
class ItemRows {
 public:
  /// Copies the rows. Throws std::invalid_argument if the design has no items or no columns.
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
  /// Different rows as a matrix.
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
