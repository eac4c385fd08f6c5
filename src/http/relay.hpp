// Passes requests on to another server, and its responses back, over connections that stay open.
//
// A response of unknown or large size is passed on piece by piece, as fast as its client takes it.
// Between servers the relay speaks plain HTTP. One thread serves all requests except uploads, which
// a thread of the caller passes on.
//
// A request that may be repeated takes a connection that was used before, if there is one; such a
// connection may turn out to be closed, and the request is then sent again on a new one. Any other
// request gets a new connection, so it is sent once.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "http/message.hpp"

namespace allot::http {

struct RelayOptions {
  std::chrono::milliseconds connect_time{2'000};
  /// From the request to the head of its response, and to its end if it is not passed on piece by
  /// piece.
  std::chrono::milliseconds answer_time{120'000};
  /// Larger responses are passed on piece by piece.
  std::size_t largest_whole = 256 << 10;
  std::size_t piece = 64 << 10;
  /// Connections per address that wait for the next request.
  std::size_t most_idle = 64;
};

/// Why there is no response.
struct RelayFailure {
  enum class Kind {
    refused,      // nobody listens at the address
    unreachable,  // no connection for another reason; nothing was sent
    lost,         // the request was sent, and it may have had its effect
  };
  Kind kind;
  std::string message;
};

class Relay {
 public:
  explicit Relay(RelayOptions options = {});
  /// Cancels what is under way.
  ~Relay();

  using Answer = tl::expected<Response, RelayFailure>;
  using Done = std::function<void(Answer)>;
  /// Sends the request to an address such as "10.0.0.7:8080", with one more header field. Returns
  /// at once; the relay's thread calls `done`, which must return quickly.
  void forward(const std::string& address, const Request& request, bool may_repeat, Done done);
  /// Sends a request with an upload, as it comes, and waits for the response.
  Answer forward_upload(const std::string& address, Request& request);
  /// Gives up requests to that address that have no response yet: they are lost.
  void abandon(const std::string& address);
  /// Calls later() after that time, unless the relay ends before.
  void after(std::chrono::milliseconds time, std::function<void()> later);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A field that marks a request as passed on once.
inline constexpr const char* kHop = "Allot-Hop";

}  // namespace allot::http
