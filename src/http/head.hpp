// Validates the head of a request.
//
// The parser has checked the syntax; here are the rules of HTTP about methods, the host,
// expectations, and the framing of the body. A head that two readers could frame in two ways (a
// length and a transfer coding, a coding other than "chunked") is refused, since a proxy in front
// of this server may read it the other way. O(size).
#pragma once

#include <string>

#include "http/answer.hpp"
#include "http/message.hpp"
#include "http/url.hpp"

namespace allot::http {

/// A head as it was sent.
struct Head {
  std::string method, target;
  /// 10 or 11.
  int version = 11;
  Fields fields;
};

/// A head that passed the checks.
struct ValidHead {
  Method method;
  Target target;
  /// The client waits for "100 Continue" before it sends the body.
  bool waits = false;
};

tl::expected<ValidHead, Refusal> validate(const Head& head);

/// True if a client's X-Request-Id can be used: 1 to 64 letters, digits, '.', '_', '-'.
bool is_sane_id(std::string_view id);

}  // namespace allot::http
