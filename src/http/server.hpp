// Serves a Service over HTTP/1.1, plain or by TLS.
//
// Every connection belongs to one of few I/O threads and is a coroutine there: head, intake, body,
// handler, answer, and again while the client keeps it alive; requests that are sent ahead wait for
// their turn. A slow or hostile client costs a few kilobytes and is cut by a time-out; whatever
// could grow has a limit. What is refused here never reaches the service and is answered as
// application/problem+json.
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

/// One request, when all was done about it. The texts live as long as the call.
struct Finished {
  /// As sent; empty, like the path, if the head made no sense.
  std::string_view method;
  /// Decoded, without the query.
  std::string_view path;
  std::string_view peer;
  std::string_view id;
  /// Of the answer; 0 if the client was gone before there was one.
  int status = 0;
  /// Bytes of the body that came, and of the body that was sent.
  std::uint64_t received = 0, sent = 0;
  /// From the first byte of the request to the last of the answer.
  std::chrono::nanoseconds duration{};
  /// The client took the whole answer, as far as can be known.
  bool whole = false;
};

struct ServerOptions {
  /// "127.0.0.1:8080", "[::1]:8080"; port 0 takes a free one.
  std::vector<std::string> listen{"127.0.0.1:8080"};
  /// Files in PEM, both or neither; with them all addresses speak TLS 1.2 or 1.3 only.
  std::string certificate = {}, key = {};
  /// I/O threads. One serves tens of thousands of small requests a second.
  int threads = 1;
  /// Beyond it a client gets 503 at once.
  std::size_t most_connections = 10'000;
  /// Each holds a thread of the service while its handler reads; beyond it 503 with Retry-After.
  std::size_t most_uploads = 4;
  /// Bytes of request line and fields, beyond it 431. At most 100 fields.
  std::size_t largest_head = 16 << 10;
  /// Bytes of all bodies that wait in memory for their rest or their answer, beyond it 503.
  std::size_t body_memory = 256 << 20;
  /// Bytes of one upload that wait for the handler to read them.
  std::size_t upload_buffer = 256 << 10;
  /// From the first byte of a head to its last (for the first head of a connection: from its
  /// start), else 408.
  std::chrono::milliseconds head_time{10'000};
  /// For every 64 KiB of a body, else 408.
  std::chrono::milliseconds body_time{30'000};
  /// Between two requests.
  std::chrono::milliseconds idle_time{60'000};
  /// For every 64 KiB of an answer or every piece of a stream.
  std::chrono::milliseconds write_time{30'000};
  /// How long a client whose connection is being closed may take to read the last answer.
  std::chrono::milliseconds linger_time{2'000};
  /// How long `stop` waits for requests in flight.
  std::chrono::milliseconds stop_time{10'000};
  /// Called by an I/O thread after every request, so quickly.
  std::function<void(const Finished&)> finished = {};
};

class Server {
 public:
  /// Listens and serves until `stop`. The service must outlive the server. Refuses addresses that
  /// make no sense or are in use, and certificates that cannot be read.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Service& service);
  /// Whether `start` would refuse them now, for who has more to do before.
  static Result<void> check(const ServerOptions& options);
  ~Server();

  /// Where it listens, with ports: "127.0.0.1:40123".
  const std::vector<std::string>& addresses() const;

  /// What is open right now.
  struct Load {
    std::size_t connections = 0, uploads = 0;
  };
  Load load() const;

  /// No new connections; idle ones are closed, event streams (text/event-stream) ended, requests
  /// and other streams in flight finished, and those that are not within `stop_time` cut. Returns
  /// when all are gone: the service is called no more, and replies that come later are dropped.
  /// Not to be called by a thread of the server's own.
  void stop();

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  /// Listens, and does not serve yet.
  static Result<std::unique_ptr<Impl>> prepare(ServerOptions options, Service& service);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::http
