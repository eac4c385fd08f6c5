// Truth files: what is known about the items of a label file, one row an item.
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

/// What is known about the items of a label file.
struct Truth {
  /// A truth that is no class of the labels has a number beyond theirs: no answer is right.
  std::vector<std::optional<ClassId>> of_item;
  /// Items with a truth.
  std::uint64_t known = 0;
  /// Items that have a truth and are none of the label file; they are left out.
  std::uint64_t elsewhere = 0;
  /// Texts that were taken for a class which the labels write otherwise (1.0 for 1, TRUE for true),
  /// each with that class. Only of items of the label file, as what follows.
  std::vector<std::pair<std::string, std::string>> matched = {};
  /// Texts that are no class of the labels, and the number of items that have them.
  std::vector<std::string> foreign = {};
  std::uint64_t foreign_items = 0;
};

/// One row an item, or several that agree; a row without a truth is passed over. A truth is a class
/// of the labels if it is written like one, or if just one of them is the same in another notation.
/// Refuses truths of which none is.
Result<Truth> parse_truth(std::string_view text, const LabelFile& labels);

}  // namespace allot::io
