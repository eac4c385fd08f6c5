// Label files: one row per label, with columns for the item, the worker and the label.
//
// Reads the formats of the common tools (docs/reference/file-formats.md lists the names of
// columns): separated by commas, tabs or semicolons, quoted fields, any line ends, a byte-order
// mark. Items and workers are numbered in order of appearance, classes by value or alphabetically.
// Every error message names the line. Linear in time and memory: ten million rows take a few
// seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/label_set.hpp"

namespace allot::io {

/// The labels of a file, with the names behind the numbers.
struct LabelFile {
  /// The labels by number.
  model::LabelSet set;
  std::vector<std::string> items;    ///< names of the items by number
  std::vector<std::string> workers;  ///< names of the workers by number
  std::vector<std::string> classes;  ///< names of the classes by number
  /// Number of rows dropped because their item and worker occur in another row.
  std::uint64_t dropped = 0;
  /// Groups of classes that are the same number or word in different notations (1 and 1.0, Yes and
  /// yes). They stay separate, but that is rarely intended.
  std::vector<std::vector<std::string>> doubtful = {};
};

/// Treatment of a worker who labels an item again. `first` and `last` keep that row, at its place
/// in the order of labels, as if the others were not there.
enum class Duplicates { error, first, last };

/// Parses the text. The classes are those of the labels and those in `named_classes`, which may
/// have no label. They are numbered by value if all are numbers, else alphabetically, ignoring
/// case.
Result<LabelFile> parse_labels(std::string_view text, Duplicates duplicates = Duplicates::error,
                               const std::vector<std::string>& named_classes = {});

}  // namespace allot::io
