// What a server is asked and what it answers, free of any HTTP library.
//
// A handler gets a request and a way to reply, and may reply later and from any thread, exactly
// once. Long answers and long requests come in pieces: a Stream is pulled by the server whenever
// its client has taken the last piece, an Upload is read by the handler whenever it wants more, so
// that neither side keeps more than a piece in memory.
#pragma once

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

/// In the order they came or are to be sent. Names are compared without regard to case.
class Fields {
 public:
  void add(std::string name, std::string value) {
    list_.emplace_back(std::move(name), std::move(value));
  }
  /// The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

/// The body of a request, piece by piece.
class Upload {
 public:
  virtual ~Upload() = default;
  /// The next piece, nothing at the end. Waits for the client; refuses when it is gone, too slow or
  /// sends more than is allowed. Never to be called by a thread of the server's own.
  virtual Result<std::optional<std::string>> read() = 0;
};

struct Request {
  Method method = Method::get;
  /// Decoded, without the query: "/api/v1/campaigns".
  std::string path;
  /// Decoded, in order.
  std::vector<std::pair<std::string, std::string>> query;
  Fields fields;
  /// Whole, unless the route takes an upload.
  std::string body;
  std::unique_ptr<Upload> upload;
  /// The client's address without its port.
  std::string peer;
  /// Of this request alone; in logs and in the answer's X-Request-Id.
  std::string id;
};

/// The body of an answer, piece by piece.
class Stream {
 public:
  /// A piece, or nothing at the end. Trouble cuts the connection, so that what came before does not
  /// look like all of it. To be called once a pull, from any thread.
  using Ready = std::function<void(Result<std::optional<std::string>>)>;
  /// Ends when the client is gone, whether or not `ready` was called.
  virtual ~Stream() = default;
  /// Asks for the next piece. Returns at once.
  virtual void pull(Ready ready) = 0;
};

struct Response {
  int status = 200;
  Fields fields = {};
  std::string body = {};
  /// Instead of a body.
  std::unique_ptr<Stream> stream = {};
};

using Reply = std::function<void(Response)>;

/// What a server serves.
class Service {
 public:
  virtual ~Service() = default;
  /// How a request with such a head is to be taken: the largest body, and whether it is uploaded
  /// piece by piece. Called as soon as the head was read.
  struct Intake {
    std::uint64_t largest_body = 1 << 20;
    bool upload = false;
  };
  virtual Intake intake(Method method, std::string_view path) const = 0;
  /// Must return quickly: it runs on a thread that serves all connections.
  virtual void handle(Request request, Reply reply) = 0;
};

}  // namespace allot::http
