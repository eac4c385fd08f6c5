// Review files: what reviewers decided, one row per item.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

/// One row of a review file.
struct ReviewRow {
  std::string item,    ///< id of the item
      truth,           ///< its class, as the reviewer sees it
      reason;          ///< words of the reviewer; may be empty
  std::uint64_t line;  ///< line in the file
};

/// The rows of a review file.
struct ReviewFile {
  std::vector<ReviewRow> rows;  ///< rows with a truth, in order
  std::uint64_t undecided = 0;   ///< rows whose truth is empty
};

/// Parses columns for the item and its truth, and `reason` if there is one. Rows without a truth
/// are counted and left out. Refuses a second row about an item.
Result<ReviewFile> parse_reviews(std::string_view text);

}  // namespace allot::io
