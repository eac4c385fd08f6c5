// The order of classes, and classes that differ only in notation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace allot::io {

/// Positions of the texts in class order: by value if all are numbers, else alphabetically,
/// ignoring case. So in 0 and 1, -1 and 1, no and yes, false and true, negative and positive, in
/// any case, the negative class comes first.
std::vector<std::uint32_t> class_order(const std::vector<std::string>& texts);

/// The value of a class that is a number, with an optional plus sign; nothing if it is a word.
std::optional<double> class_value(std::string_view text);

/// The text with ASCII capitals turned into small letters.
std::string in_small_letters(std::string text);

/// A normal form that is equal for texts of the same number (1, 1.0, 01, +1, 1e0; digit by digit,
/// of any length) or of the same word ignoring ASCII case (TRUE, true), and for no others.
std::string in_one_notation(std::string_view text);

/// Texts by their normal form. A look-up costs as much as the text is long.
class Notations {
 public:
  explicit Notations(const std::vector<std::string>& texts);

  /// Positions of all texts that equal this one in some notation, in order.
  const std::vector<std::uint32_t>& of(std::string_view text) const;
  /// Groups of several texts that differ only in notation, in the order of their first texts.
  std::vector<std::vector<std::uint32_t>> doubtful() const;

 private:
  std::unordered_map<std::string, std::vector<std::uint32_t>> texts_;
};

}  // namespace allot::io
