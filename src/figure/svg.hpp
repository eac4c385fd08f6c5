// A writer of SVG, element by element.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allot::figure {

/// A length on the paper: at most two digits after the point, the same on every machine.
std::string length(double value);

class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// Opens an element. Attributes without a value are left out; values are escaped.
  void open(std::string_view name, Attributes attributes);
  /// Closes the element opened last.
  void close();
  void empty(std::string_view name, Attributes attributes);
  /// Writes an element with a text, which is escaped.
  void text(std::string_view name, Attributes attributes, std::string_view content);
  /// Writes an element with trusted text, such as a style sheet, verbatim.
  void raw(std::string_view name, std::string_view content);

  /// The document so far.
  const std::string& document() const { return document_; }

 private:
  void begin(std::string_view name, Attributes attributes);

  std::string document_;
  std::vector<std::string> open_;
};

}  // namespace allot::figure
