// The design matrix of a model, made from the features of items.
//
// Features come in any units. By default each is standardised to mean 0 and standard deviation 1,
// and an intercept is put in front. A feature that is the same for every item says nothing; it is
// dropped, with a note. Cost: O(K p).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/base/result.hpp"

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
  /// Whether to add a first column of ones. Without it, the model assumes that half of the items
  /// are positive.
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

}  // namespace allot::model
