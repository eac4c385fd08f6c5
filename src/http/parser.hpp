// The head of a request, and the parser of a request.
//
// The parser takes bytes that come in any pieces; it is a plain interface to Beast's. `take`
// returns how many bytes it used; the caller passes the rest again, with more bytes after it. The
// parser keeps only the head. Limits apply to the whole head, to the lines between chunks and to
// the body. O(bytes), except that a head in pieces is parsed again with each piece.
//
// The parser checks the syntax, and refuses fields that go on in the next line; `validate` checks
// the rules of HTTP about methods, the host, expectations, and the framing of the body. A head that
// two readers could frame in two ways (a length and a transfer coding, a coding other than
// "chunked") is refused, since a proxy in front of this server may read it the other way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

class Parser {
 public:
  /// `largest_head` also bounds a line between chunks and the fields after the last.
  explicit Parser(std::size_t largest_head);
  ~Parser();

  /// Parses up to the end of the head; after that, up to the end of the body, which is appended to
  /// `body`. Returns how many bytes it used, or the refusal.
  tl::expected<std::size_t, Refusal> take(std::string_view bytes, std::string& body);

  /// Some bytes of the request came.
  bool started() const;
  bool has_head() const;
  /// The whole request came.
  bool done() const;
  /// Valid once has_head().
  const Head& head() const;
  Head& head();
  bool keep_alive() const;
  /// Content-Length; nothing for a body in chunks.
  std::optional<std::uint64_t> length() const;
  /// Sets the largest body from here on.
  void limit_body(std::uint64_t largest);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The refusal of a body that is too large.
Refusal body_too_large(std::uint64_t largest);

}  // namespace allot::http
