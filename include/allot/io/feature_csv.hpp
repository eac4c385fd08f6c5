// Feature files: what is known of items beforehand, one row an item, one column a feature.
//
// A feature file knows the items of a campaign: also those that nobody has labelled yet. Every
// refusal names the line and the column. Linear in time and memory: 8 bytes a number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/model/features.hpp"

namespace allot::io {

struct FeatureFile {
  /// A row for each item of the label file, in its order, then one for each of `unlabelled`.
  model::Features features;
  /// Items without a label, in the order of the rows.
  std::vector<std::string> unlabelled;
};

/// The item stands in the column that goes by one of its names (file-formats.md), the first of them
/// if several do and that is the first of all; else in the first column. All others hold numbers up
/// to 1e100. Refuses what is no number, rows and names that repeat, and a file that lacks an item
/// of the labels or any feature.
Result<FeatureFile> parse_features(std::string_view text, const LabelFile& labels);

/// Makes these the last items of the file, without labels. No item may have such a name already.
void append_items(LabelFile& labels, const std::vector<std::string>& items);

}  // namespace allot::io
