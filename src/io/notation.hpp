// Classes that differ only in notation.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace allot::io {

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
