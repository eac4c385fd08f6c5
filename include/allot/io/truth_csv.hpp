// Truth files: what is known about the items of a label file, one row an item.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/io/label_csv.hpp"

namespace allot::io {

/// What is known about the items of a label file.
struct Truth {
  std::vector<std::optional<ClassId>> of_item;
  /// Items with a truth.
  std::uint64_t known = 0;
  /// Items that have a truth and no label; they are left out.
  std::uint64_t elsewhere = 0;
};

/// One row an item, or several that agree; a row without a truth is passed over. Classes that no
/// label has join those of the file, which are then numbered anew; a refusal leaves it as it was.
Result<Truth> parse_truth(std::string_view text, LabelFile& labels);

}  // namespace allot::io
