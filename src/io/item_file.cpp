#include "allot/io/item_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "io/class_order.hpp"
#include "io/name_table.hpp"
#include "io/record_rows.hpp"

namespace allot::io {
namespace {

/// What a file of items calls an id: "id" itself, or what label files call an item.
const WantedColumn& id_column() {
  static const WantedColumn column = [] {
    WantedColumn wanted{"id of the item", item_column().names};
    wanted.names.insert(wanted.names.begin(), {{"id"}, {"item"}});
    return wanted;
  }();
  return column;
}

/// Not "truth" or "label": a file may hold those to judge the answers by later.
const WantedColumn& gold_column() {
  static const WantedColumn column{"known answer",
                                   {{"gold", "known_answer", "gold_label"}, {"GOLDEN:*"}}};
  return column;
}

const WantedColumn& price_column() {
  static const WantedColumn column{"price", {{"price"}}};
  return column;
}

/// Where the values of a row stand.
struct Places {
  std::size_t id = 0;
  std::optional<std::size_t> price, gold;
  std::vector<std::size_t> features, show;
};

Result<Places> places_in(const RecordRows& rows, const ItemColumns& columns) {
  Places places;
  const auto id = rows.place(columns.id, id_column());
  if (!id) return tl::unexpected(id.error());
  places.id = *id;
  const auto price = rows.place_if_any(columns.price, price_column());
  if (!price) return tl::unexpected(price.error());
  places.price = *price;
  const auto gold = rows.place_if_any(columns.gold, gold_column());
  if (!gold) return tl::unexpected(gold.error());
  places.gold = *gold;
  for (const std::string& name : columns.features) {
    const auto place = rows.place(name, {"feature", {}});
    if (!place) return tl::unexpected(place.error());
    places.features.push_back(*place);
  }
  if (columns.show) {
    for (const std::string& name : *columns.show) {
      const auto place = rows.place_if_any(name, {"field to show", {}});
      if (!place) return tl::unexpected(place.error());
      if (*place) places.show.push_back(**place);
    }
    return places;
  }
  for (std::size_t i = 0; i < rows.members().size(); ++i) {
    const bool used = i == places.id || places.price == i || places.gold == i ||
                      std::ranges::find(places.features, i) != places.features.end();
    if (!used) places.show.push_back(i);
  }
  return places;
}

Result<ItemRow> item_of(const RecordRows& rows, const Places& places) {
  ItemRow item{std::string(rows.value(places.id)), {}, {}, {}, {}, rows.line()};
  if (item.id.empty()) return refuse_line(rows.line(), "the id of the item is empty");
  if (places.price && !rows.value(*places.price).empty()) {
    const auto price = parse_money(rows.value(*places.price));
    if (!price) return refuse_line(rows.line(), price.error().message);
    item.price = *price;
  }
  if (places.gold && !rows.value(*places.gold).empty()) item.gold = rows.value(*places.gold);
  for (const std::size_t place : places.features) {
    const std::string_view field = rows.value(place);
    const auto value = class_value(field);
    if (!value || std::abs(*value) > 1e100) {
      return refuse_line(
          rows.line(),
          fmt::format("feature {} of item {} is {}; expected {}",
                      in_quotes(rows.members()[place].name), in_quotes(item.id),
                      field.empty() ? "empty" : in_quotes(field),
                      value ? "at most 1e100 in size" : "a finite number such as 0.25"));
    }
    item.features.push_back(*value);
  }
  std::vector<JsonMember> shown;
  for (const std::size_t place : places.show) shown.push_back(rows.members()[place]);
  item.fields = json_text(shown);
  return item;
}

}  // namespace

Result<std::vector<ItemRow>> parse_items(std::string_view text, const ItemColumns& columns) {
  auto rows = RecordRows::open(text);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<ItemRow> items;
  std::optional<Places> places;
  NameTable ids;
  while (true) {
    const auto found = rows->next();
    if (!found) return tl::unexpected(found.error());
    if (!*found) break;
    if (!places || !rows->names_stay()) {
      auto now = places_in(*rows, columns);
      if (!now) return tl::unexpected(now.error());
      places = *std::move(now);
    }
    auto item = item_of(*rows, *places);
    if (!item) return tl::unexpected(item.error());
    const std::uint32_t number = ids.number(item->id);
    if (number < items.size()) {
      return refuse_line(rows->line(), fmt::format("item {} has a row already, line {}; expected "
                                                   "every id once",
                                                   in_quotes(item->id), items[number].line));
    }
    items.push_back(*std::move(item));
  }
  if (!items.empty()) return items;
  return refuse_line(rows->line(), "no item follows; expected one row an item");
}

}  // namespace allot::io
