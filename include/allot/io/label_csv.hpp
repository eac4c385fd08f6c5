// Label files: one row per label, with columns for the item, the worker and the label, or the
// export of a labelling tool.
//
// Reads the formats of the common tools (io/label_formats.hpp lists them,
// docs/reference/file-formats.md has the names of columns). Tables are separated by commas, tabs or
// semicolons, with quoted fields, any line ends, a byte-order mark. Items and workers are numbered
// in order of appearance, classes as they are named, by value or alphabetically. Rejected work and
// missing labels are left out and counted. Every error message names the line. Linear in time and
// memory: ten million rows of CSV take a few seconds; of JSON, one record at a time is expanded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/label_set.hpp"

namespace allot::io {

/// Labels that a file has, but that do not count, by reason.
struct LeftOutLabels {
  std::uint64_t rejected = 0;   ///< of assignments that the requester rejected
  std::uint64_t missing = 0;    ///< empty, `NA`, `nan` or the like
  std::uint64_t skipped = 0;    ///< the worker skipped the item, or only saved a draft
  std::uint64_t ambiguous = 0;  ///< the worker named several classes at once
  std::uint64_t truths = 0;     ///< marked as ground truth in the file, so not a worker's opinion

  /// Number of all.
  std::uint64_t total() const { return rejected + missing + skipped + ambiguous + truths; }
  bool operator==(const LeftOutLabels&) const = default;
};

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
  /// Name of the format, as in io/label_formats.hpp.
  std::string format = {};
  /// Name of the column that has the item; none if the format has no such column.
  std::optional<std::string> item_column = {};
  /// Name of the column that has the label; none if it differs between rows, or there is none.
  std::optional<std::string> label_column = {};
  /// Labels that do not count.
  LeftOutLabels left_out = {};
  /// Number of items of which no label counts. They are not among the items.
  std::uint64_t lost_items = 0;
};

/// Treatment of a worker who labels an item again. `first` and `last` keep that row, at its place
/// in the order of labels, as if the others were not there. `majority` keeps the first row with the
/// class that the worker named most often; among equals, the one named first. `all` keeps all rows.
enum class Duplicates { error, first, last, all, majority };

/// Names of columns; a column not named here is found by its usual names
/// (docs/reference/file-formats.md). In exports of tools, names of the fields that take their
/// place.
struct LabelColumns {
  std::optional<std::string> item = {};    ///< column of the item
  std::optional<std::string> worker = {};  ///< column of the worker
  std::optional<std::string> label = {};   ///< column of the label; of check boxes a list: "a,b"
  /// Column of how sure the worker is of the label; none if not named. Only in tables with one row
  /// per label.
  std::optional<std::string> confidence = {};
};

/// How to read a label file.
struct LabelReading {
  /// Name of the format, as in io/label_formats.hpp; recognised by the content if empty.
  std::string format = {};
  /// Columns named by the user.
  LabelColumns columns = {};
  /// What to do with repeated labels.
  Duplicates duplicates = Duplicates::error;
  /// Classes that exist even if no label has them, in their order. A class that is named here is
  /// never a missing label, not even `NA`.
  std::vector<std::string> classes = {};
  /// Whether labels of rejected assignments count.
  bool keep_rejected = false;
  /// The worker of every row; a row that names another worker is refused.
  std::optional<std::string> worker = {};
  /// Whether a column that is called item, worker or label is preferred to other usual names.
  bool prefer_own_names = false;
};

/// Parses the text. The classes are those that are named, in their order, and then the others of
/// the labels: by value if all of these are numbers, else alphabetically, ignoring case.
Result<LabelFile> parse_labels(std::string_view text, const LabelReading& reading = {});

}  // namespace allot::io
