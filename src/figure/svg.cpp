#include "figure/svg.hpp"

#include <fmt/format.h>

#include "figure/text.hpp"

namespace allot::figure {

std::string length(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

void Svg::begin(std::string_view name, Attributes attributes) {
  document_ += fmt::format("{:{}}<{}", "", open_.size(), name);
  for (const auto& [key, value] : attributes) {
    if (!value.empty()) document_ += fmt::format(" {}=\"{}\"", key, escaped(value));
  }
}

void Svg::open(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  document_ += ">\n";
  open_.emplace_back(name);
}

void Svg::close() {
  const std::string name = std::move(open_.back());
  open_.pop_back();
  document_ += fmt::format("{:{}}</{}>\n", "", open_.size(), name);
}

void Svg::empty(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  document_ += "/>\n";
}

void Svg::text(std::string_view name, Attributes attributes, std::string_view content) {
  begin(name, attributes);
  document_ += fmt::format(">{}</{}>\n", escaped(content), name);
}

void Svg::raw(std::string_view name, std::string_view content) {
  begin(name, {});
  document_ += fmt::format(">\n{}</{}>\n", content, name);
}

}  // namespace allot::figure
