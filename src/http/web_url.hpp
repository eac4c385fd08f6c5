// Where a request of ours may go: a URL taken apart, and which addresses belong to the public
// internet.
//
// Strict, like url.hpp: http or https, visible ASCII, no user or password, no fragment. A host is a
// name, an IPv4 address or an IPv6 address in brackets. Names are not looked up here; whoever does
// must check what they got with `is_public_address`, and connect to just that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::http {

struct WebUrl {
  bool tls = false;
  /// Without brackets, in small letters.
  std::string host;
  std::uint16_t port = 80;
  /// "/path?query", as given.
  std::string target = "/";
  /// What the field Host says: the port only if it is not the usual one.
  std::string authority;
};

/// At most 2,000 bytes.
Result<WebUrl> parse_web_url(std::string_view text);

/// Whether the text is an IPv4 or IPv6 address.
bool is_address(const std::string& text);

/// Whether it is an address that anyone on the internet may be reached at: not loopback, private,
/// link-local, shared, for documents, multicast or reserved [RFC 6890], nor an IPv6 address with an
/// IPv4 address inside, but for mapped ones, which count as what they hold.
bool is_public_address(const std::string& text);

}  // namespace allot::http
