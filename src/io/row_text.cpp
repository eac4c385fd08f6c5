#include "io/row_text.hpp"

#include "allot/base/text.hpp"
#include "io/json_object.hpp"

namespace allot::io {
namespace {

/// True for fields that reading would change; blanks at either end would be lost.
bool needs_quotes(std::string_view field) {
  return field.find_first_of(",\"\n\r") != std::string_view::npos || field != trim(field);
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    if (!needs_quotes(field)) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string csv_head(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return csv_line(names);
}

std::string json_row(const std::vector<Column>& columns, const std::vector<std::string>& row) {
  std::vector<JsonMember> members;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool is_text = columns[i].kind == Kind::text && !row[i].empty();
    members.push_back({columns[i].name, row[i].empty() ? "null" : row[i], is_text});
  }
  return json_text(members);
}

}  // namespace allot::io
