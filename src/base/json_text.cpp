#include "base/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

namespace allot {
namespace {

/// Whether none of eight characters needs an escape in JSON. A byte of (x - 0x01...) & ~x has its
/// high bit set if it is the first zero byte of x.
bool is_plain(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  const auto has_zero = [](std::uint64_t x) { return (x - kOnes) & ~x; };
  const std::uint64_t control = (word - 0x20 * kOnes) & ~word;
  const std::uint64_t quote = has_zero(word ^ ('"' * kOnes));
  const std::uint64_t backslash = has_zero(word ^ ('\\' * kOnes));
  return ((control | quote | backslash) & kHigh) == 0;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted;
  add_json_string(text, quoted);
  return quoted;
}

void add_json_string(std::string_view text, std::string& to) {
  to += '"';
  std::size_t plain = 0;  // from here on nothing had to be escaped
  for (std::size_t n = 0; n < text.size(); ++n) {
    while (n + 8 < text.size() && is_plain(text.data() + n)) n += 8;
    const auto c = static_cast<unsigned char>(text[n]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    to += text.substr(plain, n - plain);
    plain = n + 1;
    if (c < 0x20) {
      to += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      to += '\\';
      to += text[n];
    }
  }
  to += text.substr(plain);
  to += '"';
}

}  // namespace allot
