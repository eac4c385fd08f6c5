// ASCII letters as HTTP defines them, independent of the locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace allot::http {

inline char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string lower(std::string text) {
  for (char& letter : text) letter = lower(letter);
  return text;
}

inline bool is_letter_or_digit(char letter) {
  const char small = lower(letter);
  return (small >= 'a' && small <= 'z') || (letter >= '0' && letter <= '9');
}

/// True for a token: the characters of field names and methods.
inline bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return is_letter_or_digit(letter) ||
           std::string_view("!#$%&'*+-.^_`|~").find(letter) != std::string_view::npos;
  });
}

/// True for a control character other than a tab.
inline bool is_control(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return (code < 0x20 && letter != '\t') || code == 0x7f;
}

/// Equality without regard to case.
inline bool same_word(std::string_view left, std::string_view right) {
  const auto small = [](char letter) { return lower(letter); };
  return std::ranges::equal(left, right, {}, small, small);
}

}  // namespace allot::http
