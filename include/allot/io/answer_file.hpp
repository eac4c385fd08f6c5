// Files of workers' labels, in any format of io/label_formats.hpp.
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
#include "allot/io/label_csv.hpp"

namespace allot::io {

/// One row of the file.
struct AnswerRow {
  std::string item;        ///< id of the item
  std::string worker;      ///< name of the worker
  std::string label;       ///< name of the class
  std::uint64_t line = 0;  ///< line of the row, from 1
  /// How sure the worker is of the label; not set without a column of confidences, or a number.
  std::optional<float> confidence = {};
};

/// All rows with a label.
struct AnswerFile {
  /// Rows in the order of the file.
  std::vector<AnswerRow> rows;
  /// Rows that do not count; those without a label are not answered yet.
  LeftOutLabels left_out = {};
};

/// Parses the text. Columns called item, worker and label are preferred to others: the rows that
/// campaigns hand out have them, besides the columns of the items. Repeated rows are all kept.
Result<AnswerFile> parse_answers(std::string_view text, LabelReading reading = {});

}  // namespace allot::io
