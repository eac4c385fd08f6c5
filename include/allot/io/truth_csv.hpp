// Truth files: the true classes of the items of a label file, one row per item.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/io/label_csv.hpp"

namespace allot::io {

/// The true classes of the items of a label file.
struct Truth {
  /// The truth of each item. A truth that is not a class of the labels has a number beyond theirs,
  /// so no answer is right.
  std::vector<std::optional<ClassId>> of_item;
  /// Number of items with a truth.
  std::uint64_t known = 0;
  /// Number of items with a truth that are not in the label file; they are ignored.
  std::uint64_t elsewhere = 0;
  /// Texts that were matched to a class written differently in the labels (1.0 for 1, TRUE for
  /// true), each with that class. These and the following fields cover items of the label file
  /// only.
  std::vector<std::pair<std::string, std::string>> matched = {};
  /// Texts that are not a class of the labels.
  std::vector<std::string> foreign = {};
  /// Number of items with such a text.
  std::uint64_t foreign_items = 0;
};

/// Names of the columns of a truth file; a column not named here is found by its usual names.
struct TruthColumns {
  /// Column of the item. If the file has no such column, the usual names count.
  std::optional<std::string> item = {};
  /// Column of the truth.
  std::optional<std::string> truth = {};
};

/// Parses one row per item, or several that agree; rows without a truth are skipped. The text is
/// CSV or JSON, or an export of Label Studio, whose annotations marked as ground truth count. A
/// truth is a class of the labels if it is written the same way, or if it equals exactly one of
/// them in another notation. Refuses a file in which no truth is a class of the labels.
Result<Truth> parse_truth(std::string_view text, const LabelFile& labels,
                          const TruthColumns& columns = {});

}  // namespace allot::io
