// Files of what workers said: CSV with a row of names, or JSON lines, an answer a row, with item,
// worker and label as they are named; other columns are of no matter.
//
// Unlike label_csv.hpp, which makes a set of labels of a whole file, this keeps rows as they are:
// they go to a campaign, one by one. Every refusal names the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

/// Which columns hold what; one that is not named here is found by its usual names
/// (file-formats.md).
struct AnswerColumns {
  std::optional<std::string> item = {}, worker = {}, label = {};
};

struct AnswerRow {
  std::string item, worker, label;
  std::uint64_t line = 0;
};

struct AnswerFile {
  std::vector<AnswerRow> rows;
  /// Rows without a label: not answered yet.
  std::uint64_t unanswered = 0;
};

/// With a worker given all rows are theirs: there is no column of workers, or it says the same.
Result<AnswerFile> parse_answers(std::string_view text, const AnswerColumns& columns = {},
                                 const std::optional<std::string>& worker = {});

}  // namespace allot::io
