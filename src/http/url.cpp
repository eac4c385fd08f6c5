#include "http/url.hpp"

#include <algorithm>
#include <optional>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "http/ascii.hpp"

namespace allot::http {
namespace {

constexpr std::size_t kMostParameters = 128;

tl::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::invalid_argument, std::move(what));
}

std::optional<unsigned> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  const char small = lower(digit);
  if (small >= 'a' && small <= 'f') return static_cast<unsigned>(small - 'a') + 10;
  return std::nullopt;
}

/// The byte that the escape at this place encodes.
std::optional<char> escaped(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  const auto high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

/// `what` names the part in a refusal.
Result<std::string> decode(std::string_view text, bool plus_is_blank, std::string_view what) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%') {
      const auto byte = escaped(text, at);
      if (!byte)
        return refuse("escape " + in_quotes(text.substr(at, 3)) + " in the " + std::string(what) +
                      " is invalid; expected % and two hexadecimal digits");
      plain += *byte;
      at += 2;
    } else {
      plain += plus_is_blank && text[at] == '+' ? ' ' : text[at];
    }
  }
  if (plain.find('\0') != std::string::npos)
    return refuse("the " + std::string(what) + " has a NUL (%00); expected none");
  if (!is_utf8(plain)) return refuse("the " + std::string(what) + " is not UTF-8 once decoded");
  return plain;
}

bool has_encoded_slash(std::string_view path) {
  for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1))
    if (escaped(path, at) == '/') return true;
  return false;
}

Result<std::string> decode_path(std::string_view text) {
  if (has_encoded_slash(text)) return refuse("the path has an encoded slash (%2F); expected none");
  auto path = decode(text, false, "path");
  if (!path) return path;
  if (path->find('\\') != std::string::npos)
    return refuse("the path has a backslash; expected none");
  if (std::ranges::any_of(*path, [](char letter) { return letter == '\t' || is_control(letter); }))
    return refuse("the path has a control character; expected none");
  for (const std::string_view segment : split(*path, '/'))
    if (segment == "." || segment == "..")
      return refuse("the path has a segment '" + std::string(segment) + "'; expected none");
  return path;
}

/// The target without scheme and host; nothing if it has another form.
std::optional<std::string_view> local(std::string_view target) {
  if (target.starts_with('/')) return target;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!same_word(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    const std::size_t host = std::min(target.find_first_of("/?"), target.size());
    if (host > 0) return target.substr(host);
  }
  return std::nullopt;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() - at < length) return false;
    std::uint32_t code = first & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[at + k]);
      if ((next & 0xc0U) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0x80, 0x800, 0x10000};
    if (code < least[length - 2] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
    at += length;
  }
  return true;
}

Result<Target> decode_target(std::string_view target) {
  if (std::ranges::any_of(target, [](char letter) { return letter <= ' ' || letter > '~'; }))
    return refuse("the target has a byte outside visible ASCII; write it as an escape (%XX)");
  if (target.find('#') != std::string_view::npos) return refuse("the target has a fragment (#)");
  const auto rest = local(target);
  if (!rest)
    return refuse("the target does not start with '/' or with http:// or https:// and a host");
  const std::size_t mark = std::min(rest->find('?'), rest->size());
  // "http://host" and "http://host?query" mean the root.
  const std::string_view path = mark == 0 ? "/" : rest->substr(0, mark);
  auto decoded = TRY(decode_path(path));
  Target result{std::move(decoded), {}};
  if (mark == rest->size()) return result;
  for (const std::string_view part : split(rest->substr(mark + 1), '&')) {
    if (part.empty()) continue;
    if (result.query.size() == kMostParameters)
      return refuse("the query has more than " + std::to_string(kMostParameters) + " parameters");
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = TRY(decode(part.substr(0, equals), true, "query"));
    auto value = TRY(decode(part.substr(std::min(equals + 1, part.size())), true, "query"));
    result.query.emplace_back(std::move(name), std::move(value));
  }
  return result;
}

}  // namespace allot::http
