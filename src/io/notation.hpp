// Classes that are the same but for the way they are written.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace allot::io {

/// Equal for texts that are the same number (1, 1.0, 01, +1, 1e0; digit by digit, however long) or
/// the same word but for capitals (TRUE, true; those of ASCII), and for no others.
std::string in_one_notation(std::string_view text);

/// Texts by what they are in one notation. A look-up costs as much as the text is long.
class Notations {
 public:
  explicit Notations(const std::vector<std::string>& texts);

  /// Positions of all texts that are this one in some notation, in order.
  const std::vector<std::uint32_t>& of(std::string_view text) const;
  /// Groups of more than one text in different notations, in the order of their first texts.
  std::vector<std::vector<std::uint32_t>> doubtful() const;

 private:
  std::unordered_map<std::string, std::vector<std::uint32_t>> texts_;
};

}  // namespace allot::io
