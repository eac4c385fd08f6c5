#include "figure/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/text.hpp"

namespace allot::figure {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

bool allowed_in_xml(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xD800) ||
         (c >= 0xE000 && c < 0xFFFE) || (c >= 0x10000 && c < 0x110000);
}

struct Character {
  char32_t code;       // U+FFFD for bytes that are not UTF-8 or that XML cannot hold
  std::size_t length;  // in bytes
};

/// The first character of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return {kReplacement, 1};
  char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {kReplacement, 1};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (overlong) return {kReplacement, 1};
  return {allowed_in_xml(code) ? code : kReplacement, length};
}

struct Escape {
  char32_t code;
  std::string_view text;
};
constexpr Escape kEscapes[] = {
    {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"},
    {'\t', " "},   {'\n', " "},   {'\r', " "},    {kReplacement, "\xEF\xBF\xBD"}};

/// Width in units of the font size, that of the wider ones of the common fonts.
double width_of(char32_t c) {
  constexpr std::u32string_view kNarrow = U"ijlI.,:;|!'()[] ", kWide = U"mwMW%@";
  if (c >= 0x1100) return 1;
  if (kNarrow.find(c) != std::u32string_view::npos) return 0.37;
  if (kWide.find(c) != std::u32string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.72 : 0.62;
}

/// Neighbours at the smallest allowed distance.
struct Block {
  double sum;
  std::size_t size;

  double mean() const { return sum / static_cast<double>(size); }
};

}  // namespace

std::string grouped(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')) text.erase(0, 1);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t place = std::min(text.find('.'), text.size());
  while (place > first + 3) {
    place -= 3;
    text.insert(place, 1, ',');
  }
  return text;
}

std::string plain_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e12 || (size > 0 && size < 1e-3)) return fmt::format("{:.6g}", value);
  std::string text = grouped(value, 5);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    const auto known = std::ranges::find(kEscapes, code, &Escape::code);
    result += known == std::end(kEscapes) ? text.substr(0, length) : known->text;
    text.remove_prefix(length);
  }
  return result;
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    width += width_of(code);
    text.remove_prefix(length);
  }
  return width * font_size;
}

std::string shortened(std::string_view text, double font_size, double width) {
  if (text_width(text, font_size) <= width) return std::string(text);
  std::size_t kept = 0;
  for (std::size_t next = 0; next < text.size();) {
    next += first_character(text.substr(next)).length;
    if (text_width(text.substr(0, next), font_size) + font_size > width) break;
    kept = next;
  }
  return std::string(text.substr(0, kept)) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  for (const std::string_view word : split(text, ' ')) {
    const std::string longer = lines.empty() ? "" : fmt::format("{} {}", lines.back(), word);
    if (!lines.empty() && text_width(longer, font_size) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(shortened(word, font_size, width));
    }
  }
  return lines;
}

// With the k-th label moved up by k * gap, "at least gap apart" becomes "in order", and the nearest
// ordered numbers are means of blocks (isotonic regression by pooling).
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return wanted[i]; });
  std::vector<Block> blocks;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    blocks.push_back({wanted[order[rank]] - static_cast<double>(rank) * gap, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().size += last.size;
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t rank = 0;
  for (const Block& block : blocks) {
    const double room = gap * static_cast<double>(wanted.size() - 1);
    const double start = std::clamp(block.mean(), low, std::max(low, high - room));
    for (std::size_t i = 0; i < block.size; ++i, ++rank)
      places[order[rank]] = start + static_cast<double>(rank) * gap;
  }
  return places;
}

}  // namespace allot::figure
