// Reads a response from bytes as they come: for the client and the relay, which send requests.
//
//   receive(bytes), then read_head() until it is true, then read_body() until is_done().
// It knows no connection. Each call costs the bytes that it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace allot::http {

class ResponseReader {
 public:
  struct Limits {
    /// Also for the line of a chunk, and for the fields behind the last.
    std::size_t head = 64 << 10;
    std::uint64_t body = std::numeric_limits<std::uint64_t>::max();
    /// False for the response to HEAD, and for callers that need no body.
    bool has_body = true;
  };
  explicit ResponseReader(const Limits& limits);
  ~ResponseReader();

  /// Adds bytes from the connection.
  void receive(std::string_view bytes);
  /// True once the head is complete; false if it needs more bytes. Passes over interim responses
  /// such as "100 Continue". `too_large` if the head announces a body beyond the limit, else
  /// `invalid_argument` for bytes that are not HTTP.
  Result<bool> read_head();
  /// Up to `most` bytes of the body that were received. If there are none, the response is done or
  /// needs more bytes. Errors as from read_head.
  Result<std::string> read_body(std::size_t most);
  /// The connection has ended. True if the response is complete: its body has no stated length.
  bool end();

  bool has_head() const;
  bool is_done() const;
  /// Whether any byte was received.
  bool got_some() const { return got_some_; }
  /// Whether the connection can take another request: it stays open, and nothing follows the
  /// response.
  bool leaves_connection() const;
  int status() const;
  Fields fields() const;
  /// Value of Content-Length.
  std::optional<std::uint64_t> length() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> new_parser() const;
  std::string_view waiting() const { return std::string_view(bytes_).substr(taken_); }

  const Limits limits_;
  std::unique_ptr<Parser> parser_;
  std::string bytes_;
  std::size_t taken_ = 0;      // bytes in front that the parser has taken
  std::size_t head_size_ = 0;  // that the parser has taken
  std::uint64_t body_size_ = 0;
  bool got_some_ = false;
};

}  // namespace allot::http
