#include "http/url.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "http/ascii.hpp"

namespace allot::http {
namespace {

constexpr std::size_t kMostParameters = 128;

using Query = decltype(Target::query);

tl::unexpected<Error> refuse(std::string what) {
  return fail(ErrorCode::invalid_argument, std::move(what));
}

/// The byte that the escape at this place encodes.
std::optional<char> escaped(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return std::nullopt;
  unsigned char byte = 0;
  const char* const end = text.data() + at + 3;
  const auto [stop, wrong] = std::from_chars(end - 2, end, byte, 16);
  if (wrong != std::errc() || stop != end) return std::nullopt;
  return static_cast<char>(byte);
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

Result<Query> decode_query(std::string_view text) {
  Query query;
  for (const std::string_view part : split(text, '&')) {
    if (part.empty()) continue;
    if (query.size() == kMostParameters)
      return refuse("the query has more than " + std::to_string(kMostParameters) + " parameters");
    const std::size_t equals = std::min(part.find('='), part.size());
    auto name = TRY(decode(part.substr(0, equals), true, "query"));
    auto value = TRY(decode(part.substr(std::min(equals + 1, part.size())), true, "query"));
    query.emplace_back(std::move(name), std::move(value));
  }
  return query;
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

constexpr std::size_t kLongestUrl = 2000, kLongestHost = 253;

struct Block {
  std::uint32_t from;
  int bits;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c = 0) {
  return a << 24 | b << 16 | c << 8;
}

/// IANA's registry of special addresses.
constexpr std::array kSpecial{
    Block{v4(0, 0), 8},         Block{v4(10, 0), 8},      Block{v4(100, 64), 10},
    Block{v4(127, 0), 8},       Block{v4(169, 254), 16},  Block{v4(172, 16), 12},
    Block{v4(192, 0, 0), 24},   Block{v4(192, 0, 2), 24}, Block{v4(192, 88, 99), 24},
    Block{v4(192, 168), 16},    Block{v4(198, 18), 15},   Block{v4(198, 51, 100), 24},
    Block{v4(203, 0, 113), 24}, Block{v4(224, 0), 4},     Block{v4(240, 0), 4}};

bool is_public_v4(std::uint32_t address) {
  return std::ranges::none_of(kSpecial, [&](const Block& block) {
    return (address ^ block.from) >> (32 - block.bits) == 0;
  });
}

using V6 = std::array<unsigned char, 16>;

bool is_public_v6(const V6& a) {
  const bool mapped = std::all_of(a.begin(), a.begin() + 10, [](auto byte) { return byte == 0; }) &&
                      a[10] == 0xff && a[11] == 0xff;
  if (mapped) {
    return is_public_v4(std::uint32_t{a[12]} << 24 | std::uint32_t{a[13]} << 16 |
                        std::uint32_t{a[14]} << 8 | a[15]);
  }
  // Public addresses are in 2000::/3, except 2001::/23 (tunnels), 2001:db8::/32 and 3fff::/20
  // (documentation) and 2002::/16 (embedded IPv4).
  if (a[0] >> 5 != 1) return false;
  if (a[0] == 0x20 && a[1] == 0x01) return a[2] > 1 && !(a[2] == 0x0d && a[3] == 0xb8);
  if (a[0] == 0x20 && a[1] == 0x02) return false;
  return !(a[0] == 0x3f && a[1] == 0xff && a[2] < 0x10);
}

std::optional<std::uint32_t> as_v4(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

std::optional<V6> as_v6(const std::string& text) {
  V6 address;
  if (inet_pton(AF_INET6, text.c_str(), address.data()) != 1) return std::nullopt;
  return address;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Letters, digits, "-" and "_" between dots. The last part must not begin with a digit: some
/// programs would read it as a number.
bool is_name(const std::string& host) {
  if (host.empty() || host.size() > kLongestHost) return false;
  const auto parts = split(host, '.');
  for (const std::string_view part : parts) {
    const bool plain = std::ranges::all_of(
        part, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
    if (part.empty() || part.size() > 63 || part.starts_with('-') || !plain) return false;
  }
  return !is_digit(parts.back().front());
}

}  // namespace

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
  Target result{std::move(decoded)};
  if (mark == rest->size()) return result;
  if (auto query = decode_query(rest->substr(mark + 1))) {
    result.query = *std::move(query);
  } else {
    result.query_problem = query.error().message;
  }
  return result;
}

Result<WebUrl> parse_web_url(std::string_view text) {
  const auto refused = [given = text](std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("url '{}' cannot be used: {}; expected one like "
                            "https://example.org/path",
                            for_display(given, 100), why));
  };
  if (text.size() > kLongestUrl) {
    return fail(ErrorCode::too_large,
                fmt::format("the url has {} bytes; expected at most {}", text.size(), kLongestUrl));
  }
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; })) {
    return refused("it has spaces or non-ASCII characters");
  }
  if (text.find_first_of("\\#\"<>^`{|}") != std::string_view::npos) {
    return refused("it has a fragment, or a character that must be encoded");
  }
  WebUrl url;
  const std::size_t colon = text.find("://");
  const std::string scheme = lower(std::string(text.substr(0, colon)));
  if (colon == std::string_view::npos || (scheme != "http" && scheme != "https")) {
    return refused("it is neither http nor https");
  }
  url.tls = scheme == "https";
  text.remove_prefix(colon + 3);
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  std::string_view host = text.substr(0, end);
  const std::string_view target = text.substr(end);
  if (!target.empty()) url.target = (target.front() == '?' ? "/" : "") + std::string(target);
  if (host.find('@') != std::string_view::npos) return refused("it has a user or password");
  const bool bracketed = host.starts_with('[');
  const std::size_t host_end = bracketed ? host.find(']') : std::min(host.find(':'), host.size());
  if (host_end == std::string_view::npos) return refused("its host has no end");
  url.host = lower(std::string(host.substr(bracketed ? 1 : 0, host_end - (bracketed ? 1 : 0))));
  host.remove_prefix(host_end + (bracketed ? 1 : 0));
  if (bracketed ? !as_v6(url.host) : !as_v4(url.host) && !is_name(url.host)) {
    return refused("its host is neither a name nor an address");
  }
  const std::uint16_t usual = url.tls ? 443 : 80;
  url.port = usual;
  if (!host.empty()) {
    const auto port = parse_whole(host.substr(1));
    if (host.front() != ':' || !port || *port == 0 || *port > 65535) {
      return refused("its port is not from 1 to 65535");
    }
    url.port = static_cast<std::uint16_t>(*port);
  }
  url.authority = bracketed ? "[" + url.host + "]" : url.host;
  if (url.port != usual) url.authority += fmt::format(":{}", url.port);
  return url;
}

bool is_address(const std::string& text) { return as_v4(text) || as_v6(text); }

bool is_public_address(const std::string& text) {
  if (const auto address = as_v4(text)) return is_public_v4(*address);
  const auto address = as_v6(text);
  return address && is_public_v6(*address);
}

}  // namespace allot::http
