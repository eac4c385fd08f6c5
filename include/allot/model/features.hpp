// What is known of items beforehand, made ready for a model: numbers in, design matrix out.
//
// Features come in any units, so by default each is brought to mean 0 and standard deviation 1, and
// an intercept is put in front. A feature that is the same for every item says nothing and is left
// out, with a note. Cost: O(K p).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::model {

/// As they are given, one row an item.
struct Features {
  std::uint32_t item_count = 0;
  std::vector<std::string> names;  // one a column
  std::vector<double> values;      // row by row
};

struct FeatureOptions {
  /// Every feature to mean 0 and standard deviation 1 over the items. Without, one prior variance
  /// for all weights means more for features of small size.
  bool standardise = true;
  /// A first column of ones: items are not half positive, half negative by assumption.
  bool intercept = true;
};

/// What a model works with.
struct Design {
  std::uint32_t item_count = 0;
  std::uint32_t column_count = 0;
  std::vector<double> values;        // row by row
  std::vector<std::string> columns;  // names; the intercept is the first
  std::vector<std::string> dropped;  // features that are the same for every item

  bool intercept = false;  // whether there is one

  std::uint32_t feature_count() const { return column_count - (intercept ? 1 : 0); }
  /// "left out, the same for every item: 'a', 'b'"; empty if nothing was left out.
  std::string note() const;
};

/// Refuses numbers that are not finite, or beyond 1e100 and not standardised, naming item and
/// feature, and features of which nothing is left. With neither option a constant feature stays: it
/// is the caller's own intercept.
Result<Design> prepare(const Features& features, const FeatureOptions& options = {});

}  // namespace allot::model
