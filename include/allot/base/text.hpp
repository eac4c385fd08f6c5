// Reading small texts: numbers, lists, and what somebody probably meant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot {

/// The whole text as a finite decimal number ("0.5", "1e3"); nothing if it is anything else.
std::optional<double> parse_number(std::string_view text);

/// The whole text as a whole number in decimal digits.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Without blanks at either end.
std::string_view trim(std::string_view text);

/// For the eye: control characters, which a terminal would obey, are blanks, and what is longer
/// than about `most` bytes is cut between characters of UTF-8 and ends in "...".
std::string for_display(std::string_view text, std::size_t most);

/// 'text' in quotes for a message, for the eye and cut after about 40 bytes.
std::string in_quotes(std::string_view text);

/// The first few texts in quotes for a message: "'a', 'b', ...".
std::string some_in_quotes(std::span<const std::string> texts, std::size_t most = 4);

/// The known word closest to the given one, capitals ignored; nothing if none is close.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

/// ", did you mean 'opt-kg'?" if a known word is close to the given one, else nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

/// Twelve digits, no trailing zeros; empty if it is no number.
std::string number_text(double value);

/// The shortest text that reads as this number, of small ones without an exponent: "0.00005".
std::string plain_number(double value);

}  // namespace allot
