#include "bridge/secret_text.hpp"

#include <charconv>
#include <string_view>
#include <vector>

namespace allot::bridge {
namespace {

/// A text with JSON's escapes of ASCII characters decoded, and where each character began.
struct Unescaped {
  std::string text;
  std::vector<std::size_t> begins;  // one more than characters

  explicit Unescaped(std::string_view escaped) {
    for (std::size_t at = 0; at < escaped.size();) {
      begins.push_back(at);
      const char next = at + 1 < escaped.size() ? escaped[at + 1] : ' ';
      unsigned code = 128;
      if (escaped[at] == '\\' && next == 'u' && at + 6 <= escaped.size()) {
        const char* const end = &escaped[at + 2] + 4;
        if (std::from_chars(end - 4, end, code, 16).ptr != end) code = 128;
      }
      const bool short_escape = escaped[at] == '\\' && (next == '/' || next == '"' || next == '\\');
      text += code < 128 ? static_cast<char>(code) : short_escape ? next : escaped[at];
      at += code < 128 ? 6 : short_escape ? 2 : 1;
    }
    begins.push_back(escaped.size());
  }
};

}  // namespace

void strike_out(const std::string& secret, std::string& text) {
  constexpr std::string_view kStruckOut = "[secret]";
  if (secret.empty()) return;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;
       at += kStruckOut.size()) {
    text.replace(at, secret.size(), kStruckOut);
  }
  if (text.find('\\') == std::string::npos) return;
  const Unescaped plain(text);
  std::string struck;
  std::size_t kept = 0;
  for (std::size_t at = 0; (at = plain.text.find(secret, at)) != std::string::npos;
       at += secret.size()) {
    struck.append(text, kept, plain.begins[at] - kept).append(kStruckOut);
    kept = plain.begins[at + secret.size()];
  }
  if (kept > 0) text = struck.append(text, kept);
}

}  // namespace allot::bridge
