#include "cli/formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "allot/io/text_file.hpp"
#include "io/option_value.hpp"

namespace allot::cli {
namespace {

/// Characters on the screen; continuation bytes of UTF-8 take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string shown(const std::string& value, Kind kind) {
  if (value.empty()) return "-";
  const auto number = kind == Kind::real ? parse_number(value) : std::nullopt;
  return number ? fmt::format("{:.4f}", *number) : value;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  for (std::string& value : row) value = for_display(value, kWidest);
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      line += i == 0 ? "  " + row[i] + padding : "   " + padding + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (&row == &rows_.front()) {
      std::size_t total = 0;
      for (const std::size_t width : widths) total += width + 3;
      text += "  " + std::string(total - 3, '-') + "\n";
    }
  }
  return text;
}

std::string bar(double share, double low, std::size_t width) {
  const double filled =
      std::clamp((share - low) / (1 - low), 0.0, 1.0) * static_cast<double>(width);
  const auto eighths = static_cast<std::size_t>(std::lround(filled * 8));
  static constexpr const char* kParts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  text += kParts[eighths % 8];
  return text + std::string(width - (eighths + 7) / 8, ' ');
}

std::string json_object(const Fields& fields) {
  std::string text = "{";
  for (const auto& [name, value] : fields)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(name), value);
  return text + "}";
}

std::string json_array(const std::vector<std::string>& members) {
  const bool lines = !members.empty() && members.front().starts_with('\n');
  return fmt::format("[{}]", fmt::join(members, lines ? "," : ", "));
}

std::string csv_text(const std::vector<Fields>& rows) {
  std::string text;
  for (const Fields& row : rows) {
    std::vector<std::string> names, values;
    for (const auto& [name, value] : row) {
      names.emplace_back(name);
      values.push_back(value);
    }
    if (text.empty()) text = csv_line(names);
    text += csv_line(values);
  }
  return text;
}

std::string json_rows(std::vector<Fields> rows) {
  std::vector<std::string> objects;
  for (Fields& row : rows) {
    for (auto& [name, value] : row) {
      if (value.empty()) value = "null";
    }
    row.front().second = json_string(row.front().second);
    objects.push_back("\n  " + json_object(row));
  }
  return json_array(objects);
}

Result<Format> read_format(const std::string& text) {
  return io::read_choice<Format>(
      "--format", text, {{"table", Format::table}, {"csv", Format::csv}, {"json", Format::json}});
}

std::string report_text(Format format, const std::string& table, const std::vector<Fields>& rows,
                        Fields settings) {
  if (format == Format::table) return table;
  if (format == Format::csv) return csv_text(rows);
  settings.emplace_back("rows", json_rows(rows));
  return json_object(settings) + "\n";
}

Result<RowFormat> read_row_format(const std::string& text) {
  using enum RowFormat;
  return io::read_choice<RowFormat>(
      "--format", text, {{"table", table}, {"csv", csv}, {"json", json}, {"jsonl", jsonl}});
}

void add_row_options(Command& command, RowFlags& flags) {
  command.add("--format", &flags.format, "F", "Output format: `table`, `csv`, `json` or `jsonl`");
  command.add("--output", &flags.output, "FILE", "File to write the output to", "standard output");
}

Result<RowFormat> read_rows(const RowFlags& flags) {
  const auto format = TRY(read_row_format(flags.format));
  if (flags.output) TRY(io::in_option("--output", io::check_writable(*flags.output)));
  return format;
}

Output delivered(std::string text, const std::optional<std::string>& output) {
  if (!output || *output == "-") return {std::move(text)};
  return {"", {{*output, std::move(text)}}};
}

DataTable::DataTable(const std::vector<std::vector<Cell>>& rows) {
  for (const Cell& cell : rows.front()) columns_.push_back({cell.name, cell.kind});
  for (const auto& row : rows) {
    rows_.emplace_back();
    for (const Cell& cell : row) rows_.back().push_back(cell.value);
  }
}

std::string DataTable::text(RowFormat format) const {
  if (format == RowFormat::table) return table();
  if (format == RowFormat::csv) {
    std::string text = io::csv_head(columns_);
    for (const auto& row : rows_) text += csv_line(row);
    return text;
  }
  std::string lines;
  std::vector<std::string> objects;
  for (const auto& row : rows_) {
    const std::string object = io::json_row(columns_, row);
    lines += object + "\n";
    objects.push_back("\n  " + object);
  }
  return format == RowFormat::jsonl ? lines : json_array(objects) + "\n";
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

std::string record_text(std::vector<Cell> cells, RowFormat format) {
  if (format == RowFormat::csv)
    std::erase_if(cells, [](const Cell& cell) { return cell.kind == Kind::json; });
  return DataTable({std::move(cells)}).text(format == RowFormat::json ? RowFormat::jsonl : format);
}

std::string shortened(const std::string& text) {
  return text.size() <= 40 ? for_display(text, 40) : for_display(text, 37);
}

void append(Fields& fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::string lines = text;
  std::size_t begin = 0;
  while (lines.size() - begin > kWidth) {
    const std::size_t comma = lines.rfind(", ", begin + kWidth - 1);
    if (comma == std::string::npos || comma <= begin) break;
    lines.replace(comma + 1, 1, "\n  ");
    begin = comma + 2;
  }
  return lines;
}

}  // namespace allot::cli
