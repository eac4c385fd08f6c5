#include "io/csv_line.hpp"

#include <string_view>

#include "allot/base/text.hpp"

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

}  // namespace allot::io
