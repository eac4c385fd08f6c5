// Label files: one row a label, with columns for the item, the worker and the label.
//
// Reads what the common tools write (file-formats.md lists the names of columns): separated by
// commas, tabs or semicolons, quoted fields, any line ends, a byte-order mark. Items and workers
// are numbered as they first appear, classes by value or alphabet. Every refusal names the line.
// Linear in time and memory: ten million rows take a few seconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/label_set.hpp"

namespace allot::io {

struct LabelFile {
  model::LabelSet set;
  /// Names by number.
  std::vector<std::string> items, workers, classes;
  /// Rows left out because their item and worker have another.
  std::uint64_t dropped = 0;
  /// Groups of classes that are the same number or word in different notations (1 and 1.0, Yes and
  /// yes). They stay apart, but hardly anybody means them so.
  std::vector<std::vector<std::string>> doubtful = {};
};

/// What to do when a worker labels an item again. `first` and `last` keep that row, at its place in
/// the order of labels, as if the others were not there.
enum class Duplicates { error, first, last };

/// The classes are those of the labels, and those named, which no label need have. They are
/// numbered by value if all are numbers, else alphabetically with capitals ignored.
Result<LabelFile> parse_labels(std::string_view text, Duplicates duplicates = Duplicates::error,
                               const std::vector<std::string>& named_classes = {});

}  // namespace allot::io
