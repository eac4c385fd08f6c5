// The head of a response as text, and refusals by the server itself.
//
// The server owns the framing: it writes Content-Length, Transfer-Encoding, Connection, Date and
// X-Request-Id itself, and drops those fields if a handler set them. There is no field Server.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace allot::http {

/// A refusal before a handler sees the request: a status and a sentence, sent as
/// application/problem+json {type, title, status, detail, code}. The code is stable; the sentence
/// is for people.
struct Refusal {
  int status;
  /// "body_too_large"
  std::string code;
  std::string detail;
  /// Further fields of the response, such as Allow.
  Fields fields = {};
};

Response problem(const Refusal& refusal);

/// The standard phrase of a status: "Not Found".
std::string_view reason(int status);

struct Frame {
  /// Version of the request, 10 or 11.
  int version = 11;
  bool keep_alive = true;
  /// Length of the body, also for HEAD; nothing for a stream.
  std::optional<std::uint64_t> length;
  std::string_view id, date;
};

/// True for a final status, and fields whose names are tokens and whose values have no control
/// characters.
bool can_be_sent(const Response& response);

/// Whether the body is an event stream. It has no end; the server may end it at any time.
bool is_event_stream(const Response& response);

/// Responses with this status never have a body.
bool is_bodiless(int status);

/// The head including its empty line. The private `cause` is never part of it.
std::string head_text(const Response& response, const Frame& frame);

/// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string date_text(std::time_t time);

/// The line that starts a chunk of that size.
std::string chunk_line(std::size_t size);

}  // namespace allot::http
