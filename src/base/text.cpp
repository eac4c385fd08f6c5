#include "allot/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/utf8.hpp"

namespace allot {
namespace {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn one word into
/// the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (from[i - 1] != to[j - 1])});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[to.size()];
}

template <typename Number>
std::optional<Number> parse_all(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> value = parse_all<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  return parse_all<std::uint64_t>(text);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string for_display(std::string_view text, std::size_t most) {
  constexpr std::string_view kUnreadable = "\xef\xbf\xbd";  // U+FFFD
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (at + std::max<std::size_t>(length, 1) > most) return shown + "...";
    const std::string_view character = text.substr(at, length);
    const auto first = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F are two bytes.
    const bool control =
        first < 0x20 || first == 0x7f || (character >= "\xc2\x80" && character < "\xc2\xa0");
    shown += length == 0 ? kUnreadable : control ? std::string_view(" ") : character;
    at += std::max<std::size_t>(length, 1);
  }
  return shown;
}

std::string in_quotes(std::string_view text) { return fmt::format("'{}'", for_display(text, 100)); }

std::string some_in_quotes(std::span<const std::string> texts, std::size_t most) {
  std::vector<std::string> shown;
  for (const std::string& text : texts.subspan(0, std::min(texts.size(), most)))
    shown.push_back(in_quotes(text));
  return fmt::format("{}{}", fmt::join(shown, ", "), texts.size() > most ? ", ..." : "");
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known) {
  std::string small(word);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  std::optional<std::string_view> result;
  std::size_t least = std::max<std::size_t>(1, word.size() / 2) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(small, candidate);
    if (distance < least) {
      least = distance;
      result = candidate;
    }
  }
  return result;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  const auto found = nearest(word, known);
  return found ? fmt::format(", did you mean '{}'?", *found) : std::string();
}

std::string count_text(std::uint64_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", count, singular)
                        : fmt::format("{} {}", count, plural);
}

std::string number_text(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.12g}", value);
}

std::string plain_number(double value) {
  constexpr double kUsual = 1e-4, kLeast = 1e-15;  // fmt writes an exponent between them
  const double size = std::abs(value);
  if (size < kLeast || size >= kUsual) return fmt::format("{}", value);
  std::array<char, 64> digits{};
  char* const begin = digits.data();
  const auto written = std::to_chars(begin, begin + digits.size(), value, std::chars_format::fixed);
  return {begin, written.ptr};
}

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos ||
                       also_plain.find(c) != std::string_view::npos;
    if (plain) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace allot
