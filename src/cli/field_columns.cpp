#include "cli/field_columns.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"

namespace allot::cli {

FieldColumns field_columns(const std::vector<std::string>& fields,
                           const std::function<bool(const std::string&)>& is_taken) {
  FieldColumns columns;
  for (const std::string& object : fields) {
    std::vector<std::string>& row = columns.rows.emplace_back();
    const auto members = io::parse_json_object(object);
    if (!members) continue;
    for (const io::JsonMember& field : *members) {
      const std::string name = is_taken(field.name) ? "shown_" + field.name : field.name;
      const auto place =
          static_cast<std::size_t>(std::ranges::find(columns.names, name) - columns.names.begin());
      if (place == columns.names.size()) columns.names.push_back(name);
      row.resize(columns.names.size());
      row[place] = field.value;
    }
  }
  for (std::vector<std::string>& row : columns.rows) row.resize(columns.names.size());
  return columns;
}

Result<std::vector<std::string>> fields_of(const campaign::CampaignView& view,
                                           const std::vector<std::string>& items) {
  std::vector<std::string> fields;
  for (const std::string& id : items) {
    const auto item =
        TRY(view.read([&](const campaign::State& state) { return state.find_item(id); }));
    fields.push_back(item ? TRY(view.content(*item)) : "");
  }
  return fields;
}

std::string item_rows_text(const std::vector<Column>& columns,
                           std::vector<std::vector<std::string>> rows,
                           const std::vector<std::string>& fields, RowFormat format,
                           std::optional<std::size_t> most) {
  std::vector<Column> all = columns;
  if (format == RowFormat::json || format == RowFormat::jsonl) {
    all.push_back({"fields", Kind::json});
    for (std::size_t n = 0; n < rows.size(); ++n) {
      rows[n].push_back(fields[n].empty() ? "{}" : fields[n]);
    }
  } else {
    const auto more = field_columns(fields, [&](const std::string& name) {
      return std::ranges::find(columns, name, &Column::name) != columns.end();
    });
    for (const std::string& name : more.names) all.push_back({name});
    for (std::size_t n = 0; n < rows.size(); ++n) {
      for (const std::string& value : more.rows[n]) {
        const bool cut = most && format == RowFormat::table;
        rows[n].push_back(cut ? for_display(value, *most) : value);
      }
    }
  }
  DataTable table(all);
  for (std::vector<std::string>& row : rows) table.add(std::move(row));
  return table.text(format);
}

}  // namespace allot::cli
