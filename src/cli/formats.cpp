#include "cli/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"

namespace allot::cli {
namespace {

/// Characters on the screen; continuation bytes of UTF-8 take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
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
  for (const auto& [name, value] : fields) {
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_string(name), value);
  }
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

std::string choice_text(const std::vector<std::string>& names) {
  if (names.size() == 2) return fmt::format("{} or {}", in_quotes(names[0]), in_quotes(names[1]));
  return "one of " + some_in_quotes(names, 8);
}

std::string count_text(std::uint64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string shortened(const std::string& text) {
  return text.size() <= 40 ? for_display(text, 40) : for_display(text, 37);
}

void append(Fields& fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
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
