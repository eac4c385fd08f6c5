// One request out of bytes that come in any pieces: Beast's parser behind a plain door.
//
// Bytes are handed over with `take`, which says how many it used up; what it left must come again,
// with more behind it. Nothing is kept but the head, and what of the head was refused. Limits hold
// for the whole head, for the lines between chunks and for the body. O(bytes), but bytes of a head
// that comes in pieces are looked at once a piece.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/head.hpp"
#include "http/refusal.hpp"

namespace allot::http {

class Parser {
 public:
  /// `largest_head` also bounds a line between chunks and the fields after the last.
  explicit Parser(std::size_t largest_head);
  ~Parser();

  /// Parses up to the end of the head, once that is reached up to the end of the body, which is
  /// added to `body`. Returns how many bytes it took, or why this is no request.
  tl::expected<std::size_t, Refusal> take(std::string_view bytes, std::string& body);

  /// Some of the request was seen.
  bool started() const;
  bool has_head() const;
  /// The whole request was taken.
  bool done() const;
  /// What follows holds once there is a head.
  const Head& head() const;
  Head& head();
  bool keep_alive() const;
  /// As the head declares it; nothing for a body in chunks.
  std::optional<std::uint64_t> length() const;
  /// The largest body that is taken, from here on.
  void limit_body(std::uint64_t largest);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The refusal of a body that is too large.
Refusal body_too_large(std::uint64_t largest);

}  // namespace allot::http
