// Feature files: known properties of items, one row per item, one column per feature.
//
// A feature file lists the items of a campaign, including those without labels. Every error message
// names the line and the column. Linear in time and memory: 8 bytes per number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/model/features.hpp"

namespace allot::io {

/// The features of a file.
struct FeatureFile {
  /// One row per item of the label file, in its order, then one per item of `unlabelled`.
  model::Features features;
  /// Items without a label, in the order of the rows.
  std::vector<std::string> unlabelled;
};

/// Parses the text. The column with one of the usual names of an item
/// (docs/reference/file-formats.md) holds the item. If several have such a name, the first of them
/// must be the first column; if none has, the first column holds it. All other columns hold numbers
/// up to 1e100. Refuses fields that are not numbers, repeated rows and names, and a file that lacks
/// an item of the labels or any feature.
Result<FeatureFile> parse_features(std::string_view text, const LabelFile& labels);

/// Appends items without labels to the file. No item may have such a name already.
void append_items(LabelFile& labels, const std::vector<std::string>& items);

}  // namespace allot::io
