// Files of workers' labels: CSV with a header row, or JSON lines, one label per row. Columns for
// item, worker and label are found by name; other columns are ignored.
//
// Unlike label_csv.hpp, which makes a label set of a whole file, this keeps the rows: a campaign
// records them one by one. Every error message names the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

/// Names of the columns; a column not named here is found by its usual names
/// (docs/reference/file-formats.md).
struct AnswerColumns {
  std::optional<std::string> item = {};    ///< column of the item
  std::optional<std::string> worker = {};  ///< column of the worker
  std::optional<std::string> label = {};   ///< column of the label
};

/// One row of the file.
struct AnswerRow {
  std::string item;        ///< id of the item
  std::string worker;      ///< name of the worker
  std::string label;       ///< name of the class
  std::uint64_t line = 0;  ///< line of the row, from 1
};

/// All rows with a label.
struct AnswerFile {
  /// Rows in the order of the file.
  std::vector<AnswerRow> rows;
  /// Number of rows without a label: not answered yet.
  std::uint64_t unanswered = 0;
};

/// Parses the text. If `worker` is given, all rows belong to that worker, and a column of workers
/// must agree.
Result<AnswerFile> parse_answers(std::string_view text, const AnswerColumns& columns = {},
                                 const std::optional<std::string>& worker = {});

}  // namespace allot::io
