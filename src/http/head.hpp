// What the head of a request asks for, and whether it may.
//
// The parser has seen that it is well formed; here are the rules of HTTP about what it says:
// methods, the host, expectations, and how the body is framed. A head that two readers could frame
// in two ways (a length and a transfer coding, a coding other than "chunked") is refused, since a
// proxy before this server may read it the other way. O(size).
#pragma once

#include <string>

#include "http/message.hpp"
#include "http/refusal.hpp"
#include "http/url.hpp"

namespace allot::http {

/// As it was sent.
struct Head {
  std::string method, target;
  /// 10 or 11.
  int version = 11;
  Fields fields;
};

/// A head that is in order.
struct Asked {
  Method method;
  Target target;
  /// The client waits for "100 Continue" before it sends the body.
  bool waits = false;
};

tl::expected<Asked, Refusal> ask(const Head& head);

/// Whether a client's X-Request-Id can be taken over: 1 to 64 letters, digits, '.', '_', '-'.
bool is_sane_id(std::string_view id);

}  // namespace allot::http
