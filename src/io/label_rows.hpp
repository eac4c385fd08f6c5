// Labels that a caller has in memory as rows of a table, read by the rules of label files.
//
// Rows name their item, worker and class by numbers; the texts behind the numbers are given once.
// So a table of a million rows needs no text of a million lines. Errors call row n "line n".
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "allot/io/label_csv.hpp"

namespace allot::io {

/// One column of a table: the text of row n is texts[numbers[n]].
struct TextColumn {
  std::span<const std::string> texts;
  std::span<const std::int64_t> numbers;  // a negative number is an empty text
};

/// Columns of the same length.
struct LabelRows {
  TextColumn items, workers, labels;
  TextColumn confidences = {};  // numbers; empty if no label has one
};

/// The labels of the rows, from number 0 on. Of the reading, only duplicates and classes count.
Result<LabelFile> read_label_rows(const LabelRows& rows, const LabelReading& reading = {});

}  // namespace allot::io
