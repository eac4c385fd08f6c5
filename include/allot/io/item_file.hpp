// Files of items to be labelled: CSV with a row of names, or JSON lines, an item a row.
//
// An item is its id, what is to be shown of it, and perhaps a price, a known answer (a gold item),
// a truth to measure answers by, and features. Every refusal names the line. Linear in time and
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

/// Which columns hold what; one that is not named here is found by its usual names
/// (file-formats.md).
struct ItemColumns {
  std::optional<std::string> id = {};
  std::optional<std::string> price = {};
  std::optional<std::string> gold = {};
  /// In their order; none if empty.
  std::vector<std::string> features = {};
  /// What is shown to workers: all but the other columns if nothing is named.
  std::optional<std::vector<std::string>> show = {};
  /// Has no usual names.
  std::optional<std::string> truth = {};
};

struct ItemRow {
  std::string id;
  /// What is to be shown, as a JSON object; values keep their kind.
  std::string fields;
  std::optional<Money> price = {};
  std::optional<std::string> gold = {};
  std::vector<double> features = {};
  std::uint64_t line = 0;
  /// What its answer is to be measured by.
  std::optional<std::string> truth = {};
};

/// Refuses an id that is empty or comes twice, a price that is none, a feature that is no finite
/// number, and a text without items. A known answer that is empty is none.
Result<std::vector<ItemRow>> parse_items(std::string_view text, const ItemColumns& columns = {});

/// The same for a text that comes in pieces, in memory for a piece: items are told as soon as their
/// rows are whole. An id that comes again in a later piece is not noticed.
class ItemReader {
 public:
  /// A row of more bytes than `longest_row` is refused.
  explicit ItemReader(ItemColumns columns = {}, std::size_t longest_row = 1 << 20);
  /// Items whose rows end in this piece.
  Result<std::vector<ItemRow>> take(std::string_view piece);
  /// Those of the last row, if no line end follows it. Refuses a text without items.
  Result<std::vector<ItemRow>> finish();

 private:
  Result<std::vector<ItemRow>> read(std::string_view rows);
  /// Where the last row ends that is whole.
  std::size_t whole_rows();

  ItemColumns columns_;
  std::size_t longest_row_;
  enum class TextKind : std::uint8_t { unknown, json, csv };
  TextKind kind_ = TextKind::unknown;
  std::string waiting_;    // what is not read yet
  std::string head_;       // the row of names, if the text is CSV
  char separator_ = '\0';  // of CSV, once it is known
  std::uint64_t passed_ = 0, found_ = 0;
};

}  // namespace allot::io
