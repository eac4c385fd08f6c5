// The head of an answer as text.
//
// Framing is the server's business: Content-Length, Transfer-Encoding, Connection, Date and
// X-Request-Id are written here, and those that a handler set are left out. There is no field
// Server.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace allot::http {

struct Frame {
  /// Of the request, 10 or 11.
  int version = 11;
  bool keep_alive = true;
  /// The length of the body, which also answers HEAD; nothing for a stream.
  std::optional<std::uint64_t> length;
  std::string_view id, date;
};

/// Whether a client can be sent this: a final status, fields of tokens and values without control
/// characters.
bool can_be_sent(const Response& response);

/// The answer has no body whatever the request was.
bool is_bodiless(int status);

/// Up to and with the empty line.
std::string head_text(const Response& response, const Frame& frame);

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string date_text(std::time_t time);

/// The line before a chunk of that size.
std::string chunk_line(std::size_t size);

}  // namespace allot::http
