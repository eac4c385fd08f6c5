#include "io/row_text.hpp"

#include "io/csv_line.hpp"
#include "io/json_object.hpp"

namespace allot::io {

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
