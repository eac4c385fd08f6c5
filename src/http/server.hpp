// Serves a Service over HTTP/1.1, plain or with TLS.
//
// Every connection belongs to one of a few I/O threads and is a coroutine there: head, intake,
// body, handler, response, and again while the client keeps it alive. Pipelined requests wait for
// their turn. A slow or hostile client costs a few kilobytes until a timeout cuts it; everything
// that could grow has a limit. Requests that the server itself refuses never reach the service;
// they get application/problem+json.
//
// An idle connection costs about 6 KB, with TLS about 80 KB (measured with 5,000 and 1,000).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"
#include "http/message.hpp"

namespace allot::http {

/// A finished request, for logs. The texts live as long as the call.
struct RequestSummary {
  /// As sent; empty, like the path, if the head was invalid.
  std::string_view method;
  /// Decoded, without the query.
  std::string_view path;
  std::string_view peer;
  std::string_view id;
  /// 0 if the client was gone before there was a response.
  int status = 0;
  /// Bytes of the request's body, and of the response's.
  std::uint64_t received = 0, sent = 0;
  /// From the first byte of the request to the last byte of the response.
  std::chrono::nanoseconds duration{};
  /// The client took the whole response, as far as the server can know.
  bool whole = false;
};

/// A request that the server itself refused, so that the service never saw it. The texts live as
/// long as the call.
struct RefusedRequest {
  /// As in RequestSummary.
  std::string_view method, path, peer, id;
  /// As far as the head was read.
  const Fields& fields;
  int status = 0;
  /// "body_too_large"
  std::string_view code;
  std::chrono::nanoseconds duration{};
};

struct ServerOptions {
  /// "127.0.0.1:8080", "[::1]:8080"; port 0 picks a free port.
  std::vector<std::string> listen{"127.0.0.1:8080"};
  /// PEM files, both or neither; with them all addresses use TLS 1.2 or 1.3 only.
  std::string certificate = {}, key = {};
  /// I/O threads. One serves tens of thousands of small requests per second.
  int threads = 1;
  /// Beyond this, a client gets 503 at once.
  std::size_t most_connections = 10'000;
  /// Each holds a thread of the service while its handler reads; beyond this, or beyond half of it
  /// for one caller, 503 with Retry-After.
  std::size_t most_uploads = 4;
  /// Bytes of request line and fields; beyond this, 431. At most 100 fields.
  std::size_t largest_head = 16 << 10;
  /// Bytes of all request bodies in memory; beyond this, or beyond a quarter of it for unknown
  /// callers, 503.
  std::size_t body_memory = 256 << 20;
  /// Bytes of one upload that wait for its handler.
  std::size_t upload_buffer = 256 << 10;
  /// From the first byte of a head to its last, or 408. The first head of a connection counts from
  /// the start of the connection.
  std::chrono::milliseconds head_time{10'000};
  /// Per 64 KiB of a body, or 408.
  std::chrono::milliseconds body_time{30'000};
  /// Between two requests.
  std::chrono::milliseconds idle_time{60'000};
  /// Per 64 KiB of a response, or per piece of a stream.
  std::chrono::milliseconds write_time{30'000};
  /// Time for a client to read the last response before its connection closes.
  std::chrono::milliseconds linger_time{2'000};
  /// Time for requests in flight when the server stops.
  std::chrono::milliseconds stop_time{10'000};
  /// Called by an I/O thread after every request; must return quickly.
  std::function<void(const RequestSummary&)> finished = {};
  /// Called by an I/O thread after a refusal; must return quickly.
  std::function<void(const RefusedRequest&)> refused = {};
  /// Called by an I/O thread when the client with that address speaks plain HTTP on a port for TLS.
  std::function<void(const std::string& peer)> plain_request = {};
  /// Called at the start with TLS, and by an I/O thread after a reload: connections from now on get
  /// a certificate that expires then.
  std::function<void(std::chrono::sys_seconds expires)> certificate_used = {};
};

class Server {
 public:
  /// Listens and serves until `stop`. The service must outlive the server. Fails if an address is
  /// invalid or in use, or a certificate cannot be read.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Service& service);
  /// Checks whether `start` would succeed now, for callers with other work to do first.
  static Result<void> check(const ServerOptions& options);
  ~Server();

  /// Addresses with ports: "127.0.0.1:40123".
  const std::vector<std::string>& addresses() const;

  /// Open connections and uploads right now.
  struct Load {
    std::size_t connections = 0, uploads = 0;
  };
  Load load() const;

  /// Reads certificate and key again, for connections from now on. If they cannot be used, the old
  /// ones stay. Does nothing without TLS.
  Result<void> reload_certificate();

  /// Accepts no new connections, closes idle ones, ends event streams (text/event-stream), and
  /// gives other requests in flight up to `stop_time`. Returns when all connections are gone: the
  /// service is not called any more, and later replies are dropped. The server's own threads must
  /// not call it.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  /// Listens without serving.
  static Result<std::unique_ptr<Impl>> prepare(ServerOptions options, Service& service);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
