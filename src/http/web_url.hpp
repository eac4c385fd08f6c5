// URLs that the server sends requests to, and which addresses belong to the public internet.
//
// Strict, like url.hpp: http or https, visible ASCII, no user or password, no fragment. A host is a
// name, an IPv4 address or an IPv6 address in brackets. Names are not looked up here; the caller
// must check the address it finds with `is_public_address`, and connect to exactly that address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::http {

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
