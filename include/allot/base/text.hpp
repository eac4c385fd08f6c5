// Helpers for small texts: numbers, lists, quoting for messages and suggestions for typos.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace allot {

/// Parses the whole text as a finite decimal number ("0.5", "1e3"); nothing if it is not one.
std::optional<double> parse_number(std::string_view text);

/// Parses the whole text as a whole number in decimal digits; nothing if it is not one.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The parts between separators; one empty part for an empty text.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The text without blanks at either end.
std::string_view trim(std::string_view text);

/// The text made safe for a terminal. Control characters become blanks, and bytes that are not
/// UTF-8 U+FFFD. A text longer than about `most` bytes is cut between characters and ends in "...".
std::string for_display(std::string_view text, std::size_t most);

/// The text in quotes for a message: 'text', made safe and cut after about 100 bytes.
std::string in_quotes(std::string_view text);

/// The first few texts in quotes for a message: "'a', 'b', ...".
std::string some_in_quotes(std::span<const std::string> texts, std::size_t most = 4);

/// Everything but letters, digits, `-._~` and the bytes in `also_plain` as %XX [RFC 3986, 2.3].
std::string percent_encoded(std::string_view text, std::string_view also_plain = {});

/// The known word closest to the given one, ignoring case; nothing if none is close.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

/// ", did you mean 'opt-kg'?" if a known word is close to the given one, else an empty text.
std::string suggestion(std::string_view word, std::span<const std::string_view> known);

/// The count with its noun: "1 row", "3 rows", "2 classes". Without a plural, "s" is added.
std::string count_text(std::uint64_t count, std::string_view singular,
                       std::string_view plural = {});

/// The number with up to twelve digits and no trailing zeros; empty for NaN.
std::string number_text(double value);

/// The shortest text that reads as this number. Small numbers have no exponent: "0.00005".
std::string plain_number(double value);

}  // namespace allot
