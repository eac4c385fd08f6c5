// Files of items to label: CSV with a header row, or JSON lines, one item per row.
//
// An item has an id, fields to show and optionally a price, a known answer (a gold item), a truth
// to measure answers by, and features. Every error message names the line. Linear in time and
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

/// Names of the columns; a column not named here is found by its usual names
/// (docs/reference/file-formats.md).
struct ItemColumns {
  /// Column of the id.
  std::optional<std::string> id = {};
  /// Column of the price.
  std::optional<std::string> price = {};
  /// Column of the known answer.
  std::optional<std::string> gold = {};
  /// Columns of the features, in order; none if empty.
  std::vector<std::string> features = {};
  /// Columns shown to workers; if nothing is named, all but the other columns.
  std::optional<std::vector<std::string>> show = {};
  /// Column of the truth. It has no usual names.
  std::optional<std::string> truth = {};
};

/// One item.
struct ItemRow {
  /// Id of the item; unique.
  std::string id;
  /// The fields to show, as a JSON object; values keep their type.
  std::string fields;
  /// Price of a label of this item.
  std::optional<Money> price = {};
  /// Known answer of a gold item.
  std::optional<std::string> gold = {};
  /// Features, in the order of the columns.
  std::vector<double> features = {};
  /// Line of the row, from 1.
  std::uint64_t line = 0;
  /// The truth to measure the answer by.
  std::optional<std::string> truth = {};
};

/// Parses the text. Refuses an empty or repeated id, an invalid price, a feature that is not a
/// finite number, and a text without items. An empty known answer counts as none.
Result<std::vector<ItemRow>> parse_items(std::string_view text, const ItemColumns& columns = {});

/// Parses a text that comes in pieces, keeping one piece in memory. It returns items as soon as
/// their rows are complete. It does not notice an id that repeats one of an earlier piece.
class ItemReader {
 public:
  /// A row of more than `longest_row` bytes is refused.
  explicit ItemReader(ItemColumns columns = {}, std::size_t longest_row = 1 << 20);
  /// Takes the next piece and returns the items whose rows end in it.
  Result<std::vector<ItemRow>> take(std::string_view piece);
  /// Returns the item of the last row if no line end follows it. Refuses a text without items.
  Result<std::vector<ItemRow>> finish();

 private:
  Result<std::vector<ItemRow>> read(std::string_view rows);
  /// End of the last complete row.
  std::size_t whole_rows();

  ItemColumns columns_;
  std::size_t longest_row_;
  enum class TextKind : std::uint8_t { unknown, json, csv };
  TextKind kind_ = TextKind::unknown;
  std::string waiting_;    // not yet parsed
  std::string head_;       // the row of names, if the text is CSV
  char separator_ = '\0';  // of CSV, once it is known
  std::uint64_t passed_ = 0, found_ = 0;
};

}  // namespace allot::io
