// URLs, read strictly, so that no later code can read one in a different way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::http {

/// The target of a request, such as "/api/v1/items?after=a%20b":
///   - %XX needs two hexadecimal digits, and the decoded bytes must be UTF-8 without NUL;
///   - a path has no encoded slash (%2F would look like a separator once decoded), no "." or ".."
///     segment, encoded or not, no backslash and no control character;
///   - there is no fragment and no byte outside visible ASCII;
///   - at most 128 parameters.
/// "+" is a blank in the query and itself in the path. A target with scheme and host
/// ("http://host/path"), as proxies send it, loses them. A query that cannot be decoded is no
/// reason to refuse the target: pages do not read it. O(length).
struct Target {
  std::string path;
  /// In order; a parameter without "=" has an empty value.
  std::vector<std::pair<std::string, std::string>> query = {};
  /// Why the query cannot be decoded; empty if it can.
  std::string query_problem = {};
};

Result<Target> decode_target(std::string_view target);

/// A URL that the server sends requests to: http or https, visible ASCII, no user or password, no
/// fragment. A host is a name, an IPv4 address or an IPv6 address in brackets. Names are not looked
/// up here; the caller must check the address it finds with `is_public_address`, and connect to
/// exactly that address.
struct WebUrl {
  bool tls = false;
  /// Lower case, without brackets.
  std::string host;
  std::uint16_t port = 80;
  /// "/path?query", as given.
  std::string target = "/";
  /// Value of the field Host: with the port only if it is not the default.
  std::string authority;
};

/// At most 2,000 bytes.
Result<WebUrl> parse_web_url(std::string_view text);

/// True for an IPv4 or IPv6 address.
bool is_address(const std::string& text);

/// True for an address of the public internet: not loopback, private, link-local, shared,
/// documentation, multicast or reserved [RFC 6890]. IPv4-mapped IPv6 addresses count as the IPv4
/// address; other IPv6 addresses with an embedded IPv4 address are refused.
bool is_public_address(const std::string& text);

}  // namespace allot::http
