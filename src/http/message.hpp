// Requests and responses, independent of any HTTP library.
//
// A handler gets a request and a way to reply; it may reply later and from any thread, exactly
// once. Long bodies come in pieces: the server pulls a Stream whenever its client has taken the
// last piece, and the handler reads an Upload whenever it wants more. Neither side keeps more than
// a piece in memory.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::http {

enum class Method : std::uint8_t { get, head, post, put, patch, del };
inline constexpr std::array<std::string_view, 6> kMethodNames{"GET", "HEAD",  "POST",
                                                              "PUT", "PATCH", "DELETE"};

/// Header fields in the order in which they are received or sent. Names ignore case.
class Fields {
 public:
  void add(std::string name, std::string value);
  /// The first field of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

/// The body of a request, piece by piece.
class Upload {
 public:
  virtual ~Upload() = default;
  /// The next piece; nothing at the end. Waits for the client. Fails if the client is gone, is too
  /// slow or sends too much. The server's own threads must not call it.
  virtual Result<std::optional<std::string>> read() = 0;
};

struct Request {
  Method method = Method::get;
  /// Decoded, without the query: "/api/v1/campaigns".
  std::string path;
  /// Decoded, in order.
  std::vector<std::pair<std::string, std::string>> query;
  /// Why the query cannot be decoded; empty if it can.
  std::string query_problem = {};
  Fields fields;
  /// The whole body, unless the route takes an upload.
  std::string body;
  std::unique_ptr<Upload> upload;
  /// The client's address without its port.
  std::string peer;
  /// Unique per request; appears in logs and in X-Request-Id.
  std::string id;
};

/// The body of a response, piece by piece.
class Stream {
 public:
  /// Takes a piece, or nothing at the end. An error cuts the connection, so that a partial body
  /// does not look complete. Called once per pull, from any thread.
  using Ready = std::function<void(Result<std::optional<std::string>>)>;
  /// The server destroys the stream when the client is gone, even before `ready` was called.
  virtual ~Stream() = default;
  /// Asks for the next piece. Returns at once.
  virtual void pull(Ready ready) = 0;
};

struct Response {
  int status = 200;
  Fields fields = {};
  std::string body = {};
  /// Sent instead of the body.
  std::unique_ptr<Stream> stream = {};
  /// For logs, never sent: the code of a refusal, and the private cause of a failure.
  std::string reason = {}, cause = {};
};

using Reply = std::function<void(Response)>;

/// The application behind a server.
class Service {
 public:
  virtual ~Service() = default;
  /// How the server must take the body: the largest size, and whether the handler reads it piece by
  /// piece.
  struct Intake {
    std::uint64_t largest_body = 1 << 20;
    bool upload = false;
    /// The caller, such as the id of a token; empty if the head names no caller that is known. Each
    /// caller has at most half of the uploads at once, and so have all unknown ones together. The
    /// bodies of unknown callers take at most a quarter of the memory for bodies.
    std::string caller = {};
  };
  /// Called as soon as the head was read; the request has no body yet.
  virtual Intake intake(const Request& request) const = 0;
  /// Must return quickly: it runs on a thread that serves many connections.
  virtual void handle(Request request, Reply reply) = 0;
};

}  // namespace allot::http
