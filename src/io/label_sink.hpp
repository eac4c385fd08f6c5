// Collects the labels that a reader finds in a text, whatever its format.
//
// A reader (io/label_readers.hpp) adds labels one by one, in the order of the text. The sink
// numbers items, workers and classes by appearance and counts what does not count as a label.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/io/label_csv.hpp"
#include "io/name_table.hpp"

namespace allot::io {

/// Whether the text stands for a value that is not there: empty, `NA`, `nan` and the like.
bool is_missing_text(std::string_view text);

/// A truth that stands in a file of labels.
struct FoundTruth {
  std::string item, text;
  std::uint64_t line;
};

/// What a text says about a worker's opinion. Views last as long as the reader's row.
struct FoundLabel {
  std::string_view item, worker, label;
  std::string_view confidence = {};  // a number, or missing
};

/// Labels as they are read.
class LabelSink {
 public:
  /// The reading must outlive this object.
  explicit LabelSink(const LabelReading& reading) : reading_(reading) {}

  /// Adds a label, or counts it as missing. Refuses an empty item or worker, and a worker other
  /// than the one of all rows.
  Result<void> add(std::uint64_t line, const FoundLabel& label);
  /// Adds a truth, unless it is missing.
  void add_truth(std::uint64_t line, std::string_view item, std::string_view truth);
  /// Counts a label of the item that does not count, under one of the reasons of `left_out`.
  void leave_out(std::uint64_t LeftOutLabels::*reason, std::string_view item);
  /// Notes that the text has this item, whether or not a label of it follows.
  void meet(std::string_view item) { met_.number(item); }
  /// Number of items of which no label counts.
  std::uint64_t lost_items() const;
  /// Whether the text stands for a label that is not there, and is not a class that the user names.
  bool is_missing(std::string_view label) const;

  /// Labels that do not count, for readers to count on.
  LeftOutLabels left_out = {};
  /// Names of the columns that have the item and the label, if there are such columns.
  std::optional<std::string> item_column = {}, label_column = {};

  NameTable items, workers, classes;
  std::vector<model::GivenLabel> labels;
  std::vector<std::uint32_t> lines;  // per label
  std::vector<float> confidences;    // per label, once one has been found; shorter before
  std::vector<FoundTruth> truths;

 private:
  const LabelReading& reading_;
  NameTable met_;  // items that may have no label
};

}  // namespace allot::io
