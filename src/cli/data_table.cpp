#include "cli/data_table.hpp"

#include <fmt/format.h>

#include "allot/io/text_file.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

std::string shown(const std::string& value, Kind kind) {
  if (value.empty()) return "-";
  const auto number = kind == Kind::real ? parse_number(value) : std::nullopt;
  return number ? fmt::format("{:.4f}", *number) : value;
}

}  // namespace

std::string DataTable::text(RowFormat format) const {
  switch (format) {
    case RowFormat::table:
      return table();
    case RowFormat::csv:
      return csv();
    case RowFormat::json: {
      std::vector<std::string> objects;
      for (const auto& row : rows_) objects.push_back("\n  " + io::json_row(columns_, row));
      return json_array(objects) + "\n";
    }
    case RowFormat::jsonl:
      break;
  }
  std::string lines;
  for (const auto& row : rows_) lines += io::json_row(columns_, row) + "\n";
  return lines;
}

std::string DataTable::table() const {
  std::vector<std::string> header;
  for (const Column& column : columns_) {
    if (column.kind != Kind::json) header.push_back(column.name);
  }
  Table table(header);
  for (const auto& row : rows_) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns_[i].kind != Kind::json) values.push_back(shown(row[i], columns_[i].kind));
    }
    table.add(std::move(values));
  }
  return table.text();
}

std::string DataTable::csv() const {
  std::string text = io::csv_head(columns_);
  for (const auto& row : rows_) text += csv_line(row);
  return text;
}

Result<RowFormat> read_row_format(const std::string& text) {
  return read_choice<RowFormat, 4>("--format", text,
                                   {{{"table", RowFormat::table},
                                     {"csv", RowFormat::csv},
                                     {"json", RowFormat::json},
                                     {"jsonl", RowFormat::jsonl}}});
}

Result<RowFormat> read_rows(const RowFlags& flags) {
  return read_row_format(flags.format).and_then([&](RowFormat format) -> Result<RowFormat> {
    if (!flags.output) return format;
    return in_option("--output", io::check_writable(*flags.output)).map([&] { return format; });
  });
}

Output delivered(std::string text, const std::optional<std::string>& output) {
  if (!output || *output == "-") return {std::move(text), {}, {}};
  return {"", {{*output, std::move(text)}}, {}};
}

}  // namespace allot::cli
