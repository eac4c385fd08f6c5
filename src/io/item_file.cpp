#include "allot/io/item_file.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/record_reader.hpp"

namespace allot::io {
namespace {

/// Names of the id: "id" itself, or the names of an item in label files.
const WantedColumn& id_column() {
  static const WantedColumn column = [] {
    WantedColumn wanted{"id of the item", item_column().names};
    wanted.names.insert(wanted.names.begin(), {{"id"}, {"item"}});
    return wanted;
  }();
  return column;
}

/// "truth" and "label" are not among the names: a file may hold them to judge answers later.
const WantedColumn& gold_column() {
  static const WantedColumn column{"known answer",
                                   {{"gold", "known_answer", "gold_label"}, {"GOLDEN:*"}}};
  return column;
}

const WantedColumn& price_column() {
  static const WantedColumn column{"price", {{"price"}}};
  return column;
}

/// Positions of the values in a row.
struct ItemPlaces {
  std::size_t id = 0;
  std::optional<std::size_t> price, gold, truth;
  std::vector<std::size_t> features, show;
};

Result<ItemPlaces> places_in(const RecordReader& rows, const ItemColumns& columns) {
  ItemPlaces places;
  places.id = TRY(rows.place(columns.id, id_column()));
  places.price = TRY(rows.place_if_any(columns.price, price_column()));
  places.gold = TRY(rows.place_if_any(columns.gold, gold_column()));
  if (columns.truth) places.truth = TRY(rows.place_if_any(columns.truth, {"truth", {}}));
  for (const std::string& name : columns.features)
    places.features.push_back(TRY(rows.place(name, {"feature", {}})));
  if (columns.show) {
    for (const std::string& name : *columns.show) {
      const auto place = TRY(rows.place_if_any(name, {"field to show", {}}));
      if (place) places.show.push_back(*place);
    }
    return places;
  }
  for (std::size_t i = 0; i < rows.members().size(); ++i) {
    const bool used = i == places.id || places.price == i || places.gold == i ||
                      places.truth == i ||
                      std::ranges::find(places.features, i) != places.features.end();
    if (!used) places.show.push_back(i);
  }
  return places;
}

Result<ItemRow> item_of(const RecordReader& rows, const ItemPlaces& places, std::uint64_t passed) {
  const std::uint64_t line = rows.line() + passed;
  ItemRow item{std::string(rows.value(places.id)), {}, {}, {}, {}, line, {}};
  if (item.id.empty()) return refuse_line(line, "the id of the item is empty");
  if (places.price && !rows.value(*places.price).empty()) {
    const auto price = parse_money(rows.value(*places.price));
    if (!price) return refuse_line(line, price.error().message);
    item.price = *price;
  }
  if (places.gold && !rows.value(*places.gold).empty()) item.gold = rows.value(*places.gold);
  if (places.truth && !rows.value(*places.truth).empty()) item.truth = rows.value(*places.truth);
  for (const std::size_t place : places.features) {
    item.features.push_back(
        TRY(read_feature(line, "feature", rows.members()[place].name, item.id, rows.value(place))));
  }
  std::vector<JsonMember> shown;
  for (const std::size_t place : places.show) shown.push_back(rows.members()[place]);
  item.fields = json_text(shown);
  return item;
}

/// The items of a text that follows `lines` earlier lines; empty if it has none.
Result<std::vector<ItemRow>> items_of(std::string_view text, const ItemColumns& columns,
                                      std::uint64_t passed) {
  const auto shifted = [&](auto result) {
    if (!result) result.error() = shift_line(result.error(), passed);
    return result;
  };
  auto rows = TRY(shifted(RecordReader::open(text)));
  std::vector<ItemRow> items;
  std::optional<ItemPlaces> places;
  NameTable ids;
  while (TRY(shifted(rows.next()))) {
    if (!places || !rows.names_stay()) places = TRY(shifted(places_in(rows, columns)));
    auto item = TRY(item_of(rows, *places, passed));
    const std::uint32_t number = ids.number(item.id);
    if (number < items.size()) {
      return refuse_line(item.line, "item {} already has a row, line {}; expected every id once",
                         in_quotes(item.id), items[number].line);
    }
    items.push_back(std::move(item));
  }
  return items;
}

tl::unexpected<Error> refuse_empty(std::uint64_t line) {
  return refuse_line(line, "the text has no items; expected one row per item");
}

}  // namespace

Result<std::vector<ItemRow>> parse_items(std::string_view text, const ItemColumns& columns) {
  auto items = items_of(text, columns, 0);
  if (items && items->empty()) return refuse_empty(std::max<std::uint64_t>(1, line_ends(text)));
  return items;
}

ItemReader::ItemReader(ItemColumns columns, std::size_t longest_row)
    : columns_(std::move(columns)), longest_row_(longest_row) {}

Result<std::vector<ItemRow>> ItemReader::take(std::string_view piece) {
  waiting_ += piece;
  const std::size_t end = whole_rows();
  auto items = read(std::string_view(waiting_).substr(0, end));
  waiting_.erase(0, end);
  if (!items || waiting_.size() <= longest_row_) return items;
  TRY(read(waiting_));
  return fail(ErrorCode::too_large,
              "line {}: the row has more than {} bytes; expected a shorter row",
              passed_ + line_ends(head_) + 1, longest_row_);
}

Result<std::vector<ItemRow>> ItemReader::finish() {
  static_cast<void>(whole_rows());  // determines the kind of a short text
  auto items = read(waiting_);
  waiting_.clear();
  if (!items || found_ > 0) return items;
  return refuse_empty(std::max<std::uint64_t>(1, passed_ + line_ends(head_)));
}

Result<std::vector<ItemRow>> ItemReader::read(std::string_view rows) {
  const std::size_t first = rows.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    passed_ += line_ends(rows);
    return std::vector<ItemRow>();
  }
  if (kind_ == TextKind::json && rows[first] != '{') {
    return refuse_line(passed_ + line_ends(rows.substr(0, first)) + 1,
                       "the line is not a JSON object; expected one, like the lines before");
  }
  auto items = items_of(head_ + std::string(rows), columns_, passed_);
  passed_ += line_ends(rows);
  if (items) found_ += items->size();
  return items;
}

std::size_t ItemReader::whole_rows() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (kind_ == TextKind::unknown) {
    while (waiting_.starts_with(kMark)) waiting_.erase(0, kMark.size());
    const std::size_t first = waiting_.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || kMark.starts_with(waiting_)) return 0;
    kind_ = waiting_[first] == '{' ? TextKind::json : TextKind::csv;
  }
  if (kind_ == TextKind::json) return waiting_.rfind('\n') + 1;
  if (head_.empty()) {
    if (waiting_.size() <= longest_row_ && !TableReader::has_whole_head(waiting_)) return 0;
    const auto names = TableReader::open(waiting_, {});
    if (!names || names->offset() >= waiting_.size()) return 0;
    separator_ = names->separator();
    head_ = waiting_.substr(0, names->offset());
    waiting_.erase(0, head_.size());
  }
  CsvReader rows(waiting_, separator_);
  std::size_t end = 0;
  while (true) {
    const auto found = rows.next();
    // A line that ends with the piece may continue in the next one.
    if (!found || !*found || rows.offset() >= waiting_.size()) return end;
    end = rows.offset();
  }
}

}  // namespace allot::io
